//===- FlagNeeds.h - which signals a wait for a flag needs ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_TYPESTATE_FLAGNEEDS_H
#define TITAN_LIB_ANALYSIS_TYPESTATE_FLAGNEEDS_H

#include "Flags.h"
#include "Orders.h"

namespace titan::typestate {

/// Of a wait for a flag the signals that have to come before it, of all CTAs: where
/// they are counted, how many there are, and that they come.
class FlagNeeds {
public:
  FlagNeeds(Proof &proof, llvm::MutableArrayRef<FlagCase> cases)
      : proof(proof), cases(cases) {
    for (size_t d = 0; d < proof.grid.size(); ++d)
      ctas.push_back(
          proof.atoms.atom("cta", nullptr, {Polynomial(int64_t(d))}));
  }

  /// Signals of one text that a wait needs: those of a box of CTAs, of one iteration
  /// or of the first ones.
  struct Box {
    std::vector<std::pair<Polynomial, Polynomial>> ctas;
    std::optional<Polynomial> last; ///< iterations from 0 on
    Polynomial size;
  };
  /// Signals of this text, with their cases.
  using Signals = std::vector<std::pair<const FlagCase *, const FlagEvent *>>;
  struct Need {
    const FlagCase *of;
    const FlagEvent *wait;
    mlir::Operation *text;
    Signals signals;
    Box box;
  };

  /// Finds which signals this wait needs; the proof stops where they are not shown to
  /// be all of the flag's, or to come.
  bool needs(const FlagCase &of, const FlagEvent &wait);

  /// The same of the other CTA.
  template <typename T> T theirs(const T &what) {
    return other(proof, what, Instance::Cta);
  }
  Polynomial cta(size_t d) { return Polynomial::atom(ctas[d]); }
  std::map<mlir::Operation *, Signals> textsOf(mlir::Value root);
  /// What holds where a signal of another CTA may come before the wait.
  Facts beforeWait(const FlagEvent &wait, const FlagEvent &signal);
  /// What holds where the other CTA is one of the box.
  Facts within(const Box &box);
  bool oncePerCta(const Signals &signals);

  Proof &proof;
  llvm::MutableArrayRef<FlagCase> cases;
  std::vector<Atom> ctas;
  /// Of each wait that needs() was asked about.
  std::vector<Need> found;

private:
  /// A signal of another CTA that may stand behind such a wait itself: who counts on it
  /// to come may wait for ever.
  bool isBehind(const Facts &facts, const FlagEvent &wait,
                const FlagEvent &signal);
  bool isIn(const FlagEvent &wait, const Signals &signals, const Box &box);
  bool allCome(const FlagEvent &wait, const Signals &signals, const Box &box);
  std::vector<Box> boxes(const FlagEvent &wait, const Signals &signals,
                         const Polynomial &missing);
  bool isInGrid(const Facts &facts, const Box &box);
  bool isNumbered(const FlagEvent &wait, const Signals &signals,
                  const Polynomial &initial);
  bool eachNumberComes(const FlagEvent &wait, const Signals &signals,
                       const Polynomial &initial);
};

} // namespace titan::typestate

#endif
