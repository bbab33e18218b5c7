//===- Scalars.h - integers, and where they come from -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker computes with numbers: each size, CTA id and launch argument (a
// *parameter*) is given a representative value. Beside its value a number keeps a
// *symbol*, the expression over parameters it came from, hash-consed so that equal
// expressions are equal numbers. Two loops whose bounds have the same symbols
// run equally often; and to make a loop run n times, a parameter of its bounds is
// solved for.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SCALARS_H
#define TITAN_LIB_ANALYSIS_SCALARS_H

#include "titan/Dialect/Titan/Titan.h"

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace titan::checker {

/// Pure integer operations.
enum class Arith : uint8_t {
  None,
  Add,
  Sub,
  Mul,
  DivU,
  DivS,
  RemU,
  RemS,
  CeilDivU,
  CeilDivS,
  FloorDivS,
  And,
  Or,
  Xor,
  Shl,
  ShrU,
  ShrS,
  MinU,
  MinS,
  MaxU,
  MaxS,
  Cmp,
  Select,
  Cast,
  CastU,
};

/// Which of them an operation is, and its predicate (Cmp).
std::pair<Arith, unsigned> classify(mlir::Operation *op);

/// A quotient or remainder, which has no result where the divisor is 0; a shift,
/// which has none by as many bits as there are.
bool divides(Arith code);
bool shifts(Arith code);

/// Bits of an integer or index; 0: neither.
unsigned bitsOf(mlir::Type type);

/// A op b (select: a ? b : c) in `bits` of the result, where the operands have
/// `operandBits`. Values are kept sign-extended, i1 as 0 or 1. None: division
/// by zero.
std::optional<int64_t> evaluate(Arith code, unsigned predicate,
                                unsigned operandBits, unsigned bits, int64_t a,
                                int64_t b, int64_t c);

/// An integer and its symbol; 0: a constant.
struct Number {
  int64_t value = 0;
  uint32_t symbol = 0;
  auto operator<=>(const Number &) const = default;
};

class Symbols {
public:
  /// A parameter for a key: always the same for the same key.
  uint32_t parameter(const void *key, int dimension);
  /// The parameter of a key; 0: there is none yet.
  uint32_t find(const void *key, int dimension) const {
    auto found = parameterNames.find({key, dimension});
    return found == parameterNames.end() ? 0 : found->second;
  }
  /// The symbol of an operation on numbers; 0 when all are constants.
  uint32_t apply(Arith code, unsigned predicate, unsigned operandBits,
                 unsigned bits, Number a, Number b, Number c);

  /// Values of the parameters, by number (parameterOf) and CTA.
  using Values = std::vector<std::vector<int64_t>>;
  /// The value of a number under other values of the parameters.
  std::optional<int64_t> value(Number number, const Values &parameters,
                               int cta) const;
  /// Until the next call no other parameter than this one, by number, changes its
  /// values: what does not hang on it is kept. None: all may change.
  void changesOnly(std::optional<uint32_t> parameter) const;
  /// The parameters in an expression, and its constants.
  void collect(Number number, std::vector<uint32_t> &parameters,
               std::vector<int64_t> *constants = nullptr) const;
  size_t parameterCount() const { return parameterNames.size(); }
  /// The number of a symbol that is a parameter.
  uint32_t parameterOf(uint32_t symbol) const {
    return nodes[symbol].predicate;
  }

  /// The predicate of a minimum or maximum that a condition which holds makes of a
  /// number: the number it is, in each launch.
  static constexpr unsigned believed = 1;
  struct Node {
    Arith code = Arith::None; ///< None: a parameter, its number in `predicate`
    unsigned predicate = 0, operandBits = 0, bits = 0;
    Number a, b, c;
    bool operator==(const Node &) const = default;
  };
  /// The parameters in an expression, a bit each; bit 63 stands for all beyond.
  uint64_t parametersOf(Number number) const { return masks[number.symbol]; }
  /// How many symbols there are, 0 included.
  size_t size() const { return nodes.size(); }
  /// How many symbols have been evaluated so far, each time anew.
  uint64_t evaluations() const { return evaluated; }
  /// Of a symbol; those of its operands have smaller numbers.
  const Node &node(uint32_t symbol) const { return nodes[symbol]; }

private:
  std::optional<int64_t> walk(Number number, const Values &parameters,
                              int cta) const;
  std::vector<Node> nodes = {Node{}};
  std::vector<uint64_t> masks = {0};
  /// Values found in the current evaluation (`stamps` is `now`): expressions
  /// share their parts.
  mutable std::vector<std::optional<int64_t>> memo;
  mutable std::vector<uint64_t> stamps;
  mutable uint64_t now = 0;
  mutable uint64_t evaluated = 0;
  /// Between two calls of changesOnly: which one, the parameter's bit, and of each
  /// symbol in which one, and for which CTA, its value was found.
  mutable uint32_t span = 0;
  mutable std::optional<uint64_t> changing;
  mutable std::vector<std::pair<uint32_t, int>> kept;
  /// What the current collect() has come by (`visited` is `visit`).
  mutable std::vector<uint32_t> visited;
  mutable uint32_t visit = 0;
  struct NodeHash {
    size_t operator()(const Node &node) const;
  };
  std::unordered_map<Node, uint32_t, NodeHash> interned;
  std::map<std::pair<const void *, int>, uint32_t> parameterNames;
};

} // namespace titan::checker

#endif
