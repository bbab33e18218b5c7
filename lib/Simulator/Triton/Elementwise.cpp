//===- Elementwise.cpp - arith and math on elements -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f16, bf16 and 8-bit floats are computed in f32 and rounded once more (Numeric.h
// says why that is exact for sums, products and quotients). Functions of math are
// computed in f64 and rounded: what the hardware approximates lies within its
// bounds of that.
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include "titan/Dialect/Triton/DeviceFunctions.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace titan::tt;
using titan::Code, titan::Finding;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

template <typename F> static void integers(Agent &agent, const Step &step) {
  Tile &a = agent.in(step, 0), &b = agent.in(step, 1);
  Tile &out = agent.make(step);
  withInteger(out.kind, [&](auto zero) {
    using T = decltype(zero);
    using U = std::make_unsigned_t<T>;
    const T *x = a.as<T>(), *y = b.as<T>();
    T *z = out.as<T>();
    for (int64_t i = 0; i < out.count; ++i)
      z[i] = static_cast<T>(F::template apply<T, U>(x[i], y[i]));
    if (out.kind == Kind::I1)
      for (int64_t i = 0; i < out.count; ++i)
        z[i] &= 1;
  });
  joinMarks(agent, step);
}

/// Of bits, 1 is -1 as a signed number: their order is `G`'s.
template <typename F, typename G>
static void signedOrder(Agent &agent, const Step &step) {
  bool bits = agent.in(step, 0).kind == Kind::I1;
  return bits ? integers<G>(agent, step) : integers<F>(agent, step);
}

#define TITAN_INTEGER(NAME, EXPRESSION)                                        \
  struct NAME {                                                                \
    template <typename T, typename U> static auto apply(T x, T y) {            \
      [[maybe_unused]] U u = static_cast<U>(x), v = static_cast<U>(y);         \
      [[maybe_unused]] constexpr unsigned width = 8 * sizeof(T);               \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
namespace {
TITAN_INTEGER(Add, U(u + v))
TITAN_INTEGER(Sub, U(u - v))
TITAN_INTEGER(Mul, U(uint64_t(u) * uint64_t(v)))
TITAN_INTEGER(And, U(u &v))
TITAN_INTEGER(Or, U(u | v))
TITAN_INTEGER(Xor, U(u ^ v))
TITAN_INTEGER(Shl, v >= width ? U(0) : U(uint64_t(u) << v))
TITAN_INTEGER(ShrU, v >= width ? U(0) : U(u >> v))
TITAN_INTEGER(ShrS, T(x >> (v >= width ? width - 1 : v)))
TITAN_INTEGER(MaxS, x > y ? x : y)
TITAN_INTEGER(MinS, x < y ? x : y)
TITAN_INTEGER(MaxU, u > v ? u : v)
TITAN_INTEGER(MinU, u < v ? u : v)
TITAN_INTEGER(MulHi, sizeof(T) == 8
                         ? U((static_cast<unsigned __int128>(u) * v) >> 64)
                         : U((uint64_t(u) * uint64_t(v)) >> (width & 63)))
// Of the least number by -1, and by 0, there is none: these are marked.
TITAN_INTEGER(DivS, y == 0 ? U(0) : y == -1 ? U(U(0) - u) : U(x / y))
TITAN_INTEGER(RemS, y == 0 || y == -1 ? T(0) : T(x % y))
TITAN_INTEGER(DivU, v == 0 ? U(0) : U(u / v))
TITAN_INTEGER(RemU, v == 0 ? U(0) : U(u % v))
} // namespace
#undef TITAN_INTEGER

/// F, which has no result where `fails(x, y, width)` says so.
template <typename F, auto fails>
static void partial(Agent &agent, const Step &step) {
  integers<F>(agent, step);
  Tile &a = agent.in(step, 0), &by = agent.in(step, 1), &out = agent.out(step);
  withInteger(out.kind, [&](auto zero) {
    using T = decltype(zero);
    const unsigned width = out.kind == Kind::I1 ? 1 : 8 * sizeof(T);
    bool own = false;
    for (int64_t i = 0; i < out.count; ++i)
      if (fails(a.as<T>()[i], by.as<T>()[i], width)) {
        if (out.undefined && !own) { // Perhaps an operand's, too.
          Buffer marks(out.count);
          std::memcpy(marks.data(), out.undefined.data(), out.count);
          out.undefined = marks;
        }
        own = true;
        out.makeMarks()[i] |= NoResult;
      }
  });
}

static constexpr auto byZero = [](auto, auto y, unsigned) { return y == 0; };
static constexpr auto noSigned = [](auto x, auto y, unsigned width) {
  using T = decltype(x); // An i1 is 0 or 1 here, and never -1.
  return y == 0 ||
         (width > 1 && y == T(-1) && x == std::numeric_limits<T>::min());
};
static constexpr auto byWidth = [](auto, auto y, unsigned width) {
  return std::make_unsigned_t<decltype(y)>(y) >= width;
};

/// Of i1, a defined operand may decide alone.
template <typename F, bool deciding>
static void logical(Agent &agent, const Step &step) {
  Tile &a = agent.in(step, 0), &b = agent.in(step, 1);
  integers<F>(agent, step);
  Tile &out = agent.out(step);
  if (out.kind != Kind::I1 || !out.undefined)
    return;
  Buffer marks(out.count);
  for (int64_t i = 0; i < out.count; ++i) {
    bool decided = (!a.isUndefined(i) && a.getInteger(i) == deciding) ||
                   (!b.isUndefined(i) && b.getInteger(i) == deciding);
    marks.data()[i] = decided ? 0 : out.undefined.data()[i];
    if (decided)
      out.as<uint8_t>()[i] = deciding;
  }
  out.undefined = marks;
}

static void absolute(Agent &agent, const Step &step) {
  Tile &a = agent.in(step);
  Tile &out = agent.make(step);
  for (int64_t i = 0; i < out.count; ++i) {
    int64_t x = a.getInteger(i);
    out.setInteger(i,
                   x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x);
  }
  joinMarks(agent, step);
}

template <typename Op, typename T>
static void fillCompare(Op predicate, const T *x, const T *y, uint8_t *z,
                        int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    z[i] = predicate(x[i], y[i]);
}

static void compareIntegers(Agent &agent, const Step &step) {
  using P = arith::CmpIPredicate;
  P predicate = cast<arith::CmpIOp>(step.op).getPredicate();
  Tile &a = agent.in(step, 0), &b = agent.in(step, 1);
  Tile &out = agent.make(step);
  withInteger(a.kind, [&](auto zero) {
    using T = decltype(zero);
    using U = std::make_unsigned_t<T>;
    const T *x = a.as<T>(), *y = b.as<T>();
    const U *u = a.as<U>(), *v = b.as<U>();
    uint8_t *z = out.as<uint8_t>();
    int64_t n = out.count;
    bool bit = a.kind == Kind::I1; // As signed numbers 0 and -1.
    switch (predicate) {
    case P::eq:
      return fillCompare(std::equal_to<T>(), x, y, z, n);
    case P::ne:
      return fillCompare(std::not_equal_to<T>(), x, y, z, n);
    case P::slt:
      return bit ? fillCompare(std::less<T>(), y, x, z, n)
                 : fillCompare(std::less<T>(), x, y, z, n);
    case P::sle:
      return bit ? fillCompare(std::less_equal<T>(), y, x, z, n)
                 : fillCompare(std::less_equal<T>(), x, y, z, n);
    case P::sgt:
      return bit ? fillCompare(std::less<T>(), x, y, z, n)
                 : fillCompare(std::less<T>(), y, x, z, n);
    case P::sge:
      return bit ? fillCompare(std::less_equal<T>(), x, y, z, n)
                 : fillCompare(std::less_equal<T>(), y, x, z, n);
    case P::ult:
      return fillCompare(std::less<U>(), u, v, z, n);
    case P::ule:
      return fillCompare(std::less_equal<U>(), u, v, z, n);
    case P::ugt:
      return fillCompare(std::less<U>(), v, u, z, n);
    case P::uge:
      return fillCompare(std::less_equal<U>(), v, u, z, n);
    }
  });
  joinMarks(agent, step);
}

static void select(Agent &agent, const Step &step) {
  Tile &condition = agent.in(step, 0), &a = agent.in(step, 1),
       &b = agent.in(step, 2);
  Tile &out = agent.make(step);
  // One condition may choose between whole tensors.
  const bool whole = condition.count == 1 && out.count > 1;
  const size_t size = bytesOf(out.kind);
  if (condition.undefined || a.undefined || b.undefined)
    out.undefined = Buffer(out.count);
  for (int64_t i = 0; i < out.count; ++i) {
    int64_t c = whole ? 0 : i;
    Tile &from = condition.as<uint8_t>()[c] & 1 ? a : b;
    if (out.undefined)
      out.undefined.data()[i] = condition.mark(c) | from.mark(i);
    switch (size) {
    case 4:
      out.as<uint32_t>()[i] = from.as<uint32_t>()[i];
      break;
    case 2:
      out.as<uint16_t>()[i] = from.as<uint16_t>()[i];
      break;
    case 8:
      out.as<uint64_t>()[i] = from.as<uint64_t>()[i];
      break;
    default:
      out.as<uint8_t>()[i] = from.as<uint8_t>()[i];
    }
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// f of the elements of N operands, in f32 or f64.
template <unsigned N, typename F>
static void floats(Agent &agent, const Step &step, F f) {
  Tile *in[N];
  for (unsigned k = 0; k < N; ++k)
    in[k] = &agent.in(step, k);
  Tile &out = agent.make(step);
  const int64_t n = out.count;
  if (out.kind == Kind::F64) {
    for (int64_t i = 0; i < n; ++i)
      out.template as<double>()[i] =
          [&]<size_t... k>(std::index_sequence<k...>) {
            return f(in[k]->template as<double>()[i]...);
          }(std::make_index_sequence<N>());
  } else {
    const float *x[N];
    Buffer wide[N];
    for (unsigned k = 0; k < N; ++k) {
      if (in[k]->kind != Kind::F32) {
        wide[k] = Buffer(n * sizeof(float));
        widen(*in[k], reinterpret_cast<float *>(wide[k].data()));
        x[k] = reinterpret_cast<float *>(wide[k].data());
      } else {
        x[k] = in[k]->template as<float>();
      }
    }
    Buffer result;
    float *z = out.as<float>();
    if (out.kind != Kind::F32) {
      result = Buffer(n * sizeof(float));
      z = reinterpret_cast<float *>(result.data());
    }
    [&]<size_t... k>(std::index_sequence<k...>) {
      for (int64_t i = 0; i < n; ++i)
        z[i] = f(x[k][i]...);
    }(std::make_index_sequence<N>());
    if (out.kind != Kind::F32)
      narrow(z, out);
  }
  joinMarks(agent, step);
}

template <typename T> static T maximum(T a, T b, bool number) {
  if (std::isnan(a) || std::isnan(b))
    return number ? (std::isnan(a) ? b : a)
                  : std::numeric_limits<T>::quiet_NaN();
  return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
template <typename T> static T minimum(T a, T b, bool number) {
  return -maximum(-a, -b, number);
}

template <double (*F)(double)>
static void function(Agent &agent, const Step &step) {
  floats<1>(agent, step, [](auto x) { return static_cast<decltype(x)>(F(x)); });
}
static double rsqrt(double x) { return 1.0 / std::sqrt(x); }

static void clamp(Agent &agent, const Step &step) {
  bool nan = cast<ClampFOp>(step.op).getPropagateNan() == PropagateNan::All;
  floats<3>(agent, step, [nan](auto x, auto low, auto high) {
    if (nan && std::isnan(x))
      return x;
    return minimum(maximum(x, low, true), high, true);
  });
}

static void fusedMultiplyAdd(Agent &agent, const Step &step) {
  // Of f16 and bf16: product and sum are exact in f64, or within half an ulp.
  floats<3>(agent, step,
            [](auto x, auto y, auto z) { return std::fma(x, y, z); });
}

static void compareFloats(Agent &agent, const Step &step) {
  using P = arith::CmpFPredicate;
  unsigned predicate =
      static_cast<unsigned>(cast<arith::CmpFOp>(step.op).getPredicate());
  Tile &a = agent.in(step, 0), &b = agent.in(step, 1);
  Tile &out = agent.make(step);
  static_assert(
      static_cast<int>(P::OEQ) == 1 && static_cast<int>(P::OGT) == 2 &&
      static_cast<int>(P::OLT) == 4 && static_cast<int>(P::UNO) == 14);
  // Equal, greater, less, unordered: which of them make it true.
  static constexpr uint8_t truth[16] = {0, 1,  2,  3,  4,  5,  6, 7,
                                        9, 10, 11, 12, 13, 14, 8, 15};
  uint8_t mask = truth[predicate];
  auto fill = [&](const auto *x, const auto *y) {
    for (int64_t i = 0; i < out.count; ++i) {
      uint8_t is = x[i] == y[i] ? 1 : x[i] > y[i] ? 2 : x[i] < y[i] ? 4 : 8;
      out.as<uint8_t>()[i] = (is & mask) != 0;
    }
  };
  if (a.kind == Kind::F64) {
    fill(a.as<double>(), b.as<double>());
  } else {
    Buffer x(a.count * sizeof(float)), y(a.count * sizeof(float));
    widen(a, reinterpret_cast<float *>(x.data()));
    widen(b, reinterpret_cast<float *>(y.data()));
    fill(reinterpret_cast<const float *>(x.data()),
         reinterpret_cast<const float *>(y.data()));
  }
  joinMarks(agent, step);
}

//===----------------------------------------------------------------------===//
// Device functions by name
//===----------------------------------------------------------------------===//

static double quotient(double x, double y) { return x / y; }
static double power10(double x) { return std::pow(10.0, x); }

static void external(Agent &agent, const Step &step) {
  auto op = cast<ExternElementwiseOp>(step.op);
  auto function = findDeviceFunction(op.getSymbol());
  StringRef name = function ? function->name : StringRef();
  if (function && function->isTest) {
    Tile &in = agent.in(step);
    Tile &out = agent.make(step);
    for (int64_t i = 0; i < out.count; ++i) {
      double x = in.getFloat(i);
      out.setInteger(i, name == "isnan"     ? std::isnan(x)
                        : name == "isinf"   ? std::isinf(x)
                        : name == "signbit" ? std::signbit(x)
                                            : std::isfinite(x));
    }
    return joinMarks(agent, step);
  }
  using One = double (*)(double);
  using Two = double (*)(double, double);
  auto one = llvm::StringSwitch<One>(name)
                 .Case("asin", std::asin)
                 .Case("acos", std::acos)
                 .Case("atan", std::atan)
                 .Case("sinh", std::sinh)
                 .Case("cosh", std::cosh)
                 .Case("tanh", std::tanh)
                 .Case("asinh", std::asinh)
                 .Case("acosh", std::acosh)
                 .Case("atanh", std::atanh)
                 .Cases({"sin", "fast_sin"}, std::sin)
                 .Cases({"cos", "fast_cos"}, std::cos)
                 .Case("tan", std::tan)
                 .Cases({"exp", "fast_exp"}, std::exp)
                 .Case("exp2", std::exp2)
                 .Case("exp10", power10)
                 .Case("expm1", std::expm1)
                 .Cases({"log", "fast_log"}, std::log)
                 .Cases({"log2", "fast_log2"}, std::log2)
                 .Cases({"log10", "fast_log10"}, std::log10)
                 .Case("log1p", std::log1p)
                 .Case("sqrt", std::sqrt)
                 .Case("rsqrt", rsqrt)
                 .Case("cbrt", std::cbrt)
                 .Case("erf", std::erf)
                 .Case("erfc", std::erfc)
                 .Case("tgamma", std::tgamma)
                 .Case("lgamma", std::lgamma)
                 .Cases({"rint", "nearbyint"}, std::nearbyint)
                 .Case("round", std::round)
                 .Case("trunc", std::trunc)
                 .Case("floor", std::floor)
                 .Case("ceil", std::ceil)
                 .Case("fabs", std::fabs)
                 .Default(nullptr);
  if (one)
    return floats<1>(agent, step,
                     [=](auto x) { return static_cast<decltype(x)>(one(x)); });
  if (name == "nextafter") // The next of its own type.
    return floats<2>(agent, step,
                     [](auto x, auto y) { return std::nextafter(x, y); });
  if (name == "fma")
    return fusedMultiplyAdd(agent, step);
  auto two = llvm::StringSwitch<Two>(name)
                 .Case("pow", std::pow)
                 .Case("atan2", std::atan2)
                 .Case("fmod", std::fmod)
                 .Case("fmax", std::fmax)
                 .Case("fmin", std::fmin)
                 .Case("hypot", std::hypot)
                 .Case("copysign", std::copysign)
                 .Case("fdim", std::fdim)
                 .Case("div", quotient)
                 .Default(nullptr);
  if (!two)
    agent.fail(step, Code::NotSupportedYet,
               "the device function " + op.getSymbol().str() +
                   " is not simulated",
               "docs/triton.md lists what is simulated");
  floats<2>(agent, step, [=](auto x, auto y) {
    return static_cast<decltype(x)>(two(x, y));
  });
}

void titan::tt::addElementwise(Table &table) {
  table["arith.addi"] = integers<Add>;
  table["arith.subi"] = integers<Sub>;
  table["arith.muli"] = integers<Mul>;
  table["arith.andi"] = logical<And, false>;
  table["arith.ori"] = logical<Or, true>;
  table["arith.xori"] = integers<Xor>;
  table["arith.shli"] = partial<Shl, byWidth>;
  table["arith.shrui"] = partial<ShrU, byWidth>;
  table["arith.shrsi"] = partial<ShrS, byWidth>;
  table["arith.maxsi"] = signedOrder<MaxS, MinU>;
  table["arith.minsi"] = signedOrder<MinS, MaxU>;
  table["arith.maxui"] = integers<MaxU>;
  table["arith.minui"] = integers<MinU>;
  table["arith.divsi"] = partial<DivS, noSigned>;
  table["arith.divui"] = partial<DivU, byZero>;
  table["arith.remsi"] = partial<RemS, noSigned>;
  table["arith.remui"] = partial<RemU, byZero>;
  table["tt.mulhiui"] = integers<MulHi>;
  table["math.absi"] = absolute;
  table["arith.cmpi"] = compareIntegers;
  table["arith.cmpf"] = compareFloats;
  table["arith.select"] = select;

  auto add = [&](StringRef name, Execute run) { table[name] = run; };
  add("arith.addf", [](Agent &a, const Step &s) {
    floats<2>(a, s, [](auto x, auto y) { return x + y; });
  });
  add("arith.subf", [](Agent &a, const Step &s) {
    floats<2>(a, s, [](auto x, auto y) { return x - y; });
  });
  add("arith.mulf", [](Agent &a, const Step &s) {
    floats<2>(a, s, [](auto x, auto y) { return x * y; });
  });
  for (StringRef name : {"arith.divf", "tt.precise_divf"})
    add(name, [](Agent &a, const Step &s) {
      floats<2>(a, s, [](auto x, auto y) { return x / y; });
    });
  add("arith.remf", [](Agent &a, const Step &s) {
    floats<2>(a, s, [](auto x, auto y) { return std::fmod(x, y); });
  });
  add("arith.negf", [](Agent &a, const Step &s) {
    floats<1>(a, s, [](auto x) { return -x; });
  });
  add("arith.maximumf", [](Agent &a, const Step &s) {
    floats<2>(a, s, [](auto x, auto y) { return maximum(x, y, false); });
  });
  add("arith.minimumf", [](Agent &a, const Step &s) {
    floats<2>(a, s, [](auto x, auto y) { return minimum(x, y, false); });
  });
  add("arith.maxnumf", [](Agent &a, const Step &s) {
    floats<2>(a, s, [](auto x, auto y) { return maximum(x, y, true); });
  });
  add("arith.minnumf", [](Agent &a, const Step &s) {
    floats<2>(a, s, [](auto x, auto y) { return minimum(x, y, true); });
  });
  for (StringRef name : {"math.sqrt", "tt.precise_sqrt"})
    add(name, [](Agent &a, const Step &s) {
      floats<1>(a, s, [](auto x) { return std::sqrt(x); });
    });
  table["math.fma"] = fusedMultiplyAdd;
  table["tt.clampf"] = clamp;
  table["math.exp"] = function<std::exp>;
  table["math.exp2"] = function<std::exp2>;
  table["math.log"] = function<std::log>;
  table["math.log2"] = function<std::log2>;
  table["math.sin"] = function<std::sin>;
  table["math.cos"] = function<std::cos>;
  table["math.tanh"] = function<std::tanh>;
  table["math.erf"] = function<std::erf>;
  table["math.rsqrt"] = function<rsqrt>;
  table["math.absf"] = function<std::fabs>;
  table["math.floor"] = function<std::floor>;
  table["math.ceil"] = function<std::ceil>;
  table["tt.extern_elementwise"] = external;
}
