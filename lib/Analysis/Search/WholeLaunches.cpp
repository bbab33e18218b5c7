//===- WholeLaunches.cpp - small launches, all of whose CTAs are looked at ===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the launch region admits also says what belongs together: a few small
// launches, all of whose CTAs are looked at, show what CTAs share through global
// memory (Sharing.h). Sizes and arguments are tried, in all combinations or so
// many of them by chance (docs/search.md).
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

bool Instantiator::Impl::multipliesSizes(Number number) const {
  auto ofSize = [&](Number operand) {
    return operand.symbol && symbols.node(operand.symbol).code == Arith::None &&
           parameters[symbols.parameterOf(operand.symbol)].kind ==
               Parameter::Size;
  };
  SmallVector<Number> rest = {number};
  llvm::DenseSet<uint32_t> seen;
  while (!rest.empty()) {
    Number at = rest.pop_back_val();
    if (!at.symbol || !seen.insert(at.symbol).second)
      continue;
    const Symbols::Node &node = symbols.node(at.symbol);
    if (node.code == Arith::None)
      continue;
    if (node.code == Arith::Mul && ofSize(node.a) && ofSize(node.b))
      return true;
    rest.append({node.a, node.b, node.c});
  }
  return false;
}

Instantiator::Impl::Varied
Instantiator::Impl::variedParameters(int64_t most, bool fit) const {
  std::vector<int64_t> sizes(std::begin(bound::triedExtents),
                             std::end(bound::triedExtents));
  if (most <= bound::largerLaunch &&
      llvm::count_if(parameters, [](const Parameter &parameter) {
        return parameter.kind == Parameter::Size;
      }) <= bound::fewSizes)
    llvm::append_range(sizes, bound::extentsOfFewSizes);
  if (most > bound::smallLaunch)
    llvm::append_range(sizes, bound::extentsOfLargerLaunches);
  // Rows and columns of CTAs, by sizes themselves, are few only by few of each.
  bool plane = llvm::count_if(grid, [&](Number n) {
                 return n.symbol && symbols.node(n.symbol).code == Arith::None;
               }) > 1;
  if (plane || llvm::any_of(grid, [&](Number n) { return multipliesSizes(n); }))
    sizes.insert(sizes.begin(), std::begin(bound::extentsOfProducts),
                 std::end(bound::extentsOfProducts));
  for (int64_t constant : constants)
    if (constant > bound::leastConstant && constant < bound::largestConstant &&
        sizes.size() < size_t(bound::mostExtents))
      sizes.insert(sizes.end(), {constant, constant + 1, 2 * constant + 1});
  auto scalars = [](const Parameter &parameter) {
    std::vector<int64_t> values = {parameter.initial};
    llvm::append_range(values, bound::triedScalars);
    return values;
  };
  // Sizes of promised tensors, and what they are computed from.
  auto isPromised = [&](uint32_t number) {
    const Parameter &parameter = parameters[number];
    return parameter.kind == Parameter::Size &&
           promisedTensors.contains(parameter.tensor);
  };
  std::vector<uint32_t> sizesPromised;
  for (auto &[symbol, value] : pinned)
    if (isPromised(symbols.parameterOf(symbol)))
      symbols.collect(unpinned(value), sizesPromised);
  Varied varied;
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    if (!isVaried(number))
      continue;
    std::vector<int64_t> values;
    std::vector<int64_t> tried =
        parameter.kind == Parameter::Size ? sizes : scalars(parameter);
    if (parameter.boundsData)
      llvm::append_range(tried, sizes);
    if (isPromised(number) || llvm::is_contained(sizesPromised, number))
      tried.insert(tried.begin(), std::begin(bound::promisedExtents),
                   std::end(bound::promisedExtents));
    for (int64_t value : tried)
      if (value = fit ? fitted(number, value) : value;
          parameter.range.contains(value) && !llvm::is_contained(values, value))
        values.push_back(value);
    if (values.empty())
      values.push_back(parameter.initial);
    varied.push_back({number, std::move(values)});
  }
  return varied;
}

bool Instantiator::Impl::isVaried(uint32_t parameter) const {
  return parameters[parameter].kind <= Parameter::Scalar &&
         !pitches.contains(parameter) &&
         llvm::none_of(pinned, [&](auto &other) {
           return symbols.parameterOf(other.first) == parameter;
         });
}

std::string Instantiator::Impl::nameOf(const SmallLaunch &launch) const {
  std::string name =
      std::to_string(launch.clusters * kernel.getClusterSize()) + " CTAs";
  const char *separator = ": ";
  for (auto [number, value] : llvm::enumerate(launch.parameters)) {
    if (!isVaried(number))
      continue;
    name += separator + nameOfParameter(parameters[number]);
    name += " " + std::to_string(value);
    separator = ", ";
  }
  return name;
}

std::optional<SmallLaunch> Instantiator::Impl::launchOfParameters() const {
  if (!admitted())
    return std::nullopt;
  auto cluster = kernel.getClusterShape();
  SmallLaunch launch;
  for (unsigned d = 0; d < 3; ++d) {
    launch.grid[d] = symbols.value(grid[d], parameterValues, 0).value_or(0);
    if (launch.grid[d] < 1 || launch.grid[d] > bound::gridExtent)
      return std::nullopt;
    launch.clusters *= launch.grid[d] / cluster[d];
  }
  for (auto &values : parameterValues)
    launch.parameters.push_back(values[0]);
  return launch;
}

bool Instantiator::Impl::tighten(ArrayRef<uint32_t> kept) {
  bool changed = false;
  for (auto [index, requirement] : llvm::enumerate(requirements)) {
    const Symbols::Node node = symbols.node(requirement.symbol);
    if (!requirement.symbol || node.code != Arith::Cmp)
      continue;
    for (auto [a, b] : {std::pair(node.a, node.b), std::pair(node.b, node.a)}) {
      while (a.symbol && symbols.node(a.symbol).code == Arith::Cast)
        a = symbols.node(a.symbol).a;
      if (!a.symbol || !b.symbol || symbols.node(a.symbol).code != Arith::None)
        continue;
      uint32_t parameter = symbols.parameterOf(a.symbol);
      std::vector<uint32_t> inside;
      symbols.collect(b, inside);
      auto bound = symbols.value(b, parameterValues, 0);
      if (parameters[parameter].kind != Parameter::Scalar || !bound ||
          llvm::is_contained(inside, parameter) ||
          llvm::is_contained(kept, parameter))
        continue;
      int64_t old = parameterValues[parameter][0];
      bool found = false;
      for (int64_t offset : {0, 1, -1}) {
        int64_t value = *bound + offset;
        if (!parameters[parameter].range.contains(value))
          continue;
        setParameter(parameter, value);
        if ((found = met({Goal::Require, index})))
          break;
      }
      if (!found)
        setParameter(parameter, old);
      changed |= found && parameterValues[parameter][0] != old;
    }
  }
  return changed;
}

void Instantiator::Impl::vary(const Varied &varied,
                              llvm::function_ref<void(bool tight)> look) {
  static constexpr size_t mostTried = bound::mostTried;
  double total = 1;
  for (auto &[parameter, values] : varied)
    total *= values.size();
  bool sampled = total > mostTried;
  uint64_t random = 1;
  program = emptyProgram(kernel, 1);
  whole = false;
  resetParameters(false);
  for (size_t at = 0; at < (sampled ? mostTried : size_t(total)); ++at) {
    size_t rest = at;
    for (auto &[parameter, values] : varied) {
      if (sampled) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        rest = random >> 33;
      }
      setParameter(parameter, values[rest % values.size()]);
      rest /= values.size();
    }
    look(/*tight=*/false);
    if (tighten())
      look(/*tight=*/true);
  }
}

std::optional<Refusal> Instantiator::refusal() const {
  std::vector<size_t> refused(impl->requirements.size(), 0);
  size_t tried = 0;
  impl->vary(impl->variedParameters(bound::largerLaunch, /*fit=*/false),
             [&](bool) {
               ++tried;
               for (size_t i = 0; i < refused.size(); ++i)
                 refused[i] += !impl->met({Impl::Goal::Require, i});
             });
  auto most = llvm::max_element(refused);
  if (most == refused.end() || *most == 0)
    return std::nullopt;
  return Refusal{impl->requireOps[most - refused.begin()], *most, tried};
}

std::vector<SmallLaunch> Instantiator::launches(int64_t least, int64_t most,
                                                bool fitted) const {
  static constexpr size_t mostKept = bound::mostKept;
  KernelOp kernel = impl->kernel;
  bool fixed = llvm::none_of(impl->grid, [](Number n) { return n.symbol; });
  int64_t mostClusters =
      std::max<int64_t>(fixed ? bound::fixedClusters : 0, most);
  Impl::Varied varied = impl->variedParameters(most, fitted);
  std::optional<uint32_t> multiprocessorsParameter;
  for (auto [number, parameter] : llvm::enumerate(impl->parameters))
    if (parameter.kind == Impl::Parameter::Multiprocessors)
      multiprocessorsParameter = number;

  // As many as there are clusters, if it is about more than a few: a grid is
  // often the lesser of the tiles and those.
  std::vector<int64_t> triedMultiprocessors(
      std::begin(bound::triedMultiprocessors),
      std::end(bound::triedMultiprocessors));
  if (most > bound::smallLaunch)
    triedMultiprocessors.push_back(most);

  struct Candidate {
    int64_t weight, sizes;
    std::vector<int64_t> key;
    SmallLaunch launch;
  };
  std::vector<Candidate> candidates;
  std::map<std::vector<int64_t>, size_t> seen; // Candidates.
  impl->vary(varied, [&](bool tight) {
    for (int64_t multiprocessors : triedMultiprocessors) {
      if (multiprocessorsParameter)
        impl->setParameter(*multiprocessorsParameter,
                           multiprocessors * kernel.getClusterSize());
      else if (multiprocessors != triedMultiprocessors[0])
        break;
      std::optional<SmallLaunch> found = impl->launchOfParameters();
      if (!found || found->clusters < least || found->clusters > mostClusters)
        continue;
      SmallLaunch &launch = *found;
      // What the body is told, but for sizes as such.
      std::vector<int64_t> key(launch.grid, launch.grid + 3);
      int64_t weight = launch.clusters, sizes = 0;
      for (Value value : kernel.getLaunchOp().getValues()) {
        auto number = impl->launchNumbers.find(value);
        if (number == impl->launchNumbers.end())
          continue;
        int64_t known =
            impl->symbols.value(number->second, impl->parameterValues, 0)
                .value_or(0);
        if (value.getDefiningOp<DimOp>()) {
          sizes += known;
          continue;
        }
        key.push_back(known);
        weight += std::abs(known);
      }
      for (BlockArgument argument : kernel.getLaunch().getArguments())
        if (auto number = impl->launchNumbers.find(argument);
            number != impl->launchNumbers.end())
          key.push_back(
              impl->symbols.value(number->second, impl->parameterValues, 0)
                  .value_or(0));
      auto [same, fresh] = seen.try_emplace(key, candidates.size());
      Candidate candidate{weight, sizes, std::move(key), std::move(launch)};
      candidate.launch.tight = tight;
      if (fresh) {
        candidates.push_back(std::move(candidate));
        continue;
      }
      // (Many CTAs are looked at for whom they meet: the shortest launch will do.)
      Candidate &known = candidates[same->second];
      candidate.launch.tight |= known.launch.tight;
      if (most > bound::smallLaunch && sizes < known.sizes)
        known = std::move(candidate);
      else
        known.launch.tight = candidate.launch.tight;
    }
  });
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
    launch.name = impl->nameOf(launch);
    result.push_back(std::move(launch));
  }
  return result;
}
