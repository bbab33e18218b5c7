"""The kernels of cluster_copy.py, as text of titan IR: from the size of the cluster and a few numbers."""
from string import Template

LAUNCH = """launch {
  %c0 = arith.constant 0 : index
  %rows = arith.constant $R : index
  %all = arith.constant $ALL : index
  %m = titan.dim %A, 0 : !matrix
  %mB = titan.dim %B, 0 : !matrix
  %same = arith.cmpi eq, %m, %mB : index
  titan.require %same, "launch-check", "B has a row for each row of A"
  %left = arith.remui %m, %all : index
  %whole = arith.cmpi eq, %left, %c0 : index
  titan.require %whole, "launch-check", "A has a tile for each CTA of the clusters"
  %tiles = arith.divui %m, %rows : index
  titan.launch grid(%tiles)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant $R : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %ctas = arith.constant $N : i32
  %tile = titan.cta_id 0
  %row = arith.muli %tile, %rows : index
"""
PEERS = """  %rank = titan.cluster_rank
  %up = arith.addi %rank, %i1 : i32
  %next = arith.remui %up, %ctas : i32
"""
TYPES = """!bar = !titan.mbarrier
!bulk = !titan.token<bulk>
"""

# A tile goes round the cluster: what cluster_copy.cu does.
ROTATE = TYPES + """!matrix = !titan.global<?x${C}xf16, strides = [$C, 1]>
!tile = !titan.shared<256x${C}xf16>
!two = !titan.shared<256x${C}xf16, slots = 2>
titan.kernel @rotate(%A: !matrix, %B: !matrix) warps(4) cluster($N, 1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {M = $ALL}, A = "Mx$C ints:1", B = "Mx$C"}
} """ + LAUNCH + """  %rounds = arith.constant $ROUNDS : index
  %bytes = arith.constant 32768 : i32
  %buffers = titan.shared.alloc : !two
  %full = titan.mbarrier.alloc : !bar
  %first = titan.mbarrier.alloc : !bar
  %slot0 = titan.shared.slot %buffers[%c0 : index] : !two -> !tile
""" + PEERS + """  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %first count(1) : !bar
    titan.fence.mbarrier_init
    titan.copy_async %A[%row, %c0] to %slot0 signals %first : !matrix, !tile, !bar
    titan.mbarrier.arrive %first : !bar
  }
  titan.cta_sync
  titan.mbarrier.wait %first parity(%i0) : !bar
  scf.for %round = %c0 to %rounds step %c1 {
    %from = arith.remui %round, %c2 : index
    %to = arith.subi %c1, %from : index
    %parity = arith.index_cast %from : index to i32
    titan.elect warp(0) {
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    }
    titan.cluster.arrive
    titan.cluster.wait
    titan.elect warp(0) {
      %mine = titan.shared.slot %buffers[%from : index] : !two -> !tile
      %theirs = titan.shared.slot %buffers[%to : index] : !two -> !tile
      titan.copy_async %mine$AT to %theirs$AT$EXTENTS rank(%next) signals %full : !tile, !tile, !bar
    }
    titan.mbarrier.wait %full parity(%parity) scope(cluster) : !bar
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.elect warp(0) {
    titan.copy_async %slot0 to %B[%row, %c0] : !tile, !matrix
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}
"""

# Each CTA computes a tile and needs the sum of all tiles of the cluster.
GATHER = TYPES + """!matrix = !titan.global<?x64xf32, strides = [64, 1]>
!tile = !titan.shared<${R}x64xf32>
!ring = !titan.shared<${R}x64xf32, slots = $N>
!far = !titan.shared<${R}x64xf32, cluster>
!full = !titan.mbarrier<$N>
!regs = tensor<${R}x64xf32, #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [4, 1]>>
titan.kernel @all_gather(%A: !matrix, %B: !matrix$SCRATCH) warps(4) cluster($N, 1) attributes {
  titan.alignment = {A = 16, B = 16$ALIGNED},
  titan.example = {sizes = {M = $ALL}, A = "Mx64 ints:1", B = "Mx64"$EXAMPLE}
} """ + LAUNCH + """  %last = arith.constant $LAST : index
  %n = arith.constant $N : index
  %bytes = arith.constant $BYTES : i32
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !full
$MORE  %slot0 = titan.shared.slot %ring[%c0 : index] : !ring -> !tile
""" + PEERS + """  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    titan.copy_async %A[%row, %c0] to %slot0 signals %full[%c0 : index] : !matrix, !tile, !full
    titan.mbarrier.arrive %full[%c0 : index] : !full
$ARM  }
  titan.cta_sync
  titan.mbarrier.wait %full[%c0 : index] parity(%i0) : !full
  %a = titan.shared.load %slot0 : !tile -> !regs
  %own = arith.addf %a, %a : !regs
  titan.shared.store %own, %slot0 : !regs, !tile
  titan.fence.proxy_async shared_cta
$MOVE
$ARRIVE  %end = titan.shared.slot %ring[%last : index] : !ring -> !tile
  titan.shared.store %sum, %end : !regs, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.copy_async %end to %B[%row, %c0] : !tile, !matrix
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
$WAIT  titan.return
}
"""
# What a CTA has got it says at once; that the others have, it waits for at the end.
PARTING = dict(ARRIVE="  titan.cluster.arrive\n", WAIT="  titan.cluster.wait\n")
# A ring: what a CTA has got it hands on. Every slot is filled once.
GATHER_RING = dict(
    PARTING, SCRATCH="", ALIGNED="", EXAMPLE="", MORE="",
    ARM="""    scf.for %i = %c1 to %n step %c1 {
      titan.mbarrier.arrive_expect_tx %full[%i : index], %bytes : !full
    }
""",
    MOVE="""  titan.cluster.arrive
  titan.cluster.wait
  %sum = scf.for %i = %c0 to %last step %c1 iter_args(%sum = %own) -> !regs {
    %to = arith.addi %i, %c1 : index
    %mine = titan.shared.slot %ring[%i : index] : !ring -> !tile
    %theirs = titan.shared.slot %ring[%to : index] : !ring -> !tile
    titan.elect warp(0) {
      titan.copy_async %mine to %theirs rank(%next) signals %full[%to : index] : !tile, !tile, !full
    }
    titan.mbarrier.wait %full[%to : index] parity(%i0) scope(cluster) : !full
    %got = titan.shared.load %theirs : !tile -> !regs
    %more = arith.addf %sum, %got : !regs
    scf.yield %more : !regs
  }""")
# Each to all others at once.
GATHER_DIRECT = dict(
    GATHER_RING,
    MOVE="""  titan.cluster.arrive
  titan.cluster.wait
  %own64 = arith.index_cast %rank : i32 to index
  titan.elect warp(0) {
    scf.for %i = %c1 to %n step %c1 {
      %far = arith.addi %own64, %i : index
      %to = arith.remui %far, %n : index
      %peer = arith.index_cast %to : index to i32
      %theirs = titan.shared.slot %ring[%i : index] : !ring -> !tile
      titan.copy_async %slot0 to %theirs rank(%peer) signals %full[%i : index] : !tile, !tile, !full
    }
  }
  %sum = scf.for %i = %c1 to %n step %c1 iter_args(%sum = %own) -> !regs {
    titan.mbarrier.wait %full[%i : index] parity(%i0) scope(cluster) : !full
    %slot = titan.shared.slot %ring[%i : index] : !ring -> !tile
    %got = titan.shared.load %slot : !tile -> !regs
    %more = arith.addf %sum, %got : !regs
    scf.yield %more : !regs
  }""")
# Through global memory: each stores its tile, and all load all.
GATHER_GLOBAL = dict(
    ARRIVE="", WAIT="", MORE="", SCRATCH=", %S: !matrix", ALIGNED=", S = 16", EXAMPLE=', S = "Mx64"', ARM="",
    MOVE="""  titan.cta_sync
  titan.elect warp(0) {
    titan.copy_async %slot0 to %S[%row, %c0] : !tile, !matrix
    %out = titan.bulk.commit : !bulk
    titan.bulk.wait %out : !bulk
    titan.fence.proxy_async global
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank64 = arith.index_cast %rank : i32 to index
  %mine = arith.subi %tile, %rank64 : index
  titan.elect warp(0) {
    titan.fence.proxy_async global
    scf.for %i = %c1 to %n step %c1 {
      %far = arith.addi %rank64, %i : index
      %who = arith.remui %far, %n : index
      %cta = arith.addi %mine, %who : index
      %at = arith.muli %cta, %rows : index
      %slot = titan.shared.slot %ring[%i : index] : !ring -> !tile
      titan.copy_async %S[%at, %c0] to %slot signals %full[%i : index] : !matrix, !tile, !full
      titan.mbarrier.arrive %full[%i : index] : !full
    }
  }
  %sum = scf.for %i = %c1 to %n step %c1 iter_args(%sum = %own) -> !regs {
    titan.mbarrier.wait %full[%i : index] parity(%i0) : !full
    %slot = titan.shared.slot %ring[%i : index] : !ring -> !tile
    %got = titan.shared.load %slot : !tile -> !regs
    %more = arith.addf %sum, %got : !regs
    scf.yield %more : !regs
  }""")

# The same; each reads its own tile once, for all.
GATHER_MULTICAST = dict(
    GATHER_GLOBAL, MORE="  %got = titan.mbarrier.alloc : !full\n",
    ARM="""    scf.for %i = %c0 to %n step %c1 {
      titan.mbarrier.init %got[%i : index] count(1) : !full
    }
    titan.fence.mbarrier_init
    scf.for %i = %c0 to %n step %c1 {
      titan.mbarrier.arrive_expect_tx %got[%i : index], %bytes : !full
    }
""",
    MOVE="""  titan.cta_sync
  %own64 = arith.index_cast %rank : i32 to index
  titan.elect warp(0) {
    titan.copy_async %slot0 to %S[%row, %c0] : !tile, !matrix
    %out = titan.bulk.commit : !bulk
    titan.bulk.wait %out : !bulk
    titan.fence.proxy_async global
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.elect warp(0) {
    titan.fence.proxy_async global
    %everyone = arith.constant $MASK : i16
    %mine = titan.shared.slot %ring[%own64 : index] : !ring -> !tile
    titan.copy_async %S[%row, %c0] to %mine multicast(%everyone) signals %got[%own64 : index] : !matrix, !tile, !full
  }
  %sum = scf.for %i = %c1 to %n step %c1 iter_args(%sum = %own) -> !regs {
    %far = arith.addi %own64, %i : index
    %from = arith.remui %far, %n : index
    titan.mbarrier.wait %got[%from : index] parity(%i0) scope(cluster) : !full
    %slot = titan.shared.slot %ring[%from : index] : !ring -> !tile
    %got_i = titan.shared.load %slot : !tile -> !regs
    %more = arith.addf %sum, %got_i : !regs
    scf.yield %more : !regs
  }
  titan.mbarrier.wait %got[%own64 : index] parity(%i0) scope(cluster) : !full""")


def gather_pull(n):
    """All threads read the others' tiles, without a copy of their own."""
    lines = ["titan.cluster.arrive", "titan.cluster.wait"]
    for i in range(1, n):
        lines += [f"%n{i} = arith.constant {i} : i32", f"%far{i} = arith.addi %rank, %n{i} : i32",
                  f"%peer{i} = arith.remui %far{i}, %ctas : i32",
                  f"%got{i} = titan.copy %slot0 rank(%peer{i}) : !tile -> !regs"]
    for i in range(1, n):
        lines.append(f"%{'sum' if i == n - 1 else f'sum{i}'} = arith.addf %{f'sum{i - 1}' if i > 1 else 'own'}, %got{i} : !regs")
    return dict(GATHER_RING, ARM="", MOVE="\n".join("  " + line for line in lines))


def gather_push(n):
    """All threads store what they have where the others sum it up; behind the last barrier nobody reads a peer."""
    lines = ["titan.cluster.arrive", "titan.cluster.wait"]
    for i in range(1, n):
        lines += [f"%n{i} = arith.constant {i} : i32", f"%far{i} = arith.addi %rank, %n{i} : i32",
                  f"%peer{i} = arith.remui %far{i}, %ctas : i32", f"%k{i} = arith.constant {i} : index",
                  f"%slot{i} = titan.shared.slot %ring[%k{i} : index] : !ring -> !tile",
                  f"%there{i} = titan.map_rank %slot{i}, %peer{i} : !tile -> !far",
                  f"titan.shared.store %own, %there{i} : !regs, !far"]
    lines += ["titan.cluster.arrive", "titan.cluster.wait"]
    for i in range(1, n):
        lines += [f"%got{i} = titan.shared.load %slot{i} : !tile -> !regs",
                  f"%{'sum' if i == n - 1 else f'sum{i}'} = arith.addf %{f'sum{i - 1}' if i > 1 else 'own'}, %got{i} : !regs"]
    return dict(GATHER_RING, ARM="", ARRIVE="", WAIT="", MOVE="\n".join("  " + line for line in lines))


def gather_scratch(n):
    """All threads store and load global memory, past shared memory."""
    lines = ["titan.copy %own to %S[%row, %c0] : !regs, !matrix", "titan.cluster.arrive", "titan.cluster.wait",
             "%own64 = arith.index_cast %rank : i32 to index", "%first = arith.subi %tile, %own64 : index"]
    for i in range(1, n):
        lines += [f"%n{i} = arith.constant {i} : index", f"%far{i} = arith.addi %own64, %n{i} : index",
                  f"%peer{i} = arith.remui %far{i}, %n : index", f"%cta{i} = arith.addi %first, %peer{i} : index",
                  f"%at{i} = arith.muli %cta{i}, %rows : index", f"%got{i} = titan.copy %S[%at{i}, %c0] : !matrix -> !regs"]
    for i in range(1, n):
        lines.append(f"%{'sum' if i == n - 1 else f'sum{i}'} = arith.addf %{f'sum{i - 1}' if i > 1 else 'own'}, %got{i} : !regs")
    return dict(GATHER_GLOBAL, MOVE="\n".join("  " + line for line in lines))


def gather_both(n):
    """A third from the peers' shared memory, the rest from global memory: both ways at once."""
    near = -(-(n - 1) // 3)
    text = gather_scratch(n)["MOVE"].splitlines()
    lines = []
    for line in text:
        i = int(line.split("%got")[1].split(" ")[0]) if "titan.copy %S" in line else 0
        if 0 < i <= near:
            line = (f"  %who{i} = arith.index_cast %peer{i} : index to i32\n"
                    f"  %got{i} = titan.copy %slot0 rank(%who{i}) : !tile -> !regs")
        lines.append(line)
    return dict(GATHER_GLOBAL | PARTING, MOVE="\n".join(lines))


# The last step of a GEMM whose K is split over the CTAs of a cluster: each has 128 x 128 partial sums (here: 128
# elements of U by 128 of V, one row of each a CTA), and D becomes their sum.
SPLIT = TYPES + """!vectors = !titan.global<?x128xf32, strides = [128, 1]>
!matrix = !titan.global<?x128xf32, strides = [128, 1]>
!tile = !titan.shared<128x128xf32>
!slice = !titan.shared<${S}x128xf32>
!ring = !titan.shared<${S}x128xf32, slots = $N>
#sums = #titan.blocked<elements = [1, 4], lanes = [1, 32], warps = [8, 1]>
!sums = tensor<128x128xf32, #sums>
!index = tensor<128x128xi32, #sums>
!part = tensor<${S}x128xf32, #sums>
!places = tensor<${S}x128xi32, #sums>
!far = !titan.shared<${S}x128xf32, cluster>
titan.kernel @split_k(%U: !vectors, %V: !vectors, %D: !matrix$SCRATCH) warps(8) cluster($N, 1) attributes {
  titan.alignment = {U = 16, V = 16, D = 16$ALIGNED},
  titan.example = {sizes = {T = $N, M = 128}, U = "Tx128 ints:1", V = "Tx128 ints:2", D = "Mx128 $FILL"$EXAMPLE}
} launch {
  %c0 = arith.constant 0 : index
  %n = arith.constant $N : index
  %c128 = arith.constant 128 : index
  %t = titan.dim %U, 0 : !vectors
  %tV = titan.dim %V, 0 : !vectors
  %m = titan.dim %D, 0 : !matrix
  %same = arith.cmpi eq, %t, %tV : index
  titan.require %same, "launch-check", "V has a row for each row of U"
  %clusters = arith.divui %t, %n : index
  %whole = arith.muli %clusters, %n : index
  %even = arith.cmpi eq, %whole, %t : index
  titan.require %even, "launch-check", "a row for each CTA of the clusters"
  %rows = arith.muli %clusters, %c128 : index
  %fits = arith.cmpi eq, %rows, %m : index
  titan.require %fits, "launch-check", "D has 128 rows for each cluster"
  titan.launch grid(%t)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant $N : index
  %c128 = arith.constant 128 : index
  %s = arith.constant $S : index
  %i0 = arith.constant 0 : i32
  %ctas = arith.constant $N : i32
  %tile = titan.shared.alloc : !tile
  %cta = titan.cta_id 0
  %group = arith.divui %cta, %n : index
  %row = arith.muli %group, %c128 : index
  %rank = titan.cluster_rank
  %own = arith.index_cast %rank : i32 to index
$SETUP  %cta32 = arith.index_cast %cta : index to i32
  %who = titan.splat %cta32 : i32 -> $INDEX
  %r = titan.coordinate 0 : $INDEX
  %c = titan.coordinate 1 : $INDEX
$PARTIAL$MOVE
  titan.return
}
"""
SPLIT_PARTIAL = """  %u = titan.global.load %U[%who, %r] : !vectors, !index, !index -> !sums
  %v = titan.global.load %V[%who, %c] : !vectors, !index, !index -> !sums
  %partial = arith.mulf %u, %v : !sums
"""
SPLIT_STORED = SPLIT_PARTIAL + "  titan.shared.store %partial, %tile : !sums, !tile\n"
SPLIT_FENCED = SPLIT_STORED + "  titan.fence.proxy_async shared_cta\n"
# Each CTA gets its slice from all others, and sums it up.
SPLIT_CLUSTER = dict(
    FILL="", INDEX="!index", PARTIAL=SPLIT_FENCED,
    SETUP="""  %parts = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !bar
  %bytes = arith.constant $EXPECTED : i32
  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
  }
""",
    MOVE="""  titan.cluster.arrive
  titan.cluster.wait
  %slices = titan.shared.reuse %tile : !tile -> !ring
  %mine = titan.shared.slot %parts[%own : index] : !ring -> !slice
  titan.elect warp(0) {
    scf.for %i = %c1 to %n step %c1 {
      %far = arith.addi %own, %i : index
      %to = arith.remui %far, %n : index
      %peer = arith.index_cast %to : index to i32
      %slice = titan.shared.slot %slices[%to : index] : !ring -> !slice
      titan.copy_async %slice to %mine rank(%peer) signals %full : !slice, !slice, !bar
    }
  }
  %kept = titan.shared.slot %slices[%own : index] : !ring -> !slice
  %first = titan.shared.load %kept : !slice -> !part
  titan.mbarrier.wait %full parity(%i0) scope(cluster) : !bar
  titan.cluster.arrive
  %sum = scf.for %i = %c1 to %n step %c1 iter_args(%sum = %first) -> !part {
    %far = arith.addi %own, %i : index
    %from = arith.remui %far, %n : index
    %slot = titan.shared.slot %parts[%from : index] : !ring -> !slice
    %got = titan.shared.load %slot : !slice -> !part
    %more = arith.addf %sum, %got : !part
    scf.yield %more : !part
  }
  titan.shared.store %sum, %kept : !part, !slice
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    %down = arith.muli %own, %s : index
    %at = arith.addi %row, %down : index
    titan.copy_async %kept to %D[%at, %c0] : !slice, !matrix
    %out = titan.bulk.commit : !bulk
    titan.bulk.wait %out read : !bulk
  }
  titan.cluster.wait""")
SPLIT_GLOBAL = dict(
    FILL="zeros", INDEX="!index", PARTIAL=SPLIT_FENCED, SETUP="",
    MOVE="""  titan.cta_sync
  titan.elect warp(0) {
    titan.bulk.reduce add %tile, %D[%row, %c0] : !tile, !matrix
    %out = titan.bulk.commit : !bulk
    titan.bulk.wait %out read : !bulk
  }""")



def split_sum(n, got):
    """The sum of %got0 ... to D."""
    lines = got + ["%sum0 = arith.addf %got0, %got1 : !part"]
    lines += [f"%sum{i} = arith.addf %sum{i - 1}, %got{i + 1} : !part" for i in range(1, n - 1)]
    return lines + ["%down = arith.muli %own, %s : index", "%at = arith.addi %row, %down : index",
                    f"titan.copy %sum{n - 2} to %D[%at, %c0] : !part, !matrix"]


def peers_of(n):
    return [line for i in range(n) for line in (
        f"%n{i} = arith.constant {i} : i32", f"%ahead{i} = arith.addi %rank, %n{i} : i32",
        f"%peer{i} = arith.remui %ahead{i}, %ctas : i32", f"%to{i} = arith.index_cast %peer{i} : i32 to index")]


def split_pull(n):
    """Each CTA reads its slice of the others' sums."""
    got = [f"%got{i} = titan.copy %kept{f' rank(%peer{i})' if i else ''} : !slice -> !part" for i in range(n)]
    lines = ["titan.cluster.arrive", "titan.cluster.wait", *peers_of(n),
             "%slices = titan.shared.reuse %tile : !tile -> !ring",
             "%kept = titan.shared.slot %slices[%own : index] : !ring -> !slice", *got, "titan.cluster.arrive",
             *split_sum(n, []), "titan.cluster.wait"]
    return dict(FILL="", INDEX="!index", SETUP="", PARTIAL=SPLIT_STORED, MOVE="\n".join("  " + line for line in lines))


def split_push(n):
    """Each CTA stores the others' slices of its sums where they sum them up: what threads have goes to the peer's shared memory."""
    lines = [*peers_of(n), "%parts = titan.shared.reuse %tile : !tile -> !ring",
             "%place = titan.shared.slot %parts[%own : index] : !ring -> !slice",
             "%v = titan.global.load %V[%who, %c] : !vectors, !places, !places -> !part"]
    for i in range(n):
        lines += [f"%first{i} = arith.muli %to{i}, %s : index", f"%first{i}i = arith.index_cast %first{i} : index to i32",
                  f"%from{i} = titan.splat %first{i}i : i32 -> !places", f"%r{i} = arith.addi %r, %from{i} : !places",
                  f"%u{i} = titan.global.load %U[%who, %r{i}] : !vectors, !places, !places -> !part",
                  f"%p{i} = arith.mulf %u{i}, %v : !part"]
    lines.append("titan.cluster.wait")
    for i in range(1, n):
        lines += [f"%there{i} = titan.map_rank %place, %peer{i} : !slice -> !far",
                  f"titan.shared.store %p{i}, %there{i} : !part, !far"]
    lines += ["titan.cluster.arrive", "titan.cluster.wait", *split_sum(n, ["%got0 = arith.addf %p0, %none : !part"] + [
        line for i in range(1, n) for line in (
            f"%part{i} = titan.shared.slot %parts[%to{i} : index] : !ring -> !slice",
            f"%got{i} = titan.shared.load %part{i} : !slice -> !part")])]
    return dict(FILL="", INDEX="!places", SETUP="  titan.cluster.arrive\n  %none = arith.constant dense<0.0> : !part\n", PARTIAL="",
                MOVE="\n".join("  " + line for line in lines))


def split_scratch(n):
    """Through global memory: each CTA stores its sums, and reads its slice of all."""
    lines = ["%mine = arith.muli %cta, %c128 : index", "titan.copy %partial to %S[%mine, %c0] : !sums, !matrix",
             "titan.cluster.arrive", "titan.cluster.wait", *peers_of(n), "%first = arith.muli %group, %n : index",
             "%slice = arith.muli %own, %s : index"]
    for i in range(n):
        lines += [f"%cta{i} = arith.addi %first, %to{i} : index", f"%rows{i} = arith.muli %cta{i}, %c128 : index",
                  f"%at{i} = arith.addi %rows{i}, %slice : index",
                  f"%got{i} = titan.copy %S[%at{i}, %c0] : !matrix -> !part"]
    return dict(FILL="", INDEX="!index", SETUP="", PARTIAL=SPLIT_PARTIAL, SCRATCH=", %S: !matrix", ALIGNED=", S = 16",
                EXAMPLE=f', S = "{128 * n}x128"', MOVE="\n".join("  " + line for line in lines + split_sum(n, [])))


# x[i] becomes x[i - 1] + x[i] + x[i + 1], a strip of 64 rows a CTA, `STEPS` times. The rows at the edges come from
# the CTAs before and behind, around the cluster.
HALO = TYPES + """!matrix = !titan.global<?x128xi32, strides = [128, 1]>
!edges = !titan.global<?x128xi32, strides = [128, 1]>
!strip = !titan.shared<66x128xi32>
!inner = !titan.shared<64x128xi32>
!line = !titan.shared<1x128xi32>
!regs = tensor<64x128xi32, #titan.blocked<elements = [1, 4], lanes = [1, 32], warps = [8, 1]>>
titan.kernel @halo(%A: !matrix, %B: !matrix$SCRATCH) warps(8) cluster($N, 1) attributes {
  titan.alignment = {A = 16, B = 16$ALIGNED},
  titan.example = {sizes = {M = $ALL, E = $EDGES}, A = "Mx128 ints:1", B = "Mx128"$EXAMPLE}
} """ + LAUNCH + """  %half = arith.constant $HALF : index
  %less = arith.constant $LESS : i32
  %bytes = arith.constant 1024 : i32
  %x = titan.shared.alloc : !strip
  %y = titan.shared.alloc : !strip
  %full = titan.mbarrier.alloc : !bar
  %first = titan.mbarrier.alloc : !bar
""" + PEERS + """  %down = arith.addi %rank, %less : i32
  %prev = arith.remui %down, %ctas : i32
$VIEWS  titan.elect warp(0) {
    titan.mbarrier.init %full count(1) : !bar
    titan.mbarrier.init %first count(1) : !bar
    titan.fence.mbarrier_init
    titan.copy_async %A[%row, %c0] to %x1 signals %first : !matrix, !inner, !bar
    titan.mbarrier.arrive %first : !bar
  }
  titan.cta_sync
  titan.mbarrier.wait %first parity(%i0) : !bar
$SETUP  scf.for %i = %c0 to %half step %c1 {
$BODY  }
  titan.fence.proxy_async shared_cta
  titan.cluster.arrive
  titan.cluster.wait
  titan.elect warp(0) {
    titan.copy_async %x1 to %B[%row, %c0] : !inner, !matrix
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}
"""


def halo_views():
    text = ""
    for b in "xy":
        for at in (0, 1, 2):
            text += f"  %{b}{at} = titan.shared.view %{b} [{at}, 0] : !strip -> !inner\n"
        for name, at in (("top", 0), ("upper", 1), ("lower", 64), ("bottom", 65)):
            text += f"  %{b}_{name} = titan.shared.view %{b} [{at}, 0] : !strip -> !line\n"
    return text


def halo_body(exchange):
    text = ""
    for parity, (x, y) in enumerate(("xy", "yx")):
        text += exchange(x, parity)
        text += "".join(f"    %{x}r{at} = titan.shared.load %{x}{at} : !inner -> !regs\n" for at in (0, 1, 2))
        text += (f"    %{x}a = arith.addi %{x}r0, %{x}r1 : !regs\n    %{x}b = arith.addi %{x}a, %{x}r2 : !regs\n"
                 f"    titan.shared.store %{x}b, %{y}1 : !regs, !inner\n")
    return text


def halo_peer(x, parity):
    return f"""    titan.elect warp(0) {{
      titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    }}
    titan.fence.proxy_async shared_cta
    titan.cluster.arrive
    titan.cluster.wait
    titan.elect warp(0) {{
      titan.copy_async %{x}_upper to %{x}_bottom rank(%prev) signals %full : !line, !line, !bar
      titan.copy_async %{x}_lower to %{x}_top rank(%next) signals %full : !line, !line, !bar
    }}
    titan.mbarrier.wait %full parity(%i{parity}) scope(cluster) : !bar
"""


def halo_global(x, parity):
    """Edges of CTA c: rows 4 c + 2 parity of S, two each."""
    add = lambda name, n: (f"    %{x}{name}k = arith.constant {n} : index\n"
                           f"    %{x}{name} = arith.addi %{name}_first, %{x}{name}k : index\n")
    return (add("own", 2 * parity) + add("own2", 2 * parity + 1) + add("above", 2 * parity + 1) + add("below", 2 * parity)
            + f"""    titan.cta_sync
    titan.copy %{x}_upper to %S[%{x}own, %c0] : !line, !edges
    titan.copy %{x}_lower to %S[%{x}own2, %c0] : !line, !edges
    titan.cluster.arrive
    titan.cluster.wait
    titan.copy %S[%{x}above, %c0] to %{x}_top : !edges, !line
    titan.copy %S[%{x}below, %c0] to %{x}_bottom : !edges, !line
    titan.cta_sync
""")


HALO_GLOBAL_SETUP = """  %c4 = arith.constant 4 : index
  %rank64 = arith.index_cast %rank : i32 to index
  %mine = arith.subi %tile, %rank64 : index
  %next64 = arith.index_cast %next : i32 to index
  %prev64 = arith.index_cast %prev : i32 to index
  %cta_next = arith.addi %mine, %next64 : index
  %cta_prev = arith.addi %mine, %prev64 : index
  %own_first = arith.muli %tile, %c4 : index
  %own2_first = arith.addi %own_first, %c0 : index
  %above_first = arith.muli %cta_prev, %c4 : index
  %below_first = arith.muli %cta_next, %c4 : index
"""

# From global to global memory through a ring of slots: `AHEAD` tiles are under way before the first is stored.
STREAM = TYPES + """#tile = #titan.schedule<
  tensor M x R x K
  bulk R, K>
!matrix = !titan.global<?x${R}x${C}xf32, strides = [$PITCH, $C, 1]>
!tile = !titan.shared<${R}x${C}xf32>
!ring = !titan.shared<${R}x${C}xf32, slots = $SLOTS>
!full = !titan.mbarrier<$SLOTS>
!one = !titan.mbarrier
titan.kernel @stream(%A: !matrix, %B: !matrix) warps($WARPS) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {sizes = {M = $ALL}, A = "Mx${R}x$C ints:1", B = "Mx${R}x$C", multiprocessor_count = 2}
} launch {
  %c0 = arith.constant 0 : index
  %resident = arith.constant $RESIDENT : index
  %m = titan.dim %A, 0 : !matrix
  %mB = titan.dim %B, 0 : !matrix
  %same = arith.cmpi eq, %m, %mB : index
  titan.require %same, "launch-check", "B has a row for each row of A"
  %sms = titan.device_property "multiprocessor_count"
  %most = arith.muli %sms, %resident : index
  %ahead = arith.constant $AHEAD : index
  %needed = arith.muli %most, %ahead : index
  %many = arith.cmpi uge, %m, %needed : index
  titan.require %many, "launch-check", "A has $AHEAD tiles for each CTA"
  titan.launch grid(%most) with(%m : index)
} body(%all: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %ahead = arith.constant $AHEAD : index
  %slots = arith.constant $SLOTS : index
  %ring = titan.shared.alloc : !ring
  %full = titan.mbarrier.alloc : !full
  %first = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %skip = arith.muli %ahead, %ctas : index
$MOVE
  titan.return
}
"""


def stream_move(load, store):
    """One thread loads and stores."""
    def issue(i):
        return f"""%s{i} = arith.remui %{i}, %slots : index
%to{i} = titan.shared.slot %ring[%s{i} : index] : !ring -> !tile
{load(i)}
titan.mbarrier.arrive %full[%s{i} : index] : !full
"""
    text = f"""titan.elect {{
titan.mbarrier.init %full count(1) : !full
titan.fence.mbarrier_init
scf.for %i = %c0 to %ahead step %c1 {{
%stepi = arith.muli %i, %ctas : index
%ati = arith.addi %first, %stepi : index
{issue("i")}}}
%count = scf.for %atk = %first to %all step %ctas iter_args(%k = %c0) -> index {{
%j = arith.addi %k, %ahead : index
%atj = arith.addi %atk, %skip : index
%more = arith.cmpi ult, %atj, %all : index
scf.if %more {{
titan.bulk.wait_group $BEHIND read
{issue("j")}}}
%sk = arith.remui %k, %slots : index
%tok = titan.shared.slot %ring[%sk : index] : !ring -> !tile
%round = arith.divui %k, %slots : index
%half = arith.remui %round, %c2 : index
%parity = arith.index_cast %half : index to i32
titan.mbarrier.wait %full[%sk : index] parity(%parity) : !full
{store("k")}
%stored = titan.bulk.commit : !bulk
%next = arith.addi %k, %c1 : index
scf.yield %next : index
}}
titan.bulk.wait_group 0 read
}}"""
    return "\n".join("  " + line for line in text.splitlines())


LOAD = {"bulk": lambda i: (f"titan.copy_async %A[%at{i}, %c0, %c0] to %to{i} signals %full[%s{i} : index]$READ"
                           " : !matrix, !tile, !full"),
        "tma": lambda i: (f"titan.copy_async %A at(M = %at{i}) to %to{i} signals %full[%s{i} : index] schedule(#tile)$READ"
                          " : !matrix, !tile, !full")}
STORE = {"bulk": lambda k: f"titan.copy_async %to{k} to %B[%at{k}, %c0, %c0]$WRITE : !tile, !matrix",
         "tma": lambda k: f"titan.copy_async %to{k} to %B at(M = %at{k}) schedule(#tile)$WRITE : !tile, !matrix"}
STREAM_MOVES = {form: stream_move(LOAD[form], STORE[form]) for form in LOAD}

# All threads copy; one stores what all have got. A slot is filled again
# behind the wait for its store and a barrier.
CP_ASYNC_MOVE = """  scf.for %i = %c0 to %ahead step %c1 {
    %stepi = arith.muli %i, %ctas : index
    %ati = arith.addi %first, %stepi : index
    %si = arith.remui %i, %slots : index
    %toi = titan.shared.slot %ring[%si : index] : !ring -> !tile
    titan.copy_async %A[%ati, %c0, %c0] to %toi dispatch("cp_async") : !matrix, !tile
    %group = titan.cp_async.commit : !titan.token<async>
  }
  %count = scf.for %atk = %first to %all step %ctas iter_args(%k = %c0) -> index {
    titan.cp_async.wait_group $PENDING
    titan.fence.proxy_async shared_cta
    titan.cta_sync
    titan.elect warp(0) {
      %sk = arith.remui %k, %slots : index
      %tok = titan.shared.slot %ring[%sk : index] : !ring -> !tile
      titan.copy_async %tok to %B[%atk, %c0, %c0]$WRITE : !tile, !matrix
      %stored = titan.bulk.commit : !bulk
      titan.bulk.wait_group $LATER read
    }
    titan.cta_sync
    %j = arith.addi %k, %ahead : index
    %atj = arith.addi %atk, %skip : index
    %more = arith.cmpi ult, %atj, %all : index
    scf.if %more {
      %sj = arith.remui %j, %slots : index
      %toj = titan.shared.slot %ring[%sj : index] : !ring -> !tile
      titan.copy_async %A[%atj, %c0, %c0] to %toj dispatch("cp_async") : !matrix, !tile
    }
    %group = titan.cp_async.commit : !titan.token<async>
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  titan.elect warp(0) {
    titan.bulk.wait_group 0 read
  }"""


# The same, `T` tiles a CTA, all of them under way at once, and a CTA for each `T` tiles: who is done makes room for the next.
STREAM_EACH = STREAM[:STREAM.index("launch {")] + """launch {
  %c0 = arith.constant 0 : index
  %each = arith.constant $SLOTS : index
  %m = titan.dim %A, 0 : !matrix
  %mB = titan.dim %B, 0 : !matrix
  %same = arith.cmpi eq, %m, %mB : index
  titan.require %same, "launch-check", "B has a row for each row of A"
  %left = arith.remui %m, %each : index
  %whole = arith.cmpi eq, %left, %c0 : index
  titan.require %whole, "launch-check", "A has $SLOTS tiles for each CTA"
  %ctas = arith.divui %m, %each : index
  titan.launch grid(%ctas)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %each = arith.constant $SLOTS : index
  %i0 = arith.constant 0 : i32
  %ring = titan.shared.alloc : !ring
  %cta = titan.cta_id 0
  %first = arith.muli %cta, %each : index
$MOVE
  titan.return
}
"""


def each_move(form, slots, how):
    """All loads, then each store behind its load (`how`: stream)."""
    lines = [f"%n{t} = arith.constant {t} : index" for t in range(slots)]
    if "f" in how:
        lines += ["%ctas = titan.num_ctas 0", *[f"%skip{t} = arith.muli %n{t}, %ctas : index" for t in range(slots)],
                  *[f"%at{t} = arith.addi %cta, %skip{t} : index" for t in range(slots)]]
    else:
        lines += [f"%at{t} = arith.addi %first, %n{t} : index" for t in range(slots)]
    lines += [f"%to{t} = titan.shared.slot %ring[%n{t} : index] : !ring -> !tile" for t in range(slots)]
    if form == "vectors":
        return "\n".join("  " + line for line in lines + [
            *[f"%r{t} = titan.copy %A[%at{t}, %c0, %c0] : !matrix -> !regs" for t in range(slots)],
            *[f"titan.copy %r{t} to %B[%at{t}, %c0, %c0] : !regs, !matrix" for t in range(slots)]] if "shared" not in line)
    if form == "cp_async":
        for t in range(slots):
            lines += [f'titan.copy_async %A[%at{t}, %c0, %c0] to %to{t} : !matrix, !tile',
                      f"%group{t} = titan.cp_async.commit : !titan.token<async>"]
        for t in range(slots):
            lines += [f"titan.cp_async.wait_group {slots - 1 - t}", "titan.fence.proxy_async shared_cta", "titan.cta_sync",
                      "titan.elect warp(0) {", STORE["bulk"](t), f"%stored{t} = titan.bulk.commit : !bulk", "}"]
        lines += ["titan.elect warp(0) {", "titan.bulk.wait_group 0 read", "}"]
    elif "s" in how:
        for t in range(slots):
            lines += [f"%full{t} = titan.mbarrier.alloc : !one", f"titan.elect warp({t}) {{", f"titan.mbarrier.init %full{t} count(1) : !one", "titan.fence.mbarrier_init",
                      LOAD[form](t).replace(f"%full[%s{t} : index]", f"%full{t}").replace("!full", "!one"),
                      f"titan.mbarrier.arrive %full{t} : !one", f"titan.mbarrier.wait %full{t} parity(%i0) : !one", STORE[form](t),
                      f"%stored{t} = titan.bulk.commit : !bulk", "titan.bulk.wait_group 0 read", "}"]
    else:
        lines += [f"%s{t} = arith.constant {t} : index" for t in range(slots)]
        lines += ["%full = titan.mbarrier.alloc : !full", "titan.elect {", "titan.mbarrier.init %full count(1) : !full",
                  "titan.fence.mbarrier_init"]
        for t in range(slots):
            lines += [LOAD[form](t), f"titan.mbarrier.arrive %full[%n{t} : index] : !full"]
        waits = [f"titan.mbarrier.wait %full[%n{t} : index] parity(%i0) : !full" for t in range(slots)]
        stores = [STORE[form](t) + f"\n%stored{t} = titan.bulk.commit : !bulk" for t in range(slots)]
        lines += waits + stores if "p" in how else [line for pair in zip(waits, stores) for line in pair]
        lines += ["titan.bulk.wait_group 0 read", "}"]
    return "\n".join("  " + line for line in lines)


def fill(text, **values):
    for _ in range(3):  # values have placeholders, too
        text = Template(text).substitute(values) if "$" in text else text
    return text


def rotate(n, form, rounds):
    rows = form == "rows"
    return fill(ROTATE, N=n, R=256, ALL=256 * n, C=128 if rows else 64, ROUNDS=rounds, AT="[%c0, %c0]" if rows else "",
                EXTENTS=" extents [256, 64]" if rows else "")


def gather(n, form, rows=512):
    """`rows`: of all tiles of a cluster."""
    r = rows // n
    forms = {"ring": GATHER_RING, "direct": GATHER_DIRECT, "pull": gather_pull(n), "push": gather_push(n), "both": gather_both(n), "global": GATHER_GLOBAL, "scratch": gather_scratch(n),
             "multicast": GATHER_MULTICAST}
    return fill(GATHER, N=n, R=r, ALL=r * n, LAST=n - 1, BYTES=r * 256, MASK=(1 << n) - 1, **forms[form])


def split_k(n, form):
    s = 128 // n
    forms = {"cluster": SPLIT_CLUSTER, "pull": split_pull(n), "push": split_push(n), "global": SPLIT_GLOBAL,
             "scratch": split_scratch(n)}
    return fill(SPLIT, N=n, S=s, EXPECTED=(n - 1) * s * 512, **{"SCRATCH": "", "ALIGNED": "", "EXAMPLE": "", **forms[form]})


def halo(n, form, steps):
    peer = form == "cluster"
    return fill(HALO, N=n, R=64, ALL=64 * n, EDGES=4 * n, LESS=n - 1, HALF=steps // 2, VIEWS=halo_views(),
                SCRATCH="" if peer else ", %S: !edges", ALIGNED="" if peer else ", S = 16",
                EXAMPLE="" if peer else ', S = "Ex128"', SETUP="" if peer else HALO_GLOBAL_SETUP,
                BODY=halo_body(halo_peer if peer else halo_global))


HINTS = {"": ("", ""), "r": (" cache(evict_first)", ""), "w": ("", " cache(evict_first)"),
         "rw": (" cache(evict_first)", " cache(evict_first)"), "rl": (" cache(evict_first)", " cache(evict_last)")}


def stream(form, rows, slots, ahead, hints=""):
    """Tiles of `rows` KiB. With `ahead`: as many CTAs as shared memory takes go on and on, and `ahead` tiles are under way before
    one is stored. Without: a CTA for each `slots` tiles: `p` all stores behind all loads, `s` a warp for each tile, `f` tiles
    that lie far apart."""
    words = hints.rstrip("psf")
    how = hints[len(words):]
    read, write = HINTS[words]
    more = dict(R=rows, C=256, SLOTS=slots, PITCH=256 * rows, READ=read, WRITE=write)
    if not ahead:
        text = fill(STREAM_EACH, WARPS=4 if form in ("cp_async", "vectors") else slots if "s" in how else 1, MOVE=each_move(form, slots, how),
                    ALL=3 * slots, **more)
        if form == "vectors":
            text = text.replace("titan.kernel @", f"!regs = tensor<{rows}x256xf32, #titan.blocked<elements = [1, 4], lanes = [1, 32], "
                                "warps = [4, 1]>>\ntitan.kernel @").replace("  %ring = titan.shared.alloc : !ring\n", "")
        return text
    resident = min(8, 228 // (rows * slots + 1))
    more.update(AHEAD=ahead, ALL=2 * resident * ahead + 11, RESIDENT=resident)
    if form == "cp_async":
        return fill(STREAM, WARPS=4, PENDING=ahead - 1, LATER=slots - ahead - 1, MOVE=CP_ASYNC_MOVE, **more)
    return fill(STREAM, WARPS=1, BEHIND=slots - ahead - 1, MOVE=STREAM_MOVES[form], **more)
