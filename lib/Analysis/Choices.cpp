//===- Choices.cpp - which sizes make a loop run n times ------------------===//
#include "Interpreter.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

int64_t Instantiator::Impl::leafValue(uint32_t number, int cta) const {
  const Leaf &leaf = leaves[number];
  if (leaf.kind != Leaf::CtaId)
    return launch ? launchedValue(number) : defaultValue(number);
  auto cluster = kernel.getClusterShape();
  int rank = cta % program->clusterSize, at = cta / program->clusterSize;
  int64_t place[3] = {rank % cluster[0], rank / cluster[0] % cluster[1],
                      rank / cluster[0] / cluster[1]};
  if (launch) {
    for (int d = 0; d < 3; ++d) {
      int64_t along = launch->grid[d] / cluster[d];
      place[d] += at % along * cluster[d];
      at /= along;
    }
  } else if (int beside = secondCluster(); beside >= 0) {
    // A second cluster lies beside the first.
    place[beside] += at * cluster[beside];
  }
  return place[leaf.dimension];
}

int64_t Instantiator::Impl::launchedValue(uint32_t number) const {
  const Leaf &leaf = leaves[number];
  switch (leaf.kind) {
  case Leaf::NumCtas:
    return launch->grid[leaf.dimension];
  case Leaf::Size:
    if (auto size = launch->sizes.find(
            {kernel.getLaunch().getArgument(leaf.tensor), leaf.dimension});
        size != launch->sizes.end())
      return size->second;
    break;
  case Leaf::Scalar:
  case Leaf::Flag:
    if (auto value = launch->values.find(leaf.launched);
        value != launch->values.end())
      return value->second;
    break;
  case Leaf::CtaId:
    break;
  }
  return defaultValue(number);
}

uint32_t Instantiator::Impl::leafSymbol(const void *key, int dimension,
                                        Leaf leaf) {
  uint32_t symbol = symbols.leaf(key, dimension);
  uint32_t number = symbols.leafOf(symbol);
  if (number == leaves.size()) {
    leaves.push_back(std::move(leaf));
    leafValues.emplace_back();
    leafValues[number].assign(program->ctas(), 0);
    for (int cta = 0; cta < program->ctas(); ++cta)
      leafValues[number][cta] = leafValue(number, cta);
  }
  return symbol;
}

int64_t Instantiator::Impl::defaultValue(uint32_t number) const {
  const Leaf &leaf = leaves[number];
  switch (leaf.kind) {
  case Leaf::Size:
    return 4096 + 128 * static_cast<int64_t>(number);
  case Leaf::Scalar:
    return 5 + 2 * static_cast<int64_t>(number);
  case Leaf::Flag:
    return 1;
  case Leaf::NumCtas:
    return fixedGrid[leaf.dimension].value_or(
        6 * kernel.getClusterShape()[leaf.dimension]);
  case Leaf::CtaId:
    break;
  }
  return 0;
}

void Instantiator::Impl::resetLeaves() {
  // Leaves keep their numbers; their values are made again.
  std::vector<Leaf> old = std::move(leaves);
  leaves.clear();
  leafValues.clear();
  for (Leaf &leaf : old) {
    uint32_t number = leaves.size();
    leaves.push_back(leaf);
    leafValues.emplace_back(program->ctas(), 0);
    for (int cta = 0; cta < program->ctas(); ++cta)
      leafValues[number][cta] = leafValue(number, cta);
  }
}

std::optional<int64_t> Instantiator::Impl::outcome(const Choice &choice) const {
  auto upper = symbols.value(choice.upper, leafValues, 0);
  if (!choice.loop)
    return upper;
  auto lower = symbols.value(choice.lower, leafValues, 0),
       step = symbols.value(choice.step, leafValues, 0);
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return *upper <= *lower ? 0 : (*upper - *lower + *step - 1) / *step;
}

bool Instantiator::Impl::solve(const Choice &choice, int64_t wanted) {
  auto set = [&](int64_t value) {
    std::fill(leafValues[choice.leaf].begin(), leafValues[choice.leaf].end(),
              value);
  };
  if (!choice.loop) {
    std::vector<int64_t> candidates = {defaultValue(choice.leaf), 0, 1, 2, 3};
    for (int64_t value = 4; value <= int64_t(1) << 30; value *= 2)
      for (int64_t near : {value - 1, value, value + 1})
        candidates.push_back(near);
    for (int64_t value : candidates) {
      set(value);
      if (outcome(choice) == wanted)
        return true;
    }
    return false;
  }
  // The smallest value with at least so many iterations; counts grow with
  // sizes.
  int64_t low = 0, high = int64_t(1) << 31;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    set(middle);
    if (outcome(choice).value_or(0) >= wanted)
      high = middle;
    else
      low = middle + 1;
  }
  set(low);
  if (outcome(choice).value_or(0) == wanted)
    return true;
  // A divisor, say: counts that fall as the size grows.
  for (int64_t value = 1; value <= 256; ++value) {
    set(value);
    if (outcome(choice) == wanted)
      return true;
  }
  return false;
}

bool Instantiator::Impl::solveAll(ArrayRef<int64_t> wanted) {
  counts.assign(wanted.begin(), wanted.end());
  llvm::BitVector taken(leaves.size());
  for (auto [choice, count] : llvm::zip(choices, counts)) {
    if (!solve(choice, count)) {
      // A product of two sizes, say: the others that are free become 1.
      std::vector<uint32_t> inside;
      symbols.collect(choice.lower, inside);
      symbols.collect(choice.upper, inside);
      symbols.collect(choice.step, inside);
      for (uint32_t leaf : inside)
        if (leaf != choice.leaf && !taken[leaf] &&
            leaves[leaf].kind <= Leaf::Scalar)
          std::fill(leafValues[leaf].begin(), leafValues[leaf].end(), 1);
      if (!solve(choice, count))
        return false;
    }
    taken.set(choice.leaf);
  }
  return true;
}

bool Instantiator::Impl::registerChoice(Choice choice) {
  for (const Choice &known : choices)
    if (known.loop == choice.loop &&
        known.lower.symbol == choice.lower.symbol &&
        known.upper.symbol == choice.upper.symbol &&
        known.step.symbol == choice.step.symbol &&
        (choice.lower.symbol || known.lower.value == choice.lower.value) &&
        (choice.upper.symbol || known.upper.value == choice.upper.value) &&
        (choice.step.symbol || known.step.value == choice.step.value))
      return false;
  // A leaf that no earlier choice has taken, of the upper bound first.
  std::vector<uint32_t> inside;
  symbols.collect(choice.upper, inside);
  symbols.collect(choice.lower, inside);
  symbols.collect(choice.step, inside);
  for (uint32_t leaf : inside) {
    if (leaves[leaf].kind == Leaf::CtaId || leaves[leaf].kind == Leaf::NumCtas)
      continue;
    if (llvm::any_of(choices, [&](const Choice &c) { return c.leaf == leaf; }))
      continue;
    choice.leaf = leaf;
    choice.name = leaves[leaf].name;
    choices.push_back(choice);
    std::vector<int64_t> ones(choices.size(), 1);
    resetLeaves();
    if (solveAll(ones)) {
      restart = true;
      return true;
    }
    choices.pop_back();
    resetLeaves();
    ones.pop_back();
    solveAll(ones);
  }
  // Derived from sizes that others have chosen: it is what it is.
  return false;
}
