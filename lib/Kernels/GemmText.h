//===- GemmText.h - the parts of a GEMM's text ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GEMM as text (TextWriter.h), written in the order in which it stands:
//
//   types()      names of types and layouts
//   launch()     tensor maps, the grid, what sizes have to be
//   body()       buffers, pipe or barriers; then a partition each:
//     load()       one warp: A and B, slot after slot, by loadTile(); or four, by
//                  copyTile()
//     multiply()   warpgroups: products() of each slot, release() of the one before,
//     epilogue()     storePanels() of each width, panel after panel: panel(),
//                    panelValue(), a store
//       term()         of a panel's sums: alpha, beta, bias; activation()
//       exchange()     with K split: the other CTAs' panels to them
//       awaitParts()   with stream-K: what lower CTAs have of the tile's sums
//   piece()      with stream-K, of load() and multiply(): a tile, and its steps here
//   reference()  the same in linalg, with the error that is allowed
//                (GemmReference.cpp)
//
// Constants of the kernel ($tileM, $depth, ...) are set once, in the constructor.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_KERNELS_GEMMTEXT_H
#define TITAN_LIB_KERNELS_GEMMTEXT_H

#include "TextWriter.h"
#include "titan/Kernels/Gemm.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace titan::kernels {

/// A or B: where it lies and what is loaded of it.
struct GemmOperand {
  char name;            ///< 'A' or 'B'.
  char coordinate;      ///< 'm' or 'n': its rows are D's rows, or D's columns.
  bool transposed;      ///< Stored K x rows.
  int64_t tile;         ///< Rows of a tile.
  int64_t parts;        ///< CTAs that share the tile; each loads one part.
  int64_t halves = 1;   ///< Two: the gate's rows, and those behind all of them.
  bool stacked = false; ///< The outermost dimension is the batch's.

  /// Parts that are loaded by themselves: a CTA's, a half, or both at once.
  int64_t pieces() const { return std::max(parts, halves); }
};

/// What differs between the partitions that multiply.
struct GemmConsumer {
  std::string name;  ///< Of the partition.
  int64_t turn = -1; ///< Ping-pong: 0 has the CTA's even tiles, 1 the odd ones.
  int64_t barrier;   ///< Of the warps that store a tile together.

  /// Stream-K: of a CTA's pieces the first alone may end before its tile does.
  bool lends() const { return turn != 1; }
};

/// Of the reference: memory by its name and type.
struct GemmView {
  std::string name, type;
};
struct GemmViews {
  GemmView a, b, d, bound, c, bias;
  GemmView bUp, up, upBound, biasUp; ///< What the gate multiplies.
};

class GemmText {
public:
  explicit GemmText(const GemmOptions &options);
  std::string write();

private:
  bool pingpong() const { return o.consumers == Consumers::Pingpong; }
  std::vector<GemmConsumer> consumers() const {
    if (pingpong())
      return {{"even", 0, 4}, {"odd", 1, 5}};
    return {{"multiply", -1, 1}};
  }
  /// A pipe says what the ring does; else its barriers stand in the text.
  bool usesPipe() const {
    return !pingpong() && o.cluster() == 1 && !o.gate && boxes(a) == 1 &&
           boxes(b) == 1 && !o.copiesByThreads();
  }
  /// Loads of a CTA's part of a tile: a box has a row of the swizzle, 128
  /// bytes.
  int64_t boxes(const GemmOperand &x) const {
    return (x.transposed ? x.tile / x.halves : o.tileK) / o.rowElements();
  }
  /// Whether small integers come out exactly.
  bool isExact() const {
    // Pages hold anything, which an exact reference could not say.
    return !cuts() && (o.activation == Activation::None ||
                       o.activation == Activation::ReLU);
  }
  /// What threads copy at a time of a tile: so many rows of the swizzle.
  int64_t copiedRows(const GemmOperand &x) const {
    return std::gcd(x.transposed ? o.tileK : x.tile, o.rowBytes > 2 ? 32 : 64);
  }
  /// Behind a load of it: which lines of the L2 cache it takes.
  std::string cacheOf(const GemmOperand &x) const {
    return o.once && x.name == 'B' ? " cache(evict_first)" : "";
  }
  bool isStacked() const { return o.batch == Batch::Equal; }
  bool isGrouped() const { return o.batch == Batch::Grouped; }
  /// Groups end within tiles of D: its map is that of a group.
  bool editsMap() const { return isGrouped() && !masksStores(); }
  bool splits() const { return o.split > 1; }
  bool cuts() const { return o.cuts(); }
  bool masksStores() const { return o.storesElements(); }
  /// Of a panel that leaves as rows of D: boxes side by side, 128 bytes wide.
  int64_t boxesOfD() const { return o.rows() / (128 / bytesOf(o.output)); }
  bool needsRows() const { return masksStores() || o.beta; }
  bool needsColumns() const { return needsRows() || o.bias; }
  /// Rows of all of D, which the launch knows.
  bool needsHeight() const { return needsRows() && !isGrouped(); }
  bool needsWidth() const { return needsColumns() || o.gate; }
  /// ptxas takes the arithmetic of all panels before the first one's store; where it
  /// holds two numbers for each of so many sums it spills (benchmarks/spills.py; of
  /// more sums it takes element by element).
  bool beginsPanelsInTurn() const {
    return o.activation == Activation::GELUTanh && o.output == Element::F32 &&
           !needsColumns() && !o.gate && !cuts() && o.sumRegisters() > 112 &&
           o.sumRegisters() <= 128;
  }

  // GemmText.cpp
  void types();
  void launch();
  void body();
  // GemmMainLoop.cpp
  void piece(bool counts);
  void coordinates();
  void group();
  void editMap();
  void load();
  void loadTile(const GemmOperand &operand);
  void copySetup(const GemmOperand &operand);
  void copyTile(const GemmOperand &operand);
  void multiply(const GemmConsumer &consumer);
  void takeSlot();
  void products();
  void release(std::string_view stage);
  // GemmEpilogue.cpp
  void epilogueTypes();
  void epilogueSetup();
  void setPanels(const GemmPanels &panels);
  void allocatePanels(const GemmConsumer &consumer);
  std::string ringOfD(const GemmConsumer &consumer) const;
  std::string nameOfTail(const GemmConsumer &consumer,
                         const GemmPanels &panels) const;
  void epilogue(const GemmConsumer &consumer);
  void storePanels(const GemmConsumer &consumer, const GemmPanels &panels,
                   std::vector<std::string> &stores);
  void storePanel();
  void tellPeers(std::string_view barrier);
  void exchange();
  void exchanged();
  void awaitParts(const GemmConsumer &consumer);
  void lendParts();
  void panel();
  void panelValue();
  std::string term(std::string value, const char *column, const char *suffix);
  std::string activation(std::string value);
  void sameFunction();
  // GemmReference.cpp
  void reference();
  void referenceOf(GemmViews &views);
  void halve(GemmViews &views);
  void eachGroup(GemmViews views);
  void referenceSums(const GemmView &A, const GemmView &B, const GemmView &sums,
                     const GemmView &masses);
  void referenceValue(const GemmViews &views);
  void referenceTerm(const char *suffix);
  void referenceActivation();

  GemmOptions o;
  GemmOperand a, b;
  TextWriter w;
};

} // namespace titan::kernels

#endif
