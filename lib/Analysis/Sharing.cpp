//===- Sharing.cpp - what clusters share through global memory ------------===//
#include "Sharing.h"

#include <map>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

namespace {
/// What one operation of one cluster touches of a root.
struct Touch {
  Operation *op;
  int cluster;
  bool write, flag;
  uint32_t footprint;
  auto operator<=>(const Touch &) const = default;
};
} // namespace

bool Sharing::add(const Program &program, Footprints &footprints) {
  bool fresh = false;
  std::map<uint32_t, std::set<Touch>> touched; // by root
  for (auto [agent, code] : llvm::enumerate(program.programs))
    for (const Event &event : code.events) {
      fresh |= ops.insert(event.op).second;
      for (uint32_t i = 0; i < event.count; ++i) {
        const Action &action = code.actions[event.first + i];
        bool flag = action.kind == Action::WaitFlag;
        if (action.kind != Action::Access && !flag)
          continue;
        uint32_t root = footprints[action.object].root;
        if (root < program.sharedRoots || !program.written[root])
          continue;
        bool write =
            !flag && std::get<effect::Access>(action.effect->what).kind !=
                         AccessKind::Read;
        touched[root].insert({event.op, program.agents[agent].cluster, write,
                              flag, action.object});
        if (!write)
          readers.insert(event.op);
      }
    }
  // By cluster and pair of operations: whom it meets.
  std::map<int, std::map<std::pair<Operation *, Operation *>, std::set<int>>>
      met;
  for (auto &[root, touches] : touched) {
    std::vector<Touch> list(touches.begin(), touches.end());
    for (size_t i = 0; i < list.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const Touch &x = list[i], &y = list[j];
        if (!x.write && !y.write)
          continue;
        bool apart = x.cluster != y.cluster;
        // A read of one's own writes is no communication.
        const Touch *reader = !x.write ? &x : !y.write ? &y : nullptr;
        bool tells = reader && (apart || !reader->flag) &&
                     !explained.contains(reader->op);
        if ((!tells && !apart) ||
            !footprints.intersect(x.footprint, y.footprint))
          continue;
        if (apart) {
          met[x.cluster][{x.op, y.op}].insert(y.cluster);
          met[y.cluster][{y.op, x.op}].insert(x.cluster);
        }
        if (tells)
          explained.insert(reader->op);
      }
  }
  for (auto &[cluster, pairs] : met) {
    std::vector<Meeting> part;
    for (auto &[pair, others] : pairs)
      part.push_back(
          {pair.first, pair.second, std::min<size_t>(2, others.size())});
    fresh |= parts.insert(std::move(part)).second;
  }
  return fresh;
}

std::vector<Operation *> Sharing::unexplained() const {
  std::vector<Operation *> result;
  for (Operation *op : readers)
    if (!explained.contains(op))
      result.push_back(op);
  return result;
}
