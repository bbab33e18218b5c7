//===- TileLimits.h - how large a tile may be -------------------*- C++ -*-===//
#ifndef TITAN_LIB_DIALECT_TILELIMITS_H
#define TITAN_LIB_DIALECT_TILELIMITS_H

#include <cstdint>

namespace titan {
/// Elements that a tile has at most, in registers or shared memory: more than
/// any target holds, and little enough to list.
inline constexpr int64_t maxTileElements = int64_t(1) << 24;
} // namespace titan

#endif
