//===- Numbers.cpp - the values of a run, for the resolver ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Numbers.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

unsigned Numbers::argument(Value tensorOrMap) const {
  if (isa<GlobalType>(tensorOrMap.getType()))
    return bits(tensorOrMap);
  MapPlace place = map(tensorOrMap);
  return place.kind == MapPlace::Parameter
             ? agent.machine.launch.maps[place.at].tensor
             : place.tensor;
}

std::optional<effect::Place> Numbers::place(Value memory) {
  if (!isa<TensorMapType>(memory.getType())) {
    SharedPlace place = SharedPlace::decode(bits(memory));
    return effect::Place{SharedWindow, place.address,
                         place.rank ? static_cast<int>(*place.rank) : -1};
  }
  MapPlace place = map(memory);
  if (place.kind == MapPlace::Parameter)
    return std::nullopt; // No bytes.
  return effect::Place{place.kind == MapPlace::Shared ? SharedWindow
                                                      : GlobalMemory,
                       static_cast<int64_t>(place.at)};
}

std::optional<int64_t> Numbers::element(Value tile, int64_t lane,
                                        const effect::Shape::Held &held) {
  const Tile *found = this->tile(tile);
  size_t at = held.reg * agent.program.lanes + lane;
  if (!found || (!found->poison.empty() && found->poison[at]))
    return std::nullopt;
  return static_cast<int32_t>(found->data[at]);
}

static effect::Grid gridOfMap(const TensorMap &map, int64_t unit) {
  effect::Grid grid;
  grid.origin = {Numbers::GlobalMemory, static_cast<int64_t>(map.address)};
  // Ours are outermost first, the driver's innermost first.
  for (int d = map.rank - 1; d >= 0; --d) {
    grid.sizes.push_back(map.dims[d]);
    grid.strides.push_back(d > 0 ? static_cast<int64_t>(map.strides[d - 1])
                                 : unit);
  }
  grid.map = map;
  return grid;
}

std::optional<effect::Grid> Numbers::grid(Value tensorOrMap) {
  const Machine &machine = agent.machine;
  if (auto type = dyn_cast<TensorMapType>(tensorOrMap.getType())) {
    MapPlace place = map(tensorOrMap);
    if (place.kind == MapPlace::Parameter)
      return gridOfMap(machine.launch.maps[place.at].map, type.getUnitBytes());
    if (place.kind == MapPlace::Shared)
      return std::nullopt; // Copies go through maps in global memory.
    auto map =
        decodeDescriptor(*reinterpret_cast<const TmaDescriptor *>(place.at));
    if (!map)
      return std::nullopt;
    return gridOfMap(*map, type.getUnitBytes());
  }
  const SimulatorArgument &argument = machine.arguments[bits(tensorOrMap)];
  int64_t bytes = titan::getElementBytes(
      cast<GlobalType>(tensorOrMap.getType()).getElementType());
  effect::Grid grid;
  grid.origin = {GlobalMemory, reinterpret_cast<int64_t>(argument.data)};
  grid.sizes.assign(argument.shape.begin(), argument.shape.end());
  for (int64_t stride : argument.strides)
    grid.strides.push_back(stride * bytes);
  return grid;
}
