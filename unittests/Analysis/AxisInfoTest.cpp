//===- AxisInfoTest.cpp - what is known of a value, against its values ----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs of integers and pointers are executed on random arguments, and
// every value of every tensor is held against what the analysis says of it.
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Triton/AxisInfo.h"
#include "titan/Dialect/Triton/Triton.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace mlir;
using namespace titan;

namespace {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Prints a function of some twenty operations.
class Writer {
public:
  explicit Writer(unsigned seed) : random(seed) {}

  std::string program() {
    text = "tt.func public @f(%a: i32 {tt.divisibility = 16 : i32}, %b: i32, "
           "%c: i64 {tt.divisibility = 4 : i32}, %p: !tt.ptr<f16> "
           "{tt.divisibility = 16 : i32}, %q: !tt.ptr<i8>) {\n";
    pool = {{"%a", "i32", {}},
            {"%b", "i32", {}},
            {"%c", "i64", {}},
            {"%p", "!tt.ptr<f16>", {}},
            {"%q", "!tt.ptr<i8>", {}}};
    // More than the numbers of i8, sometimes.
    shapes = {{}, {below(4) ? 16 : 512}, {8, 4}};
    if (below(2))
      shapes[2] = {4, 16};
    for (int n = 0; n < 14; ++n)
      operation();
    loop();
    for (int n = 0; n < 6; ++n)
      operation();
    return text + "  tt.return\n}\n";
  }

private:
  struct Value {
    std::string name, element;
    std::vector<int64_t> shape;
    std::string type() const { return typeOf(element, shape); }
  };
  static std::string typeOf(const std::string &element,
                            const std::vector<int64_t> &shape) {
    if (shape.empty())
      return element;
    std::string text = "tensor<";
    for (int64_t extent : shape)
      text += std::to_string(extent) + "x";
    return text + element + ">";
  }

  unsigned below(unsigned n) { return random() % n; }
  Value define(const std::string &element, std::vector<int64_t> shape,
               const std::string &body) {
    Value value{"%" + std::to_string(count++), element, std::move(shape)};
    text += "  " + value.name + " = " + body + "\n";
    pool.push_back(value);
    return value;
  }
  /// One that is there; the newer ones rather.
  const Value *some(auto &&good) {
    std::vector<const Value *> all;
    for (const Value &value : pool)
      if (good(value))
        all.push_back(&value);
    if (all.empty())
      return nullptr;
    return all[std::max(below(all.size()), below(all.size()))];
  }
  Value constant(const std::string &element, const std::vector<int64_t> &shape,
                 std::optional<int64_t> known = {}) {
    static const int64_t numbers[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  12,
                                      15, 16, 24, 31, 32, 64, -1, -4, -16};
    int64_t drawn = numbers[below(std::size(numbers))];
    std::string number = std::to_string(known.value_or(drawn));
    std::string type = typeOf(element, shape);
    return define(element, shape,
                  shape.empty()
                      ? "arith.constant " + number + " : " + type
                      : "arith.constant dense<" + number + "> : " + type);
  }
  std::string width() { return below(4) ? "i32" : below(2) ? "i64" : "i8"; }

  /// A scalar and a range: what programs index with.
  void index() {
    const std::vector<int64_t> &shape = shapes[1 + below(2)];
    int64_t extent = shape[below(shape.size())];
    int64_t start = below(2) ? 0 : below(40);
    Value range =
        define("i32", {extent},
               "tt.make_range {end = " + std::to_string(start + extent) +
                   " : i32, start = " + std::to_string(start) +
                   " : i32} : " + typeOf("i32", {extent}));
    const Value *v = some(
        [](const Value &v) { return v.shape.empty() && v.element == "i32"; });
    Value base = *v;
    if (below(2)) {
      Value by = constant("i32", {});
      base = define("i32", {},
                    "arith.muli " + base.name + ", " + by.name + " : i32");
    }
    std::string type = range.type();
    Value all =
        define("i32", {extent}, "tt.splat " + base.name + " : i32 -> " + type);
    Value sum =
        define("i32", {extent},
               "arith.addi " + all.name + ", " + range.name + " : " + type);
    if (below(4) == 0)
      define("i8", {extent},
             "arith.trunci " + sum.name + " : " + type + " to " +
                 typeOf("i8", {extent}));
  }

  void operation() {
    auto integer = [](const Value &v) {
      return v.element[0] == 'i' && v.element != "i1";
    };
    switch (below(18)) {
    case 14:
    case 15:
      index();
      return;
    case 0:
      constant(width(), shapes[below(3)]);
      return;
    case 1: {
      const std::vector<int64_t> &shape = shapes[1 + below(2)];
      int64_t extent = shape[below(shape.size())];
      int64_t start = below(2) ? 0 : below(40);
      define("i32", {extent},
             "tt.make_range {end = " + std::to_string(start + extent) +
                 " : i32, start = " + std::to_string(start) +
                 " : i32} : " + typeOf("i32", {extent}));
      return;
    }
    case 2: {
      const Value *v = some([](const Value &v) { return v.shape.empty(); });
      std::vector<int64_t> shape = shapes[1 + below(2)];
      std::string body = "tt.splat " + v->name + " : " + v->type() + " -> " +
                         typeOf(v->element, shape);
      define(v->element, shape, body);
      return;
    }
    case 3: {
      // A row or a column over the matrix.
      const Value *v = some([&](const Value &v) {
        return v.shape.size() == 1 &&
               (v.shape[0] == shapes[2][0] || v.shape[0] == shapes[2][1]);
      });
      if (!v)
        return;
      Value from = *v;
      int axis = from.shape[0] == shapes[2][1] ? 0 : 1;
      std::vector<int64_t> thin = {from.shape[0], 1};
      if (axis == 0)
        thin = {1, from.shape[0]};
      Value wide = define(
          from.element, thin,
          "tt.expand_dims " + from.name + " {axis = " + std::to_string(axis) +
              " : i32} : " + from.type() + " -> " + typeOf(from.element, thin));
      define(wide.element, shapes[2],
             "tt.broadcast " + wide.name + " : " + wide.type() + " -> " +
                 typeOf(wide.element, shapes[2]));
      return;
    }
    case 4: {
      const Value *v = some([](const Value &v) { return v.shape.size() == 2; });
      if (!v)
        return;
      Value from = *v;
      if (below(2)) {
        std::vector<int64_t> shape = {from.shape[1], from.shape[0]};
        Value turned =
            define(from.element, shape,
                   "tt.trans " + from.name + " {order = array<i32: 1, 0>} : " +
                       from.type() + " -> " + typeOf(from.element, shape));
        from = turned;
      }
      std::vector<int64_t> shape = {from.shape[0] * from.shape[1]};
      if (below(2))
        shape = {from.shape[1], from.shape[0]};
      define(from.element, shape,
             "tt.reshape " + from.name + " : " + from.type() + " -> " +
                 typeOf(from.element, shape));
      return;
    }
    case 5: {
      const Value *v = some(integer);
      Value from = *v;
      int bits = std::stoi(from.element.substr(1));
      std::string to = bits == 64   ? (below(2) ? "i32" : "i8")
                       : bits == 32 ? (below(4) ? "i64" : "i8")
                                    : "i32";
      bool wider = std::stoi(to.substr(1)) > bits;
      define(to, from.shape,
             std::string(!wider     ? "arith.trunci "
                         : below(3) ? "arith.extsi "
                                    : "arith.extui ") +
                 from.name + " : " + from.type() + " to " +
                 typeOf(to, from.shape));
      return;
    }
    case 17: { // What a narrow type leaves of a number.
      const Value *v = some([](const Value &v) { return v.element == "i32"; });
      static const char *narrow[] = {"i1", "i8", "i16"};
      std::string wide = v->type(), to = narrow[below(3)];
      Value low = define(to, v->shape,
                         "arith.trunci " + v->name + " : " + wide + " to " +
                             typeOf(to, v->shape));
      define("i32", low.shape,
             std::string(below(2) ? "arith.extsi " : "arith.extui ") +
                 low.name + " : " + low.type() + " to " + wide);
      return;
    }
    case 6: {
      const Value *pointer =
          some([](const Value &v) { return v.element[0] == '!'; });
      Value to = *pointer;
      const Value *offset = some(
          [&](const Value &v) { return integer(v) && v.shape == to.shape; });
      Value by = offset ? *offset : constant("i32", to.shape);
      define(to.element, to.shape,
             "tt.addptr " + to.name + ", " + by.name + " : " + to.type() +
                 ", " + by.type());
      return;
    }
    case 7: {
      const Value *v = some(integer);
      Value a = *v, b = partner(a);
      static const char *predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                         "sge", "ult", "ule", "ugt", "uge"};
      Value when = define("i1", a.shape,
                          std::string("arith.cmpi ") + predicates[below(10)] +
                              ", " + a.name + ", " + b.name + " : " + a.type());
      define(a.element, a.shape,
             "arith.select " + when.name + ", " + a.name + ", " + b.name +
                 " : " +
                 (a.shape.empty() ? a.type() : when.type() + ", " + a.type()));
      return;
    }
    default: {
      static const char *names[] = {"addi",  "addi",  "addi",  "subi",  "muli",
                                    "muli",  "divsi", "divui", "remsi", "remui",
                                    "andi",  "ori",   "xori",  "shli",  "shrsi",
                                    "shrui", "maxsi", "minui"};
      const Value *v = some(integer);
      std::string name = names[below(std::size(names))];
      bool divides = name.starts_with("div") || name.starts_with("rem");
      Value a = *v, b = partner(a, divides || name.starts_with("sh"));
      if (name.starts_with("addi") && below(2))
        std::swap(a, b);
      define(a.element, a.shape,
             "arith." + name + " " + a.name + ", " + b.name + " : " + a.type());
      return;
    }
    }
  }
  /// Another operand: often a constant, or the copies of a scalar.
  Value partner(const Value &a, bool small = false) {
    if (small && below(8)) {
      static const int64_t numbers[] = {1, 2, 2, 4, 4, 4, 3, 6, 5, 7, 12};
      return constant(a.element, a.shape, numbers[below(std::size(numbers))]);
    }
    if (below(2))
      return constant(a.element, a.shape);
    const Value *v = some([&](const Value &v) {
      return v.element == a.element && v.shape == a.shape;
    });
    return *v;
  }
  /// Values that go round; what a loop defines stays within it.
  void loop() {
    const Value *v = some([](const Value &v) {
      return v.element == "i32" || v.element[0] == '!';
    });
    Value start = *v;
    std::vector<Value> outside = pool;
    std::string lower = std::to_string(below(2) * (16 + below(8))),
                step = std::to_string(1 << below(5));
    text += "  %lower = arith.constant " + lower +
            " : i32\n  %upper = arith.constant 40 : i32\n"
            "  %step = arith.constant " +
            step + " : i32\n";
    text += "  %r = scf.for %i = %lower to %upper step %step iter_args(%x = " +
            start.name + ") -> (" + start.type() + ") : i32 {\n";
    pool.push_back({"%i", "i32", {}});
    pool.push_back({"%x", start.element, start.shape});
    for (int n = 0; n < 6; ++n)
      operation();
    const Value *next = some([&](const Value &v) {
      return v.element == start.element && v.shape == start.shape;
    });
    text += "  scf.yield " + next->name + " : " + start.type() + "\n  }\n";
    pool = outside;
    pool.push_back({"%r", start.element, start.shape});
  }

  std::mt19937 random;
  std::string text;
  std::vector<Value> pool;
  std::vector<std::vector<int64_t>> shapes;
  int count = 0;
};

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

SmallVector<int64_t> extentsOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return llvm::to_vector(tensor.getShape());
  return {1};
}
unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}
int64_t bytesOf(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(type));
  return pointer ? pointer.getPointee().getIntOrFloatBitWidth() / 8 : 1;
}

/// How often something was known, so that knowing nothing does not pass.
struct Known {
  int64_t values = 0, runs = 0, divisors = 0, copies = 0, skipped = 0;
};

class Machine {
public:
  using Elements = std::vector<uint64_t>;

  Machine(const AxisInfos &infos, Known &known) : infos(infos), known(known) {}

  /// False: the program does what has no result, or not what is assumed.
  bool run(Block &block);
  void bind(Value value, Elements elements) {
    uint64_t mask = llvm::maskTrailingOnes<uint64_t>(widthOf(value.getType()));
    for (uint64_t &e : elements)
      e &= mask;
    check(value, elements);
    values[value] = std::move(elements);
  }
  std::string wrong;

private:
  bool execute(Operation &op);
  bool holds(Operation &op);
  void check(Value value, const Elements &elements);
  std::optional<uint64_t> scalar(Operation &op, ArrayRef<uint64_t> in,
                                 unsigned width);

  const AxisInfos &infos;
  Known &known;
  struct Map {
    std::map<void *, Elements> all;
    Elements &operator[](Value v) { return all[v.getAsOpaquePointer()]; }
  } values;
};

/// The elements along a dimension: visit(index, index before it or -1, place).
template <typename Visit>
void along(ArrayRef<int64_t> shape, unsigned dim, const Visit &visit) {
  int64_t stride = 1, size = 1;
  for (unsigned d = dim + 1; d < shape.size(); ++d)
    stride *= shape[d];
  for (int64_t extent : shape)
    size *= extent;
  for (int64_t i = 0; i < size; ++i) {
    int64_t place = i / stride % shape[dim];
    visit(i, place == 0 ? -1 : i - stride, place);
  }
}

void Machine::check(Value value, const Elements &elements) {
  AxisInfo info = infos.of(value);
  auto shape = extentsOf(value.getType());
  unsigned width = widthOf(value.getType());
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(width);
  uint64_t unit = bytesOf(value.getType());
  auto fail = [&](const char *what) {
    if (!wrong.empty())
      return;
    llvm::raw_string_ostream os(wrong);
    os << what << " of " << value << "\n  ";
    info.print(os);
    os << "\n  ";
    llvm::interleaveComma(elements, os);
  };
  ++known.values;
  for (unsigned dim = 0; dim < info.rank(); ++dim) {
    int64_t c = int64_t(1) << info.contiguity[dim];
    int64_t k = int64_t(1) << info.constancy[dim];
    unsigned d = std::min<unsigned>(info.divisibility[dim], width);
    known.runs += c > 1;
    known.divisors += d > 0;
    known.copies += k > 1;
    along(shape, dim, [&](int64_t at, int64_t before, int64_t place) {
      if (place % c != 0 && elements[at] != ((elements[before] + unit) & mask))
        fail("contiguity");
      if (place % k != 0 && elements[at] != elements[before])
        fail("constancy");
      if (place % c == 0 &&
          (elements[at] & llvm::maskTrailingOnes<uint64_t>(d)) != 0)
        fail("divisibility");
    });
  }
  for (uint64_t e : elements) {
    if (info.number && e != (uint64_t(*info.number) & mask))
      fail("number");
    if (info.nonNegative && (e >> (width - 1) & 1))
      fail("nonNegative");
  }
}

/// What the analysis assumed of this operation's operand.
bool Machine::holds(Operation &op) {
  if (!infos.assumes(&op))
    return true;
  bool pointer = isa<tt::AddPtrOp>(op);
  Value operand = op.getOperand(pointer ? 1 : 0);
  unsigned width = widthOf(operand.getType());
  const Elements &elements = values[operand];
  if (isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    for (uint64_t e : elements)
      if (e >> (width - 1) & 1)
        return false;
    return true;
  }
  // No run wraps.
  bool good = true;
  AxisInfo info = infos.of(operand);
  auto shape = extentsOf(operand.getType());
  uint64_t last = llvm::maskTrailingOnes<uint64_t>(width);
  if (!isa<arith::ExtUIOp>(op))
    last >>= 1;
  for (unsigned dim = 0; dim < info.rank(); ++dim)
    along(shape, dim, [&](int64_t, int64_t before, int64_t place) {
      if (place % (int64_t(1) << info.contiguity[dim]) != 0)
        good = good && elements[before] != last;
    });
  return good;
}

std::optional<uint64_t> Machine::scalar(Operation &op, ArrayRef<uint64_t> in,
                                        unsigned width) {
  uint64_t a = in[0], b = in.size() > 1 ? in[1] : 0;
  int64_t sa = llvm::SignExtend64(a, width), sb = llvm::SignExtend64(b, width);
  StringRef name = op.getName().getStringRef();
  name.consume_front("arith.");
  if (name == "addi")
    return a + b;
  if (name == "subi")
    return a - b;
  if (name == "muli")
    return a * b;
  if (name == "andi")
    return a & b;
  if (name == "ori")
    return a | b;
  if (name == "xori")
    return a ^ b;
  if (name == "maxsi")
    return std::max(sa, sb);
  if (name == "minui")
    return std::min(a, b);
  if (name.starts_with("sh")) {
    if (b >= width)
      return std::nullopt;
    return name == "shli" ? a << b : name == "shrui" ? a >> b : sa >> b;
  }
  if (name.starts_with("div") || name.starts_with("rem")) {
    bool isSigned = name.ends_with("si");
    if (b == 0 || (isSigned && sb == -1 && sa == llvm::minIntN(width)))
      return std::nullopt;
    if (name.starts_with("div"))
      return isSigned ? sa / sb : a / b;
    return isSigned ? sa % sb : a % b;
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(cmp.getPredicate(), APInt(width, a),
                                    APInt(width, b));
  if (isa<arith::SelectOp>(op))
    return a ? b : in[2];
  if (name == "extsi")
    return sa;
  if (name == "extui" || name == "trunci")
    return a;
  ADD_FAILURE() << "not executed: " << op.getName().getStringRef().str();
  return std::nullopt;
}

bool Machine::execute(Operation &op) {
  if (!holds(op))
    return false;
  Value result = op.getResult(0);
  auto shape = extentsOf(result.getType());
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  Elements out(size);
  Elements in0 = op.getNumOperands() ? values[op.getOperand(0)] : Elements();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = dense.getSplatValue<Attribute>();
    llvm::fill(out, cast<IntegerAttr>(value).getValue().getSExtValue());
  } else if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    for (int64_t i = 0; i < size; ++i)
      out[i] = range.getStart() + i;
  } else if (isa<tt::SplatOp>(op)) {
    llvm::fill(out, in0[0]);
  } else if (isa<tt::ExpandDimsOp, tt::ReshapeOp>(op)) {
    out = in0;
  } else if (isa<tt::BroadcastOp>(op)) {
    auto from = extentsOf(op.getOperand(0).getType());
    for (int64_t i = 0; i < size; ++i) {
      int64_t r = i / shape[1], c = i % shape[1];
      out[i] = in0[(from[0] == 1 ? 0 : r) * from[1] + (from[1] == 1 ? 0 : c)];
    }
  } else if (isa<tt::TransOp>(op)) {
    for (int64_t i = 0; i < size; ++i)
      out[i] = in0[i % shape[1] * shape[0] + i / shape[1]];
  } else if (isa<tt::AddPtrOp>(op)) {
    const Elements &by = values[op.getOperand(1)];
    for (int64_t i = 0; i < size; ++i)
      // Addresses wrap.
      out[i] = in0[i] + uint64_t(bytesOf(result.getType())) *
                            uint64_t(llvm::SignExtend64(
                                by[i], widthOf(op.getOperand(1).getType())));
  } else {
    for (int64_t i = 0; i < size; ++i) {
      SmallVector<uint64_t> in;
      for (Value value : op.getOperands())
        in.push_back(values[value][i]);
      auto made = scalar(op, in, widthOf(op.getOperand(0).getType()));
      if (!made)
        return false;
      out[i] = *made;
    }
  }
  bind(result, std::move(out));
  return true;
}

bool Machine::run(Block &block) {
  for (Operation &op : block.without_terminator()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop) {
      if (!execute(op))
        return false;
      continue;
    }
    Elements round = values[loop.getInitArgs()[0]];
    uint64_t lower = values[loop.getLowerBound()][0],
             upper = values[loop.getUpperBound()][0],
             step = values[loop.getStep()][0];
    for (uint64_t i = lower; i < upper; i += step) {
      bind(loop.getInductionVar(), {i});
      bind(loop.getRegionIterArg(0), round);
      if (!run(*loop.getBody()))
        return false;
      round = values[loop.getBody()->getTerminator()->getOperand(0)];
    }
    bind(loop.getResult(0), round);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

class AxisInfoTest : public testing::Test {
protected:
  AxisInfoTest() {
    context.loadDialect<tt::TritonDialect>();
    context.disableMultithreading();
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }
  MLIRContext context;
};

uint64_t argument(std::mt19937_64 &random, unsigned zeros) {
  uint64_t number = random();
  switch (random() % 5) {
  case 0:
    number %= 64;
    break;
  case 1:
    number = -(number % 64);
    break;
  case 2: // Close to where numbers wrap.
    number = (uint64_t(1) << 31) - 40 + number % 80;
    break;
  case 3:
    number %= 1 << 20;
    break;
  }
  return number << zeros;
}

TEST_F(AxisInfoTest, NeverMoreThanIsTrue) {
  unsigned seed = 1536;
  int programs = getenv("TITAN_TEST_FULL") ? 10000 : 150;
  if (const char *only = getenv("TITAN_SEED"))
    seed = std::atoi(only), programs = 1;
  Known known[2];
  for (int n = 0; n < programs; ++n, ++seed) {
    std::string text = Writer(seed).program();
    auto module = parse(text);
    ASSERT_TRUE(module) << text;
    auto function = *module->getOps<tt::FuncOp>().begin();
    for (bool assume : {false, true}) {
      AxisInfos infos(*module, assume);
      std::mt19937_64 random(seed);
      for (int times = 0; times < 6; ++times) {
        Machine run(infos, known[assume]);
        Block &body = function.getBody().front();
        static const unsigned zeros[] = {4, 0, 2, 4, 0};
        for (BlockArgument value : body.getArguments())
          run.bind(value, {argument(random, zeros[value.getArgNumber()])});
        if (!run.run(body))
          ++known[assume].skipped;
        ASSERT_EQ(run.wrong, "") << "TITAN_SEED=" << seed << "\n" << text;
      }
    }
  }
  // More is known with what is assumed than without, and neither is little.
  for (const Known &k : known) {
    EXPECT_GT(k.values, 60 * programs);
    EXPECT_GT(k.runs * 20, k.values);
    EXPECT_GT(k.divisors * 3, k.values);
    EXPECT_GT(k.copies * 4, k.values);
    RecordProperty("values", static_cast<int>(k.values));
  }
}

} // namespace
