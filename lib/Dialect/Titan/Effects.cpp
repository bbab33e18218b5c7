//===- Effects.cpp - effects in words -------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/Titan.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

StringRef titan::effect::stringify(Cardinality cardinality) {
  switch (cardinality) {
  case Cardinality::EveryThread:
    return "every active thread";
  case Cardinality::OneThread:
    return "exactly one thread";
  case Cardinality::Warp:
    return "warp";
  case Cardinality::Warpgroup:
    return "warpgroup";
  case Cardinality::Tile:
    return "a tile over the region";
  }
  llvm_unreachable("cardinality");
}

StringRef titan::effect::stringify(By by) {
  switch (by) {
  case By::Issuers:
    return "each that issues it";
  case By::Together:
    return "the warp as one";
  case By::Parts:
    return "each lane, a part";
  }
  llvm_unreachable("one of these");
}

StringRef titan::effect::stringify(Proxy proxy) {
  switch (proxy) {
  case Proxy::Generic:
    return "generic";
  case Proxy::AsyncGeneric:
    return "generic, asynchronous";
  case Proxy::Async:
    return "async";
  case Proxy::Tensormap:
    return "tensormap";
  case Proxy::TensorMemory:
    return "tensor memory";
  }
  llvm_unreachable("proxy");
}

StringRef titan::effect::stringify(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "write";
  case AccessKind::Reduction:
    return "reduce";
  }
  llvm_unreachable("mode");
}

StringRef titan::effect::stringify(Sem sem) {
  switch (sem) {
  case Sem::Weak:
    return "weak";
  case Sem::Relaxed:
    return "relaxed";
  case Sem::Acquire:
    return "acquire";
  case Sem::Release:
    return "release";
  case Sem::AcqRel:
    return "acq_rel";
  case Sem::SeqCst:
    return "sc";
  }
  llvm_unreachable("sem");
}

StringRef titan::effect::stringify(Scope scope) {
  switch (scope) {
  case Scope::Cta:
    return "cta";
  case Scope::Cluster:
    return "cluster";
  case Scope::Gpu:
    return "gpu";
  case Scope::Sys:
    return "sys";
  }
  llvm_unreachable("scope");
}

StringRef titan::effect::stringify(std::optional<Mechanism> mechanism) {
  if (!mechanism)
    return "at issue";
  switch (*mechanism) {
  case Mechanism::Phase:
    return "until complete_tx";
  case Mechanism::BulkGroup:
    return "bulk group";
  case Mechanism::AsyncGroup:
    return "async group";
  case Mechanism::MmaGroup:
    return "mma group";
  case Mechanism::TmemLoad:
    return "tcgen05.wait::ld";
  case Mechanism::TmemStore:
    return "tcgen05.wait::st";
  case Mechanism::TensorCore:
    return "tcgen05.commit";
  case Mechanism::VmCount:
    return "vmcnt";
  case Mechanism::LgkmCount:
    return "lgkmcnt";
  }
  llvm_unreachable("mechanism");
}

//===----------------------------------------------------------------------===//
// One line an effect
//===----------------------------------------------------------------------===//

namespace {
class Printer {
public:
  Printer(raw_ostream &os, AsmState *state) : os(os), state(state) {}

  void value(Value v) {
    if (!v) {
      os << "none";
      return;
    }
    if (state)
      v.printAsOperand(os, *state);
    else
      v.printAsOperand(os, OpPrintingFlags().useLocalScope());
  }

  void expr(const effect::Expr &e) {
    if (e.isConstant()) {
      os << e.offset;
      return;
    }
    if (e.scale != 1)
      os << e.scale << " * ";
    value(e.value);
    if (e.offset)
      os << " + " << e.offset;
  }

  void ctas(const CtaSet &set) {
    if (set.kind == CtaSet::Own)
      return;
    if (set.kind == CtaSet::Pair) {
      os << " in both CTAs of the pair";
      return;
    }
    os << (set.kind == CtaSet::Rank ? " in CTA " : " in the CTAs of mask ");
    value(set.value);
  }

  void barrier(const BarrierRef &b) {
    value(b.barrier);
    if (b.index) {
      os << '[';
      value(b.index);
      os << ']';
    }
    ctas(b.ctas);
  }

  void footprint(const Footprint &f) {
    switch (f.kind) {
    case Footprint::View:
      os << "all of ";
      break;
    case Footprint::Tile:
      os << "a tile's elements of ";
      break;
    case Footprint::Box:
      os << "box ";
      break;
    case Footprint::Elements:
      os << "elements of ";
      break;
    case Footprint::Scalar:
      os << "one element of ";
      break;
    case Footprint::Object:
      os << "object ";
      break;
    }
    value(f.object);
    if (f.index) {
      os << '[';
      value(f.index);
      os << ']';
    }
    if (!f.coords.empty()) {
      os << '[';
      llvm::interleaveComma(f.coords, os, [&](Value v) { value(v); });
      os << ']';
    }
    if (!f.offsets.empty()) {
      os << " offsets[";
      llvm::interleaveComma(f.offsets, os, [&](Value v) { value(v); });
      os << ']';
    }
    if (!f.extents.empty()) {
      os << " of ";
      llvm::interleave(f.extents, os, "x");
    }
    if (!f.steps.empty()) {
      os << " in steps of ";
      llvm::interleave(f.steps, os, "x");
    }
    if (f.mask) {
      os << " where ";
      value(f.mask);
    }
    ctas(f.ctas);
  }

  void performers(By by) {
    if (by != By::Issuers)
      os << ", by " << stringify(by);
  }

  void order(Sem sem, Scope scope) {
    if (sem != Sem::Weak)
      os << ", ." << stringify(sem) << "." << stringify(scope);
  }

  void operator()(const Access &a) {
    os << stringify(a.kind) << " ";
    if (a.reduction)
      os << "(" << stringifyAtomicOp(a.reduction->op) << ") ";
    os << (a.surely ? "" : "possibly ");
    footprint(a.bytes);
    os << ", " << stringify(a.proxy) << " proxy, " << stringify(a.mechanism);
    performers(a.by);
    order(a.sem, a.scope);
  }
  void operator()(const Arrive &a) {
    os << "arrive ";
    expr(a.count);
    os << " on ";
    barrier(a.barrier);
    if (a.after)
      os << " after " << stringify(a.after)
         << (a.increments ? ", incrementing" : "");
    if (a.drops)
      os << ", for good";
    performers(a.by);
    order(a.sem, a.scope);
  }
  void operator()(const ExpectTx &e) {
    os << "expect_tx ";
    expr(e.bytes);
    os << " bytes on ";
    barrier(e.barrier);
    performers(e.by);
  }
  void operator()(const CompleteTx &c) {
    os << "complete_tx ";
    expr(c.bytes);
    os << (c.tile ? " bytes an element on " : " bytes on ");
    barrier(c.barrier);
    os << " when written";
    performers(c.by);
  }
  void operator()(const CommitGroup &c) {
    os << "commit " << stringify(c.mechanism);
    if (c.count)
      os << ", counts " << *c.count;
  }
  void operator()(const WaitGroup &w) {
    os << "wait " << stringify(w.mechanism) << " ";
    if (w.token)
      value(w.token);
    else
      os << "<= " << w.pending.value_or(0) << " pending";
    if (w.sourcesOnly)
      os << ", sources read";
  }
  void operator()(const WaitBarrier &w) {
    os << (w.blocking ? "wait " : "poll ");
    barrier(w.barrier);
    os << (w.parity ? " parity " : " state ");
    value(w.parity ? w.parity : w.state);
    order(w.sem, w.scope);
  }
  void operator()(const ThreadBarrier &b) {
    static const char *roles[] = {"sync", "arrive", "wait"};
    switch (b.kind) {
    case ThreadBarrier::Warp:
      os << "warp barrier ";
      break;
    case ThreadBarrier::Named:
      os << "named barrier ";
      expr(b.id);
      if (b.threads)
        os << " of " << b.threads << " threads";
      else
        os << " of all threads";
      os << ' ';
      break;
    case ThreadBarrier::Cluster:
      os << "cluster barrier ";
      break;
    }
    os << roles[b.role];
    order(b.sem,
          b.kind == ThreadBarrier::Cluster ? Scope::Cluster : Scope::Cta);
  }
  void operator()(const Fence &f) {
    static const char *kinds[] = {"fence",
                                  "fence.proxy.async",
                                  "fence.mbarrier_init",
                                  "fence.proxy.tensormap release",
                                  "fence.proxy.tensormap acquire",
                                  "wgmma.fence",
                                  "tcgen05.fence::before_thread_sync",
                                  "tcgen05.fence::after_thread_sync"};
    static const char *spaces[] = {"", ".global", ".shared::cta",
                                   ".shared::cluster"};
    os << kinds[f.kind];
    if (f.kind == Fence::ProxyAsync)
      os << spaces[static_cast<int>(f.space)];
    if (f.object) {
      os << ' ';
      value(f.object);
    }
    if (f.kind == Fence::Memory || f.kind == Fence::TensormapRelease ||
        f.kind == Fence::TensormapAcquire)
      order(f.sem, f.scope);
  }
  void operator()(const Lifetime &l) {
    static const char *kinds[] = {"init", "inval", "alloc", "free",
                                  "relinquish the permit to allocate"};
    os << kinds[l.kind];
    if (l.kind == Lifetime::Relinquish)
      return;
    os << ' ';
    if (l.barrier.barrier)
      barrier(l.barrier);
    else
      value(l.memory);
    if (l.kind == Lifetime::Init) {
      os << " count ";
      expr(l.count);
    }
  }
  void operator()(const Registers &r) {
    switch (r.kind) {
    case Registers::InFlight:
      os << "registers in flight: ";
      break;
    case Registers::Borrow:
      os << "registers borrowed: ";
      break;
    case Registers::Arrived:
      os << "registers arrived: ";
      break;
    case Registers::Budget:
      os << "setmaxnreg " << r.count;
      return;
    }
    value(r.value);
  }
  void operator()(const Reveals &r) {
    value(r.value);
    os << " depends on the schedule";
  }
  void operator()(const GridDependency &d) {
    os << (d.kind == GridDependency::Wait
               ? "wait for the end of the grids before this one"
               : "let the grids after this one begin");
  }
  void operator()(const Opaque &) { os << "something that is not declared"; }
  void operator()(const WaitFlag &w) {
    os << "wait until ";
    footprint(w.flag);
    os << " >= ";
    value(w.value);
    order(w.sem, w.scope);
  }

private:
  raw_ostream &os;
  AsmState *state;
};
} // namespace

static void print(const Effect &effect, raw_ostream &os, AsmState *state) {
  Printer printer(os, state);
  std::visit(printer, effect.what);
  os << "  [" << effect.source << "]";
}

void titan::effect::printEffect(const Effect &effect, raw_ostream &os,
                                AsmState &state) {
  print(effect, os, &state);
}

void titan::effect::printEffect(const Effect &effect, raw_ostream &os) {
  print(effect, os, nullptr);
}
