//===- Letters.h - numbers that one thread hands to others ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mailbox is a ring of shared memory that nothing but titan.st and titan.ld of single
// elements touches. Its n-th letter lies in slot n mod slots.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_LETTERS_H
#define TITAN_DIALECT_TITAN_LETTERS_H

#include "titan/Dialect/Titan/Titan.h"

#include <optional>

namespace titan {

/// On a titan.st that posts a letter's element, and on each titan.ld for which what was
/// posted stands (followLetters): which element, by number.
inline constexpr llvm::StringLiteral letterAttribute = "titan.letter";

/// Which element of which letter this accesses (letterAttribute); none: it is none.
std::optional<int64_t> letterOf(mlir::Operation *op);

/// Shared memory that letters alone are put into and taken from.
bool isMailbox(mlir::Value memory);

/// The number of the letter that a titan.ld or titan.st of a mailbox is of: what its slot
/// is modulo the slots, or the slot itself, where that is a constant (of the first
/// round). Null: its slot says none.
mlir::Value letterNumberOf(mlir::Operation *op);

} // namespace titan

#endif
