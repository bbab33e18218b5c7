//===- Gemm.cpp - a GEMM's parameters -------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Kernels/Gemm.h"

#include "GemmText.h"

#include <algorithm>
#include <bit>

using namespace titan;
using namespace titan::kernels;

std::string_view kernels::toString(Element element) {
  switch (element) {
  case Element::BF16:
    return "bf16";
  case Element::F16:
    return "f16";
  case Element::F32:
    return "f32";
  case Element::E4M3:
    return "f8E4M3FN";
  case Element::E5M2:
    return "f8E5M2";
  }
  return {};
}

std::string_view kernels::toString(Consumers consumers) {
  return consumers == Consumers::Pingpong ? "pingpong" : "cooperative";
}

std::string_view kernels::toString(Activation activation) {
  switch (activation) {
  case Activation::None:
    return "none";
  case Activation::ReLU:
    return "relu";
  case Activation::GELU:
    return "gelu";
  case Activation::GELUTanh:
    return "gelu-tanh";
  case Activation::SiLU:
    return "silu";
  }
  return {};
}

int64_t kernels::bytesOf(Element element) {
  switch (element) {
  case Element::F32:
    return 4;
  case Element::BF16:
  case Element::F16:
    return 2;
  case Element::E4M3:
  case Element::E5M2:
    return 1;
  }
  return 0;
}

const TargetInfo &kernels::builtFor() { return targetWith(Feature::Wgmma); }

int64_t GemmOptions::warpgroupsPerTile() const {
  if (consumers == Consumers::Pingpong || rows() == 64)
    return 1;
  return rows() == 192 ? 3 : 2;
}

int64_t GemmOptions::warpgroups() const {
  return consumers == Consumers::Pingpong ? 2 : warpgroupsPerTile();
}

bool GemmOptions::mixesPanels() const {
  // Swapped elements go one by one; CTAs that share K, or a gate's halves, ask for
  // panels of one width, and a group has one map of D.
  return !storesElements() && split == 1 && !gate && batch != Batch::Grouped;
}

int64_t GemmOptions::leastPanelWidth() const {
  // Of wgmma's columns there are eight at least, and of the swizzle's rows.
  return storesElements() || swap ? 8 : 32 / bytesOf(output);
}

int64_t GemmOptions::sumRegisters() const {
  return (promote ? 2 : 1) * rows() * columns() / (128 * warpgroupsPerTile());
}

int64_t GemmOptions::widestPanel() const {
  // A row of a panel is a row of some swizzle; with swap, elements go by
  // themselves, and a panel bounds the registers.
  return panel               ? panel
         : storesElements()  ? 32
         : loadsBesideSums() ? leastPanelWidth()
                             : 128 / bytesOf(output);
}

int64_t GemmOptions::panelWidth() const {
  int64_t width = widestPanel();
  int64_t least = leastPanelWidth();
  while (width > least && (mixesPanels() ? columnsOut() < width
                                         : columnsOut() % (width * split) != 0))
    width /= 2;
  return width;
}

std::vector<GemmPanels> GemmOptions::panels() const {
  std::vector<GemmPanels> all;
  int64_t end = columnsOut() / split;
  for (int64_t width = panelWidth(), at = 0; at < end; width /= 2)
    if (int64_t count = (end - at) / width) {
      all.push_back({.width = width, .first = at / width, .count = count});
      at += count * width;
    }
  return all;
}

int64_t GemmOptions::panelBuffers() const {
  // Two, but where shared memory is better used for another stage, or stores
  // are hidden by the other warpgroup's products.
  bool one = split > 1 || (consumers == Consumers::Pingpong && rows() >= 128 &&
                           !loadsBesideSums());
  return std::min(buffers ? buffers : one ? 1 : 2, columnsOut() / panelWidth());
}

int64_t GemmOptions::stageBytes() const {
  return (tileM + tileN) * tileK * bytesOf(input);
}

int64_t GemmOptions::panelBytes() const {
  if (storesElements())
    return 0;
  int64_t tiles = consumers == Consumers::Pingpong ? 2 : 1;
  return tiles * panelBuffers() * rows() * panelWidth() * bytesOf(output);
}

int64_t GemmOptions::collectedPanels() const {
  return (split - 1) * (columns() / panelWidth() / split);
}

int64_t GemmOptions::collectedBytes() const {
  return collectedPanels() * rows() * panelWidth() * bytesOf(Element::F32);
}

int64_t GemmOptions::depth() const {
  if (stages)
    return stages;
  // Two barriers a stage, and the first tile's alignment to 1024 bytes.
  int64_t room = builtFor().sharedBytesPerCta - panelBytes() - 1024;
  if (split > 1)
    room -= collectedBytes() + 2 * builtFor().mbarrierBytes;
  return room / (stageBytes() + 2 * builtFor().mbarrierBytes);
}

Result<GemmOptions> kernels::checkGemm(GemmOptions o) {
  auto refuse = [](std::string message, std::string fix) {
    return Problem{"bad-argument", std::move(message), std::move(fix)};
  };
  auto number = [](int64_t value) { return std::to_string(value); };
  auto tile = [&] {
    return "tile " + number(o.tileM) + "x" + number(o.tileN) + "x" +
           number(o.tileK);
  };
  if (auto wrong = checkKernelName(o.name))
    return *wrong;
  if (o.input == Element::F32)
    return refuse(
        "A and B are bf16, f16, e4m3 or e5m2: products of f32 have no "
        "instruction here",
        "--input bf16, f16, e4m3 or e5m2");
  if (bytesOf(o.output) == 1)
    return refuse("D of fp8", "--output bf16, f16 or f32");
  if (o.isFp8() && (o.transposedA || o.transposedB))
    return refuse("wgmma reads fp8 with K innermost alone",
                  "--layout nt: store A as M x K, and B as N x K");
  if (o.gate && (o.swap || o.split > 1 || o.beta))
    return refuse(std::string("a gate, and ") +
                      (o.swap        ? "swapped operands"
                       : o.split > 1 ? "K split between CTAs"
                                     : "beta * C") +
                      ": there is no such kernel so far",
                  o.swap        ? "--swap off"
                  : o.split > 1 ? "--split 1"
                                : "leave out beta");
  if (o.batch == Batch::Grouped &&
      (o.consumers == Consumers::Pingpong || o.cluster() > 1 || o.split > 1))
    return refuse(std::string("groups, and ") +
                      (o.consumers == Consumers::Pingpong
                           ? "ping-pong consumers"
                       : o.cluster() > 1 ? "loads shared in a cluster"
                                         : "K split between CTAs") +
                      ": there is no such kernel so far",
                  o.consumers == Consumers::Pingpong ? "--consumers cooperative"
                  : o.cluster() > 1                  ? "--cluster 1x1"
                                                     : "--split 1");
  if (o.rowBytes != 16 && o.rowBytes != 8 && o.rowBytes != 4 && o.rowBytes != 2)
    return refuse("rows at multiples of " + number(o.rowBytes) + " bytes",
                  "--row-bytes 16, 8, 4 or 2");
  if (o.copiesByThreads()) {
    // {whether it is asked for, what, what would be right}
    std::tuple<bool, const char *, const char *> without[] = {
        {o.isFp8(), "fp8", "--row-bytes 16"},
        {o.cluster() > 1, "loads shared in a cluster", "--cluster 1x1"},
        {o.split > 1, "K split between CTAs", "--split 1"},
        {o.cuts(), "stream-K", "--stream-k off"},
        {o.gate, "a gate", "--gate off"},
        {o.once, "a hint for the cache (--once on)", "--once off"},
        {o.batch == Batch::Grouped, "groups", "--batch none or equal"}};
    for (auto [asked, what, fix] : without)
      if (asked)
        return refuse("copies by threads (--row-bytes " + number(o.rowBytes) +
                          "), and " + what + ": there is no such kernel so far",
                      fix);
  }
  if (!o.streamK)
    return refuse("stream-K as the model finds, and no shape",
                  "--shape MxNxK, or --stream-k on or off");
  if (o.cuts() && (o.batch == Batch::Grouped || o.split > 1))
    return refuse(
        std::string("stream-K, and ") +
            (o.split > 1 ? "K split between the CTAs of a cluster" : "groups") +
            ": there is no such kernel so far",
        o.split > 1 ? "--split 1" : "--stream-k off");
  if (o.clusterM < 1 || o.clusterN < 1 || o.cluster() > 2)
    return refuse("cluster " + number(o.clusterM) + "x" + number(o.clusterN) +
                      ": two CTAs share B (2x1) or A (1x2), and no more",
                  "1x1, 2x1 or 1x2");
  if (o.buffers < 0 || o.buffers > 2)
    return refuse(number(o.buffers) + " buffers for D", "1 or 2");
  int64_t widest = o.swap ? 64 : 128 / bytesOf(o.output);
  bool lone = o.storesElements() || (o.swap && bytesOf(o.output) != 2);
  if (o.panel && (lone || o.panel < o.leastPanelWidth() || o.panel > widest ||
                  !std::has_single_bit(uint64_t(o.panel))))
    return refuse("panels of " + number(o.panel) +
                      (o.swap ? " rows" : " columns") +
                      (o.storesElements() ? ", and rows of any length"
                       : lone             ? ", and swapped operands into f32"
                                          : ""),
                  lone ? "leave out --panel: elements go one by one"
                       : number(o.leastPanelWidth()) + " to " + number(widest) +
                             ", a power of two");
  int64_t row = o.rowElements();
  if (o.tileK != row && o.tileK != 2 * row && o.tileK != 4 * row) {
    GemmOptions other = o;
    other.tileK = row;
    Result<GemmOptions> checked = checkGemm(other);
    return refuse(tile() + ": a stage is made of rows of " + number(row) +
                      " elements of K, the 128 bytes of the widest swizzle",
                  checked ? "--tile " + number(o.tileM) + "x" +
                                number(o.tileN) + "x" + number(row)
                          : "a K of " + number(row) +
                                "; beside that: " + checked.problem().fix);
  }
  const char *rowsName = o.swap ? "N" : "M", *columnsName = o.swap ? "M" : "N";
  bool pingpong = o.consumers == Consumers::Pingpong;
  if (o.split != 1 && o.split != 2 && o.split != 4 && o.split != 8)
    return refuse("K split by " + number(o.split),
                  "1, 2, 4 or 8: as many CTAs as a cluster can have");
  if (o.split > 1 && (pingpong || o.cluster() > 1))
    return refuse("K split between the CTAs of a cluster, and " +
                      std::string(pingpong ? "ping-pong consumers"
                                           : "loads shared in it"),
                  pingpong ? "--consumers cooperative" : "--cluster 1x1");
  int64_t rows = o.rows(), columns = o.columns();
  if (rows != 64 && rows != 128 && rows != 192 && (rows != 256 || pingpong))
    return refuse(
        tile() + ": " + rowsName + " is " + number(rows) +
            ", and wgmma's rows are 64 a warpgroup",
        pingpong ? std::string("ping-pong takes 64, 128 or 192 rows")
                 : std::string("cooperative takes 64, 128, 192 or 256 rows"));
  int64_t step = (o.mixesPanels() || o.storesElements() ? o.leastPanelWidth()
                                                        : o.panelWidth()) *
                 (o.gate ? 2 : 1);
  if (columns < step || columns > 256 || columns % step)
    return refuse(tile() + ": " + columnsName + " is " + number(columns) +
                      ", not a multiple of " + number(step) + " up to 256",
                  o.storesElements() || o.swap
                      ? "wgmma's N is a multiple of 8"
                      : "D leaves in panels of 32 bytes or more: take " +
                            number(std::clamp(columns / step * step, step,
                                              int64_t(256))));
  for (auto [transposed, extent, name] :
       {std::tuple{o.transposedA, o.tileM, "A"},
        std::tuple{o.transposedB, o.gate ? o.tileN / 2 : o.tileN, "B"}}) {
    if (transposed && extent % 64)
      return refuse(tile() + ": " + name +
                        " is stored with K outermost, and comes in boxes of 64 "
                        "columns",
                    "take a multiple of 64");
    bool shared = name[0] == 'A' ? o.clusterN > 1 : o.clusterM > 1;
    if (transposed && shared)
      return refuse(std::string(name) + ", stored with K outermost, is not "
                                        "multicast so far",
                    "leave out --cluster, or turn it to the other side");
  }
  int64_t sums = o.sumRegisters();
  // Pages, beside elements that go one by one or barriers of peers, want more of it.
  bool crowded = o.cuts() && pingpong && (o.swap || o.cluster() > 1);
  if (int64_t most = o.warpgroupsPerTile() == 3       ? 96
                     : crowded || o.copiesByThreads() ? 128
                     : o.turnsPanels()                ? 200
                                                      : 192;
      sums > most) {
    // Of these rows, or else of 64, the most columns, whole boxes of them.
    int64_t whole = std::max<int64_t>(step, 16);
    if (o.swap ? o.transposedA : o.transposedB)
      whole = o.gate ? 128 : 64;
    int64_t fewer = columns * most / sums / whole * whole;
    int64_t ofRows = fewer ? rows : 64;
    fewer = std::max(fewer, whole);
    return refuse(tile() + ": " + number(sums) +
                      " registers a thread for the sums, and no more than " +
                      number(most) + " leave room for the rest",
                  "take " + number(o.swap ? fewer : ofRows) + "x" +
                      number(o.swap ? ofRows : fewer) +
                      (o.promote  ? ", or --promote off"
                       : pingpong ? ", or cooperative consumers"
                                  : ""));
  }
  int64_t split = (o.clusterM > 1 ? o.tileN : o.tileM) / o.cluster();
  if (o.gate && o.tileN % 16)
    return refuse(tile() + ": half of N are the gate's rows of B, and they are "
                           "no multiple of the swizzle's 8",
                  "a multiple of 16");
  if (o.cluster() > 1 && split % 8)
    return refuse(tile() + " shared by " + number(o.cluster()) +
                      " CTAs: " + number(split) +
                      " rows each, no multiple of the swizzle's 8",
                  "a larger tile, or a smaller cluster");
  auto dealsPanels = [](const GemmOptions &of) {
    return of.columnsOut() / of.panelWidth() % of.split == 0;
  };
  if (!dealsPanels(o)) {
    GemmOptions fewer = o;
    while (!dealsPanels(fewer))
      fewer.split /= 2;
    return refuse(tile() + ": each of " + number(o.split) +
                      " CTAs stores as many panels of " +
                      number(o.panelWidth()) + " elements of " + columnsName,
                  "--split " + number(fewer.split) + ", or a larger tile");
  }
  if (o.band < 1 || o.band > 1024)
    return refuse("a band of " + number(o.band) + " rows of tiles",
                  "1 to 1024");
  if (o.stages < 0 || o.stages == 1 || o.depth() < 2)
    return refuse("a ring of " + number(o.stages ? o.stages : o.depth()) +
                      " stages",
                  "at least 2: one is filled while the other is read; or a "
                  "smaller tile");
  GemmOptions most = o;
  most.stages = 0;
  if (o.stages > most.depth())
    return refuse(number(o.stages) + " stages of " + number(o.stageBytes()) +
                      " bytes and " + number(o.panelBytes()) +
                      " bytes for D are more than the " +
                      number(builtFor().sharedBytesPerCta) +
                      " bytes of shared memory that a CTA can have",
                  most.depth() < 2 ? "a smaller tile: two do not fit"
                                   : "--stages " + number(most.depth()));
  o.stages = o.depth();
  return o;
}

Result<std::string> kernels::generateGemm(const GemmOptions &options) {
  Result<GemmOptions> checked = checkGemm(options);
  if (!checked)
    return checked.problem();
  return GemmText(*checked).write();
}
