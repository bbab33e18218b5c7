//===- Launch.cpp - what the launch region excludes -----------------------===//
//
// The body's arguments are free for the checker, but some values never come:
// a tensor under a tensor map has no size of 0 (tma-dim-range), titan.require
// refuses others, and a grid of min(tiles, SMs) CTAs has no CTA without a tile.
// So before a loop is unrolled zero times, the launch region is run on a few
// sizes, small and large: if under none of them the loop runs zero times, it
// never does.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

namespace {
/// One run of the launch region.
class HostRun {
public:
  explicit HostRun(KernelOp kernel) : kernel(kernel) {}

  /// False: the launch is refused, or the region computes something unknown.
  bool run(const llvm::DenseMap<std::pair<Value, int64_t>, int64_t> &sizes,
           int64_t multiprocessors) {
    values.clear();
    known = true;
    for (Operation &op : kernel.getLaunch().front()) {
      if (auto dim = dyn_cast<DimOp>(op)) {
        int64_t size = dim.getTensor().getType().getShape()[dim.getDimension()];
        if (ShapedType::isDynamic(size))
          size = sizes.lookup(
              {dim.getTensor(), static_cast<int64_t>(dim.getDimension())});
        values[dim.getResult()] = size;
      } else if (auto property = dyn_cast<DevicePropertyOp>(op)) {
        values[property.getResult()] = multiprocessors;
      } else if (auto require = dyn_cast<RequireOp>(op)) {
        auto condition = values.find(require.getCondition());
        if (condition != values.end() && !condition->second)
          return false;
      } else if (op.getNumResults() == 1) {
        compute(op);
      }
    }
    return true;
  }
  std::optional<int64_t> value(Value v) const {
    auto found = values.find(v);
    if (found == values.end())
      return std::nullopt;
    return found->second;
  }

private:
  void compute(Operation &op) {
    APInt constant;
    if (auto c = dyn_cast<arith::ConstantOp>(op)) {
      if (auto integer = dyn_cast<IntegerAttr>(c.getValue()))
        values[c.getResult()] = integer.getType().isInteger(1)
                                    ? integer.getInt() & 1
                                    : integer.getInt();
      return;
    }
    auto [code, predicate] = classify(&op);
    if (code == Arith::None)
      return;
    int64_t in[3] = {};
    for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
      auto found = values.find(operand);
      if (found == values.end())
        return;
      in[i] = found->second;
    }
    unsigned from = bitsOf(op.getOperand(op.getNumOperands() - 1).getType());
    unsigned to = bitsOf(op.getResult(0).getType());
    if (from && to)
      if (auto result =
              evaluate(code, predicate, from, to, in[0], in[1], in[2]))
        values[op.getResult(0)] = *result;
  }

  KernelOp kernel;
  bool known = true;
  llvm::DenseMap<Value, int64_t> values;
};
} // namespace

void Instantiator::Impl::findGrid() {
  HostRun host(kernel);
  SmallVector<int64_t> seen[3];
  for (int64_t size : {1, 100, 5000}) {
    llvm::DenseMap<std::pair<Value, int64_t>, int64_t> sizes;
    for (Operation &op : kernel.getLaunch().front())
      if (auto dim = dyn_cast<DimOp>(op))
        sizes[{dim.getTensor(), static_cast<int64_t>(dim.getDimension())}] =
            size;
    bool launched = host.run(sizes, 132);
    auto grid = kernel.getLaunchOp().getGrid();
    for (unsigned d = 0; d < 3; ++d) {
      std::optional<int64_t> extent =
          d < grid.size() ? host.value(grid[d]) : std::optional<int64_t>(1);
      if (launched || !extent)
        seen[d].push_back(extent.value_or(-1));
    }
  }
  for (unsigned d = 0; d < 3; ++d)
    if (!seen[d].empty() && seen[d][0] > 0 && llvm::all_equal(seen[d]))
      fixedGrid[d] = seen[d][0];
}

int Instantiator::Impl::secondCluster() const {
  auto cluster = kernel.getClusterShape();
  for (int d = 0; d < 3; ++d)
    if (!fixedGrid[d] || *fixedGrid[d] > cluster[d])
      return d;
  return -1;
}

bool Instantiator::Impl::canBeZero(const Choice &choice) {
  // Dynamic sizes, and whether a map forbids 0.
  std::vector<std::pair<Value, int64_t>> sizes;
  llvm::DenseSet<Value> mapped;
  for (Operation &op : kernel.getLaunch().front()) {
    if (auto dim = dyn_cast<DimOp>(op))
      if (std::pair<Value, int64_t> size{
              dim.getTensor(), static_cast<int64_t>(dim.getDimension())};
          !llvm::is_contained(sizes, size))
        sizes.push_back(size);
    if (auto map = dyn_cast<TensorMapOp>(op))
      mapped.insert(map.getTensor());
  }
  // Sizes that only the body asks for.
  for (const Leaf &leaf : leaves)
    if (leaf.kind == Leaf::Size)
      if (std::pair<Value, int64_t> size{
              kernel.getLaunch().getArgument(leaf.tensor), leaf.dimension};
          !llvm::is_contained(sizes, size))
        sizes.push_back(size);
  if (sizes.size() > 5)
    return true;
  static constexpr int64_t tries[] = {0, 1, 100, 5000};
  size_t total = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    total *= std::size(tries);
  HostRun host(kernel);
  resetLeaves();
  bool zero = false;
  for (size_t combination = 0; combination < total && !zero; ++combination) {
    llvm::DenseMap<std::pair<Value, int64_t>, int64_t> chosen;
    bool possible = true;
    size_t rest = combination;
    for (auto &size : sizes) {
      int64_t value = tries[rest % std::size(tries)];
      rest /= std::size(tries);
      possible &= value > 0 || !mapped.contains(size.first);
      chosen[size] = value;
    }
    if (!possible || !host.run(chosen, 132))
      continue;
    // What the body sees.
    SmallVector<int64_t, 3> grid;
    for (Value extent : kernel.getLaunchOp().getGrid()) {
      auto value = host.value(extent);
      if (!value)
        return true;
      grid.push_back(*value);
    }
    grid.resize(3, 1);
    if (llvm::any_of(grid, [](int64_t extent) { return extent <= 0; }))
      continue; // nothing is launched
    for (auto [position, argument] :
         llvm::enumerate(kernel.getBody().front().getArguments())) {
      Value launched = kernel.getLaunchValue(argument);
      uint32_t symbol = launched && bitsOf(argument.getType())
                            ? symbols.find(launched.getAsOpaquePointer(), 0)
                            : 0;
      if (!symbol)
        continue;
      if (auto value = host.value(launched))
        leafValues[symbols.leafOf(symbol)].assign(program->ctas(), *value);
      else if (isa<OpResult>(launched))
        return true; // computed by something unknown
    }
    for (auto [number, leaf] : llvm::enumerate(leaves)) {
      if (leaf.kind == Leaf::NumCtas)
        leafValues[number].assign(program->ctas(), grid[leaf.dimension]);
      if (leaf.kind == Leaf::Size)
        for (auto &[size, value] : chosen)
          if (size.second == leaf.dimension &&
              leaf.tensor == cast<BlockArgument>(size.first).getArgNumber())
            leafValues[number].assign(program->ctas(), value);
    }
    // The first and the last CTA.
    for (bool last : {false, true}) {
      for (auto [number, leaf] : llvm::enumerate(leaves))
        if (leaf.kind == Leaf::CtaId)
          leafValues[number].assign(program->ctas(),
                                    last ? grid[leaf.dimension] - 1 : 0);
      auto count = outcome(choice);
      zero |= !count || *count == 0;
    }
  }
  resetLeaves();
  return zero;
}
