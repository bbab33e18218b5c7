//===- Exchange.cpp - register tiles between layouts, scans, gathers ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lib/Layout/Conversion.h and Rows.h plan, in shuffles and selects. Elements of
// less than 32 bits that go from one lane to one lane share a word.
//
//===----------------------------------------------------------------------===//
#include "Shuffles.h"

#include "titan/Conversion/LoweringTable.h"
#include "titan/Layout/Conversion.h"
#include "titan/Layout/Rows.h"

#include "mlir/IR/Matchers.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace titan;

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

static int64_t bitsOf(Type element) {
  return element.getIntOrFloatBitWidth() < 8 ? 8
                                             : element.getIntOrFloatBitWidth();
}

static Value shuffleWord(KernelLowering &kl, Value word, const Sender &sender) {
  return sender.lane ? kl.emitter.fromLane(kl.b, word, sender.lane)
                     : kl.emitter.exchange(kl.b, word, sender.xors);
}

Values titan::shuffle(KernelLowering &kl, ValueRange values,
                      const Sender &sender) {
  if (values.empty())
    return {};
  Type element = values.front().getType();
  int64_t bits = bitsOf(element), inWord = std::max<int64_t>(1, 32 / bits);
  Type integer = kl.b.getIntegerType(bits), word = kl.b.getI32Type();
  Values received;
  for (size_t first = 0; first < values.size();
       first += static_cast<size_t>(inWord)) {
    Values parts;
    for (Value value :
         values.slice(first, std::min<size_t>(inWord, values.size() - first))) {
      if (isa<FloatType>(element))
        value = arith::BitcastOp::create(kl.b, integer, value);
      else if (element != integer)
        value = arith::ExtUIOp::create(kl.b, integer, value);
      parts.push_back(value);
    }
    size_t count = parts.size();
    if (bits == 64) {
      auto halves = VectorType::get(2, word);
      Value both = LLVM::BitcastOp::create(kl.b, halves, parts[0]);
      Value result = LLVM::PoisonOp::create(kl.b, halves);
      for (int half : {0, 1})
        result = LLVM::InsertElementOp::create(
            kl.b, result,
            shuffleWord(
                kl, LLVM::ExtractElementOp::create(kl.b, both, kl.i32(half)),
                sender),
            kl.i32(half));
      parts = {LLVM::BitcastOp::create(kl.b, integer, result)};
    } else if (bits == 32) {
      parts = {shuffleWord(kl, parts[0], sender)};
    } else if (count == 1) {
      Value wide = arith::ExtUIOp::create(kl.b, word, parts[0]);
      parts = {arith::TruncIOp::create(kl.b, integer,
                                       shuffleWord(kl, wide, sender))};
    } else {
      auto vector = VectorType::get(inWord, integer);
      Value packed = LLVM::ZeroOp::create(kl.b, vector);
      for (size_t i = 0; i < count; ++i)
        packed =
            LLVM::InsertElementOp::create(kl.b, packed, parts[i], kl.i32(i));
      Value moved =
          shuffleWord(kl, LLVM::BitcastOp::create(kl.b, word, packed), sender);
      packed = LLVM::BitcastOp::create(kl.b, vector, moved);
      for (size_t i = 0; i < count; ++i)
        parts[i] = LLVM::ExtractElementOp::create(kl.b, packed, kl.i32(i));
    }
    for (Value value : parts) {
      if (isa<FloatType>(element))
        value = arith::BitcastOp::create(kl.b, element, value);
      else if (element != integer)
        value = arith::TruncIOp::create(kl.b, element, value);
      received.push_back(value);
    }
  }
  return received;
}

//===----------------------------------------------------------------------===//
// Functions of lane and warp
//===----------------------------------------------------------------------===//

/// Whether an odd number of the bits of lane and warp in the masks is set.
static Value parity(KernelLowering &kl, int64_t lanes, int64_t warps) {
  auto odd = [&](Value input, int64_t mask) -> Value {
    Value some = arith::AndIOp::create(kl.b, input, kl.i32(mask));
    if (llvm::isPowerOf2_64(static_cast<uint64_t>(mask)))
      return arith::CmpIOp::create(kl.b, arith::CmpIPredicate::ne, some,
                                   kl.i32(0));
    Value count = LLVM::CtPopOp::create(kl.b, kl.b.getI32Type(), some);
    return arith::TruncIOp::create(kl.b, kl.b.getI1Type(), count);
  };
  if (!warps)
    return odd(kl.lane(), lanes);
  if (!lanes)
    return odd(kl.warp(), warps);
  return arith::XOrIOp::create(kl.b, odd(kl.lane(), lanes),
                               odd(kl.warp(), warps));
}

namespace {
/// `value` is xored where that many bits of lane and warp are set.
struct Term {
  int64_t value, lanes = 0, warps = 0;
};
} // namespace

/// A function as terms, as few as its rank.
static SmallVector<Term> termsOf(const ThreadBits &bits) {
  // By images, reduced so that no two share their highest bit.
  SmallVector<Term> terms;
  auto add = [&](int64_t image, int64_t lane, int64_t warp) {
    for (Term &term : terms) {
      int64_t top = int64_t(1) << llvm::Log2_64(term.value);
      if (!(image & top))
        continue;
      image ^= term.value;
      term.lanes ^= lane;
      term.warps ^= warp;
    }
    if (image)
      terms.push_back({image, lane, warp});
  };
  for (auto [b, image] : llvm::enumerate(bits.lanes))
    add(image, int64_t(1) << b, 0);
  for (auto [b, image] : llvm::enumerate(bits.warps))
    add(image, 0, int64_t(1) << b);
  return terms;
}

/// The function as a layout (reg, lane, warp) -> number.
static Result<Layout> layoutOf(const ThreadBits &bits) {
  std::vector<Axis> axes = {{"reg", {}}, {"lane", {}}, {"warp", {}}};
  int64_t all = 0;
  auto add = [&](Axis &axis, int64_t image) {
    axis.digits.push_back(image ? Digit::xors(2, {image})
                                : Digit{2, Digit::replica, 0});
    all |= image;
  };
  for (int64_t image : bits.lanes)
    add(axes[1], image);
  for (int64_t image : bits.warps)
    add(axes[2], image);
  return Layout::make(
      axes, {{"n", static_cast<int64_t>(llvm::PowerOf2Ceil(all + 1))}});
}

/// Number n becomes what number n ^ f(lane, warp) was.
static Values exchangeNumbers(KernelLowering &kl, Values values,
                              const ThreadBits &bits) {
  for (const Term &term : termsOf(bits)) {
    Value swaps = parity(kl, term.lanes, term.warps);
    Values next;
    for (size_t n = 0; n < values.size(); ++n) {
      Value here = values[n], there = values[n ^ term.value];
      next.push_back(
          here && there && here != there
              ? arith::SelectOp::create(kl.b, swaps, there, here).getResult()
              : here);
    }
    values = std::move(next);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static LogicalResult convertLayout(KernelLowering &kl, ConvertLayoutOp op) {
  if (op.getScratch())
    return kl.unsupported(op, "a conversion through shared memory that "
                              "titan-expand-exchanges has not expanded");
  auto plan = ConversionPlan::make(*getTileLayout(op.getTile().getType()),
                                   *getTileLayout(op.getType()));
  if (!plan)
    return op->emitError("[")
           << plan.problem().code << "] " << plan.problem().message;
  Values tile = kl.get(op.getTile());
  int64_t inWord =
      std::max<int64_t>(1, 32 / bitsOf(op.getType().getElementType()));
  auto words = plan->words(inWord);
  // The lane that everything comes from, but for what each move adds.
  Value origin;
  bool byXor = true;
  for (auto [b, image] : llvm::enumerate(plan->source.lanes))
    byXor &= image == int64_t(1) << b;
  byXor &= llvm::all_of(plan->source.warps, [](int64_t x) { return x == 0; });
  if (!byXor && !words.empty()) {
    Result<Layout> source = layoutOf(plan->source);
    std::optional<Value> found =
        source ? kl.laneFunction(*source) : std::nullopt;
    if (!found)
      return kl.unsupported(op, "the lanes of this conversion");
    origin = *found;
  }

  SmallVector<Values> slots; // of each part
  for (const std::vector<int64_t> &registers : plan->from) {
    Values numbers;
    for (int64_t r : registers)
      numbers.push_back(tile[r]);
    numbers = exchangeNumbers(kl, std::move(numbers), plan->before);
    Values received(plan->moves.size());
    for (auto [m, move] : llvm::enumerate(plan->moves))
      if (plan->stays(move))
        received[m] = numbers[move.number];
    for (const std::vector<size_t> &word : words) {
      Values sent;
      for (size_t m : word)
        sent.push_back(numbers[plan->moves[m].number]);
      Sender sender;
      sender.xors = plan->moves[word.front()].lanes;
      if (origin)
        sender.lane = sender.xors ? arith::XOrIOp::create(kl.b, origin,
                                                          kl.i32(sender.xors))
                                        .getResult()
                                  : origin;
      for (auto [m, value] : llvm::zip(word, shuffle(kl, sent, sender)))
        received[m] = value;
    }
    // The lane's own turn: those of bit 0 first.
    for (int64_t turns = plan->turns, bit = 0; turns > 1; turns /= 2, ++bit) {
      int64_t lanes = 0;
      for (auto [b, image] : llvm::enumerate(plan->turn.lanes))
        lanes |= image >> bit & 1 ? int64_t(1) << b : 0;
      Value later = parity(kl, lanes, 0);
      Values left;
      for (int64_t t = 0; t < turns; t += 2)
        for (int64_t q = 0; q < plan->slots; ++q)
          left.push_back(arith::SelectOp::create(
              kl.b, later, received[(t + 1) * plan->slots + q],
              received[t * plan->slots + q]));
      received = std::move(left);
    }
    slots.push_back(exchangeNumbers(kl, std::move(received), plan->after));
  }
  Values results;
  for (const ConversionPlan::Place &place : plan->to)
    results.push_back(slots[place.part][place.number]);
  kl.set(op.getResult(), results);
  return success();
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

static LogicalResult scan(KernelLowering &kl, ScanOp op) {
  Type type = op.getType().getElementType();
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16)
    return kl.unsupported(op, "a scan of " + llvm::formatv("{0}", type).str());
  auto digits = digitsInWarp(*getTileLayout(op.getType()),
                             static_cast<int>(op.getDimension()));
  if (!digits)
    return op->emitError("[")
           << digits.problem().code << "] " << digits.problem().message;
  for (const RowDigit &digit : ArrayRef(*digits).drop_back(!digits->empty()))
    if (!llvm::isPowerOf2_64(static_cast<uint64_t>(digit.extent)))
      return kl.unsupported(op, "a scan over digits inside of which " +
                                    Twine(digit.extent) +
                                    " elements are no power of two");
  bool reverse = op.getReverse();
  Values values = kl.get(op.getTile());
  auto combine = [&](Value from, Value value) {
    return reverse ? combineElements(kl.b, op.getKind(), value, from)
                   : combineElements(kl.b, op.getKind(), from, value);
  };
  // Inside of the digit that a step moves, elements come from the last ones (the
  // first ones, in reverse): those registers, those lanes.
  auto lastRegister = [&](int64_t r, size_t inside) {
    for (const RowDigit &digit : ArrayRef(*digits).take_front(inside))
      if (digit.axis == 0) {
        int64_t value = r / digit.weight % digit.extent;
        r += ((reverse ? 0 : digit.extent - 1) - value) * digit.weight;
      }
    return r;
  };
  int64_t lanesInside = 0;
  for (auto [d, digit] : llvm::enumerate(*digits)) {
    for (int64_t step = 1; step < digit.extent; step *= 2) {
      // Elements whose count of steps is odd take from the one before.
      Values next = values;
      std::map<int64_t, Value> moved; // by register
      int64_t bit = digit.axis == 1 ? digit.weight * step : 0;
      int64_t mask =
          lanesInside | (digit.axis == 1 ? digit.weight * (step - 1) : 0);
      Value sender, takes;
      if (bit || mask) {
        sender = kl.lane();
        int64_t set = reverse ? bit : mask, clear = reverse ? mask : bit;
        if (clear)
          sender = arith::AndIOp::create(
              kl.b, sender, kl.i32((kl.target.warpWidth - 1) & ~clear));
        if (set)
          sender = arith::OrIOp::create(kl.b, sender, kl.i32(set));
      }
      if (bit)
        takes = arith::CmpIOp::create(
            kl.b, reverse ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne,
            arith::AndIOp::create(kl.b, kl.lane(), kl.i32(bit)), kl.i32(0));
      for (int64_t r = 0, e = static_cast<int64_t>(values.size()); r < e; ++r) {
        int64_t from = lastRegister(r, d);
        if (digit.axis == 0) {
          int64_t value = r / digit.weight % digit.extent;
          int64_t count = reverse ? digit.extent - 1 - value : value;
          if (count / step % 2 == 0)
            continue;
          int64_t last = count / step * step - 1;
          int64_t other = reverse ? digit.extent - 1 - last : last;
          from += (other - value) * digit.weight;
        }
        Value &brought = moved[from];
        if (!brought)
          brought =
              sender ? shuffle(kl, values[from], {sender})[0] : values[from];
        Value combined = combine(brought, values[r]);
        next[r] =
            takes ? arith::SelectOp::create(kl.b, takes, combined, values[r])
                        .getResult()
                  : combined;
      }
      values = std::move(next);
    }
    if (digit.axis == 1)
      lanesInside |= digit.weight * (digit.extent - 1);
  }
  kl.set(op.getResult(), values);
  return success();
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// Of a gather from the coordinate that differs by exclusive or with a number: by how
/// much lanes do, where these have all of a row; 0: it is another gather.
static int64_t lanesApart(KernelLowering &kl, GatherOp op,
                          ArrayRef<RowDigit> digits) {
  auto places = op.getIndices().getDefiningOp<arith::XOrIOp>();
  SplatElementsAttr by;
  if (!places || kl.origin(places.getLhs()).coordinate != op.getDimension() ||
      !matchPattern(places.getRhs(), m_Constant(&by)))
    return 0;
  int64_t number = by.getSplatValue<APInt>().getSExtValue(), xors = 0;
  for (const RowDigit &digit : digits) {
    if (digit.axis != 1 || !llvm::isPowerOf2_64(digit.extent))
      return 0;
    xors += number / digit.stride % digit.extent * digit.weight;
  }
  return xors;
}

static LogicalResult gather(KernelLowering &kl, GatherOp op) {
  Layout from = getTileLayout(op.getTile().getType())->canonical(),
         to = getTileLayout(op.getType())->canonical();
  int dim = static_cast<int>(op.getDimension());
  auto digits = digitsInWarp(from, dim);
  if (!digits)
    return op->emitError("[")
           << digits.problem().code << "] " << digits.problem().message;
  Values tile = kl.get(op.getTile()), indices = kl.get(op.getIndices());

  // The registers of each row, by the row's other coordinates, in the order of
  // the coordinate along the dimension.
  auto rowOf = [&](const Layout &layout, int64_t r) {
    Coord at = layout.coords(r, 0, 0);
    std::vector<int64_t> row(at.begin(), at.end());
    row[dim] = 0;
    return row;
  };
  std::map<std::vector<int64_t>, std::map<int64_t, int64_t>> rows;
  for (int64_t r = 0; r < from.registers(); ++r) {
    int64_t place = 0, scale = 1;
    for (const RowDigit &digit : *digits)
      if (digit.axis == 0) {
        place += r / digit.weight % digit.extent * scale;
        scale *= digit.extent;
      }
    rows[rowOf(from, r)].try_emplace(place, r);
  }
  if (int64_t xors = lanesApart(kl, op, *digits); xors && from == to) {
    kl.set(op.getResult(), shuffle(kl, tile, {Value(), xors}));
    return success();
  }
  int64_t lanesAlong = 0;
  for (const RowDigit &digit : *digits)
    if (digit.axis == 1)
      lanesAlong |= digit.weight * (digit.extent - 1);
  Values results;
  for (int64_t r = 0; r < to.registers(); ++r) {
    Value place, lane;
    int64_t scale = 1, constantPlace = 0;
    APInt constant;
    bool known = matchPattern(indices[r], m_ConstantInt(&constant));
    auto join = [&](Value sum, Value part) {
      return sum ? kl.add(sum, part) : part;
    };
    for (const RowDigit &digit : *digits) {
      Value value = indices[r];
      if (digit.stride > 1)
        value = arith::DivUIOp::create(kl.b, value, kl.i32(digit.stride));
      value = arith::RemUIOp::create(kl.b, value, kl.i32(digit.extent));
      if (digit.axis == 1) {
        lane = join(lane, kl.mul(value, digit.weight));
      } else {
        place = join(place, kl.mul(value, scale));
        if (known)
          constantPlace +=
              constant.getSExtValue() / digit.stride % digit.extent * scale;
        scale *= digit.extent;
      }
    }
    Values candidates;
    for (auto [at, source] : rows[rowOf(to, r)])
      if (!known || at == constantPlace)
        candidates.push_back(tile[source]);
    if (candidates.empty())
      return kl.unsupported(op, "a gather between these layouts");
    if (lane) {
      Value others = arith::AndIOp::create(
          kl.b, kl.lane(), kl.i32((kl.target.warpWidth - 1) & ~lanesAlong));
      candidates =
          shuffle(kl, candidates, {arith::OrIOp::create(kl.b, others, lane)});
    }
    Value result = candidates.front();
    for (size_t i = 1; i < candidates.size(); ++i)
      result = arith::SelectOp::create(
          kl.b,
          arith::CmpIOp::create(kl.b, arith::CmpIPredicate::eq, place,
                                kl.i32(static_cast<int64_t>(i))),
          candidates[i], result);
    results.push_back(result);
  }
  kl.set(op.getResult(), results);
  return success();
}

void titan::populateExchangeLowerings(LoweringTable &table) {
  table.add<ConvertLayoutOp>(convertLayout);
  table.add<RelabelOp>([](KernelLowering &kl, RelabelOp op) {
    kl.set(op.getResult(), kl.get(op.getTile()));
    return success();
  });
  table.add<ScanOp>(scan);
  table.add<GatherOp>(gather);
}
