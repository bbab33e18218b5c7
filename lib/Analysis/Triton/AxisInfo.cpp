//===- AxisInfo.cpp - runs, divisors and copies along a dimension ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Triton/AxisInfo.h"

#include "titan/Dialect/Triton/Triton.h"

#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;

namespace {
using Infos = ArrayRef<AxisInfo>;

SmallVector<int64_t> shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    if (tensor.hasStaticShape() && tensor.getRank() > 0)
      return llvm::to_vector(tensor.getShape());
  return {1};
}

/// The exponent of the largest run that places of this extent are cut into.
unsigned whole(int64_t extent) { return llvm::countr_zero(uint64_t(extent)); }

unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth();
  return 64;
}

/// By how much a run goes on from number to number: the exponent of a pointer's
/// bytes.
unsigned unitOf(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(type));
  if (!pointer)
    return 0;
  Type pointee = pointer.getPointee();
  if (!pointee.isIntOrFloat())
    return 3; // A pointer.
  return llvm::Log2_32(std::max(pointee.getIntOrFloatBitWidth() / 8, 1u));
}

/// What divides the first numbers of runs of 2^c, which may be shorter than the
/// runs that are known.
unsigned first(const AxisInfo &x, unsigned dim, unsigned c) {
  unsigned d = x.divisibility[dim];
  return x.contiguity[dim] > c ? std::min(d, c + x.unit) : d;
}

/// What divides every number.
unsigned every(const AxisInfo &x) {
  unsigned d = 0;
  for (unsigned dim = 0; dim < x.rank(); ++dim)
    d = std::max(d, first(x, dim, 0));
  return d;
}

bool uniform(const AxisInfo &x, ArrayRef<int64_t> shape) {
  for (auto [k, extent] : llvm::zip(x.constancy, shape))
    if (int64_t(1) << k != extent)
      return false;
  return true;
}

unsigned zerosOf(int64_t number) {
  return number == 0 ? AxisInfo::all : llvm::countr_zero(uint64_t(number));
}

/// All elements the same number, divisible by 2^d.
AxisInfo same(Type type, unsigned d) {
  AxisInfo info = AxisInfo::unknown(type);
  for (auto [k, extent] : llvm::zip(info.constancy, shapeOf(type)))
    k = whole(extent);
  llvm::fill(info.divisibility, std::min(d, AxisInfo::all));
  return info;
}

AxisInfo ofNumber(Type type, int64_t number) {
  AxisInfo info = same(type, zerosOf(number));
  info.number = number;
  info.nonNegative = number >= 0;
  return info;
}

/// One operation on known operands.
class Transfer {
public:
  Transfer(Operation *op, Infos in, bool assume)
      : op(op), in(in), assume(assume) {}

  AxisInfo result(unsigned index);

private:
  Type type(unsigned operand) const {
    return op->getOperand(operand).getType();
  }

  /// Elementwise, and nothing but copies is known.
  AxisInfo copies() const {
    AxisInfo info = AxisInfo::unknown(resultType);
    if (!in.empty())
      for (unsigned dim = 0; dim < info.rank(); ++dim) {
        unsigned k = AxisInfo::all;
        for (auto [x, value] : llvm::zip(in, op->getOperands())) {
          // A scalar beside tensors (a condition) is the same for all.
          if (isa<RankedTensorType>(value.getType()) ||
              !isa<RankedTensorType>(resultType))
            k = std::min<unsigned>(k, x.constancy[dim]);
        }
        info.constancy[dim] =
            std::min<unsigned>(k, whole(shapeOf(resultType)[dim]));
      }
    return info;
  }

  /// Sums: the run of one side over copies of the other.
  AxisInfo sum(bool commutes, unsigned shift = 0) const {
    const AxisInfo &a = in[0], &b = in[1];
    AxisInfo info = copies();
    for (unsigned dim = 0; dim < info.rank(); ++dim) {
      unsigned c = std::min(a.contiguity[dim], b.constancy[dim]);
      if (commutes)
        c = std::max<unsigned>(c,
                               std::min(a.constancy[dim], b.contiguity[dim]));
      info.contiguity[dim] = c;
      info.divisibility[dim] = std::min<unsigned>(
          {first(a, dim, c), first(b, dim, c) + shift, AxisInfo::all});
    }
    return info;
  }

  AxisInfo product() const {
    for (unsigned side : {0, 1})
      if (in[side].number == 1)
        return withoutNumber(in[1 - side]);
    AxisInfo info = copies();
    unsigned d = std::min(every(in[0]) + every(in[1]), AxisInfo::all);
    llvm::fill(info.divisibility, d);
    return info;
  }

  /// How long runs of the dividend are that the divisor's multiples do not cut.
  unsigned uncut(unsigned dim, bool isSigned) const {
    const AxisInfo &a = in[0], &b = in[1];
    if (isSigned && !a.nonNegative && !assume)
      return 0;
    return std::min<unsigned>(
        {a.contiguity[dim], a.divisibility[dim], every(b), b.constancy[dim]});
  }

  AxisInfo quotient(bool isSigned) const {
    const AxisInfo &a = in[0], &b = in[1];
    if (b.number == 1)
      return withoutNumber(a);
    AxisInfo info = copies();
    for (unsigned dim = 0; dim < info.rank(); ++dim)
      info.constancy[dim] =
          std::max<unsigned>(info.constancy[dim], uncut(dim, isSigned));
    // 2^d x / 2^s is exact.
    if (b.number && *b.number > 0 && llvm::isPowerOf2_64(*b.number))
      llvm::fill(info.divisibility, less(every(a), zerosOf(*b.number)));
    info.nonNegative =
        isSigned ? a.nonNegative && b.nonNegative : b.number && *b.number > 1;
    return info;
  }

  AxisInfo remainder(bool isSigned) const {
    const AxisInfo &a = in[0], &b = in[1];
    AxisInfo info = copies();
    for (unsigned dim = 0; dim < info.rank(); ++dim) {
      unsigned c = uncut(dim, isSigned);
      info.contiguity[dim] = c;
      info.divisibility[dim] = std::min(first(a, dim, c), every(b));
    }
    info.nonNegative = a.nonNegative || (!isSigned && b.nonNegative);
    return info;
  }

  static unsigned less(unsigned d, unsigned by) { return d > by ? d - by : 0; }

  AxisInfo shifted(bool left) const {
    const AxisInfo &a = in[0], &b = in[1];
    if (b.number == 0)
      return withoutNumber(a);
    AxisInfo info = copies();
    bool known = b.number && *b.number > 0 && *b.number < widthOf(resultType);
    unsigned by = known ? *b.number : 0;
    if (left) {
      llvm::fill(info.divisibility, std::min(every(a) + by, AxisInfo::all));
      return info;
    }
    if (!known)
      return info;
    for (unsigned dim = 0; dim < info.rank(); ++dim)
      info.constancy[dim] = std::max<unsigned>(
          info.constancy[dim],
          std::min<unsigned>({a.contiguity[dim], a.divisibility[dim], by}));
    llvm::fill(info.divisibility, less(every(a), by));
    info.nonNegative = a.nonNegative || isa<arith::ShRUIOp>(op);
    return info;
  }

  /// or, xor: a run's low bits are free where both sides are aligned.
  AxisInfo merged() const {
    const AxisInfo &a = in[0], &b = in[1];
    AxisInfo info = copies();
    for (unsigned dim = 0; dim < info.rank(); ++dim) {
      unsigned c = 0;
      for (auto [run, rest] : {std::pair(&a, &b), std::pair(&b, &a)})
        c = std::max(
            c, std::min<unsigned>({run->contiguity[dim], run->divisibility[dim],
                                   rest->constancy[dim], every(*rest)}));
      info.contiguity[dim] = c;
      info.divisibility[dim] = std::min(first(a, dim, c), first(b, dim, c));
    }
    info.nonNegative = a.nonNegative && b.nonNegative;
    return info;
  }

  AxisInfo masked() const {
    const AxisInfo &a = in[0], &b = in[1];
    AxisInfo info = copies();
    unsigned d = std::max(every(a), every(b));
    llvm::fill(info.divisibility, d);
    // The low bits of a run are a run.
    for (auto [run, mask] : {std::pair(&a, &b), std::pair(&b, &a)})
      if (mask->number && *mask->number > 0 && llvm::isMask_64(*mask->number)) {
        unsigned bits = llvm::countr_one(uint64_t(*mask->number));
        for (unsigned dim = 0; dim < info.rank(); ++dim) {
          unsigned c = std::min<unsigned>(
              {run->contiguity[dim], run->divisibility[dim], bits});
          if (c > info.contiguity[dim]) {
            info.contiguity[dim] = c;
            info.divisibility[dim] = first(*run, dim, c);
          }
        }
      }
    info.nonNegative = a.nonNegative || b.nonNegative;
    return info;
  }

  /// One of the two, by number: copies stay, runs do not.
  AxisInfo extreme() const {
    AxisInfo info = copies();
    llvm::fill(info.divisibility, std::min(every(in[0]), every(in[1])));
    info.nonNegative = in[0].nonNegative && in[1].nonNegative;
    return info;
  }

  AxisInfo selected() const {
    const AxisInfo &when = in[0], &a = in[1], &b = in[2];
    bool scalar = !isa<RankedTensorType>(type(0));
    AxisInfo info = copies();
    for (unsigned dim = 0; dim < info.rank(); ++dim) {
      unsigned c = std::min(a.contiguity[dim], b.contiguity[dim]);
      if (!scalar)
        c = std::min<unsigned>(c, when.constancy[dim]);
      info.contiguity[dim] = c;
      info.divisibility[dim] = std::min(first(a, dim, c), first(b, dim, c));
    }
    info.nonNegative = a.nonNegative && b.nonNegative;
    return info;
  }

  /// All of a run, or none of it, is below a bound that the run does not cross.
  AxisInfo compared(arith::CmpIPredicate predicate) const {
    using P = arith::CmpIPredicate;
    AxisInfo info = copies();
    auto runs = [&](const AxisInfo &run, const AxisInfo &bound) {
      for (unsigned dim = 0; dim < info.rank(); ++dim)
        info.constancy[dim] = std::max<unsigned>(
            info.constancy[dim],
            std::min<unsigned>({run.contiguity[dim], run.divisibility[dim],
                                every(bound), bound.constancy[dim],
                                widthOf(type(0)) - 1}));
    };
    if (llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate))
      runs(in[0], in[1]);
    if (llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, predicate))
      runs(in[1], in[0]);
    return info;
  }

  /// The runs of integers of `type` that are runs as wider numbers, too. None is
  /// longer than the narrow type's numbers go on; those that are no longer than
  /// their alignment do not wrap within it.
  AxisInfo unwrapped(const AxisInfo &x, Type type, bool isSigned) const {
    AxisInfo info = x;
    const unsigned width = widthOf(type);
    for (unsigned dim = 0; dim < info.rank(); ++dim) {
      unsigned c = std::min<unsigned>(x.contiguity[dim], width - isSigned);
      if (!assume || width < 32)
        c = std::min<unsigned>(c, x.divisibility[dim]);
      info.contiguity[dim] = c;
      info.divisibility[dim] = first(x, dim, c);
    }
    return info;
  }

  AxisInfo extended(bool isSigned) const {
    AxisInfo info = unwrapped(in[0], type(0), isSigned);
    info.nonNegative = in[0].nonNegative || !isSigned;
    if (!isSigned && !in[0].nonNegative)
      info.number.reset();
    // Only 0 is divisible by 2^width.
    for (auto &d : info.divisibility)
      if (d >= widthOf(type(0)))
        d = AxisInfo::all;
    return info;
  }

  static AxisInfo withoutNumber(AxisInfo info) {
    info.number.reset();
    return info;
  }

  AxisInfo addressed() const {
    AxisInfo offset = widthOf(type(1)) < 64
                          ? unwrapped(in[1], type(1), /*isSigned=*/true)
                          : in[1];
    AxisInfo operands[] = {in[0], offset};
    Transfer sums(op, operands, assume);
    sums.resultType = resultType;
    return sums.sum(true, unitOf(resultType));
  }

  AxisInfo expanded(unsigned axis) const {
    AxisInfo info = in[0];
    if (!isa<RankedTensorType>(type(0)))
      return info;
    info.contiguity.insert(info.contiguity.begin() + axis, 0);
    info.constancy.insert(info.constancy.begin() + axis, 0);
    info.divisibility.insert(info.divisibility.begin() + axis, every(in[0]));
    return info;
  }

  AxisInfo broadcast() const {
    AxisInfo info = in[0];
    auto from = shapeOf(type(0)), to = shapeOf(resultType);
    for (unsigned dim = 0; dim < info.rank(); ++dim)
      if (from[dim] != to[dim])
        info.constancy[dim] = whole(to[dim]);
    return info;
  }

  AxisInfo reshaped(bool reordered) const {
    const AxisInfo &x = in[0];
    AxisInfo info = AxisInfo::unknown(resultType);
    llvm::fill(info.divisibility, every(x));
    auto to = shapeOf(resultType);
    if (uniform(x, shapeOf(type(0)))) {
      for (auto [k, extent] : llvm::zip(info.constancy, to))
        k = whole(extent);
    } else if (!reordered) {
      // Runs of the last dimension stay runs of the last one.
      unsigned last = x.rank() - 1, end = info.rank() - 1;
      unsigned c = std::min<unsigned>(x.contiguity[last], whole(to[end]));
      info.contiguity[end] = c;
      info.divisibility[end] =
          std::max<unsigned>(info.divisibility[end], first(x, last, c));
      info.constancy[end] =
          std::min<unsigned>(x.constancy[last], whole(to[end]));
    }
    info.nonNegative = x.nonNegative;
    info.number = x.number;
    return info;
  }

  AxisInfo computed();

  Operation *op;
  Infos in;
  bool assume;
  Type resultType;
};

AxisInfo Transfer::computed() {
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) {
        Attribute value = constant.getValue();
        if (auto dense = dyn_cast<DenseElementsAttr>(value);
            dense && dense.isSplat())
          value = dense.getSplatValue<Attribute>();
        if (auto integer = dyn_cast<IntegerAttr>(value);
            integer && integer.getValue().getBitWidth() <= 64)
          return ofNumber(resultType, integer.getValue().getSExtValue());
        if (isa<DenseElementsAttr>(constant.getValue()) &&
            !cast<DenseElementsAttr>(constant.getValue()).isSplat())
          return AxisInfo::unknown(resultType);
        return same(resultType, 0);
      })
      .Case<tt::MakeRangeOp>([&](tt::MakeRangeOp range) {
        AxisInfo info = AxisInfo::unknown(resultType);
        info.contiguity[0] = whole(shapeOf(resultType)[0]);
        int64_t start = static_cast<int32_t>(range.getStart());
        info.divisibility[0] = zerosOf(start);
        info.nonNegative = start >= 0;
        return info;
      })
      .Case<tt::GetProgramIdOp, tt::GetNumProgramsOp>([&](auto) {
        AxisInfo info = AxisInfo::unknown(resultType);
        info.nonNegative = true;
        return info;
      })
      .Case<tt::SplatOp>([&](auto) {
        AxisInfo info = same(resultType, in[0].divisibility[0]);
        info.number = in[0].number;
        info.nonNegative = in[0].nonNegative;
        return info;
      })
      .Case<tt::UnsplatOp>([&](auto) {
        AxisInfo info = same(resultType, every(in[0]));
        info.number = in[0].number;
        info.nonNegative = in[0].nonNegative;
        return info;
      })
      .Case<tt::ExpandDimsOp>(
          [&](tt::ExpandDimsOp expand) { return expanded(expand.getAxis()); })
      .Case<tt::BroadcastOp>([&](auto) { return broadcast(); })
      .Case<tt::ReshapeOp>([&](tt::ReshapeOp reshape) {
        return reshaped(reshape.getAllowReorder());
      })
      .Case<tt::TransOp>([&](tt::TransOp transpose) {
        AxisInfo info = in[0];
        for (auto [to, from] : llvm::enumerate(transpose.getOrder())) {
          info.contiguity[to] = in[0].contiguity[from];
          info.divisibility[to] = in[0].divisibility[from];
          info.constancy[to] = in[0].constancy[from];
        }
        return info;
      })
      .Case<arith::AddIOp>([&](auto) { return sum(true); })
      .Case<arith::SubIOp>([&](auto) { return sum(false); })
      .Case<tt::AddPtrOp>([&](auto) { return addressed(); })
      .Case<arith::MulIOp>([&](auto) { return product(); })
      .Case<arith::DivSIOp>([&](auto) { return quotient(true); })
      .Case<arith::DivUIOp>([&](auto) { return quotient(false); })
      .Case<arith::RemSIOp>([&](auto) { return remainder(true); })
      .Case<arith::RemUIOp>([&](auto) { return remainder(false); })
      .Case<arith::ShLIOp>([&](auto) { return shifted(true); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto) { return shifted(false); })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) { return merged(); })
      .Case<arith::AndIOp>([&](auto) { return masked(); })
      .Case<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
          [&](auto) { return extreme(); })
      .Case<arith::SelectOp>([&](auto) { return selected(); })
      .Case<arith::CmpIOp>(
          [&](arith::CmpIOp cmp) { return compared(cmp.getPredicate()); })
      .Case<arith::ExtSIOp>([&](auto) { return extended(true); })
      .Case<arith::ExtUIOp>([&](auto) { return extended(false); })
      .Case<arith::IndexCastOp>([&](auto) {
        if (widthOf(resultType) > widthOf(type(0)))
          return extended(true);
        AxisInfo info = withoutNumber(in[0]);
        info.nonNegative = false;
        return info;
      })
      .Case<arith::TruncIOp>([&](auto) {
        AxisInfo info = withoutNumber(in[0]);
        info.nonNegative = false;
        return info;
      })
      .Case<tt::PtrToIntOp, tt::IntToPtrOp, tt::BitcastOp>([&](auto) {
        AxisInfo info = copies();
        unsigned from = unitOf(type(0)), to = unitOf(resultType);
        if (from == to && !isa<FloatType>(getElementTypeOrSelf(type(0))) &&
            !isa<FloatType>(getElementTypeOrSelf(resultType)))
          return withoutNumber(in[0]);
        if (!isa<FloatType>(getElementTypeOrSelf(type(0))))
          llvm::fill(info.divisibility, every(in[0]));
        return info;
      })
      .Default([&](Operation *other) {
        // A load of equal pointers, and every function of equal elements.
        bool pure = isPure(other) && other->hasTrait<OpTrait::Elementwise>() &&
                    other->getNumRegions() == 0;
        if (auto load = dyn_cast<tt::LoadOp>(other))
          pure = !load.getIsVolatile() &&
                 !(isa<RankedTensorType>(resultType) &&
                   !isa<RankedTensorType>(type(0))); // A block pointer.
        return pure && !in.empty() ? copies() : AxisInfo::unknown(resultType);
      });
}

/// One number, or one for each dimension; exponents.
void raise(SmallVectorImpl<uint8_t> &to, Attribute hint) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(hint)) {
    for (auto &e : to)
      e = std::max<uint8_t>(e,
                            std::min(zerosOf(number.getInt()), AxisInfo::all));
    return;
  }
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(hint);
  if (!dense || dense.getNumElements() != static_cast<int64_t>(to.size()))
    return;
  for (auto [e, number] : llvm::zip(to, dense.getValues<APInt>()))
    e = std::max<uint8_t>(
        e, std::min(zerosOf(number.getSExtValue()), AxisInfo::all));
}

/// What the front end says, which is the programmer's word.
template <typename Find>
void takeHints(AxisInfo &info, Type type, const Find &find) {
  raise(info.contiguity, find("tt.contiguity"));
  raise(info.divisibility, find("tt.divisibility"));
  raise(info.constancy, find("tt.constancy"));
  for (auto [dim, extent] : llvm::enumerate(shapeOf(type))) {
    info.contiguity[dim] =
        std::min<unsigned>(info.contiguity[dim], whole(extent));
    info.constancy[dim] =
        std::min<unsigned>(info.constancy[dim], whole(extent));
  }
}

AxisInfo Transfer::result(unsigned index) {
  resultType = op->getResult(index).getType();
  Type element = getElementTypeOrSelf(resultType);
  AxisInfo info = AxisInfo::unknown(resultType);
  bool shaped = isa<RankedTensorType>(resultType);
  // Operands of one shape, or scalars: else only shapes' operations know.
  bool even = true;
  for (Value value : op->getOperands())
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
      even = even && shaped &&
             tensor.getShape() == cast<RankedTensorType>(resultType).getShape();
  bool shapes = isa<tt::SplatOp, tt::UnsplatOp, tt::ExpandDimsOp,
                    tt::BroadcastOp, tt::ReshapeOp, tt::TransOp>(op);
  if (element.isIntOrIndexOrFloat() || isa<tt::PointerType>(element))
    if (op->getNumResults() == 1 && (even || shapes))
      info = computed();
  // As the simulator checks them.
  if (op->getNumResults() == 1 &&
      (element.isInteger() || isa<tt::PointerType>(element)))
    takeHints(info, resultType,
              [&](StringRef name) { return op->getDiscardableAttr(name); });
  return info;
}

AxisInfo applied(Operation *op, Infos in, unsigned index, bool assume) {
  return Transfer(op, in, assume).result(index);
}
} // namespace

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

AxisInfo AxisInfo::unknown(Type type) {
  AxisInfo info;
  info.unit = unitOf(type);
  size_t rank = shapeOf(type).size();
  info.contiguity.assign(rank, 0);
  info.divisibility.assign(rank, 0);
  info.constancy.assign(rank, 0);
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  if (a.isBottom() || b.isBottom())
    return a.isBottom() ? b : a;
  AxisInfo info = a;
  for (unsigned dim = 0; dim < info.rank(); ++dim) {
    // Where runs are cut, their new first numbers are divisible by less.
    unsigned c = std::min(a.contiguity[dim], b.contiguity[dim]);
    info.contiguity[dim] = c;
    info.divisibility[dim] = std::min(first(a, dim, c), first(b, dim, c));
    info.constancy[dim] = std::min(a.constancy[dim], b.constancy[dim]);
  }
  info.nonNegative = a.nonNegative && b.nonNegative;
  if (a.number != b.number)
    info.number.reset();
  return info;
}

void AxisInfo::print(raw_ostream &os) const {
  auto list = [&](const char *name, ArrayRef<uint8_t> exponents) {
    os << name << " = [";
    llvm::interleaveComma(exponents, os,
                          [&](unsigned e) { os << (uint64_t(1) << e); });
    os << ']';
  };
  list("contiguity", contiguity);
  list(", divisibility", divisibility);
  list(", constancy", constancy);
  if (number)
    os << ", number = " << *number;
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

LogicalResult AxisInfoAnalysis::visitOperation(Operation *op,
                                               ArrayRef<const State *> operands,
                                               ArrayRef<State *> results) {
  SmallVector<AxisInfo> in;
  for (const State *operand : operands) {
    if (operand->getValue().isBottom())
      return success();
    in.push_back(operand->getValue());
  }
  for (auto [index, result] : llvm::enumerate(results))
    propagateIfChanged(result, result->join(applied(op, in, index, assume)));
  return success();
}

void AxisInfoAnalysis::setToEntryState(State *state) {
  Value value = state->getAnchor();
  AxisInfo info = AxisInfo::unknown(value.getType());
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto function =
            dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
        function && argument.getOwner()->isEntryBlock())
      takeHints(info, value.getType(), [&](StringRef name) {
        return function.getArgAttr(argument.getArgNumber(), name);
      });
  propagateIfChanged(state, state->join(info));
}

void AxisInfoAnalysis::visitNonControlFlowArguments(
    Operation *op, const RegionSuccessor &successor,
    ArrayRef<State *> arguments, unsigned firstIndex) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || successor.isParent()) {
    SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(
        op, successor, arguments, firstIndex);
    return;
  }
  // Of a loop it is the induction variable alone: lower + n * step.
  ProgramPoint *at = getProgramPointBefore(loop.getBody());
  const AxisInfo &lower =
      getLatticeElementFor(at, loop.getLowerBound())->getValue();
  const AxisInfo &step = getLatticeElementFor(at, loop.getStep())->getValue();
  if (lower.isBottom() || step.isBottom())
    return;
  AxisInfo info = AxisInfo::unknown(loop.getInductionVar().getType());
  info.divisibility[0] = std::min(lower.divisibility[0], step.divisibility[0]);
  info.nonNegative = lower.nonNegative;
  propagateIfChanged(arguments[0], arguments[0]->join(info));
}

AxisInfos::AxisInfos(Operation *root, bool assume) : assume(assume) {
  dataflow::loadBaselineAnalyses(solver);
  solver.load<AxisInfoAnalysis>(assume);
  (void)solver.initializeAndRun(root);
}

AxisInfo AxisInfos::of(Value value) const {
  auto *state = solver.lookupState<AxisInfoAnalysis::State>(value);
  if (!state || state->getValue().isBottom())
    return AxisInfo::unknown(value.getType());
  return state->getValue();
}

bool AxisInfos::assumes(Operation *op) const {
  if (!assume)
    return false;
  SmallVector<AxisInfo> in;
  for (Value value : op->getOperands())
    in.push_back(of(value));
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    if (applied(op, in, index, true) != applied(op, in, index, false))
      return true;
  return false;
}

int64_t AxisInfos::accessElements(Value pointer, Value mask, int dimension,
                                  int64_t bytes) const {
  AxisInfo info = of(pointer);
  unsigned dim = dimension < 0 ? info.rank() - 1 : dimension;
  unsigned unit = info.unit;
  unsigned n = std::min<unsigned>(
      {info.contiguity[dim],
       info.divisibility[dim] > unit ? info.divisibility[dim] - unit : 0u,
       llvm::Log2_64(bytes) > unit ? llvm::Log2_64(bytes) - unit : 0u});
  if (mask)
    n = std::min<unsigned>(n, of(mask).constancy[dim]);
  return int64_t(1) << n;
}
