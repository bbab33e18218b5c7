//===- Outcomes.cpp - what became of the mutants --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Outcomes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace titan;

std::string titan::place(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().strref() + ":" + Twine(file.getLine())).str();
  return "unknown";
}

void OutcomeTable::add(KernelOp kernel, size_t number, const Mutation &mutation,
                       const Outcome &outcome) {
  std::lock_guard<std::mutex> lock(mutex);
  Row &row = rows[static_cast<int>(mutation.kind)];
  ++row.total;
  row.invalid += !outcome.valid;
  const bool undecided = !outcome.refused && outcome.undecided,
             accepted = !outcome.refused && !undecided;
  if (outcome.valid) {
    row.refused += outcome.refused;
    row.undecided += undecided;
    row.accepted += accepted;
    row.refusedAndFails += outcome.refused && outcome.failed;
    row.acceptedAndFails += accepted && outcome.failed;
  }
  bool odd = outcome.valid && outcome.refused && !outcome.failed;
  bool wrong = outcome.valid && accepted && outcome.failed;
  bool unsound = outcome.proved && (outcome.refused || outcome.failed);
  provedOnes += outcome.proved;
  unsoundOnes += unsound;
  if (!options.verbose && !wrong && !unsound)
    return;
  llvm::outs() << (unsound ? "PROVED AND WRONG "
                   : wrong ? "ACCEPTED AND FAILS "
                   : odd   ? "  only refused "
                           : "  ")
               << kernel.getName() << " #" << number << " "
               << stringify(mutation.kind) << ": " << mutation.description
               << ", " << place(mutation.loc) << ": "
               << (!outcome.valid    ? "invalid"
                   : outcome.refused ? "refused " + outcome.code
                   : outcome.proved  ? std::string("proved")
                   : undecided       ? std::string("undecided")
                                     : std::string("accepted"))
               << (outcome.failed ? "; " + outcome.failure : "") << "\n";
}

bool OutcomeTable::print() {
  llvm::raw_ostream &os = llvm::outs();
  os << "class      mutants  refused  of these fail  accepted  of these "
        "fail\n";
  Row sum;
  bool good = true;
  for (int i = 0; i < mutationClasses; ++i) {
    const Row &row = rows[i];
    line(stringify(static_cast<MutationClass>(i)), row);
    sum.total += row.total;
    sum.invalid += row.invalid;
    sum.refused += row.refused;
    sum.refusedAndFails += row.refusedAndFails;
    sum.accepted += row.accepted;
    sum.acceptedAndFails += row.acceptedAndFails;
    sum.undecided += row.undecided;
    good &= row.refusedAndFails * 10 >= row.refused * 7;
  }
  line("all", sum);
  if (sum.undecided)
    os << "undecided: " << sum.undecided
       << ", none of these among the accepted\n";
  if (options.searchOnly) {
    os << "proved: " << provedOnes << ", of which " << unsoundOnes
       << " are refused (nothing was run)\n";
    return unsoundOnes == 0;
  }
  good &= sum.refusedAndFails * 10 >= sum.refused * 9;
  good &= sum.acceptedAndFails == 0 && unsoundOnes == 0;
  os << (good ? "good" : "NOT GOOD")
     << ": at least nine tenths of the refused fail (seven tenths in each "
        "class), none of the accepted\n"
     << "schedules: eager, lazy";
  if (options.schedules)
    os << ", random:" << options.seed << " to "
       << options.seed + options.schedules - 1;
  os << "\n";
  if (options.proofs)
    os << "proved: " << provedOnes << ", of which " << unsoundOnes
       << " are refused or fail\n";
  return good;
}

bool OutcomeTable::acceptedBug() const {
  return unsoundOnes || llvm::any_of(rows, [](const Row &row) {
           return row.acceptedAndFails;
         });
}

void OutcomeTable::line(llvm::StringRef label, const Row &row) {
  llvm::raw_ostream &os = llvm::outs();
  os << llvm::left_justify(label, 9);
  auto percent = [](int part, int whole) {
    return whole ? 100.0 * part / whole : 100.0;
  };
  os << llvm::format("%9d%9d%8d (%3.0f%%)%10d%15d\n", row.total - row.invalid,
                     row.refused, row.refusedAndFails,
                     percent(row.refusedAndFails, row.refused), row.accepted,
                     row.acceptedAndFails);
}
