//===- IterDomain.cpp - Iteration domains and their transformations -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/IterDomain.h"

#include "titan/Domain/Theorems.h"

#include <algorithm>

using namespace titan;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static Problem invalid(const std::string &why) {
  return {"domain-invalid", why};
}

/// What is wrong with an extent.
static std::optional<Problem> checkExtent(const std::string &name,
                                          const Expr &extent) {
  if (extent.isUndefined() && extent.size() <= Expr::maxSize)
    return invalid("the extent " + extent.str() + " of domain " + name +
                   " has no value: a division by 0, or more than 64 bits");
  if (extent.size() > Expr::maxSize)
    return invalid("the extent of domain " + name + " is an expression of " +
                   std::to_string(extent.size()) + " terms, more than " +
                   std::to_string(Expr::maxSize));
  if (auto known = extent.constant(); known && *known < 1)
    return invalid("domain " + name + " has the extent " +
                   std::to_string(*known));
  return std::nullopt;
}

std::optional<Problem> DomainGraph::checkExtents() const {
  for (const IterDomain &d : domains)
    if (!d.removed)
      if (auto problem = checkExtent(d.name, d.extent))
        return problem;
  return std::nullopt;
}

DomainId DomainGraph::add(Expr extent, int producer) {
  DomainId id = size();
  domains.push_back({"I" + std::to_string(id), std::move(extent), producer});
  return id;
}

std::optional<Problem> DomainGraph::checkFree(DomainId id) const {
  if (id < 0 || id >= size() || domains[id].removed)
    return invalid("there is no domain " + std::to_string(id));
  if (domains[id].consumer >= 0)
    return invalid("domain " + domains[id].name + " is used already");
  return std::nullopt;
}

DomainId DomainGraph::root(Expr extent, std::string name) {
  DomainId id = add(std::move(extent), -1);
  if (!name.empty())
    domains[id].name = std::move(name);
  return id;
}

Result<std::pair<DomainId, DomainId>>
DomainGraph::split(DomainId in, const Expr &factor, bool inner) {
  if (auto problem = checkFree(in))
    return *problem;
  if (auto f = factor.constant(); f && *f < 1)
    return invalid("domain " + domains[in].name + " is split by " +
                   std::to_string(*f));
  int expr = static_cast<int>(expressions.size());
  Expr other = ceilDiv(domains[in].extent, factor);
  if (factor.isUndefined())
    return invalid("domain " + domains[in].name +
                   " is split by what has no value: a division by 0, or more "
                   "than 64 bits");
  DomainId outer = add(inner ? other : factor, expr);
  DomainId innerId = add(inner ? factor : other, expr);
  DomainExpr made{DomainExpr::Kind::Split};
  made.in[0] = in;
  made.out[0] = outer;
  made.out[1] = innerId;
  made.factor = factor;
  made.innerFactor = inner;
  expressions.push_back(made);
  domains[in].consumer = expr;
  return std::pair{outer, innerId};
}

Result<std::pair<DomainId, DomainId>>
DomainGraph::splitInner(DomainId in, const Expr &factor) {
  return split(in, factor, true);
}

Result<std::pair<DomainId, DomainId>>
DomainGraph::splitOuter(DomainId in, const Expr &factor) {
  return split(in, factor, false);
}

Result<DomainId> DomainGraph::merge(DomainId outer, DomainId inner) {
  for (DomainId id : {outer, inner})
    if (auto problem = checkFree(id))
      return *problem;
  if (outer == inner)
    return invalid("domain " + domains[outer].name + " is merged with itself");
  Expr extent = domains[outer].extent * domains[inner].extent;
  if (extent.isUndefined())
    return invalid("the merge of " + str(outer) + " and " + str(inner) +
                   " has an extent of more than 64 bits");
  int expr = static_cast<int>(expressions.size());
  DomainId out = add(extent, expr);
  DomainExpr made{DomainExpr::Kind::Merge};
  made.in[0] = outer;
  made.in[1] = inner;
  made.out[0] = out;
  expressions.push_back(made);
  domains[outer].consumer = domains[inner].consumer = expr;
  return out;
}

Result<DomainId> DomainGraph::resize(DomainId in, int64_t left, int64_t right) {
  if (auto problem = checkFree(in))
    return *problem;
  constexpr int64_t limit = int64_t(1) << 40;
  if (left < -limit || left > limit || right < -limit || right > limit)
    return invalid("a resize by more than 2^40");
  Expr extent = domains[in].extent + Expr(left) + Expr(right);
  if (auto known = extent.constant(); known && *known < 1)
    return invalid("domain " + domains[in].name + " is resized to " +
                   std::to_string(*known));
  int expr = static_cast<int>(expressions.size());
  DomainId out = add(extent, expr);
  DomainExpr made{DomainExpr::Kind::Resize};
  made.in[0] = in;
  made.out[0] = out;
  made.left = left;
  made.right = right;
  expressions.push_back(made);
  domains[in].consumer = expr;
  return out;
}

Result<std::pair<DomainId, DomainId>> DomainGraph::swizzle(DomainId x,
                                                           DomainId y) {
  for (DomainId id : {x, y})
    if (auto problem = checkFree(id))
      return *problem;
  if (x == y)
    return invalid("domain " + domains[x].name + " is swizzled with itself");
  auto nx = domains[x].extent.constant(), ny = domains[y].extent.constant();
  if (!nx || !ny || *ny < 1 || (*ny & (*ny - 1)) != 0 || *nx > *ny)
    return invalid("the swizzle of " + domains[x].name + "{" +
                   domains[x].extent.str() + "} and " + domains[y].name + "{" +
                   domains[y].extent.str() +
                   "}: the second extent is a known power of two, the first "
                   "known and not larger");
  int expr = static_cast<int>(expressions.size());
  DomainId outX = add(domains[x].extent, expr);
  DomainId outY = add(domains[y].extent, expr);
  DomainExpr made{DomainExpr::Kind::Swizzle};
  made.in[0] = x;
  made.in[1] = y;
  made.out[0] = outX;
  made.out[1] = outY;
  expressions.push_back(made);
  domains[x].consumer = domains[y].consumer = expr;
  return std::pair{outX, outY};
}

Result<std::pair<DomainId, DomainId>> DomainGraph::window(DomainId in,
                                                          int64_t filter,
                                                          int64_t stride,
                                                          int64_t dilation) {
  if (auto problem = checkFree(in))
    return *problem;
  constexpr int64_t limit = int64_t(1) << 20;
  for (auto [what, n] : {std::pair{"filter", filter},
                         {"stride", stride},
                         {"dilation", dilation}})
    if (n < 1 || n > limit)
      return invalid("a window's " + std::string(what) + " of " +
                     std::to_string(n) + " is not in 1 .. 2^20");
  int64_t reach = (filter - 1) * dilation + 1; // From its first to its last.
  if (auto known = domains[in].extent.constant(); known && *known < reach)
    return invalid("a window of " + std::to_string(reach) +
                   " elements does not fit into domain " + str(in));
  int expr = static_cast<int>(expressions.size());
  DomainId windows =
      add((domains[in].extent - Expr(reach)) / Expr(stride) + Expr(1), expr);
  DomainId element = add(filter, expr);
  DomainExpr made{DomainExpr::Kind::Window};
  made.in[0] = in;
  made.out[0] = windows;
  made.out[1] = element;
  made.filter = filter;
  made.stride = stride;
  made.dilation = dilation;
  expressions.push_back(made);
  domains[in].consumer = expr;
  return std::pair{windows, element};
}

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

std::vector<DomainId> DomainGraph::roots() const {
  std::vector<DomainId> result;
  for (DomainId id = 0; id < size(); ++id)
    if (!domains[id].removed && domains[id].producer < 0)
      result.push_back(id);
  return result;
}

std::vector<DomainId> DomainGraph::leaves() const {
  std::vector<DomainId> result;
  std::vector<bool> listed(domains.size(), false);
  auto list = [&](DomainId id) {
    if (!listed[id] && !domains[id].removed && domains[id].consumer < 0)
      result.push_back(id);
    listed[id] = true;
  };
  for (DomainId id : order)
    list(id);
  for (DomainId id = 0; id < size(); ++id)
    list(id);
  return result;
}

std::optional<Problem>
DomainGraph::reorder(const std::vector<DomainId> &first) {
  std::vector<bool> named(domains.size(), false);
  for (DomainId id : first) {
    if (auto problem = checkFree(id))
      return problem;
    if (named[id])
      return invalid("domain " + domains[id].name +
                     " is named twice in an order");
    named[id] = true;
  }
  std::vector<DomainId> all = first;
  for (DomainId id : leaves())
    if (!named[id])
      all.push_back(id);
  order = std::move(all);
  return std::nullopt;
}

std::optional<Problem> DomainGraph::rename(DomainId id, std::string name) {
  if (id < 0 || id >= size() || domains[id].removed)
    return invalid("there is no domain " + std::to_string(id));
  domains[id].name = std::move(name);
  return std::nullopt;
}

std::optional<DomainId> DomainGraph::find(std::string_view name) const {
  for (DomainId id = 0; id < size(); ++id)
    if (!domains[id].removed && domains[id].name == name)
      return id;
  return std::nullopt;
}

std::string DomainGraph::str(DomainId id) const {
  return domains[id].name + "{" + domains[id].extent.str() + "}";
}

std::string DomainGraph::str(const DomainExpr &e, bool extents) const {
  auto name = [&](DomainId id) { return extents ? str(id) : domains[id].name; };
  auto number = [](int64_t n) { return std::to_string(n); };
  std::string text =
      name(e.out[0]) + (e.out[1] >= 0 ? ", " + name(e.out[1]) : "") + " = ";
  std::string in = "(" + name(e.in[0]) + ", ";
  switch (e.kind) {
  case DomainExpr::Kind::Split:
    return text + "split" + in +
           (!e.innerFactor ? "outer "
            : extents      ? "inner "
                           : "") +
           e.factor.str() + ")";
  case DomainExpr::Kind::Merge:
    return text + "merge" + in + name(e.in[1]) + ")";
  case DomainExpr::Kind::Resize:
    return text + "resize" + in + number(e.left) + ", " + number(e.right) + ")";
  case DomainExpr::Kind::Swizzle:
    return text + "swizzle" + in + name(e.in[1]) + ")";
  case DomainExpr::Kind::Window:
    return text + "window" + in + number(e.filter) + ", stride " +
           number(e.stride) + ", dilation " + number(e.dilation) + ")";
  }
  return "";
}

std::string DomainGraph::str() const {
  std::string text;
  for (const DomainExpr &e : expressions)
    if (!e.removed)
      text += str(e) + "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

namespace {
/// Arithmetic on numbers that has no value where 64 bits do not hold it.
struct Numbers {
  using Value = std::optional<int64_t>;
  static Value add(Value a, Value b) {
    int64_t r;
    if (!a || !b || __builtin_add_overflow(*a, *b, &r))
      return std::nullopt;
    return r;
  }
  static Value mul(Value a, Value b) {
    int64_t r;
    if (!a || !b || __builtin_mul_overflow(*a, *b, &r))
      return std::nullopt;
    return r;
  }
  static Value div(Value a, Value b) {
    if (!a || !b || *b < 1)
      return std::nullopt;
    return euclidDiv(*a, *b);
  }
  static Value mod(Value a, Value b) {
    if (!a || !b || *b < 1)
      return std::nullopt;
    return euclidMod(*a, *b);
  }
  static Value bitXor(Value a, Value b) {
    if (!a || !b)
      return std::nullopt;
    return *a ^ *b;
  }
  static Value shift(Value a, int64_t by) { return add(a, by); }
};

struct Expressions {
  using Value = std::optional<Expr>;
  static Value add(const Value &a, const Value &b) { return *a + *b; }
  static Value mul(const Value &a, const Value &b) { return *a * *b; }
  static Value div(const Value &a, const Value &b) { return *a / *b; }
  static Value mod(const Value &a, const Value &b) { return *a % *b; }
  static Value bitXor(const Value &a, const Value &b) { return *a ^ *b; }
  static Value shift(const Value &a, int64_t by) { return *a + Expr(by); }
};
} // namespace

/// Applies the expressions in both directions until nothing new follows.
template <typename Ops>
static void propagate(const std::vector<DomainExpr> &expressions,
                      const std::vector<typename Ops::Value> &extents,
                      std::vector<typename Ops::Value> &v) {
  using Value = typename Ops::Value;
  bool changed = true;
  auto set = [&](DomainId id, Value value) {
    if (v[id] || !value)
      return;
    v[id] = std::move(value);
    changed = true;
  };
  while (changed) {
    changed = false;
    for (const DomainExpr &e : expressions) {
      if (e.removed)
        continue;
      DomainId a = e.in[0], b = e.in[1], p = e.out[0], q = e.out[1];
      switch (e.kind) {
      case DomainExpr::Kind::Split:
        if (v[p] && v[q] && !v[a])
          set(a, Ops::add(Ops::mul(v[p], extents[q]), v[q]));
        if (v[a] && !v[p])
          set(p, Ops::div(v[a], extents[q]));
        if (v[a] && !v[q])
          set(q, Ops::mod(v[a], extents[q]));
        break;
      case DomainExpr::Kind::Merge:
        if (v[a] && v[b] && !v[p])
          set(p, Ops::add(Ops::mul(v[a], extents[b]), v[b]));
        if (v[p] && !v[a])
          set(a, Ops::div(v[p], extents[b]));
        if (v[p] && !v[b])
          set(b, Ops::mod(v[p], extents[b]));
        break;
      case DomainExpr::Kind::Resize:
        if (v[a] && !v[p])
          set(p, Ops::shift(v[a], e.left));
        if (v[p] && !v[a])
          set(a, Ops::shift(v[p], -e.left));
        break;
      case DomainExpr::Kind::Swizzle:
        set(p, v[a]);
        set(a, v[p]);
        if (v[a] && v[b] && !v[q])
          set(q, Ops::bitXor(v[a], v[b]));
        if (v[p] && v[q] && !v[b])
          set(b, Ops::bitXor(v[p], v[q]));
        if (v[b] && v[q] && !v[a])
          set(a, Ops::bitXor(v[b], v[q]));
        break;
      case DomainExpr::Kind::Window:
        if (v[p] && v[q] && !v[a])
          set(a,
              Ops::add(Ops::mul(v[p], e.stride), Ops::mul(v[q], e.dilation)));
        break;
      }
    }
  }
}

DomainValues DomainGraph::values(DomainValues known,
                                 const Expr::Bindings &bindings) const {
  known.resize(size());
  std::vector<std::optional<int64_t>> extents;
  extents.reserve(domains.size());
  for (const IterDomain &d : domains)
    extents.push_back(d.extent.evaluate(bindings));
  propagate<Numbers>(expressions, extents, known);
  return known;
}

DomainIndices DomainGraph::indices(DomainIndices known) const {
  known.resize(size());
  std::vector<std::optional<Expr>> extents;
  extents.reserve(domains.size());
  for (const IterDomain &d : domains)
    extents.push_back(d.extent);
  propagate<Expressions>(expressions, extents, known);
  return known;
}

//===----------------------------------------------------------------------===//
// Holes
//===----------------------------------------------------------------------===//

Tri DomainGraph::createsHoles(const DomainExpr &expr) const {
  switch (expr.kind) {
  case DomainExpr::Kind::Split:
    switch (isMultiple(domains[expr.in[0]].extent, expr.factor)) {
    case Tri::Yes:
      return Tri::No;
    case Tri::No:
      return Tri::Yes;
    case Tri::Unknown:
      return Tri::Unknown;
    }
    return Tri::Unknown;
  case DomainExpr::Kind::Resize:
    return triOf(expr.left > 0 || expr.right > 0);
  case DomainExpr::Kind::Merge:
  case DomainExpr::Kind::Swizzle:
  case DomainExpr::Kind::Window:
    return Tri::No;
  }
  return Tri::Unknown;
}

namespace {
/// What follows from domains that are in bounds.
class Bounded {
public:
  explicit Bounded(const DomainGraph &graph) : graph(graph) {
    for (const DomainExpr &e : graph.exprs())
      if (!e.removed)
        for (Implication &rule : predicateThrough(graph, e))
          rules.push_back(std::move(rule));
  }

  std::vector<bool> operator()(const std::vector<DomainId> &given) const {
    std::vector<bool> inside(graph.size(), false);
    for (DomainId id = 0; id < graph.size(); ++id)
      inside[id] = graph[id].removed || graph[id].consumer < 0;
    for (DomainId id : given)
      inside[id] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Implication &rule : rules)
        if (!inside[rule.conclusion] &&
            std::all_of(rule.premises.begin(), rule.premises.end(),
                        [&](DomainId id) { return inside[id]; })) {
          inside[rule.conclusion] = true;
          changed = true;
        }
    }
    return inside;
  }

private:
  const DomainGraph &graph;
  std::vector<Implication> rules;
};
} // namespace

std::vector<bool>
DomainGraph::impliedInBounds(const std::vector<DomainId> &given) const {
  return Bounded(*this)(given);
}

std::vector<DomainId>
DomainGraph::withoutImplied(std::vector<DomainId> given) const {
  Bounded implied(*this);
  for (size_t i = given.size(); i-- > 0;) {
    std::vector<DomainId> rest = given;
    rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
    if (implied(rest)[given[i]])
      given = std::move(rest);
  }
  return given;
}

std::vector<DomainId> DomainGraph::predicates() const {
  // Leaves in bounds and no hole made on the way: then all are in bounds. So
  // the inputs of the hole-making expressions suffice; drop, from the leaves
  // on, those that follow from the rest.
  std::vector<DomainId> needed;
  for (const DomainExpr &e : expressions)
    if (!e.removed && createsHoles(e) != Tri::No)
      needed.push_back(e.in[0]);
  return withoutImplied(std::move(needed));
}

//===----------------------------------------------------------------------===//
// Equivalences
//===----------------------------------------------------------------------===//

const DomainExpr *DomainGraph::consumerOf(DomainId id,
                                          DomainExpr::Kind kind) const {
  if (id < 0 || id >= size() || domains[id].removed || domains[id].consumer < 0)
    return nullptr;
  const DomainExpr &e = expressions[domains[id].consumer];
  return e.kind == kind ? &e : nullptr;
}

/// Makes `by` what `of` was to its consumer, and removes `of`.
void DomainGraph::takePlace(DomainId of, DomainId by) {
  int consumer = domains[of].consumer;
  domains[by].consumer = consumer;
  if (consumer >= 0)
    for (DomainId &in : expressions[consumer].in)
      if (in == of)
        in = by;
  domains[of].removed = true;
  std::replace(order.begin(), order.end(), of, by);
}

bool DomainGraph::rotateRight(DomainId d) {
  const DomainExpr *first = consumerOf(d, DomainExpr::Kind::Split);
  if (!first || !first->innerFactor)
    return false;
  DomainId x = first->out[0];
  const DomainExpr *second = consumerOf(x, DomainExpr::Kind::Split);
  if (!second || !second->innerFactor)
    return false;
  DomainExpr &upper = expressions[domains[d].consumer];
  DomainExpr &lower = expressions[domains[x].consumer];
  DomainId i = upper.out[1], o = lower.out[0], j = lower.out[1];
  Expr n = upper.factor, m = lower.factor;
  upper.factor = m * n;
  upper.out[0] = o;
  upper.out[1] = x;
  lower.factor = n;
  lower.out[0] = j;
  lower.out[1] = i;
  domains[x].extent = m * n;
  std::swap(domains[o].producer, domains[i].producer);
  domains[o].extent = ceilDiv(domains[d].extent, m * n);
  return true;
}

bool DomainGraph::rotateLeft(DomainId d) {
  const DomainExpr *first = consumerOf(d, DomainExpr::Kind::Split);
  if (!first || !first->innerFactor)
    return false;
  DomainId x = first->out[1];
  const DomainExpr *second = consumerOf(x, DomainExpr::Kind::Split);
  if (!second || !second->innerFactor ||
      canRotateLeft(first->factor, second->factor) != Tri::Yes)
    return false;
  DomainExpr &upper = expressions[domains[d].consumer];
  DomainExpr &lower = expressions[domains[x].consumer];
  DomainId o = upper.out[0], j = lower.out[0], i = lower.out[1];
  Expr box = upper.factor, n = lower.factor;
  upper.factor = n;
  upper.out[0] = x;
  upper.out[1] = i;
  lower.factor = ceilDiv(box, n);
  lower.out[0] = o;
  lower.out[1] = j;
  domains[x].extent = ceilDiv(domains[d].extent, n);
  std::swap(domains[o].producer, domains[i].producer);
  domains[o].extent = ceilDiv(domains[x].extent, lower.factor);
  domains[j].extent = lower.factor;
  return true;
}

bool DomainGraph::splitBeforeMerge(DomainId m) {
  if (m < 0 || m >= size() || domains[m].removed || domains[m].producer < 0)
    return false;
  DomainExpr &merged = expressions[domains[m].producer];
  if (merged.kind != DomainExpr::Kind::Merge ||
      !consumerOf(m, DomainExpr::Kind::Split))
    return false;
  DomainExpr &cut = expressions[domains[m].consumer];
  DomainId a = merged.in[0], b = merged.in[1], o = cut.out[0], i = cut.out[1];
  // n is the inner extent, however the split was written.
  Expr n = domains[i].extent;
  Expr outer = domains[a].extent * ceilDiv(domains[b].extent, n);
  if (mergeThenSplitIsSplitThenMerge(domains[b].extent, n) != Tri::Yes ||
      (!cut.innerFactor && areEqual(domains[o].extent, outer) != Tri::Yes))
    return false;
  int mergeIndex = domains[m].producer, splitIndex = domains[m].consumer;
  // m becomes b's outer half: split(b) = (m, i), merge(a, m) = o.
  cut.in[0] = b;
  cut.out[0] = m;
  cut.factor = n;
  cut.innerFactor = true;
  merged.in[1] = m;
  merged.out[0] = o;
  domains[b].consumer = splitIndex;
  domains[m].producer = splitIndex;
  domains[m].consumer = mergeIndex;
  domains[o].producer = mergeIndex;
  domains[m].extent = ceilDiv(domains[b].extent, n);
  domains[o].extent = domains[a].extent * domains[m].extent;
  return true;
}

bool DomainGraph::mergeBeforeSplit(DomainId b) {
  const DomainExpr *cutIt = consumerOf(b, DomainExpr::Kind::Split);
  if (!cutIt)
    return false;
  DomainId half = cutIt->out[0], i = cutIt->out[1];
  const DomainExpr *mergeIt = consumerOf(half, DomainExpr::Kind::Merge);
  if (!mergeIt || mergeIt->in[1] != half || createsHoles(*cutIt) != Tri::No)
    return false;
  int splitIndex = domains[b].consumer, mergeIndex = domains[half].consumer;
  DomainExpr &cut = expressions[splitIndex];
  DomainExpr &merged = expressions[mergeIndex];
  DomainId a = merged.in[0], o = merged.out[0];
  Expr n = domains[i].extent;
  merged.in[1] = b;
  merged.out[0] = half;
  cut.in[0] = half;
  cut.out[0] = o;
  cut.factor = n;
  cut.innerFactor = true;
  domains[b].consumer = mergeIndex;
  domains[half].producer = mergeIndex;
  domains[half].consumer = splitIndex;
  domains[o].producer = splitIndex;
  domains[half].extent = domains[a].extent * domains[b].extent;
  domains[o].extent = ceilDiv(domains[half].extent, n);
  return true;
}

bool DomainGraph::removeMergeSplit(DomainId m) {
  if (m < 0 || m >= size() || domains[m].removed || domains[m].producer < 0)
    return false;
  DomainExpr &merged = expressions[domains[m].producer];
  if (merged.kind != DomainExpr::Kind::Merge ||
      !consumerOf(m, DomainExpr::Kind::Split))
    return false;
  DomainExpr &cut = expressions[domains[m].consumer];
  DomainId a = merged.in[0], b = merged.in[1];
  if (areEqual(cut.factor, domains[cut.innerFactor ? b : a].extent) != Tri::Yes)
    return false;
  merged.removed = cut.removed = true;
  domains[m].removed = true;
  takePlace(cut.out[0], a);
  takePlace(cut.out[1], b);
  return true;
}

bool DomainGraph::removeSplitMerge(DomainId d) {
  const DomainExpr *cutIt = consumerOf(d, DomainExpr::Kind::Split);
  if (!cutIt || createsHoles(*cutIt) != Tri::No)
    return false;
  DomainId o = cutIt->out[0], i = cutIt->out[1];
  const DomainExpr *mergeIt = consumerOf(o, DomainExpr::Kind::Merge);
  if (!mergeIt || mergeIt->in[0] != o || mergeIt->in[1] != i)
    return false;
  DomainExpr &cut = expressions[domains[d].consumer];
  DomainExpr &merged = expressions[domains[o].consumer];
  cut.removed = merged.removed = true;
  domains[o].removed = domains[i].removed = true;
  takePlace(merged.out[0], d);
  return true;
}

bool titan::sameFunction(const DomainGraph &a, const DomainGraph &b,
                         const std::vector<DomainId> &leavesOfA,
                         const std::vector<DomainId> &leavesOfB,
                         bool validOnly) {
  std::vector<DomainId> rootsOfA = a.roots(), rootsOfB = b.roots();
  if (leavesOfA.size() != leavesOfB.size() ||
      rootsOfA.size() != rootsOfB.size())
    return false;
  for (size_t k = 0; k < rootsOfA.size(); ++k)
    if (areEqual(a[rootsOfA[k]].extent, b[rootsOfB[k]].extent) != Tri::Yes)
      return false;
  std::vector<int64_t> counts;
  for (size_t k = 0; k < leavesOfA.size(); ++k) {
    auto n = a[leavesOfA[k]].extent.constant();
    if (!n ||
        areEqual(a[leavesOfA[k]].extent, b[leavesOfB[k]].extent) != Tri::Yes)
      return false;
    counts.push_back(*n);
  }
  auto valid = [](const DomainGraph &g, const DomainValues &v) {
    for (DomainId id = 0; id < g.size(); ++id)
      if (!g[id].removed && !(v[id] && *v[id] >= 0 &&
                              *v[id] < g[id].extent.constant().value_or(0)))
        return false;
    return true;
  };
  std::vector<int64_t> at(counts.size(), 0);
  while (true) {
    DomainValues va(a.size()), vb(b.size());
    for (size_t k = 0; k < at.size(); ++k)
      va[leavesOfA[k]] = vb[leavesOfB[k]] = at[k];
    va = a.values(va);
    vb = b.values(vb);
    bool compare = true;
    if (validOnly) {
      compare = valid(a, va);
      if (compare != valid(b, vb))
        return false;
    }
    for (size_t k = 0; compare && k < rootsOfA.size(); ++k)
      if (!va[rootsOfA[k]] || va[rootsOfA[k]] != vb[rootsOfB[k]])
        return false;
    size_t k = 0;
    while (k < at.size() && ++at[k] == counts[k])
      at[k++] = 0;
    if (k == at.size())
      return true;
  }
}
