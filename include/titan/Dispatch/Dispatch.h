//===- Dispatch.h - variants, predicates, costs -----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation says what is to be done; the hardware has several ways to do it.
// A *variant* is one way:
//
//   name         dsmem
//   directions   shared -> shared                 from which memory to which
//   needs        BulkCopy, Clusters               features that its target has
//   priority     10                               breaks ties
//   predicates   single_thread: "expected a       each with a name and, where it
//                 single thread, ..."             does not hold, a reason
//   plan         1 instruction of 16384 bytes,    what it would do, or a reason
//                1 thread, no fences; a builder   why it cannot after all
//
// decide() asks all of them. Those whose predicates hold and that have a plan
// *fit*; of these the one with the least weight is chosen, the greater priority
// where weights are equal, the first registered where priorities are. What was
// asked and what was answered stays in the Decision: `titan explain copy` prints
// it, and an error lists it.
//
//   variant   predicate              says
//   tma       validate_copy_op       no: the copy has no schedule
//   dsmem     all hold               1 x 16384 bytes, weight 1      <- chosen
//
// A name that the operation gives (`dispatch("dsmem")`) leaves that variant
// alone; where it does not fit, nothing is taken in its place.
//
// The mechanism knows no operation: `Request` is what variants are asked about
// (CopyRequest in Copy.h), and has a `target`, `from` and `to`.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DISPATCH_DISPATCH_H
#define TITAN_DISPATCH_DISPATCH_H

#include "titan/Layout/Result.h"
#include "titan/Target/Target.h"

#include "mlir/Support/LLVM.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace titan::dispatch {

/// Where data is.
enum class Memory { Global, Shared, Registers };
llvm::StringRef nameOf(Memory memory);

/// What a variant costs.
///
///   weight = instructions that the busiest thread issues
///          + 8 for each fence that the program would need beside it
///
/// or the cycles that it takes in the place of instructions, where the variant says
/// them: all that compete with it for a copy do then.
struct Cost {
  /// That one thread issues, and bytes that each of them moves (all threads of
  /// the variant together).
  int64_t instructions = 1, bytes = 0;
  int64_t threads = 1;
  int64_t fences = 0;
  std::optional<int64_t> cycles;

  int64_t weight() const { return cycles.value_or(instructions) + 8 * fences; }
  /// "1 instruction of 16384 bytes, 1 thread, no fences".
  std::string str() const;
};

/// What a variant would do. Making a plan changes nothing.
struct Plan {
  Cost cost;
  /// Makes what all plans of the kernel need before the first is built; or null.
  std::function<void()> prepare;
  /// Puts operations in the place of the one that was asked about.
  std::function<mlir::LogicalResult()> build;
};

template <typename Request> struct Predicate {
  std::string name;
  /// The reason why it does not hold; none: it holds.
  std::function<std::optional<std::string>(const Request &)> declines;
  /// Where it does not hold the operation is one of another kind (by a map, over when
  /// its threads go on): there is nothing to mend.
  bool ofKind = false;
};

template <typename Request> struct Variant {
  std::string name;
  std::vector<std::pair<Memory, Memory>> directions; ///< Empty: all.
  std::vector<Feature> needs; ///< Of the target: all of them.
  int priority = 0;
  /// Right wherever it is asked for, and slow: chosen where nothing else fits,
  /// with a warning, or where the operation asks for it.
  bool fallback = false;
  std::vector<Predicate<Request>> when;
  std::function<Result<Plan>(const Request &)> plan;
};

/// The variants of one kind of operation, in the order of registration.
template <typename Request> class VariantTable {
public:
  /// A second variant of that name takes the place of the first.
  void add(Variant<Request> variant) {
    for (Variant<Request> &other : list)
      if (other.name == variant.name) {
        other = std::move(variant);
        return;
      }
    list.push_back(std::move(variant));
  }
  const std::vector<Variant<Request>> &variants() const { return list; }

private:
  std::vector<Variant<Request>> list;
};

/// What one variant said.
struct Verdict {
  std::string name;
  int priority = 0;
  /// The predicate that does not hold; "plan" where the variant has none after
  /// all; empty: it fits.
  std::string predicate;
  /// Why not, with a code of its own or with that of the dispatch.
  Problem problem;
  Cost cost;
  bool fallback = false;
  /// It goes between other memories.
  bool elsewhere = false;
  /// It is of operations of another kind, or not on this target.
  bool otherKind = false;
  bool fits() const { return predicate.empty(); }
};

struct Decision {
  std::vector<Verdict> verdicts;
  /// Which of them; -1: none.
  int chosen = -1;
  Plan plan;
  /// What the operation asks for, or any; and, where there is no variant of that
  /// name, those that there are.
  std::optional<std::string> forced;
  std::string names;

  /// Whether it is to be warned of.
  bool isFallback() const {
    return chosen >= 0 && verdicts[chosen].fallback && !forced;
  }

  /// What is wrong where none is chosen, a line for each variant, those of another
  /// kind last; `code` unless the one variant whose predicates hold has another one.
  Problem problem(llvm::StringRef code) const;
  /// A line for each variant: "dsmem  single_thread: expected ..."; one for all
  /// that go between other memories.
  std::vector<std::string> lines() const;
};

template <typename Request>
Decision decide(const VariantTable<Request> &table, const Request &request,
                std::optional<llvm::StringRef> forced = std::nullopt) {
  Decision decision;
  if (forced)
    decision.forced = forced->str();
  for (const Variant<Request> &variant : table.variants()) {
    if (forced && *forced != variant.name) {
      decision.names += (decision.names.empty() ? "" : ", ") + variant.name;
      continue;
    }
    Verdict &verdict = decision.verdicts.emplace_back();
    verdict.name = variant.name;
    verdict.priority = variant.priority;
    verdict.fallback = variant.fallback;
    auto decline = [&](std::string predicate, Problem problem) {
      verdict.predicate = std::move(predicate);
      verdict.problem = std::move(problem);
    };
    bool there = true;
    for (Feature feature : variant.needs)
      there &= request.target->has(feature);
    bool direction = variant.directions.empty();
    std::string ways;
    for (auto [from, to] : variant.directions) {
      direction |= from == request.from && to == request.to;
      ways += (ways.empty() ? "is_" : "_or_") + nameOf(from).str() + "_to_" +
              nameOf(to).str();
    }
    if (!there) {
      verdict.otherKind = true;
      decline("target", {{}, "not on " + std::string(request.target->name)});
      continue;
    }
    if (!direction) {
      verdict.elsewhere = true;
      decline(ways, {{},
                     "goes from " + nameOf(request.from).str() + " to " +
                         nameOf(request.to).str()});
      continue;
    }
    bool holds = true;
    for (const Predicate<Request> &predicate : variant.when)
      if (auto reason = predicate.declines(request)) {
        decline(predicate.name, {{}, std::move(*reason)});
        verdict.otherKind = predicate.ofKind;
        holds = false;
        break;
      }
    if (!holds)
      continue;
    Result<Plan> plan = variant.plan(request);
    if (!plan) {
      decline("plan", plan.problem());
      continue;
    }
    verdict.cost = plan->cost;
    int64_t weight = plan->cost.weight();
    const Verdict *best =
        decision.chosen < 0 ? nullptr : &decision.verdicts[decision.chosen];
    if (best && (variant.fallback ||
                 (!best->fallback && (weight > best->cost.weight() ||
                                      (weight == best->cost.weight() &&
                                       variant.priority <= best->priority)))))
      continue;
    decision.chosen = static_cast<int>(decision.verdicts.size()) - 1;
    decision.plan = std::move(*plan);
  }
  return decision;
}

} // namespace titan::dispatch

#endif
