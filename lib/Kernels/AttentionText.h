//===- AttentionText.h - the parts of attention's text ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention as text (TextWriter.h), written in the order in which it stands:
//
//   types()      names of types and layouts
//   functions()  what partitions share: fill(), weights(), store()
//   launch()     tensor maps, the grid, what sizes have to be
//   body()       buffers and barriers; then a partition each:
//     load()       one warp: Q, and the blocks of K and V
//     attend()     a warpgroup: scores, weights, sums of its 64 rows
//   reference()  the same in loops, with the error that is allowed
//
// Block j of a tile is the j-th that is worked on: the last keys come first, so
// that what has to be masked is at the beginning.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_KERNELS_ATTENTIONTEXT_H
#define TITAN_LIB_KERNELS_ATTENTIONTEXT_H

#include "TextWriter.h"
#include "titan/Kernels/Attention.h"

#include <initializer_list>

namespace titan::kernels {

class AttentionText {
public:
  explicit AttentionText(const AttentionOptions &options);
  virtual ~AttentionText() = default;
  virtual std::string write();

protected:
  int64_t halves() const { return o.size / 64; }
  /// Rows may have no key at all.
  bool masksRows() const { return o.causal || o.window || o.page || o.ragged; }
  /// Of a CTA's tiles each has blocks of its own number: %base is carried.
  bool countsBlocks() const { return o.persistent && masksRows(); }

  /// Behind the first blocks of a tile, which have the diagonal, no score is masked.
  bool masksFirst() const { return o.causal && !o.window; }
  bool asksForGrowth() const { return *o.rescale != Rescale::Always; }

  // AttentionText.cpp
  void types();
  void functions();
  void requireScale();
  void fill();
  void weights();
  void pieces();
  void powers();
  void requireSize(std::string name, std::string tensor, std::string type,
                   int64_t dimension, std::string value, std::string words);
  void launch();
  void allocateRings();
  void initRings();
  void body();
  // AttentionMainLoop.cpp
  void coordinates();
  void tileOrder();
  void tileKeys();
  void sequence();
  void totals();
  void blocksBefore();
  void ownBlocks(int64_t group);
  bool nameOwnBlocks(int64_t group);
  void ownOfUnseen();
  void unseenBlocks();
  void wholeBlocks();
  void passBlocks(const char *suffix, const char *base);
  void loadBlocks();
  void load();
  void weightConstants();
  void beginAttend(int64_t group);
  void endAttend(int64_t group);
  void attend(int64_t group);
  void rowsSee();
  void takeTurn();
  void passTurn();
  void firstScores();
  void firstWeights();
  void allBlocks();
  void blocks(const char *results, const char *first, const char *last,
              const char *before, bool masked);
  void blockProducts();
  void sumsBefore();
  void blockWeights(bool masked);
  void lastProduct();
  void issueLast();
  void endLast();
  void keysPastEnd();
  virtual void mask(bool first);
  void finite();
  void output(int64_t group);
  void release(const char *ring, const char *stage);
  // AttentionAhead.cpp
  enum Said { Row, Blocks, Batch, Head, Any };
  void letterTypes();
  void placeFunctions();
  void placeOf(const char *round);
  void rounds();
  void loadAhead();
  void letter(const char *suffix);
  void readLetter(const char *suffix, const char *as,
                  std::initializer_list<Said> what);
  void scoresAhead(int64_t group, const char *suffix, const char *round,
                   bool last);
  void attendAhead(int64_t group);
  // AttentionTail.cpp
  void blocksAre(bool tail);
  void reuseSlot(const std::string &slot, const std::string &ending);
  void tailTypes();
  void countWhole();
  void loadTail();
  void maskWhole();
  void tailAndBlocks();
  // AttentionPack.cpp
  void packedTile();
  void packedRows(const std::string &head, const std::string &row);
  // AttentionReference.cpp
  void reference();
  void referenceConstants();
  void referenceRow(bool lse);
  void endReference();

  AttentionOptions o;
  TextWriter w;
};

/// Decoding: the same blocks of keys under rows that are queries of several heads.
///
///   attendParts()  the kernel that leaves parts of O (DecodeText.cpp)
///   combine()      the one that adds them up (DecodeCombine.cpp)
class DecodeText : public AttentionText {
public:
  using AttentionText::AttentionText;
  std::string write() override;

private:
  // DecodeText.cpp
  static const char *const dealing;
  void types();
  void launchParts();
  void shares();
  void placeOfTile();
  void segment();
  bool prefetches() const;
  void prefetch();
  void load();
  void attend();
  void mask(bool first) override;
  void store();
  // DecodeCombine.cpp
  void combine();
  void shape(const char *first, bool parts);
  void referenceParts();
  void referenceCombine();
};

} // namespace titan::kernels

#endif
