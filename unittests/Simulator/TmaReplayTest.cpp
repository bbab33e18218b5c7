//===- TmaReplayTest.cpp - measured copies, as kernels --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies that an H200 made (unittests/Domain/Inputs/tma-measured.txt), written
// as titan IR: a map with sizes, strides and element strides of its own over a
// vector, one copy, and elements moved one by one between the image and another
// tensor. The simulator must leave behind what the hardware left.
//
//===----------------------------------------------------------------------===//
#include "../Domain/TmaMeasured.h"
#include "Harness.h"

#include "llvm/Support/FormatVariadic.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace titan;
using namespace titan::test;

namespace {

/// A line of the file that IR can say: a tiled copy without interleave into an
/// image that begins at the swizzle's period and has rows without gaps.
std::optional<MeasuredCopy> parseLine(const std::string &line) {
  if (line.find("random tiled") != 0)
    return std::nullopt;
  auto measured = parseMeasured(line);
  if (!measured || measured->outcome.substr(0, 3) != "tx ")
    return std::nullopt;
  TensorMap &map = measured->map;
  map.elementStrides[0] = 1; // The hardware does not look.
  uint32_t inner = map.box[0] * map.type->bits / 8;
  // Floats of 64 bits are moved as integers: the simulator loads none.
  bool type =
      map.type->driver <= 9 && !(map.type->name == "f64" && map.nanFill);
  if (map.interleave != TmaInterleave::None || !type ||
      (map.swizzle->span != 0 &&
       (inner != static_cast<uint32_t>(map.swizzle->span) ||
        measured->copy.shared % map.swizzle->period != 0)))
    return std::nullopt;
  return measured;
}

std::string irType(const TmaType &type) {
  std::string name(type.name);
  if (name == "f64")
    return "i64";
  return name[0] == 'u' || name[0] == 's' ? "i" + name.substr(1) : name;
}

std::string joined(int rank, llvm::function_ref<int64_t(int)> value,
                   const char *separator) {
  std::string text;
  for (int d = rank; d-- > 0;)
    text += std::to_string(value(d)) + (d ? separator : "");
  return text;
}

struct Replay {
  explicit Replay(const MeasuredCopy &measured);
  /// Runs it; the bytes that differ from what was measured.
  int wrong();

  const MeasuredCopy &measured;
  const TensorMap &map;
  bool load;
  int64_t element, rows = 1, columns, span;
  std::string type, text;
};

Replay::Replay(const MeasuredCopy &measured)
    : measured(measured), map(measured.map),
      load(measured.copy.direction == TmaDirection::Load),
      element(map.type->bits / 8), columns(map.box[0]),
      type(irType(*map.type)) {
  span = static_cast<int64_t>(map.dims[0]) * element;
  for (int d = 1; d < map.rank; ++d) {
    rows *= (map.box[d] + map.elementStrides[d] - 1) / map.elementStrides[d];
    span += static_cast<int64_t>((map.dims[d] - 1) * map.strides[d - 1]);
  }
  std::string constants, operands, strides, coords;
  auto constant = [&](const char *name, int d, int64_t value) {
    constants += llvm::formatv("  %{0}{1} = arith.constant {2} : index\n", name,
                               d, value);
    return llvm::formatv("%{0}{1}", name, d).str();
  };
  std::string where;
  for (int d = map.rank; d-- > 0;) {
    const char *comma = d ? ", " : "";
    operands += constant("d", d, map.dims[d]) + comma;
    if (d)
      strides += constant("s", d, map.strides[d - 1]) + (d > 1 ? ", " : "");
    coords += llvm::formatv("%x{0}{1}", d, comma);
    where += llvm::formatv("  %x{0} = arith.constant {1} : index\n", d,
                           measured.copy.coords[d]);
  }
  std::string box = joined(map.rank, [&](int d) { return map.box[d]; }, "x");
  std::string es =
      joined(map.rank, [&](int d) { return map.elementStrides[d]; }, ", ");
  std::string swizzle =
      map.swizzle->span
          ? llvm::formatv(", swizzle = {0}", map.swizzle->span).str()
          : "";
  const char *move = R"(
  scf.for %r = %c0 to %rows step %c1 {{
    scf.for %c = %c0 to %columns step %c1 {{
      %v = titan.ld %{0}[%r, %c] : !{1} -> {2}
      titan.st %v, %{3}[%r, %c] : {2}, !{4}
    }
  })";
  std::string out =
      llvm::formatv(move, "tile", "tile", type, "P", "plain").str();
  std::string in =
      llvm::formatv(move, "P", "plain", type, "tile", "tile").str();
  text = llvm::formatv(
             R"(
!vector = !titan.global<?x{0}>
!plain = !titan.global<{1}x{2}x{0}, strides = [{2}, 1]>
!map = !titan.tensor_map<{3}x{0}, element_strides = [{4}]{5}>
!tile = !titan.shared<{1}x{2}x{0}{5}>
!bar = !titan.mbarrier
titan.kernel @k(%X: !vector, %P: !plain) warps(1) launch {{
{6}  %one = arith.constant 1 : index
  %m = titan.tensor_map %X dims({7}){8} {{fill = #titan<fill {9}>, l2_promotion = 0, padded} : !vector -> !map
  titan.launch grid(%one) with(%m : !map)
} body(%m: !map) {{
{10}  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant {1} : index
  %columns = arith.constant {2} : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant {11} : i32
  %tile = titan.shared.alloc : !tile
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {{
)",
             type, rows, columns, box, es, swizzle, constants, operands,
             strides.empty() ? "" : " byte_strides(" + strides + ")",
             map.nanFill ? "nan" : "zero", where, rows * columns * element)
             .str();
  if (load)
    text += llvm::formatv(R"(
  titan.mbarrier.init %bar count(1) : !bar
  titan.fence.mbarrier_init
  titan.mbarrier.arrive_expect_tx %bar, %bytes : !bar
  titan.tma.load %m[{0}], %tile, %bar : !map, !tile, !bar
  titan.mbarrier.wait %bar parity(%i0) : !bar{1}
)",
                          coords, out);
  else
    text += llvm::formatv(R"({1}
  titan.fence.proxy_async shared_cta
  titan.tma.store %tile, %m[{0}] : !tile, !map
  %g = titan.bulk.commit : !titan.token<bulk>
  titan.bulk.wait %g : !titan.token<bulk>
)",
                          coords, in);
  text += "  }\n  titan.return\n}\n";
}

int Replay::wrong() {
  Module module(text, false);
  if (!module)
    return -1;
  KernelOp kernel = module.kernel("k");
  // The tensor, with room for a row's last 16 bytes, and guards.
  int64_t vector = (span + 15) / 16 * 16;
  Matrix x(1, vector / element, element), p(rows, columns, element);
  std::mt19937_64 random(1);
  for (Matrix *each : {&x, &p})
    for (size_t i = 0; i < each->bytes; ++i)
      each->data[i] = static_cast<std::byte>(random());
  std::vector<std::byte> oldX(x.data, x.data + x.bytes),
      oldP(p.data, p.data + p.bytes);
  std::vector<SimulatorArgument> arguments = {x.argument(), p.argument()};
  arguments[0].shape = {vector / element};
  arguments[0].strides = {1};
  SimulatorOptions options;
  options.compareEffects = true;
  SimulatorReport report = simulate(kernel, arguments, options);
  EXPECT_TRUE(report.good()) << describe(report);
  EXPECT_FALSE(report.compared.empty());
  if (!report.good())
    return -1;
  // Image byte -> byte of P, as titan reads a tile.
  SharedType tile;
  kernel.getBody().walk(
      [&](SharedAllocOp op) { tile = cast<SharedType>(op.getType()); });
  std::vector<int64_t> place(rows * columns * element, -1);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t b = 0; b < element; ++b)
        place[tile.getByteOffset({r, c}) + b] = (r * columns + c) * element + b;
  // "tx 256 | 0:256<64 256:8<z"
  int count = 0;
  std::vector<std::byte> want = load ? oldP : oldX;
  std::istringstream runs(
      measured.outcome.substr(measured.outcome.find('|') + 1));
  int64_t covered = 0;
  for (std::string run; runs >> run;) {
    int64_t to, bytes;
    char colon, from;
    std::istringstream in(run);
    in >> to >> colon >> bytes >> from;
    std::string source;
    in >> source;
    for (int64_t b = 0; b < bytes; ++b) {
      std::byte value;
      if (source == "z")
        value = std::byte(0);
      else if (source == "n")
        value = std::byte((to + b) & 1 ? 0x7F : 0xF7);
      else if (load)
        value = oldX[std::stoll(source) + b];
      else
        value = oldP[place[std::stoll(source) + b]];
      want[load ? place[to + b] : to + b] = value;
    }
    covered += bytes;
  }
  if (load) {
    EXPECT_EQ(covered, rows * columns * element);
    EXPECT_EQ(measured.outcome.substr(0, measured.outcome.find(" |")),
              "tx " + std::to_string(covered));
  }
  const Matrix &changed = load ? p : x, &kept = load ? x : p;
  for (size_t i = 0; i < changed.bytes; ++i)
    count += changed.data[i] != want[i];
  for (size_t i = 0; i < kept.bytes; ++i)
    count += kept.data[i] != (load ? oldX : oldP)[i];
  return count + !x.guardsWhole() + !p.guardsWhole();
}

TEST(TmaReplay, MeasuredCopies) {
  std::ifstream file(TITAN_DOMAIN_INPUTS "/tma-measured.txt");
  ASSERT_TRUE(file.is_open());
  int loads = 0, stores = 0, strided = 0, swizzled = 0;
  for (std::string line; std::getline(file, line);) {
    auto measured = parseLine(line);
    if (!measured)
      continue;
    Replay replay(*measured);
    // What no vector of a test should have.
    if (replay.span > (1 << 22) || replay.rows * replay.columns > (1 << 14))
      continue;
    EXPECT_EQ(replay.wrong(), 0) << line << "\n" << replay.text;
    ++(replay.load ? loads : stores);
    swizzled += measured->map.swizzle->span != 0;
    for (int d = 1; d < measured->map.rank; ++d)
      if (measured->map.elementStrides[d] > 1) {
        ++strided;
        break;
      }
  }
  EXPECT_GE(loads, 10);
  EXPECT_GE(stores, 10);
  EXPECT_GE(strided, 10);
  EXPECT_GE(swizzled, 1);
  RecordProperty("loads", loads);
  RecordProperty("stores", stores);
  RecordProperty("strided", strided);
  RecordProperty("swizzled", swizzled);
}

} // namespace
