//===- Causes.cpp - is a bug told once, and where it is? ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Causes.h"

#include "titan/Driver/Session.h"

#include "llvm/Support/Format.h"

#include <set>

using namespace mlir;
using namespace titan;

const char *const CauseTable::words[] = {"at", "names", "partner", "fix", "no"};

/// What an operation synchronises, or touches: two that have something in common
/// are partners.
static std::set<std::pair<int, const void *>> objectsOf(Operation *op) {
  std::set<std::pair<int, const void *>> objects;
  auto of = [&](Value memory) {
    if (memory)
      objects.insert({0, getRoot(memory).getAsOpaquePointer()});
  };
  if (isa<ViewOpInterface>(op))
    of(op->getResult(0));
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return objects;
  auto ofMechanism = [&](std::optional<Mechanism> mechanism) {
    if (mechanism)
      objects.insert({1 + static_cast<int>(*mechanism), nullptr});
  };
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  for (const effect::Effect &each : effects)
    if (auto *access = std::get_if<effect::Access>(&each.what)) {
      of(access->bytes.object);
      ofMechanism(access->mechanism);
    } else if (auto *arrive = std::get_if<effect::Arrive>(&each.what)) {
      of(arrive->barrier.barrier);
      ofMechanism(arrive->after);
    } else if (auto *expect = std::get_if<effect::ExpectTx>(&each.what))
      of(expect->barrier.barrier);
    else if (auto *complete = std::get_if<effect::CompleteTx>(&each.what))
      of(complete->barrier.barrier);
    else if (auto *wait = std::get_if<effect::WaitBarrier>(&each.what))
      of(wait->barrier.barrier);
    else if (auto *life = std::get_if<effect::Lifetime>(&each.what))
      of(life->barrier.barrier ? life->barrier.barrier : life->memory);
    else if (auto *commit = std::get_if<effect::CommitGroup>(&each.what))
      ofMechanism(commit->mechanism);
    else if (auto *groups = std::get_if<effect::WaitGroup>(&each.what))
      ofMechanism(groups->mechanism);
    else if (auto *threads = std::get_if<effect::ThreadBarrier>(&each.what))
      objects.insert({-1 - static_cast<int>(threads->kind),
                      threads->id.value.getAsOpaquePointer()});
  return objects;
}

CauseTable::First CauseTable::firstOf(KernelOp kernel, const Mutation &mutation,
                                      const Finding &finding) {
  Operation *changed = nullptr;
  unsigned place = 0;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (place++ != mutation.operation)
      return WalkResult::advance();
    changed = op;
    return WalkResult::interrupt();
  });
  if (finding.loc == mutation.loc)
    return At;
  auto isThere = [&](const FindingPlace &other) {
    return other.loc == mutation.loc;
  };
  if (llvm::any_of(finding.others, isThere))
    return Names;
  std::set<Location, bool (*)(Location, Location)> partners(
      [](Location a, Location b) {
        return a.getAsOpaquePointer() < b.getAsOpaquePointer();
      });
  auto objects = objectsOf(changed);
  kernel.getBody().walk([&](Operation *op) {
    for (const auto &object : objectsOf(op))
      if (objects.contains(object))
        partners.insert(op->getLoc());
  });
  // Who executes it is all that an elect says.
  for (Operation *beside :
       {changed, changed->getPrevNode(), changed->getNextNode()})
    if (beside)
      beside->walk([&](Operation *op) { partners.insert(op->getLoc()); });
  auto isPartner = [&](const FindingPlace &other) {
    return partners.contains(other.loc);
  };
  if (partners.contains(finding.loc) || llvm::any_of(finding.others, isPartner))
    return Partner;
  std::string fix = finding.fix.empty()
                        ? std::string(codeInfo(finding.code).fix)
                        : finding.fix;
  if (StringRef(fix).contains(changed->getName().getStringRef()))
    return Fix;
  return No;
}

void CauseTable::add(KernelOp kernel, size_t number, const Mutation &mutation,
                     const CheckReport &report, bool verbose) {
  if (report.accepted())
    return;
  std::vector<const Finding *> errors;
  for (const Finding &finding : report.findings)
    if (finding.severity == Severity::Error)
      errors.push_back(&finding);
  First first = firstOf(kernel, mutation, *errors[0]);
  std::lock_guard<std::mutex> lock(mutex);
  Row &row = rows[static_cast<int>(mutation.kind)];
  ++row.refused;
  ++row.findings[std::min<size_t>(errors.size(), 3) - 1];
  ++row.first[first];
  if (!verbose)
    return;
  auto line = [](Location loc) {
    auto file = loc->findInstanceOf<FileLineColLoc>();
    return file ? file.getLine() : 0u;
  };
  llvm::outs() << kernel.getName() << " #" << number << " "
               << stringify(mutation.kind) << ": " << mutation.description
               << ", line " << line(mutation.loc) << ": " << words[first]
               << ", " << errors.size() << ":";
  for (const Finding *finding : errors)
    llvm::outs() << " " << codeInfo(finding->code).code << " at "
                 << line(finding->loc);
  llvm::outs() << "\n";
}

void CauseTable::print() const {
  llvm::raw_ostream &os = llvm::outs();
  os << "class      refused  findings: 1       2    more  first: at   names "
        "partner     fix      no\n";
  Row sum;
  auto line = [&](StringRef label, const Row &row) {
    os << llvm::left_justify(label, 9)
       << llvm::format("%9d%13d%8d%8d%11d", row.refused, row.findings[0],
                       row.findings[1], row.findings[2], row.first[At]);
    for (int i = Names; i < firsts; ++i)
      os << llvm::format("%8d", row.first[i]);
    os << "\n";
  };
  for (int i = 0; i < mutationClasses; ++i) {
    line(stringify(static_cast<MutationClass>(i)), rows[i]);
    sum.refused += rows[i].refused;
    for (int n = 0; n < 3; ++n)
      sum.findings[n] += rows[i].findings[n];
    for (int n = 0; n < firsts; ++n)
      sum.first[n] += rows[i].first[n];
  }
  line("all", sum);
}
