//===- CopyPlaces.cpp - Between which places a copy copies ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/CopyPlaces.h"
#include "OpHelpers.h"

using namespace mlir;
using namespace titan;

int64_t CopyPlaces::elements() const {
  return ShapedType::getNumElements(extents);
}

SmallVector<int64_t> CopyPlaces::extentsIn(const CopyPlace &place) const {
  SmallVector<int64_t> own(place.shape.size() - extents.size(), 1);
  llvm::append_range(own, extents);
  return own;
}

static Problem regionProblem(const Twine &message) {
  return Problem{"copy-region", message.str()};
}

/// "the source"; of the layout that stands behind it the problems.
static Result<Layout> layoutOf(SharedType type, LayoutTextAttr text,
                               StringRef which) {
  if (!text)
    return type.getLayout();
  auto layout = Layout::parse(std::string_view(text.getText()));
  if (!layout)
    return layout;
  int64_t bytes = type.getElementBytes();
  if (layout->rank() != 1 || layout->axes().empty())
    return regionProblem("the layout of " + which +
                         " has an axis a dimension of the tile, and sends "
                         "elements to bytes, one dimension: " +
                         layout->str());
  // The largest byte that an element begins at, and whether all begin at whole
  // elements.
  int64_t last = layout->offset()[0];
  bool whole = last % bytes == 0;
  for (const Axis &axis : layout->axes())
    for (const Digit &digit : axis.digits) {
      int64_t step = digit.isExclusive() ? digit.image[0] : digit.stride;
      last += (digit.extent - 1) * (digit.isSum() ? digit.stride : 0);
      whole &= digit.isReplica() || step % bytes == 0;
    }
  for (BitLinear::Term term : layout->bits().terms())
    whole &= int64_t(1) << term.to >= bytes;
  if (!layout->isSum())
    last = (layout->dims()[0].extent - 1) / bytes * bytes;
  if (!whole)
    return regionProblem("the layout of " + which +
                         " steps by bytes that are no multiples of an "
                         "element's " +
                         Twine(bytes) + ": " + layout->str());
  if (last + bytes > type.getTileBytes())
    return regionProblem("the layout of " + which + " reaches byte " +
                         Twine(last + bytes - 1) + " of a buffer of " +
                         Twine(type.getTileBytes()));
  return layout;
}

static Result<CopyPlace> placeOf(Value memory, ValueRange offsets,
                                 LayoutTextAttr layout, StringRef which) {
  CopyPlace place;
  place.memory = memory;
  place.offsets.assign(offsets.begin(), offsets.end());
  if (auto tensor = dyn_cast<GlobalType>(memory.getType())) {
    if (layout)
      return regionProblem("a tensor in global memory has its own layout");
    place.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  } else if (auto tile = dyn_cast<RankedTensorType>(memory.getType())) {
    if (layout || !offsets.empty())
      return regionProblem(which + " is in registers: all of the tile, in the "
                                   "layout of its type");
    place.shape.assign(tile.getShape().begin(), tile.getShape().end());
    place.registers = true;
  } else {
    auto buffer = cast<SharedType>(memory.getType());
    if (buffer.getSlots() != 1)
      return Problem{"shared-ring",
                     (which + " is a ring: take a slot first").str()};
    auto own = layoutOf(buffer, layout, which);
    if (!own)
      return own.problem();
    for (const Axis &axis : own->axes())
      place.shape.push_back(axis.size());
    place.relaid = layout != nullptr;
    place.layout = std::move(*own);
  }
  if (!offsets.empty() && offsets.size() != place.shape.size())
    return regionProblem(which + " has " + Twine(place.shape.size()) +
                         " dimensions and " + Twine(offsets.size()) +
                         " offsets");
  return place;
}

/// "64x32".
static std::string textOf(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// Two whole places, one of them a buffer, are of one shape, but for outer
/// dimensions of 1.
static std::optional<Problem> checkShapes(const CopyPlace &source,
                                          const CopyPlace &target) {
  auto inner = [](const CopyPlace &place) {
    return ArrayRef(place.shape).drop_while([](int64_t size) {
      return size == 1;
    });
  };
  auto local = [](const CopyPlace &place) {
    return (place.isShared() || place.registers) && place.offsets.empty();
  };
  if (!local(source) || !local(target) ||
      (source.registers && target.registers) || inner(source) == inner(target))
    return std::nullopt;
  // Of one rank: the region that lies in both; registers are copied whole.
  std::string fix;
  if (source.shape.size() == target.shape.size()) {
    SmallVector<int64_t> both;
    for (auto [one, other] : llvm::zip(source.shape, target.shape))
      both.push_back(std::min(one, other));
    if ((!source.registers || source.shape == both) &&
        (!target.registers || target.shape == both)) {
      fix = "say which region, extents [";
      for (auto [d, size] : llvm::enumerate(both))
        fix += (d ? ", " : "") + std::to_string(size);
      fix += "], or ";
    }
  }
  return Problem{"copy-region",
                 "the source is " + textOf(source.shape) + ", the target " +
                     textOf(target.shape) + ", and nothing says which part",
                 fix + "give both one shape, by the type or by `as`"};
}

template <typename Op> static Result<CopyPlaces> places(Op copy, Value to) {
  if (isa<GlobalType>(copy.getSource().getType()) &&
      isa<GlobalType>(to.getType()))
    return Problem{
        "copy-form",
        "both places are tensors in global memory: copy to a tile, in "
        "shared memory or in registers, and on"};
  auto source = placeOf(copy.getSource(), copy.getSourceOffsets(),
                        copy.getSourceLayoutAttr(), "the source");
  if (!source)
    return source.problem();
  auto target = placeOf(to, copy.getTargetOffsets(), copy.getTargetLayoutAttr(),
                        "the target");
  if (!target)
    return target.problem();
  CopyPlaces places{std::move(*source), std::move(*target), {}, {}};
  auto elementOf = [](Value memory) -> Type {
    if (auto tensor = dyn_cast<GlobalType>(memory.getType()))
      return tensor.getElementType();
    if (auto tile = dyn_cast<RankedTensorType>(memory.getType()))
      return tile.getElementType();
    return cast<SharedType>(memory.getType()).getElementType();
  };
  places.elementType = elementOf(copy.getSource());
  if (Type other = elementOf(to); other != places.elementType) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "the source has elements of " << places.elementType
        << ", the target of " << other << ": a copy moves them as they are";
    return regionProblem(text);
  }
  if (auto extents = copy.getExtents()) {
    if (extents->empty())
      return Problem{"copy-region", "`extents []` says no region",
                     "give one extent a dimension, extents [128, 32], or leave "
                     "`extents` out"};
    places.extents.assign(extents->begin(), extents->end());
  } else {
    if (auto problem = checkShapes(places.source, places.target))
      return *problem;
    // Of places without offsets the one of the smaller rank, the source first;
    // a tensor's only where nothing else is left.
    const CopyPlace *whole = nullptr;
    for (const CopyPlace *place : {&places.source, &places.target})
      if ((place->isShared() || place->registers) && place->offsets.empty() &&
          (!whole ||
           (!whole->registers &&
            (place->registers || place->shape.size() < whole->shape.size()))))
        whole = place;
    if (!whole)
      return regionProblem("both places have offsets: say how large the region "
                           "is, extents [128, 32]");
    places.extents = whole->shape;
  }
  for (const CopyPlace *place : {&places.source, &places.target}) {
    StringRef which = place == &places.source ? "the source" : "the target";
    if (place->registers && place->shape != places.extents)
      return regionProblem(which +
                           " is in registers, of another shape than the "
                           "region");
    if (places.extents.size() > place->shape.size())
      return regionProblem("a region of " + Twine(places.extents.size()) +
                           " dimensions, and " + which + " has " +
                           Twine(place->shape.size()));
    for (auto [d, extent] : llvm::enumerate(places.extentsIn(*place))) {
      auto at = place->offsets.empty() ? std::optional<int64_t>(0)
                                       : getConstant(place->offsets[d]);
      int64_t size = place->shape[d];
      if (extent < 1)
        return regionProblem("extent " + Twine(extent));
      // A tensor may begin and end within the region (titan.copy).
      if (place->isShared() &&
          (extent > size || (at && (*at < 0 || *at + extent > size)))) {
        std::string text =
            "dimension " + std::to_string(d) + " of " + which.str() + ": ";
        if (at)
          text += std::to_string(*at) + " + ";
        text += std::to_string(extent) + " leaves its " + std::to_string(size);
        if (!copy.getExtents())
          text += ": the region is " + textOf(places.extents) + ", and " +
                  which.str() + " " + textOf(place->shape);
        return Problem{"out-of-bounds", text,
                       "let the region lie in " + which.str() +
                           ": smaller extents, or another offset"};
      }
    }
  }
  if (places.target.relaid && !places.target.layout->isInjective())
    return regionProblem(
        "the target's layout sends two elements to one byte: " +
        Twine(places.target.layout->str()));
  return places;
}

Result<CopyPlaces> titan::placesOf(CopyAsyncOp copy) {
  return places(copy, copy.getTarget());
}

Result<CopyPlaces> titan::placesOf(CopyOp copy) {
  Value to = copy.getTarget() ? copy.getTarget() : copy.getResult();
  return places(copy, to);
}

//===----------------------------------------------------------------------===//
// Where titan.copy's tile goes
//===----------------------------------------------------------------------===//

namespace {
struct CopyFlow : TileFlowOpInterface::ExternalModel<CopyFlow, CopyOp> {
  void getTileFlow(Operation *op, flow::Steps &steps) const {
    auto copy = cast<CopyOp>(op);
    if (copy.getResult())
      steps.push_back(
          flow::Pass{copy.getSource(), copy.getResult(), /*newPlaces=*/true});
    else if (isa<SharedType>(copy.getTarget().getType()))
      steps.push_back(flow::Store{copy.getSource(), copy.getTarget()});
  }
};
} // namespace

void titan::registerCopyFlow(MLIRContext &context) {
  CopyOp::attachInterface<CopyFlow>(context);
}
