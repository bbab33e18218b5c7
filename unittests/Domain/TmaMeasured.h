//===- TmaMeasured.h - Copies as hardware made them -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what tests/Hardware/tma printed of one copy, and says what lib/Domain
// makes of it, in the same words:
//
//   note | tiled load rank=3 type=u8 ... shared=3072 | tx 256 | 0:256<64
//
// `0:256<64`: the 256 bytes from byte 0 of the image on came from byte 64
// behind the tensor's address (stores: the other way round); `z` zeros, `n`
// NaN.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_DOMAIN_TMAMEASURED_H
#define TITAN_UNITTESTS_DOMAIN_TMAMEASURED_H

#include "titan/Domain/Tma.h"

#include <map>
#include <sstream>

namespace titan {

struct MeasuredCopy {
  TensorMap map;
  TmaCopy copy;
  std::string outcome; ///< "tx 256 | 0:256<64", "error 715", "refused 1".
};

inline std::optional<MeasuredCopy> parseMeasured(const std::string &line) {
  size_t first = line.find(" | "), second = line.find(" | ", first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return std::nullopt;
  MeasuredCopy result;
  TensorMap &map = result.map;
  result.outcome = line.substr(second + 3);
  std::istringstream words(line.substr(first + 3, second - first - 3));
  std::string mode, how, word;
  words >> mode >> how;
  map.mode = mode == "im2col" ? TmaMode::Im2col : TmaMode::Tiled;
  result.copy.direction = how == "load"    ? TmaDirection::Load
                          : how == "store" ? TmaDirection::Store
                                           : TmaDirection::Reduce;
  if (result.copy.direction == TmaDirection::Reduce)
    result.copy.reduction = how;
  std::map<std::string, std::string> fields;
  while (words >> word)
    fields[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  auto number = [&](const char *field) { return std::stoll(fields[field]); };
  auto each = [&](const char *field, auto &&put) {
    std::istringstream list(fields[field]);
    std::string item;
    for (int i = 0; std::getline(list, item, ','); ++i)
      put(i, std::stoll(item));
  };
  auto array = [&](const char *field, auto &values) {
    each(field, [&](int i, int64_t value) {
      values[i] = static_cast<std::decay_t<decltype(values[0])>>(value);
    });
  };
  map.rank = static_cast<int>(number("rank"));
  map.type = findTmaType(fields["type"]);
  map.swizzle = findTmaSwizzle(fields["swizzle"]);
  map.interleave = TmaInterleave(number("interleave") / 16);
  map.nanFill = number("nan");
  map.address = static_cast<uint64_t>(number("address"));
  array("dims", map.dims);
  array("strides", map.strides);
  array("es", map.elementStrides);
  if (map.mode == TmaMode::Tiled) {
    array("box", map.box);
  } else {
    map.im2col.channels = static_cast<uint32_t>(number("channels"));
    map.im2col.pixels = static_cast<uint32_t>(number("pixels"));
    array("lower", map.im2col.lower);
    array("upper", map.im2col.upper);
  }
  each("offsets",
       [&](int, int64_t value) { result.copy.im2colOffsets.push_back(value); });
  each("coords",
       [&](int, int64_t value) { result.copy.coords.push_back(value); });
  result.copy.shared = number("shared");
  return result;
}

/// What the function says, in the words of the file; a problem is its code.
inline std::string predictMeasured(const MeasuredCopy &measured,
                                   const TargetInfo &target) {
  const TensorMap &map = measured.map;
  auto transfer = TmaTransfer::make(map, measured.copy, target);
  if (!transfer)
    return transfer.problem().code;
  bool load = measured.copy.direction == TmaDirection::Load;
  // Destination, one entry for each byte: where from, or -1 fill.
  std::map<int64_t, int64_t> bytes;
  transfer->forEachRun([&](const TmaRun &run) {
    int64_t s = run.shared - measured.copy.shared;
    int64_t g = static_cast<int64_t>(run.global - map.address);
    for (int64_t b = 0; b < run.bytes; ++b)
      bytes[(load ? s : g) + b] = run.fill ? INT64_MIN : (load ? g : s) + b;
  });
  std::string text =
      "tx " + std::to_string(load ? transfer->transactionBytes() : 0) + " |";
  for (auto it = bytes.begin(); it != bytes.end();) {
    auto end = std::next(it);
    auto follows = [&] {
      auto last = std::prev(end);
      return end != bytes.end() && end->first == last->first + 1 &&
             (it->second == INT64_MIN ? end->second == INT64_MIN
                                      : end->second == last->second + 1);
    };
    while (follows())
      ++end;
    text += " " + std::to_string(it->first) + ":" +
            std::to_string(std::distance(it, end)) + "<";
    text += it->second != INT64_MIN ? std::to_string(it->second)
            : map.nanFill           ? "n"
                                    : "z";
    it = end;
  }
  return text;
}

} // namespace titan

#endif // TITAN_UNITTESTS_DOMAIN_TMAMEASURED_H
