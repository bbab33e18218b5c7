//===- Demo.cpp - demo.fill: a plug-in for titan --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The four places of an operation that TITAN has never heard of: the definition
// is in DemoOps.td; effects, execution and lowering are here. And a way to copy
// from one tile to another of the same CTA, which no variant of TITAN's does.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Dispatch/Copy.h"
#include "titan/Driver/Plugin.h"
#include "titan/Simulator/ExecutionTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "DemoDialect.h.inc"
#define GET_OP_CLASSES
#include "DemoOps.h.inc"

#include "DemoDialect.cpp.inc"
#define GET_OP_CLASSES
#include "DemoOps.cpp.inc"

using namespace mlir;
using namespace titan;

void demo::DemoDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "DemoOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// The verifier and the effects
//===----------------------------------------------------------------------===//

LogicalResult demo::FillOp::verify() {
  SharedType type = getBuffer().getType();
  if (!type.getElementType().isF32() || type.getSlots() != 1)
    return emitOpError("fills one tile of f32, not ") << type;
  return success();
}

void demo::FillOp::getHardwareEffects(effect::EffectList &effects) {
  effect::Footprint all;
  all.kind = effect::Footprint::View;
  all.object = getBuffer();
  effects.add(effect::Access{.kind = AccessKind::Write, .bytes = all},
              "PTX ISA, st");
}
effect::Cardinality demo::FillOp::getCardinality() {
  return effect::Cardinality::OneThread;
}

//===----------------------------------------------------------------------===//
// The execution
//===----------------------------------------------------------------------===//

static sim::Step fill(sim::Agent &agent, const sim::Inst &inst) {
  auto place = sim::SharedPlace::decode(agent.scalars[inst.a]);
  sim::Cta *owner = agent.resolve(inst, place);
  if (!owner || !agent.oneThread(inst))
    return sim::Step::Failed;
  uint8_t data[4];
  auto bits = static_cast<uint32_t>(agent.scalars[inst.b]);
  std::memcpy(data, &bits, sizeof(data));
  for (int64_t i = 0; i < inst.imm; ++i)
    agent.view.write(owner->shared, /*lane=*/0, place.address + 4 * i, 4, data);
  return sim::Step::Ran;
}

static void compileFill(sim::Compiler &compiler, demo::FillOp op) {
  uint32_t buffer = compiler.scalar(op.getBuffer()),
           value = compiler.scalar(op.getValue());
  sim::Inst &inst = compiler.emit(fill, op);
  inst.a = buffer;
  inst.b = value;
  inst.imm = ShapedType::getNumElements(op.getBuffer().getType().getShape());
}

//===----------------------------------------------------------------------===//
// The lowering
//===----------------------------------------------------------------------===//

static LogicalResult lowerFill(KernelLowering &kl, demo::FillOp op) {
  SharedType type = op.getBuffer().getType();
  Value address = kl.get1(op.getBuffer()), value = kl.get1(op.getValue());
  Type pointer = LLVM::LLVMPointerType::get(op.getContext(), 3);
  for (int64_t i = 0; i < ShapedType::getNumElements(type.getShape()); ++i)
    LLVM::StoreOp::create(
        kl.b, value,
        LLVM::IntToPtrOp::create(kl.b, pointer, kl.add(address, kl.i32(4 * i))),
        /*alignment=*/4);
  return success();
}

//===----------------------------------------------------------------------===//
// A variant of copies: element after element, by one thread
//===----------------------------------------------------------------------===//

static std::optional<std::string>
isNoLine(const dispatch::CopyRequest &request) {
  if (request.places->extents.size() == 1)
    return std::nullopt;
  return "copies tiles of one dimension";
}

static Result<dispatch::Plan> planLine(const dispatch::CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  dispatch::Plan plan;
  plan.cost = {.instructions = 2 * places.elements(),
               .bytes = places.bytes() / places.elements()};
  plan.build = [op = request.op, places] {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto constant = [&](int64_t n) -> Value {
      return arith::ConstantIndexOp::create(b, loc, n);
    };
    auto loop = scf::ForOp::create(b, loc, constant(0),
                                   constant(places.elements()), constant(1));
    b.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar();
    Value element =
        LdOp::create(b, loc, places.elementType, places.source.memory, i,
                     MemorySem::Weak, MemoryScope::Cta);
    StOp::create(b, loc, element, places.target.memory, i, MemorySem::Weak,
                 MemoryScope::Cta);
    op->erase();
    return success();
  };
  return plan;
}

static dispatch::CopyVariant line() {
  using dispatch::Memory;
  return {.name = "demo_line",
          .directions = {{Memory::Shared, Memory::Shared}},
          .when = {dispatch::isBetweenPlaces(),
                   dispatch::isAsynchronous(false),
                   dispatch::singleThread(),
                   {"one_dimension", isNoLine}},
          .plan = planLine};
}

//===----------------------------------------------------------------------===//
// The entry point
//===----------------------------------------------------------------------===//

extern "C" TITAN_PLUGIN PluginInfo titanGetPluginInfo() {
  return {TITAN_PLUGIN_API_VERSION, "demo", "1.0", [](PluginHost &host) {
            host.dialects.insert<demo::DemoDialect>();
            host.execution.add<demo::FillOp>(compileFill);
            host.lowerings.add<demo::FillOp>(lowerFill);
            host.copies.add(line());
          }};
}
