//===- TmaScheduleWriter.cpp - Schedules to text --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written is read again and compared, so that no text says another
// schedule than was meant.
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TmaScheduleText.h"

#include <algorithm>
#include <map>

using namespace titan;

static Problem unsayable(const std::string &why) {
  return {"schedule-text", "no text in the IR says this schedule: " + why};
}

/// The lists of a schedule: the word and the domains.
static std::vector<std::pair<const char *, const std::vector<DomainId> &>>
listsOf(const TmaSchedule &s) {
  return {{"bulk", s.bulk}, {"shared", s.shared}, {"map", s.tmaDomain}};
}

/// Domains, names and the tensor's sizes; the text of the tensor.
static std::optional<Problem> checkNames(const TmaSchedule &s) {
  const DomainGraph &g = s.graph;
  auto isThere = [&](DomainId id) {
    return id >= 0 && id < g.size() && !g[id].removed;
  };
  for (const auto &[word, ids] : listsOf(s))
    for (DomainId id : ids)
      if (!isThere(id))
        return unsayable("its `" + std::string(word) + "` names domain " +
                         std::to_string(id) + ", which is not there");
  std::vector<bool> dimension(g.size());
  for (const TmaGlobalDim &dim : s.global) {
    if (!isThere(dim.domain) || g[dim.domain].producer >= 0)
      return unsayable("domain " + std::to_string(dim.domain) +
                       " is a dimension of the tensor, but no root");
    dimension[dim.domain] = true;
    const Expr &extent = g[dim.domain].extent;
    const std::string &name = g[dim.domain].name;
    if (!extent.constant() &&
        (extent.kind() != Expr::Kind::Symbol || extent.name() != name))
      return unsayable("the extent " + extent.str() + " of dimension " + name +
                       " is neither a number nor the size " + name);
  }
  for (DomainId id : g.roots())
    if (!dimension[id])
      return unsayable("the root " + g[id].name +
                       " is no dimension of the tensor");
  std::map<std::string, DomainId> ids;
  for (DomainId id = 0; id < g.size(); ++id) {
    const std::string &name = g[id].name;
    if (g[id].removed)
      continue;
    if (!isScheduleName(name))
      return unsayable("the name '" + name + "' of domain " +
                       std::to_string(id) +
                       " is not made of letters, digits and underscores "
                       "behind a letter or underscore");
    if (!ids.emplace(name, id).second)
      return unsayable("two domains have the name " + name);
  }
  return std::nullopt;
}

/// By the text of each expression, its factor.
static std::map<std::string, Expr> factorsOf(const DomainGraph &g) {
  std::map<std::string, Expr> factors;
  for (const DomainExpr &e : g.exprs())
    if (!e.removed)
      factors.emplace(g.str(e, /*extents=*/false), e.factor);
  return factors;
}

/// The first of `a`'s statements that `b` does not have.
static std::optional<std::string> findDifference(const TmaSchedule &a,
                                                 const TmaSchedule &b) {
  auto nameOf = [](const TmaSchedule &s, DomainId id) {
    return s.graph[id].name;
  };
  for (size_t k = 0; k < a.global.size(); ++k) {
    DomainId x = a.global[k].domain;
    if (k >= b.global.size() || nameOf(a, x) != nameOf(b, b.global[k].domain) ||
        !a.graph[x].extent.same(b.graph[b.global[k].domain].extent))
      return "dimension " + a.graph.str(x);
  }
  auto own = factorsOf(a.graph), other = factorsOf(b.graph);
  for (const auto &[text, factor] : own)
    if (auto it = other.find(text);
        it == other.end() || !it->second.same(factor))
      return text;
  auto lists = listsOf(a), others = listsOf(b);
  for (size_t k = 0; k < lists.size(); ++k)
    if (!std::equal(lists[k].second.begin(), lists[k].second.end(),
                    others[k].second.begin(), others[k].second.end(),
                    [&](DomainId x, DomainId y) {
                      return nameOf(a, x) == nameOf(b, y);
                    }))
      return lists[k].first;
  auto named = [&](const TmaSchedule &s,
                   const std::map<DomainId, int64_t> &held) {
    std::map<std::string, int64_t> result;
    for (auto [id, number] : held)
      result.emplace(nameOf(s, id), number);
    return result;
  };
  if (named(a, a.tileExtent) != named(b, b.tileExtent))
    return "bulk";
  if (named(a, a.ring) != named(b, b.ring))
    return "shared";
  if (a.traffic != b.traffic)
    return "traffic";
  if (a.tailIsPadding != b.tailIsPadding)
    return "padded";
  return std::nullopt;
}

Result<std::string> titan::writeSchedule(const TmaSchedule &schedule) {
  const DomainGraph &g = schedule.graph;
  if (!schedule.type || !schedule.swizzle)
    return unsayable("it has no element type or no swizzle (null)");
  if (auto problem = g.checkExtents())
    return *problem;
  if (auto problem = checkNames(schedule))
    return *problem;
  std::string text, tensor;
  TmaTensor own{schedule.type, {}};
  std::vector<bool> known(g.size());
  for (const TmaGlobalDim &dim : schedule.global) {
    const Expr &extent = g[dim.domain].extent;
    const std::string &name = g[dim.domain].name;
    tensor += (tensor.empty() ? "tensor " : " x ") + name;
    if (!extent.constant() && extent.divisor() > 1)
      text += "size " + name + " multiple " + std::to_string(extent.divisor()) +
              " ";
    known[dim.domain] = true;
    own.dims.push_back({extent.constant(), dim.stride});
  }
  text += tensor;
  // Equivalences leave expressions in another order than they hang together.
  for (bool more = true; more;) {
    more = false;
    for (const DomainExpr &e : g.exprs()) {
      if (e.removed || known[e.out[0]] || !known[e.in[0]] ||
          (e.in[1] >= 0 && !known[e.in[1]]))
        continue;
      text += " " + g.str(e, /*extents=*/false);
      for (DomainId out : e.out)
        if (out >= 0)
          known[out] = true;
      more = true;
    }
  }
  for (const auto &[word, ids] : listsOf(schedule))
    for (size_t i = 0; i < ids.size(); ++i) {
      text += (i ? ", " : std::string(" ") + word + " ") + g[ids[i]].name;
      auto &held = &ids == &schedule.bulk ? schedule.tileExtent : schedule.ring;
      if (auto it = held.find(ids[i]); it != held.end())
        text += "{" + std::to_string(it->second) + "}";
    }
  if (schedule.traffic != TmaTraffic::Ignore)
    text += schedule.traffic == TmaTraffic::Save ? " traffic save"
                                                 : " traffic worth";
  if (schedule.tailIsPadding)
    text += " padded";
  text = layOutSchedule(text);
  auto back = parseSchedule(text, own);
  if (!back)
    return unsayable(back.problem().message + ", read from `" + text + "`");
  if (auto difference = findDifference(schedule, *back))
    return unsayable("`" + text + "` is read as another; they differ in `" +
                     *difference + "`");
  return text;
}
