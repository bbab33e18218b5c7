//===- CopyBuilders.cpp - copies by schedules made in C++ -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation holds a schedule's text and takes the rest from its operands and
// their types. So where a TmaSchedule says more than text, it is held to them.
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Domain/TmaSchedule.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace titan;

/// The first contradiction between a schedule and a tensor.
static std::optional<Problem> checkTensor(const TmaSchedule &schedule,
                                          GlobalType tensor) {
  auto reduction = symbolizeAtomicOp(schedule.reduction);
  StringRef type = getTmaTypeName(tensor.getElementType(),
                                  reduction && isSignedTma(*reduction));
  if (type != StringRef(schedule.type->name))
    return Problem{"tma-map-type",
                   "the schedule is one of " +
                       std::string(schedule.type->name) +
                       ", the tensor has elements of " +
                       (type.empty() ? "no type of a map" : type.str())};
  if (schedule.global.size() != tensor.getShape().size())
    return Problem{"domain-invalid",
                   "the schedule has " +
                       std::to_string(schedule.global.size()) +
                       " dimensions, the tensor " +
                       std::to_string(tensor.getShape().size())};
  int64_t bytes = getElementBytes(tensor.getElementType());
  auto contradict = [](const titan::Expr &own, int64_t types) {
    return own.constant() && !ShapedType::isDynamic(types) && !own.is(types);
  };
  for (auto [dim, size, stride] :
       llvm::zip(schedule.global, tensor.getShape(), tensor.getStrides())) {
    const IterDomain &domain = schedule.graph[dim.domain];
    if (contradict(domain.extent, size))
      return Problem{"domain-invalid",
                     "dimension " + domain.name + " is " + domain.extent.str() +
                         " in the schedule, and " + std::to_string(size) +
                         " in the tensor"};
    if (contradict(dim.stride,
                   ShapedType::isDynamic(stride) ? stride : stride * bytes))
      return Problem{"domain-invalid",
                     "dimension " + domain.name + " has a stride of " +
                         dim.stride.str() + " bytes in the schedule, and of " +
                         std::to_string(stride * bytes) + " in the tensor"};
  }
  return std::nullopt;
}

/// That a schedule's swizzle, where it has one, is the buffer's. `buffer`:
/// none, where nobody sees it.
static std::optional<Problem> checkSwizzle(const TmaSchedule &schedule,
                                           SharedType buffer) {
  if (!schedule.swizzleNamed && schedule.swizzle->span == 0)
    return std::nullopt;
  if (!buffer)
    return Problem{"tma-box-mismatch",
                   "the schedule names swizzle " +
                       std::string(schedule.swizzle->name) +
                       ", and the slot's buffer cannot be seen from here: "
                       "leave the swizzle to the buffer's type"};
  std::string own =
      buffer.getSwizzle() ? std::to_string(buffer.getSwizzle()) + "B" : "none";
  if (own == schedule.swizzle->name)
    return std::nullopt;
  return Problem{"tma-box-mismatch", "the schedule names swizzle " +
                                         std::string(schedule.swizzle->name) +
                                         ", the buffer has swizzle " + own};
}

/// Sets the schedule, unless there is a problem, its loops, and what
/// correctness it wants. `check` is asked about schedules that text says.
template <typename Op>
static void setSchedule(
    OpBuilder &b, OperationState &state, const TmaSchedule &schedule,
    ArrayRef<std::pair<DomainId, Value>> at,
    function_ref<std::optional<Problem>(typename Op::Properties &)> check) {
  auto &properties = state.getOrAddProperties<typename Op::Properties>();
  auto error = [&] {
    return emitError(state.location)
           << "'" << Op::getOperationName() << "' op ";
  };
  std::optional<Problem> problem;
  SmallVector<Attribute> names;
  for (auto [domain, index] : at) {
    bool there = domain >= 0 && domain < schedule.graph.size();
    if (!there && !problem)
      problem =
          Problem{"copy-loops", "`at` names domain " + std::to_string(domain) +
                                    ", which is not there"};
    names.push_back(
        b.getStringAttr(there ? schedule.graph[domain].name : std::string()));
  }
  properties.loops = b.getArrayAttr(names);
  if (schedule.wanted == Correctness::Strong) {
    properties.strong = b.getUnitAttr();
    if (schedule.nanFill)
      properties.fill = OobFillAttr::get(b.getContext(), OobFill::NaN);
  }
  auto attribute = ScheduleAttr::getChecked(error, b.getContext(), schedule);
  if (!attribute)
    return;
  if (!problem)
    problem = check(properties);
  if (problem)
    error() << '[' << problem->code << "] " << problem->message;
  else
    properties.schedule = attribute;
}

void CopyAsyncOp::build(OpBuilder &b, OperationState &state, Value source,
                        Value target, const TmaSchedule &schedule,
                        ArrayRef<std::pair<int, Value>> at, Value barrier,
                        Value index) {
  state.addOperands({source, target});
  for (auto [domain, value] : at)
    state.addOperands(value);
  for (Value value : {barrier, index})
    if (value)
      state.addOperands(value);
  llvm::copy(
      std::initializer_list<int32_t>{1, 1, int32_t(at.size()), barrier ? 1 : 0,
                                     index ? 1 : 0, 0, 0, 0, 0, 0},
      state.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  setSchedule<CopyAsyncOp>(
      b, state, schedule, at,
      [&](Properties &properties) -> std::optional<Problem> {
        bool load = isa<GlobalType>(source.getType());
        auto tensor = dyn_cast<GlobalType>((load ? source : target).getType());
        auto buffer = dyn_cast<SharedType>((load ? target : source).getType());
        if (!tensor || !buffer)
          return std::nullopt; // The verifier says it.
        if (load != (schedule.direction == TmaDirection::Load))
          return Problem{"copy-form", load ? "the schedule is none of a load"
                                           : "the schedule is one of a load"};
        if (schedule.direction == TmaDirection::Reduce) {
          auto how = symbolizeAtomicOp(schedule.reduction);
          if (!how)
            return Problem{"not-supported-yet", "a reduction by '" +
                                                    schedule.reduction +
                                                    "' in the IR"};
          properties.reduce = AtomicOpAttr::get(b.getContext(), *how);
        }
        if (auto problem = checkTensor(schedule, tensor))
          return problem;
        return checkSwizzle(schedule, buffer);
      });
}

/// The type of a slot's buffer; none where this place does not see its pipe.
static SharedType findBuffer(Value slot, StringRef name) {
  auto acquire = slot.getDefiningOp<PipeAcquireOp>();
  auto create =
      acquire ? acquire.getPipe().getDefiningOp<PipeCreateOp>() : nullptr;
  if (!create)
    return {};
  for (auto [own, buffer] : llvm::zip(create.getNames(), create.getBuffers()))
    if (cast<StringAttr>(own).getValue() == name)
      return cast<SharedType>(buffer.getType());
  return {};
}

void PipeCopyAsyncOp::build(OpBuilder &b, OperationState &state, Value tensor,
                            Value slot, StringRef name,
                            const TmaSchedule &schedule,
                            ArrayRef<std::pair<int, Value>> at) {
  state.addOperands(tensor);
  for (auto [domain, value] : at)
    state.addOperands(value);
  state.addOperands(slot);
  state.getOrAddProperties<Properties>().name = b.getStringAttr(name);
  setSchedule<PipeCopyAsyncOp>(
      b, state, schedule, at, [&](Properties &) -> std::optional<Problem> {
        if (schedule.direction != TmaDirection::Load)
          return Problem{"copy-form", "the schedule is none of a load"};
        auto type = dyn_cast<GlobalType>(tensor.getType());
        if (auto problem = type ? checkTensor(schedule, type) : std::nullopt)
          return problem;
        return checkSwizzle(schedule, findBuffer(slot, name));
      });
}
