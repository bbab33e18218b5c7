//===- Corners.cpp - the sizes at which a kernel's loops turn -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Corners.h"

#include "titan/Dialect/Titan/Example.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace mlir;
using namespace titan;

namespace {

/// Numbers that no tile has: a bound that is far away is no corner of a small
/// launch.
constexpr int64_t greatest = 1024;

/// Elements of a tensor. Where several sizes make one number of tiles, as images,
/// rows and columns do, all of them at once would take minutes a launch.
constexpr double mostElements = 200000;

/// What a size meets on its way through launch and body.
class Way {
public:
  explicit Way(KernelOp kernel) : kernel(kernel) {}
  void from(mlir::Value value) { todo.insert(value); }
  /// The constants that it is divided by, compared with or stepped by.
  std::set<int64_t> constants() {
    std::set<int64_t> found;
    for (size_t i = 0; i < todo.size(); ++i)
      for (OpOperand &use : todo[i].getUses())
        follow(use, found);
    return found;
  }

private:
  void follow(OpOperand &use, std::set<int64_t> &found) {
    Operation *user = use.getOwner();
    if (auto launch = dyn_cast<LaunchOp>(user)) {
      for (auto [passed, seen] :
           llvm::zip_equal(launch.getValues(), kernel.getLaunchArguments()))
        if (passed == use.get())
          todo.insert(seen);
      return;
    }
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      take(loop.getStep(), found);
      return;
    }
    if (!isa_and_nonnull<arith::ArithDialect>(user->getDialect()))
      return;
    // A constant that it is multiplied by is no edge of it.
    if (!isa<arith::MulIOp>(user))
      for (mlir::Value other : user->getOperands())
        if (other != use.get())
          take(other, found);
    for (mlir::Value result : user->getResults())
      if (result.getType().isIntOrIndex() && !result.getType().isInteger(1))
        todo.insert(result);
  }
  static void take(mlir::Value value, std::set<int64_t> &found) {
    llvm::APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) &&
        constant.getSignificantBits() <= 64 && constant.getSExtValue() > 1 &&
        constant.getSExtValue() <= greatest)
      found.insert(constant.getSExtValue());
  }

  KernelOp kernel;
  llvm::SmallSetVector<mlir::Value, 32> todo;
};

/// How many slots the rings have: an mbarrier stands for each; where none has
/// several (slots released by barriers of threads, by groups) their memory does.
std::set<int64_t> depthsOf(KernelOp kernel) {
  std::set<int64_t> barriers, memory;
  kernel.walk([&](Operation *op) {
    for (mlir::Type type : op->getResultTypes()) {
      if (auto ring = dyn_cast<MBarrierType>(type))
        barriers.insert(ring.getSlots());
      else if (auto ring = dyn_cast<SharedType>(type))
        memory.insert(ring.getSlots());
    }
  });
  barriers.erase(1);
  memory.erase(1);
  return barriers.empty() ? memory : barriers;
}

/// The corner, and of the sizes that it does not say the greatest halved until no
/// tensor is too large; where that is not enough, its own.
Corner fitted(Corner corner, const Example &example) {
  const size_t said = corner.size();
  for (const auto &[name, argument] : example.arguments) {
    if (!argument.shape)
      continue;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(*argument.shape).split(words, 'x');
    for (;;) {
      double elements = 1;
      std::pair<std::string, int64_t> own, other; // The largest ones.
      for (llvm::StringRef word : words) {
        auto at = llvm::find_if(
            corner, [&](const auto &one) { return one.first == word; });
        const int64_t value =
            at == corner.end() ? example.sizeOf(word) : at->second;
        elements *= static_cast<double>(value);
        if (!example.sizes.contains(std::string_view(word)))
          continue;
        auto &largest =
            static_cast<size_t>(at - corner.begin()) < said ? own : other;
        if (value > largest.second)
          largest = {word.str(), value};
      }
      auto &shrunk = other.second > 8 ? other : own;
      if (elements <= mostElements || shrunk.second <= 1)
        break;
      // (A half that is odd is ragged still.)
      shrunk.second = shrunk.second / 2 | 1;
      auto at = llvm::find_if(
          corner, [&](const auto &one) { return one.first == shrunk.first; });
      if (at == corner.end())
        corner.push_back(shrunk);
      else
        *at = shrunk;
    }
  }
  return corner;
}

} // namespace

std::vector<Corner> titan::cornersOf(KernelOp kernel,
                                     llvm::ArrayRef<std::string> sizes) {
  FailureOr<Example> example = readExample(kernel);
  if (failed(example))
    return {};
  for (const std::string &given : sizes) {
    auto [name, value] = llvm::StringRef(given).split('=');
    if (auto size = example->sizes.find(std::string_view(name));
        size != example->sizes.end())
      (void)value.getAsInteger(10, size->second);
  }
  std::map<std::string, Way> ways;
  for (auto &[size, value] : example->sizes)
    ways.emplace(size, kernel);
  kernel.walk([&](DimOp dim) {
    auto tensor = dyn_cast<BlockArgument>(dim.getTensor());
    if (!tensor || tensor.getArgNumber() >= kernel.getArgNames().size())
      return;
    auto argument = example->arguments.find(std::string_view(
        cast<StringAttr>(kernel.getArgNames()[tensor.getArgNumber()])
            .getValue()));
    if (argument == example->arguments.end() || !argument->second.shape)
      return;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(*argument->second.shape).split(words, 'x');
    if (static_cast<size_t>(dim.getDimension()) >= words.size())
      return;
    if (auto way = ways.find(words[dim.getDimension()].str());
        way != ways.end())
      way->second.from(dim.getResult());
  });

  std::vector<Corner> corners;
  auto add = [&](Corner corner) {
    corner = fitted(std::move(corner), *example);
    if (!corner.empty() && !llvm::is_contained(corners, corner))
      corners.push_back(std::move(corner));
  };
  const std::set<int64_t> depths = depthsOf(kernel);
  const int64_t deepest = depths.empty() ? 1 : *depths.rbegin();
  Corner zeros, ones, below, above, large;
  for (auto &[size, way] : ways) {
    const std::set<int64_t> constants = way.constants();
    const int64_t edge = constants.empty() ? 1 : *constants.rbegin();
    // More than twice through the ring, and ragged, as a multiple of 8 or 16, too.
    const int64_t far = std::min(edge * (2 * deepest + 1), greatest) + 3;
    std::set<int64_t> values{0, 1, far};
    for (int64_t constant : constants)
      values.insert({constant - 1, constant + 1});
    for (int64_t depth : depths)
      values.insert({edge * (depth - 1), edge * depth, edge * depth + 1});
    for (int64_t value : values)
      if (value <= far)
        add({{size, value}});
    zeros.emplace_back(size, 0);
    ones.emplace_back(size, 1);
    below.emplace_back(size, edge - 1);
    above.emplace_back(size, edge + 1);
    large.emplace_back(size, 2 * edge + 1);
  }
  for (Corner *all : {&zeros, &ones, &below, &above, &large})
    add(std::move(*all));
  return corners;
}

Corner titan::rounded(const Corner &corner, int64_t multiple) {
  Corner result;
  for (auto &[size, value] : corner)
    // 63 to 56, 65 to 72, 1 to 8.
    result.emplace_back(size, value % multiple > multiple / 2
                                  ? llvm::alignDown(value, multiple)
                                  : llvm::alignTo(value, multiple));
  return result;
}

std::string titan::stringify(const Corner &corner) {
  std::string text;
  for (auto &[size, value] : corner)
    text += (text.empty() ? "" : ",") + size + "=" + std::to_string(value);
  return text;
}
