//===- Attention.cpp - attention's parameters -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Kernels/Attention.h"

#include "AttentionText.h"
#include "Model.h"

#include <algorithm>

using namespace titan;
using namespace titan::kernels;

static int64_t sharedBytes() { return builtFor().sharedBytesPerCta; }

static int64_t barrierBytes() { return builtFor().mbarrierBytes; }

/// What is left beside Q (with `ahead` the next Q, too) for the rings: with `own`, O has memory, too. There are
/// barriers of Q, at most four of a warpgroup, and the first tile's alignment to 1024 bytes, of which letters
/// have what is over.
static int64_t room(const AttentionOptions &o, bool own) {
  if (o.decode) // Q is in registers.
    return sharedBytes() - 1024;
  return sharedBytes() - 1024 - 16 * barrierBytes() -
         o.outputBytes() * ((own ? 2 : 1) + o.ahead);
}

/// K and V, and a pair of barriers each.
static int64_t stageBytes(const AttentionOptions &o) {
  return 2 * o.blockBytes() + 4 * barrierBytes();
}

bool AttentionOptions::ownOutput() const {
  return persistent &&
         std::max<int64_t>(stages, 2) * stageBytes(*this) <= room(*this, true);
}

int64_t AttentionOptions::depth() const {
  if (stages)
    return stages;
  // More than three are of no use, a product takes longer than a load. Decode waits for loads alone: some 100 KB
  // on their way have been fastest (benchmarks/README.md).
  int64_t wanted =
      decode ? std::max<int64_t>(2, (112 << 10) / stageBytes(*this)) : 3;
  return std::min(wanted, room(*this, ownOutput()) / stageBytes(*this));
}

Result<AttentionOptions> kernels::checkAttention(AttentionOptions o) {
  auto refuse = [](std::string message, std::string fix) {
    return Problem{"bad-argument", std::move(message), std::move(fix)};
  };
  auto number = [](int64_t value) { return std::to_string(value); };
  if (auto wrong = checkKernelName(o.name))
    return *wrong;
  if (o.element != Element::BF16 && o.element != Element::F16)
    return refuse("Q, K and V are bf16 or f16: there is no kernel for " +
                      std::string(toString(o.element)),
                  "--input bf16 or --input f16");
  if (o.size != 64 && o.size != 128)
    return refuse("heads of size " + number(o.size), "--head-size 64 or 128");
  bool masks = o.causal || o.window;
  if (o.decode && o.window)
    return refuse("decode in a window", "leave --window out");
  if (o.ragged && o.page)
    return refuse("ragged batches, and pages of keys",
                  "leave --ragged out: decode has lengths with --page");
  if (o.ahead && (o.decode || o.ragged))
    return refuse(std::string("a tile ahead, and ") +
                      (o.decode ? "decode" : "ragged batches"),
                  "leave --ahead out");
  if (o.ragged && (o.decode || o.persistent))
    return refuse("ragged batches with decode, or persistent",
                  "leave --decode and --persistent out; decode has lengths "
                  "with --page");
  if (o.page && !o.decode)
    return refuse("pages of keys without decode", "--decode on");
  if (!o.rows && o.decode) {
    o.rows = o.keys = 64;
  } else if (!o.rows) {
    o.rows = o.size == 64 ? 192 : 128;
    o.keys = o.size == 64 || masks ? 128 : 176;
  }
  std::string tile = "tile " + number(o.rows) + "x" + number(o.keys);
  if (o.rows % 64 || o.rows < 64 || o.rows > 192)
    return refuse(tile + ": a warpgroup has 64 rows of queries, and there are "
                         "one to three",
                  "take 64, 128 or 192 rows");
  if (o.keys < 16 || o.keys > 256 || o.keys % 16)
    return refuse(
        tile + ": " + number(o.keys) + " keys, not a multiple of 16 up to 256",
        "take " + number(std::clamp<int64_t>(o.keys / 16 * 16, 16, 256)));
  if (o.decode && o.rows != 64)
    return refuse(tile + ": decode has one warpgroup, and so 64 rows",
                  "take 64x" + number(o.keys));
  if (o.page && (o.page % 16 || o.page < 16 ||
                 (o.page % o.keys && (o.keys % o.page || o.keys / o.page > 8))))
    return refuse("pages of " + number(o.page) + " keys, and blocks of " +
                      number(o.keys),
                  "take pages of a multiple of 16 keys that are whole blocks, "
                  "or blocks of 2 to 8 whole pages");
  // Scores, weights (two a register) and O; of decode Q, too.
  int64_t held =
      o.keys / 2 + o.keys / 4 + o.size / 2 + (o.decode ? o.size / 4 : 0);
  int64_t most = o.warpgroups() == 3 ? 128 + 16 : 208;
  if (held > most) {
    int64_t others = held - o.keys / 2 - o.keys / 4;
    int64_t keys = (most - others) * 4 / 3 / 16 * 16;
    return refuse(
        tile + ": " + number(held) +
            " registers a thread for scores, weights and sums, and no "
            "more than " +
            number(most) + " leave room for the rest",
        "take " + number(o.rows) + "x" + number(keys));
  }
  if (o.decode && (o.persistent || o.turns.value_or(false)))
    return refuse("decode with turns, or persistent",
                  "leave --turns and --persistent out: one warpgroup has no "
                  "turns, and each CTA has its share of all tiles");
  o.turns = o.warpgroups() > 1 &&
            o.turns.value_or(o.warpgroups() == 3 || o.size == 128);
  if (o.ahead && (!o.persistent || o.window))
    return refuse(o.window ? "a tile ahead, in a window"
                           : "a tile ahead of none: not persistent",
                  o.window ? "leave --ahead or --window out"
                           : "--persistent on");
  if (o.ahead && !o.ownOutput())
    return refuse("a tile ahead, and " + number(3 * o.outputBytes()) +
                      " bytes of Q, the next Q and O beside " +
                      number(std::max<int64_t>(o.stages, 2)) +
                      " blocks of K and of V",
                  "a smaller tile, or fewer --stages");
  if (o.polynomial && (o.polynomial < 2 || o.polynomial > 32 || o.decode))
    return refuse(o.decode ? std::string("powers by a polynomial, and decode")
                           : "powers by a polynomial in each of " +
                                 number(o.polynomial) + " groups of columns",
                  o.decode
                      ? "leave out --exp2"
                      : "--exp2 2 to 32, or 0: a NaN is told by the others");
  if (o.tail && (masks || o.ragged || o.decode || o.persistent))
    return refuse("a narrow block, and a mask, ragged batches, decode or "
                  "several tiles a CTA",
                  "leave out --tail");
  if (o.pack && (masks || o.ragged || o.decode || o.ahead))
    return refuse("a tile's rows of several heads, and a mask, ragged batches, "
                  "decode or a tile ahead",
                  "leave out --pack");
  if (o.tail && (o.tail % 16 || o.tail < 16 || o.tail >= o.keys))
    return refuse("a narrow block of " + number(o.tail) +
                      " keys beside blocks of " + number(o.keys),
                  o.keys == 16 ? std::string("leave out --tail")
                               : "--tail 16 to " + number(o.keys - 16) +
                                     ", a multiple of 16, or 0");
  if (o.skip.value_or(false) &&
      (!o.causal || o.window || o.decode || o.warpgroups() == 1))
    return refuse(
        "skip, and no blocks that only rows below see: they are there in "
        "causal tiles of two or three warpgroups, without a window or decode",
        "leave --skip out, or take --causal on and 128 or 192 rows");
  // With a tile ahead the first warpgroup passes blocks while it holds the values of the tile before.
  int64_t unseen = ceilDiv(o.rows - 64, o.keys);
  bool holds = !o.ahead || o.depth() > unseen;
  // Where it was measured and is faster (benchmarks/README.md). Not ahead: there it
  // is worth 0.4 % at size 128 and 4 % at size 64, and the checker cannot decide
  // the kernel, which it proves without (docs/checker.md).
  o.skip =
      o.skip.value_or(o.causal && !o.window && !o.decode && !o.ragged &&
                      !o.persistent && o.warpgroups() == 3 && o.size == 64);
  if (o.decode && !o.programmatic.value_or(true))
    return refuse("decode whose two kernels wait for each other's end",
                  "leave --programmatic out");
  o.programmatic = o.programmatic.value_or(o.decode);
  if (!o.rescale)
    o.rescale = *o.turns ? Rescale::Always : Rescale::Growing;
  if (o.stages < 0 || o.stages == 1 || o.depth() < 2)
    return refuse("rings of " + number(o.stages ? o.stages : o.depth()) +
                      " blocks",
                  "at least 2: one is filled while the other is read; or a "
                  "smaller tile");
  if (int64_t fit = room(o, false) / stageBytes(o); o.stages > fit)
    return refuse(
        number(o.stages) + " blocks of K and of V, " + number(o.blockBytes()) +
            " bytes each, and " + number(o.outputBytes()) +
            " bytes of Q are more than the " + number(sharedBytes()) +
            " bytes of shared memory that a CTA can have",
        fit < 2 ? "a smaller tile: two do not fit" : "--stages " + number(fit));
  o.stages = o.depth();
  if (*o.skip && !holds)
    return refuse("rings of " + number(o.stages) +
                      " blocks, and a tile ahead whose first " +
                      number(unseen) +
                      " a warpgroup leaves out while it holds one",
                  "--stages " + number(unseen + 1) + ", or --skip off");
  return o;
}

Result<std::string>
kernels::generateAttention(const AttentionOptions &options) {
  Result<AttentionOptions> checked = checkAttention(options);
  if (!checked)
    return checked.problem();
  return withoutNamesake(checked->decode ? DecodeText(*checked).write()
                                         : AttentionText(*checked).write(),
                         checked->name);
}
