//===- Maps.cpp - tensor maps that are changed ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Agents run one after the other. So a map is followed where the warp that
// copies through it has changed it, and no other one has: what comes between two
// warps' changes is not known here.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "titan/Dialect/Titan/MapEdits.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

std::optional<Instantiator::Impl::MapPlace>
Instantiator::Impl::placeOfMap(Value map) {
  const Val &val = value(map);
  if (val.kind != Val::View)
    return std::nullopt;
  if (val.id >= program->sharedRoots)
    return MapPlace{val.id, val.second, -1};
  // (Those of other clusters are of another number, too.)
  return MapPlace{val.id, val.second,
                  val.cta < 0 ? cta() : cta() - info().rank + val.cta};
}

Instantiator::Impl::EditedMap Instantiator::Impl::mapAt(Value map) {
  EditedMap found;
  if (TensorMapOp made = getTensorMapOp(map)) {
    auto root = globalRoot(map);
    // One of sizes and strides of its own is another grid over the tensor.
    if (!root || made.isView())
      return found;
    found.known = true;
    found.root = *root;
    found.origin.assign(made.getType().getRank(), 0);
    for (int64_t size :
         cast<GlobalType>(program->roots[*root].getType()).getShape())
      found.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
    return found;
  }
  auto place = placeOfMap(map);
  if (!place)
    return found;
  auto editor = editors.find(*place);
  auto known = maps.find(*place);
  if (known != maps.end() && editor != editors.end() && editor->second == agent)
    return known->second;
  return found;
}

void Instantiator::Impl::editMap(const CompiledOp &op) {
  const std::optional<MapEdit> &edit = op.effects->edit;
  if (!edit)
    return;
  auto place = placeOfMap(edit->map);
  if (!place) {
    // Whichever it is: of none anything is known.
    for (auto &[_, each] : maps)
      each.known = false;
    return;
  }
  auto [editor, first] = editors.try_emplace(*place, agent);
  if (!first && editor->second != agent) {
    // (Agents that ran before have taken it for theirs alone.)
    gap(op.op, "which part of a tensor copies through a changed map touch, "
               "where several warps change the map");
    maps[*place].known = false;
    return;
  }
  if (edit->source) {
    EditedMap source = mapAt(edit->source);
    maps[*place] = source;
    return;
  }
  EditedMap &edited = maps[*place];
  edited.known &= !edit->stride;
  if (edit->tensor) {
    auto root = globalRoot(edit->tensor);
    // Its strides stay those of the tensor that it was made over.
    edited.known &= root && *root == edited.root;
    edited.origin.clear();
    for (Value coord : edit->coords) {
      const Val &at = value(coord);
      edited.known &= at.kind == Val::Int;
      edited.origin.push_back(at.number.value);
    }
  }
  if (edit->size) {
    const Val &to = value(edit->size);
    edited.known &= to.kind == Val::Int;
    // 0 is stored as 2^32 (PTX ISA, tensormap.replace): it does not end.
    if (edited.known)
      edited.sizes[edit->dimension] =
          to.number.value > 0 ? to.number.value : -1;
  }
}
