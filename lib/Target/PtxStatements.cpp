//===- PtxStatements.cpp - What inline PTX means to a compiler ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Target/PtxStatements.h"

#include <algorithm>

namespace titan {
namespace {

using enum PtxEffect;

constexpr PtxStatement rows[] = {
    {"mapa", Pure, false, "an address from an address and a rank"},
    {"cvt", Pure, false, "a value from values"},
    {"createpolicy", Pure, false, "a policy from a fraction"},
    {"ex2", Pure, false, "a value from a value"},
    {"lg2", Pure, false, "a value from a value"},
    {"rsqrt", Pure, false, "a value from a value"},
    {"tanh", Pure, false, "a value from a value"},
    {"sin", Pure, false, "a value from a value"},
    {"cos", Pure, false, "a value from a value"},
    {"mov", Pure, false, "beside another instruction of its statement"},
    {"setp", Pure, false, "beside another instruction of its statement"},
    {"selp", Pure, false, "beside another instruction of its statement"},
    {"bra", Pure, false, "within its statement"},
    {"ldmatrix", Reads, true, "shared memory, by the whole warp"},
    {"ld", Reads, false, "weak: any value between two writes is the same"},
    {"ld.weak", Orders, true, "stands where the program put it"},
    {"ld.relaxed", Orders, true,
     "others' writes come in between, and order counts"},
    {"ld.acquire", Orders, true, "what follows stays behind it"},
    {"ld.global.cv", Orders, true, "asks memory each time"},
    {"prefetch.tensormap", Acts, true, "a hint: no memory changes"},
    {"st", Orders, true, "writes"},
    {"stmatrix", Orders, true, "writes shared memory, by the whole warp"},
    {"atom", Orders, true, "reads and writes; may release and acquire"},
    {"red", Orders, true, "reads and writes; may release"},
    {"red.async", Orders, true, "writes a peer's memory, later"},
    {"st.async", Orders, true, "writes a peer's memory, later"},
    {"cp.async", Orders, true, "reads and writes memory, later"},
    {"cp.reduce.async.bulk", Orders, true, "reads and writes memory, later"},
    {"wgmma", Orders, true,
     "reads shared memory and registers until its group is waited for"},
    {"mbarrier", Orders, true,
     "changes a barrier; arrivals release, waits acquire"},
    {"barrier", Orders, true, "all memory of the threads that meet"},
    {"fence", Orders, true, "order is all it does"},
    {"tensormap", Orders, true, "writes a map"},
    {"trap", Orders, true, "ends the kernel: what came before has happened"},
};

std::string_view firstWord(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\n;["));
}

/// Without what stands before an instruction.
std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\n{}");
  return begin == text.npos ? std::string_view() : text.substr(begin);
}

/// The row with the longest name that the instruction begins with.
const PtxStatement *rowOf(std::string_view instruction) {
  const PtxStatement *found = nullptr;
  for (const PtxStatement &row : rows)
    if (instruction.starts_with(row.instruction) &&
        (instruction.size() == row.instruction.size() ||
         instruction[row.instruction.size()] == '.') &&
        (!found || found->instruction.size() < row.instruction.size()))
      found = &row;
  return found;
}

} // namespace

std::string_view toString(PtxEffect effect) {
  constexpr std::string_view names[] = {"pure", "reads", "acts", "orders"};
  return names[static_cast<int>(effect)];
}

std::span<const PtxStatement> allPtxStatements() { return rows; }

PtxMeaning meaningOf(std::string_view text) {
  PtxMeaning all;
  while (!text.empty()) {
    size_t end = std::min(text.find(';'), text.size());
    std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    // Behind labels and a predicate.
    for (bool again = true; again && !part.empty();) {
      std::string_view word = part.substr(0, part.find_first_of(" \t\n"));
      again = part.starts_with('@') || word.ends_with(':');
      if (again)
        part = trimmed(part.substr(word.size()));
    }
    std::string_view instruction = firstWord(part);
    if (instruction.empty() || instruction == ".reg")
      continue;
    // A special register (%clock) may hold something else each time.
    const PtxStatement *row =
        part.find('%') == part.npos ? rowOf(instruction) : nullptr;
    all.effect = std::max(all.effect, row ? row->effect : Orders);
    all.convergent |= !row || row->convergent;
  }
  return all;
}

std::string printPtxStatements() {
  std::string text =
      "| instruction | `volatile` | clobbers memory | convergent "
      "| why |\n|---|---|---|---|---|\n";
  for (const PtxStatement &row : rows) {
    text += "| `" + std::string(row.instruction) + "` | ";
    text += row.effect >= Acts ? "yes" : "no";
    text += row.effect == Orders  ? " | yes | "
            : row.effect == Reads ? " | reads it | "
                                  : " | no | ";
    text += row.convergent ? "yes | " : "no | ";
    text += std::string(row.why) + " |\n";
  }
  return text;
}

} // namespace titan
