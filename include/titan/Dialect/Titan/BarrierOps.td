//===- BarrierOps.td - mbarriers, thread barriers, fences --*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_BARRIER_OPS_TD
#define TITAN_DIALECT_BARRIER_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

//===----------------------------------------------------------------------===//
// mbarrier: PTX ISA 9.7.13.15
//===----------------------------------------------------------------------===//

def Titan_MBarrierAllocOp : Titan_Op<"mbarrier.alloc", [Titan_Alloc]> {
  let summary = "shared memory for a ring of mbarriers, 8 bytes each";
  let results = (outs Titan_MBarrierType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

/// An operation on one barrier: `%full[%stage]`, or `%full` for slot 0.
class Titan_MBarrierOp<string mnemonic, list<Trait> traits = []>
    : Titan_HwOp<"mbarrier." # mnemonic, Titan_Needs<"Mbarriers">, traits>;

def Titan_MBarrierInitOp : Titan_MBarrierOp<"init"> {
  let summary = "mbarrier.init: expected arrivals of every phase; in every slot where no index is given";
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, I64Attr:$count);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? `count` `(` $count `)` attr-dict `:` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_MBarrierInvalOp : Titan_MBarrierOp<"inval"> {
  let summary = "mbarrier.inval: the memory may be used for something else";
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? attr-dict `:` type($barrier) }];
}

def Titan_MBarrierArriveOp : Titan_MBarrierOp<"arrive"> {
  let summary = "mbarrier.arrive: each active thread arrives `count` times";
  let description = [{
    On a peer CTA's barrier (`cluster`) it is the remote form and yields no state.
  }];
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index,
      DefaultValuedAttr<I64Attr, "1">:$count,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Release">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Cta">:$scope);
  let results = (outs Optional<Titan_PhaseType>:$state);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($barrier) (`->` type($state)^)? }];
  let hasVerifier = 1;
}

def Titan_MBarrierArriveDropOp : Titan_MBarrierOp<"arrive_drop"> {
  let summary = "mbarrier.arrive_drop: each active thread arrives `count` times, for good";
  let description = [{
    The phases that follow count so many arrivals less. `count` is 1 where it is not
    given. On a peer CTA's barrier it yields no state.
  }];
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index,
      DefaultValuedAttr<I64Attr, "1">:$count,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Release">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Cta">:$scope);
  let results = (outs Optional<Titan_PhaseType>:$state);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($barrier) (`->` type($state)^)? }];
  let hasVerifier = 1;
}

def Titan_MBarrierArriveExpectTxOp : Titan_MBarrierOp<"arrive_expect_tx"> {
  let summary = "mbarrier.arrive.expect_tx: expects bytes, then arrives once";
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, I32:$bytes,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Release">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Cta">:$scope);
  let results = (outs Optional<Titan_PhaseType>:$state);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? `,` $bytes (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($barrier) (`->` type($state)^)? }];
  let hasVerifier = 1;
}

def Titan_MBarrierExpectTxOp : Titan_MBarrierOp<"expect_tx"> {
  let summary = "mbarrier.expect_tx: expects bytes; no arrival";
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, I32:$bytes);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? `,` $bytes attr-dict `:` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_MBarrierCompleteTxOp : Titan_MBarrierOp<"complete_tx"> {
  let summary = "mbarrier.complete_tx: completes bytes without a copy; orders nothing";
  let description = [{
    What a copy's end does to the barrier, by hand: for bytes that were expected and
    come otherwise, or not at all.
  }];
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, I32:$bytes);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? `,` $bytes attr-dict `:` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_MBarrierWaitOp : Titan_MBarrierOp<"wait"> {
  let summary = "waits for the phase of a parity (a loop round mbarrier.try_wait.parity)";
  let description = [{
    Returns when the phase whose parity is `parity` has completed: the current phase
    if parities are equal, else at once since the preceding phase had that parity.
  }];
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, I32:$parity,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Acquire">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Cta">:$scope);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? `parity` `(` $parity `)` (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_MBarrierWaitStateOp : Titan_MBarrierOp<"wait_state"> {
  let summary = "waits for the phase of an arrive's state (a loop round mbarrier.try_wait)";
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, Titan_PhaseType:$state,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Acquire">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Cta">:$scope);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? `state` `(` $state `)` (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($barrier) }];
  let hasVerifier = 1;
}

def Titan_MBarrierTestWaitOp : Titan_MBarrierOp<"test_wait"> {
  let summary = "mbarrier.test_wait.parity: has the phase completed? Depends on the schedule";
  let arguments = (ins Titan_MBarrierType:$barrier, Optional<Titan_Integer>:$index, I32:$parity,
      DefaultValuedAttr<Titan_SemAttr, "::titan::MemorySem::Acquire">:$sem,
      DefaultValuedAttr<Titan_ScopeAttr, "::titan::MemoryScope::Cta">:$scope);
  let results = (outs I1:$done);
  let assemblyFormat = [{ $barrier (`[` $index^ `:` type($index) `]`)? `parity` `(` $parity `)` (`sem` `(` $sem^ `)`)? (`scope` `(` $scope^ `)`)? attr-dict `:` type($barrier) }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Barriers among threads
//===----------------------------------------------------------------------===//

def Titan_SyncWarpOp : Titan_HwOp<"syncwarp", Titan_Needs<"WarpSync">> {
  let summary = "bar.warp.sync of the whole warp";
  let assemblyFormat = "attr-dict";
}

def Titan_CtaSyncOp : Titan_HwOp<"cta_sync", Titan_Needs<"NamedBarriers">> {
  let summary = "barrier.sync 0: all threads of the CTA";
  let assemblyFormat = "attr-dict";
}

def Titan_BarrierSyncOp : Titan_HwOp<"barrier.sync", Titan_Needs<"NamedBarriers">> {
  let summary = "barrier.sync: a named barrier (1..15) of `threads` threads";
  let arguments = (ins I64Attr:$id, I64Attr:$threads);
  let assemblyFormat = "$id `threads` `(` $threads `)` attr-dict";
  let hasVerifier = 1;
}

def Titan_BarrierArriveOp : Titan_HwOp<"barrier.arrive", Titan_Needs<"NamedBarriers">> {
  let summary = "barrier.arrive: counts at a named barrier (1..15) and goes on";
  let arguments = (ins I64Attr:$id, I64Attr:$threads);
  let assemblyFormat = "$id `threads` `(` $threads `)` attr-dict";
  let hasVerifier = 1;
}

def Titan_ClusterArriveOp : Titan_HwOp<"cluster.arrive", Titan_Needs<"Clusters">> {
  let summary = "barrier.cluster.arrive (.release; `relaxed` orders nothing)";
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}

def Titan_ClusterWaitOp : Titan_HwOp<"cluster.wait", Titan_Needs<"Clusters">> {
  let summary = "barrier.cluster.wait (.acquire)";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

def Titan_FenceOp : Titan_HwOp<"fence"> {
  let summary = "fence.SEM.SCOPE";
  let arguments = (ins Titan_SemAttr:$sem, Titan_ScopeAttr:$scope);
  let assemblyFormat = "$sem $scope attr-dict";
  let hasVerifier = 1;
}

def Titan_FenceProxyAsyncOp : Titan_HwOp<"fence.proxy_async", Titan_Needs<"Proxies">> {
  let summary = "fence.proxy.async: the executing threads' own generic accesses against async ones";
  let arguments = (ins Titan_SpaceAttr:$space);
  let assemblyFormat = "$space attr-dict";
}

def Titan_FenceMbarrierInitOp : Titan_HwOp<"fence.mbarrier_init", Titan_Needs<"Mbarriers">> {
  let summary = "fence.mbarrier_init.release.cluster: this thread's barrier initialisations";
  let assemblyFormat = "attr-dict";
}

def Titan_FenceTensormapReleaseOp : Titan_HwOp<"fence.tensormap_release", Titan_Needs<"TensormapReplace">> {
  let summary = "fence.proxy.tensormap::generic.release.SCOPE";
  let arguments = (ins Titan_ScopeAttr:$scope);
  let assemblyFormat = "$scope attr-dict";
}

def Titan_FenceTensormapAcquireOp : Titan_HwOp<"fence.tensormap_acquire", Titan_Needs<"TensormapReplace">> {
  let summary = "fence.proxy.tensormap::generic.acquire.SCOPE of one map, 128 bytes";
  let arguments = (ins Titan_TensorMapType:$map, Titan_ScopeAttr:$scope);
  let assemblyFormat = "$map $scope attr-dict `:` type($map)";
}

#endif
