//===- Prove.cpp - a kernel is right for every size -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Typestate/Prove.h"

#include "../Alignment.h"
#include "../Resources.h"
#include "Typestate.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

/// How much work a proof may be: of the examples, gemm.mlir needs most, 2,000.
static constexpr uint64_t mostSystems = 6000;

/// One case of what the launch decides; cases within it are looked at in turn.
static std::optional<Stop>
attempt(KernelOp kernel, const Facts &cases, std::set<std::string> &assumptions,
        std::set<Operation *> &reached, int depth, Atoms *names,
        const std::set<Operation *> &peeled, Judgement without) {
  Proof proof(kernel);
  proof.without = without;
  proof.peeled = peeled;
  if (names)
    proof.atoms = *names;
  if (!proof.readLaunch())
    return proof.stopped;
  // Of facts that contradict each other all would be proved.
  if (depth == 0 && proof.launch.contradict()) {
    proof.stop("no launch is what titan.require asks for: nothing is proved",
               kernel, "requirements that can hold together");
    return proof.stopped;
  }
  proof.launch.add(cases);
  if (proof.launch.contradict())
    return std::nullopt; // no such launch
  // What signals tell is found by walking, first without it, until it stays so.
  std::pair<Exports, Exports> before;
  for (int round = 0; round < 6 && !proof.stopped; ++round) {
    if (!proof.walk(/*enforce=*/false))
      break;
    before = {proof.exports, proof.seen};
    proof.collectExports();
    if (std::pair(proof.exports, proof.seen) == before)
      break;
  }
  bool good = !proof.stopped && proof.walk(/*enforce=*/true) &&
              proof.checkCounts() && proof.checkMulticast() &&
              proof.checkDeadlock() && proof.checkOrders() &&
              proof.checkDefined() && proof.checkGlobal();
  if (good) {
    assumptions.insert(proof.assumptions.begin(), proof.assumptions.end());
    reached.insert(proof.reached.begin(), proof.reached.end());
    return std::nullopt;
  }
  if (Operation *loop = proof.stopped->peel) {
    std::set<Operation *> more = peeled;
    more.insert(loop);
    return attempt(kernel, cases, assumptions, reached, depth, &proof.atoms,
                   more, without);
  }
  if (!proof.stopped->split)
    return proof.stopped;
  if (depth == 6) {
    proof.stopped->reason = "too many cases of what the launch decides";
    return proof.stopped;
  }
  Polynomial split = *proof.stopped->split;
  for (bool yes : {true, false}) {
    Facts more = cases;
    more.nonnegative.push_back(yes ? split : Polynomial(-1) - split);
    if (auto stop = attempt(kernel, more, assumptions, reached, depth + 1,
                            &proof.atoms, peeled, without)) {
      if (!yes || proof.print(split).empty())
        stop->reason += " (where " + proof.print(split) + " is below 0)";
      return stop;
    }
  }
  return std::nullopt;
}

ProofReport titan::prove(KernelOp kernel, Judgement without,
                         double mostSeconds) {
  auto start = std::chrono::steady_clock::now();
  ProofReport report;
  uint64_t before = Facts::solved();
  auto stop = [&]() -> std::optional<Stop> {
    if (checker::targetOf(kernel) != TargetId::Sm90a)
      return Stop{"kernels of this target are not followed by the proof yet",
                  kernel};
    // Tiles of other warps than there are have no meaning.
    Operation *odd = nullptr;
    int64_t width = targetInfo(checker::targetOf(kernel)).warpWidth;
    kernel.getBody().walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type);
            tile && tile.getEncoding() && !odd)
          if (auto layout = getTileLayout(tile);
              !layout || layout->lanes() != width)
            odd = op;
    });
    if (odd)
      return Stop{"this tile's layout is not one of " + std::to_string(width) +
                      " lanes",
                  odd};
    if (auto starts = checker::findUnprovedStarts(kernel); !starts.empty())
      return Stop{"coordinate 0 is not shown to be a multiple of 16 bytes",
                  starts.front().first};
    std::set<std::string> assumptions;
    Facts::limit(mostSystems, mostSeconds);
    std::set<Operation *> reached;
    auto stop =
        attempt(kernel, {}, assumptions, reached, 0, nullptr, {}, without);
    // What no case has looked at is not proved by being left out.
    if (!stop)
      kernel.getBody().walk([&](HardwareEffectsInterface op) {
        if (!stop && !reached.contains(op))
          stop = Stop{"no launch is shown to execute this: nothing is proved "
                      "of it",
                      op};
      });
    if (stop && Facts::late()) {
      stop->reason = llvm::formatv("given up after {0} s; then: {1}",
                                   mostSeconds, stop->reason);
      stop->goOn = "--proof=SECONDS gives it more time";
    } else if (stop && Facts::exhausted()) {
      stop->reason = "given up after " + std::to_string(mostSystems) +
                     " systems of facts; then: " + stop->reason;
    }
    if (stop)
      return stop;
    report.assumptions.assign(assumptions.begin(), assumptions.end());
    return std::nullopt;
  }();
  report.proved = !stop;
  report.systems = Facts::solved() - before;
  if (stop) {
    report.stoppedAt = stop->op;
    report.reason = stop->reason;
    report.goOn = stop->goOn;
  }
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return report;
}
