//===- Launch.cpp - what the launch region excludes -----------------------===//
//
// The body's arguments are free for the checker, but some values never come:
// a tensor under a tensor map has no size of 0 (tma-dim-range), titan.require
// refuses others, and a grid of min(tiles, SMs) CTAs has no CTA without a tile.
// So before a loop is unrolled zero times, the launch region is run on a few
// sizes, small and large: if under none of them the loop runs zero times, it
// never does.
//
// The region also says what belongs together: a few small launches, all of
// whose CTAs are looked at, show what CTAs share through global memory
// (Sharing.h).
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

std::vector<std::pair<Value, int64_t>>
Instantiator::Impl::dynamicSizes() const {
  std::vector<std::pair<Value, int64_t>> sizes;
  auto add = [&](Value tensor, int64_t dimension) {
    if (cast<GlobalType>(tensor.getType()).getShape()[dimension] ==
            ShapedType::kDynamic &&
        !llvm::is_contained(sizes, std::pair(tensor, dimension)))
      sizes.push_back({tensor, dimension});
  };
  for (Operation &op : kernel.getLaunch().front())
    if (auto dim = dyn_cast<DimOp>(op))
      add(dim.getTensor(), dim.getDimension());
  // Those that only the body asks for.
  for (const Leaf &leaf : leaves)
    if (leaf.kind == Leaf::Size)
      add(kernel.getLaunch().getArgument(leaf.tensor), leaf.dimension);
  return sizes;
}

bool Instantiator::Impl::canBeZero(const Choice &choice) {
  auto sizes = dynamicSizes();
  // A map forbids a size of 0.
  llvm::DenseSet<Value> mapped;
  for (Operation &op : kernel.getLaunch().front())
    if (auto map = dyn_cast<TensorMapOp>(op))
      mapped.insert(map.getTensor());
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

//===----------------------------------------------------------------------===//
// Whole launches
//===----------------------------------------------------------------------===//

std::vector<SmallLaunch> Instantiator::launches() const {
  // Around the extents of tiles; powers of two satisfy most of what
  // titan.require asks for.
  static constexpr int64_t tries[] = {1, 64, 100, 128, 200, 256, 512, 4096};
  static constexpr size_t mostTried = 3000, mostKept = 32;
  static constexpr int64_t mostClusters = 4;
  KernelOp kernel = impl->kernel;
  auto sizes = impl->dynamicSizes();
  auto cluster = kernel.getClusterShape();
  double total = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    total *= std::size(tries);
  bool sampled = total > mostTried;
  uint64_t random = 1;

  struct Candidate {
    int64_t weight;
    std::vector<int64_t> key;
    SmallLaunch launch;
  };
  std::vector<Candidate> candidates;
  std::set<std::vector<int64_t>> seen;
  HostRun host(kernel);
  for (size_t at = 0; at < (sampled ? mostTried : size_t(total)); ++at) {
    SmallLaunch launch;
    size_t rest = at;
    for (auto &[tensor, dimension] : sizes) {
      if (sampled) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        rest = random >> 33;
      }
      launch.sizes[{tensor, dimension}] = tries[rest % std::size(tries)];
      rest /= std::size(tries);
    }
    for (int64_t multiprocessors : {3, 2, 4}) {
      multiprocessors *= kernel.getClusterSize();
      if (!host.run(launch.sizes, multiprocessors))
        continue;
      bool good = true;
      launch.clusters = 1;
      auto extents = kernel.getLaunchOp().getGrid();
      for (unsigned d = 0; d < 3; ++d) {
        auto extent = d < extents.size() ? host.value(extents[d])
                                         : std::optional<int64_t>(1);
        launch.grid[d] = extent.value_or(0);
        good &= launch.grid[d] > 0 && launch.grid[d] <= 64 &&
                launch.grid[d] % cluster[d] == 0;
        if (good)
          launch.clusters *= launch.grid[d] / cluster[d];
      }
      if (!good || launch.clusters < 2 || launch.clusters > mostClusters)
        continue;
      // What the body is told, but for sizes as such.
      std::vector<int64_t> key(launch.grid, launch.grid + 3);
      int64_t weight = launch.clusters;
      launch.values.clear();
      for (Value value : kernel.getLaunchOp().getValues()) {
        auto known = host.value(value);
        if (!known)
          continue;
        launch.values[value] = *known;
        if (value.getDefiningOp<DimOp>())
          continue;
        key.push_back(*known);
        weight += std::abs(*known);
      }
      if (!seen.insert(key).second)
        continue;
      candidates.push_back({weight, key, launch});
    }
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return std::tie(a.weight, a.key) < std::tie(b.weight, b.key);
            });
  if (candidates.size() > mostKept)
    candidates.erase(candidates.begin() + mostKept, candidates.end());
  // First those that tell the body numbers which no earlier one has told it.
  std::vector<SmallLaunch> result;
  std::set<std::pair<size_t, int64_t>> told;
  while (!candidates.empty()) {
    auto best = candidates.begin();
    size_t most = 0;
    for (auto it = candidates.begin(); it != candidates.end(); ++it) {
      size_t fresh = 0;
      for (auto [position, value] : llvm::enumerate(it->key))
        fresh += !told.contains({position, value});
      if (fresh > most) {
        most = fresh;
        best = it;
      }
    }
    for (auto [position, value] : llvm::enumerate(best->key))
      told.insert({position, value});
    SmallLaunch launch = std::move(best->launch);
    candidates.erase(best);
    launch.name =
        std::to_string(launch.clusters * kernel.getClusterSize()) + " CTAs";
    const char *separator = ": ";
    for (auto &[tensor, dimension] : sizes) {
      unsigned argument = cast<BlockArgument>(tensor).getArgNumber();
      launch.name +=
          separator +
          cast<StringAttr>(kernel.getArgNames()[argument]).getValue().str() +
          "[" + std::to_string(dimension) + "] " +
          std::to_string(launch.sizes.lookup({tensor, dimension}));
      separator = ", ";
    }
    result.push_back(std::move(launch));
  }
  return result;
}
