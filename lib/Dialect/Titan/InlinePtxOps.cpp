//===- InlinePtxOps.cpp - instructions that TITAN does not have -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

//===----------------------------------------------------------------------===//
// #titan.ptx<...>
//===----------------------------------------------------------------------===//

template <typename Enum>
static FailureOr<Enum> parseWord(AsmParser &parser,
                                 std::optional<Enum> (*symbolize)(StringRef),
                                 const Twine &expected) {
  StringRef word;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  if (std::optional<Enum> value = symbolize(word))
    return *value;
  return parser.emitError(at)
         << "expected " << expected << ", not '" << word << "'";
}

Attribute PtxEffectAttr::parse(AsmParser &parser, Type) {
  int64_t operand = -1, count = 1;
  bool async = false;
  MemorySem sem = MemorySem::Weak;
  MemoryScope scope = MemoryScope::Cta;
  if (parser.parseLess())
    return {};
  FailureOr<PtxDoes> does =
      parseWord<PtxDoes>(parser, symbolizePtxDoes,
                         "read, write, arrive, fence or fence_proxy_async");
  if (failed(does))
    return {};
  switch (*does) {
  case PtxDoes::Read:
  case PtxDoes::Write:
    if (parser.parseInteger(operand))
      return {};
    if (succeeded(parser.parseOptionalComma())) {
      if (parser.parseKeyword("async"))
        return {};
      async = true;
    }
    break;
  case PtxDoes::Arrive:
    if (parser.parseInteger(operand))
      return {};
    if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(count))
      return {};
    break;
  case PtxDoes::Fence: {
    auto order = parseWord<MemorySem>(parser, symbolizeMemorySem,
                                      "acq_rel, sc, acquire or release");
    if (failed(order) || parser.parseComma())
      return {};
    auto of = parseWord<MemoryScope>(parser, symbolizeMemoryScope,
                                     "cta, cluster, gpu or sys");
    if (failed(of))
      return {};
    sem = *order;
    scope = *of;
    break;
  }
  case PtxDoes::FenceProxyAsync:
    break;
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), *does, operand, async, count, sem, scope);
}

void PtxEffectAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyPtxDoes(getDoes());
  switch (getDoes()) {
  case PtxDoes::Read:
  case PtxDoes::Write:
    printer << ' ' << getOperand() << (getAsync() ? ", async" : "");
    break;
  case PtxDoes::Arrive:
    printer << ' ' << getOperand();
    if (getCount() != 1)
      printer << ", " << getCount();
    break;
  case PtxDoes::Fence:
    printer << ' ' << stringifyMemorySem(getSem()) << ", "
            << stringifyMemoryScope(getScope());
    break;
  case PtxDoes::FenceProxyAsync:
    break;
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

char InlinePtxOp::getConstraint(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    type = tile.getElementType();
  if (isa<SharedType, MBarrierType>(type))
    return 'r';
  if (isa<GlobalType>(type) || type.isIndex() || type.isInteger(64))
    return 'l';
  if (type.isInteger(32))
    return 'r';
  if (type.isInteger(16) || type.isF16() || type.isBF16())
    return 'h';
  if (type.isF32())
    return 'f';
  return type.isF64() ? 'd' : 0;
}

RankedTensorType InlinePtxOp::getTileType() {
  for (TypeRange types :
       {TypeRange(getOperandTypes()), TypeRange(getResultTypes())})
    for (Type type : types)
      if (auto tile = dyn_cast<RankedTensorType>(type))
        return tile;
  return {};
}

LogicalResult
InlinePtxOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  if (!getReference() || symbolTable.lookupNearestSymbolFrom<func::FuncOp>(
                             *this, getReferenceAttr()))
    return success();
  return emitOpError("[inline-ptx-reference] there is no func.func @")
         << *getReference() << " in the module";
}

LogicalResult InlinePtxOp::verify() {
  unsigned declared = getPure() + getOpaque() + getDoes().has_value();
  if (declared != 1)
    return emitOpError("[inline-ptx-effects] says one of `pure`, `does [...]` "
                       "and `opaque`, not ")
           << declared;
  RankedTensorType tile = getTileType();
  if (tile && failed(verifyTileType(*this, tile)))
    return failure();
  if (getReference())
    if (auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            *this, getReferenceAttr())) {
      auto elements = [](TypeRange types) {
        return llvm::map_to_vector(
            types, [](Type type) { return getElementTypeOrSelf(type); });
      };
      auto wanted = FunctionType::get(getContext(), elements(getOperandTypes()),
                                      elements(getResultTypes()));
      if (function.getFunctionType() != wanted) {
        InFlightDiagnostic error =
            emitOpError("[inline-ptx-reference] @")
            << *getReference() << ": takes and returns the types of the text's "
            << "elements";
        error.attachNote(function.getLoc()) << "here";
        error.attachNote() << "fix: declare it as " << wanted << ", not "
                           << function.getFunctionType();
        return error;
      }
    }
  auto check = [&](Type type, bool result) -> LogicalResult {
    bool memory = isa<SharedType, MBarrierType, GlobalType>(type);
    if (!getConstraint(type) || (result && memory))
      return emitOpError("[inline-ptx-operand] no register of PTX holds ")
             << type << (result && memory ? ", as a result" : "")
             << ": 16-, 32- and 64-bit integers, f16, bf16, f32, f64, index "
                "and tiles of these do, and as operands shared memory, "
                "mbarriers and global tensors, by their address";
    if (auto other = dyn_cast<RankedTensorType>(type))
      if (other.getShape() != tile.getShape() ||
          other.getEncoding() != tile.getEncoding())
        return emitOpError("[inline-ptx-operand] tiles have one shape and "
                           "layout: ")
               << tile << " and " << other;
    if (auto shared = dyn_cast<SharedType>(type))
      if (shared.getSlots() != 1)
        return emitOpError("[shared-ring] the buffer is a ring: take a slot "
                           "first");
    if (result && tile && !isa<RankedTensorType>(type))
      return emitOpError("[inline-ptx-operand] the text is executed for each "
                         "register of the tiles: its results are tiles, not ")
             << type;
    return success();
  };
  for (Type type : getOperandTypes())
    if (failed(check(type, false)))
      return failure();
  for (Type type : getResultTypes())
    if (failed(check(type, true)))
      return failure();
  // $N, each of a result or operand; $$.
  StringRef text = getText();
  unsigned values = getNumOperands() + getNumResults();
  for (size_t at = text.find('$'); at != StringRef::npos;
       at = text.find('$', at)) {
    StringRef rest = text.drop_front(++at);
    if (rest.consume_front("$")) {
      ++at;
      continue;
    }
    unsigned number = 0;
    if (rest.consumeInteger(10, number) || number >= values) {
      InFlightDiagnostic error =
          emitOpError("[inline-ptx-text] `$")
          << text.drop_front(at).take_while(llvm::isDigit) << "` of " << values
          << " results and operands: ";
      if (values)
        error << "they are $0 to $" << values - 1 << ", results first, and a";
      else
        error << "there is none to name, and a";
      return error << " dollar sign is $$";
    }
  }
  if (text.contains('\0'))
    return emitOpError("[inline-ptx-text] byte 0: the text is not PTX");
  if (getReference() && !getPure())
    return emitOpError("[inline-ptx-reference] a reference computes the "
                       "results of a `pure` text; this one does more");
  for (Value operand : getOperands())
    if (getPure() &&
        isa<SharedType, MBarrierType, GlobalType>(operand.getType()))
      return emitOpError("[inline-ptx-effects] a `pure` text has no use for "
                         "memory: say what it does to ")
             << operand.getType() << ", `does [#titan.ptx<read N>]`";
  if (getPure() && !getNumResults())
    return emitOpError("[inline-ptx-effects] a `pure` text without results "
                       "does nothing");
  if (!getDoes())
    return success();
  for (auto effect : getDoes()->getAsRange<PtxEffectAttr>()) {
    PtxDoes does = effect.getDoes();
    if (does == PtxDoes::Fence) {
      if (effect.getSem() == MemorySem::Weak ||
          effect.getSem() == MemorySem::Relaxed)
        return emitOpError("[inline-ptx-effects] a fence is acq_rel, sc, "
                           "acquire or release, not ")
               << stringifyMemorySem(effect.getSem());
      continue;
    }
    if (does == PtxDoes::FenceProxyAsync)
      continue;
    int64_t number = effect.getOperand();
    if (number < 0 || number >= static_cast<int64_t>(getNumOperands()))
      return emitOpError("[inline-ptx-effects] ")
             << effect << " names operand " << number << " of "
             << getNumOperands() << ", counted from 0";
    Type type = getOperandTypes()[number];
    bool good = does == PtxDoes::Arrive ? isa<MBarrierType>(type)
                                        : isa<SharedType, GlobalType>(type);
    if (!good)
      return emitOpError("[inline-ptx-effects] ")
             << effect << " is of "
             << (does == PtxDoes::Arrive ? "an mbarrier"
                                         : "shared memory or a global tensor")
             << ", operand " << number << " is " << type;
    if (does == PtxDoes::Arrive && effect.getCount() < 1)
      return emitOpError("[inline-ptx-effects] ")
             << effect << ": at least one arrival";
  }
  return success();
}

Cardinality InlinePtxOp::getCardinality() {
  return getTileType() ? Cardinality::Tile : Cardinality::EveryThread;
}

void InlinePtxOp::getHardwareEffects(EffectList &effects) {
  const char *source = "titan.inline_ptx, as declared";
  if (getOpaque())
    effects.add(Opaque{}, source);
  if (!getDoes())
    return;
  for (auto effect : getDoes()->getAsRange<PtxEffectAttr>()) {
    Value operand =
        effect.getOperand() >= 0 ? getOperands()[effect.getOperand()] : Value();
    switch (effect.getDoes()) {
    case PtxDoes::Read:
    case PtxDoes::Write:
      effects.add(
          Access{.kind = effect.getDoes() == PtxDoes::Read ? AccessKind::Read
                                                           : AccessKind::Write,
                 .proxy = effect.getAsync() ? Proxy::Async : Proxy::Generic,
                 .bytes = viewOf(operand),
                 .surely = false},
          source);
      break;
    case PtxDoes::Arrive:
      effects.add(Arrive{.barrier = barrierOf(operand, {}),
                         .count = effect::Expr::constant(effect.getCount())},
                  source);
      break;
    case PtxDoes::Fence:
      effects.add(Fence{.kind = Fence::Memory,
                        .sem = toSem(effect.getSem()),
                        .scope = toScope(effect.getScope())},
                  source);
      break;
    case PtxDoes::FenceProxyAsync:
      effects.add(Fence{.kind = Fence::ProxyAsync}, source);
      break;
    }
  }
}
