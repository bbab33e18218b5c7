//===- Instantiate.h - from a kernel to a list of events --------*- C++ -*-===//
//
// An abstract interpreter of kernels. It follows the control regions (kernel,
// warp_specialize, partition, elect, scf.for, scf.if), computes scalars and
// integer tensors, and turns each hardware operation's effects into actions by
// putting numbers into their expressions. What data is loaded it does not know;
// what depends on that, or on the schedule, is `unknown`, and control that
// hangs on it is undecided (MM-121).
//
// A loop whose bounds are not static is given a count by the caller. So that
// everything computed from the same sizes agrees with it, the count is not
// forced upon the loop: a size in its bounds is solved for (Scalars.h).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_INSTANTIATE_H
#define TITAN_LIB_ANALYSIS_INSTANTIATE_H

#include "Scalars.h"

#include "titan/Analysis/Events.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>

namespace titan::checker {

/// A loop, or all loops with the same bounds, whose count the caller chooses;
/// or a branch on a size, of which the caller chooses the side (0 or 1).
struct Choice {
  mlir::Operation *op; ///< The first operation found.
  bool loop;
  /// Loops: how many loops with a choice stand around it.
  unsigned depth;
  /// Bounds (loop), condition (branch).
  Number lower, upper, step;
  uint32_t leaf = 0;
  /// Loops: no launch makes it run zero times.
  bool neverZero = false;
  /// A name for reports: the leaf's, or "loop 1".
  std::string name;
};

struct Problem {
  Code code;
  mlir::Operation *op;
  std::string message;
};

/// A whole grid of a few clusters, as one launch makes it: sizes of tensors,
/// and what the launch region computes from them.
struct SmallLaunch {
  int64_t grid[3] = {1, 1, 1};
  int64_t clusters = 1;
  /// By tensor (argument of the launch region) and dimension.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, int64_t> sizes;
  /// Values of the launch region.
  llvm::DenseMap<mlir::Value, int64_t> values;
  /// "3 CTAs: A 128 x 64, B 128 x 64".
  std::string name;
};

class Instantiator {
public:
  explicit Instantiator(KernelOp kernel);
  ~Instantiator();

  /// Finds the choices, walking every loop once.
  const std::vector<Choice> &survey();
  /// The events of all warps of the given clusters, for one number each choice;
  /// null when the numbers cannot be had together.
  std::unique_ptr<Program> instantiate(llvm::ArrayRef<int64_t> choices,
                                       int clusters);
  /// Launches of two clusters and more, small ones first, no two of which tell
  /// the kernel's body the same; sizes are tried, so there may be none.
  std::vector<SmallLaunch> launches() const;
  /// The events of all CTAs of such a launch; null when they cannot be
  /// followed.
  std::unique_ptr<Program> instantiate(const SmallLaunch &launch);
  /// What could not be followed, or is wrong with an index. Filled by both.
  std::vector<Problem> problems;
  /// What was left out, while everything else was followed: the kernel cannot
  /// be accepted, and what is found in the rest is still wrong.
  std::vector<Problem> gaps;
  Footprints footprints;

  /// Slots of the rings in the kernel: of barriers and of memory.
  std::vector<int64_t> ringDepths() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace titan::checker

#endif
