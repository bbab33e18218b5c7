#!/usr/bin/env python3
"""Random kernels over the copies that need no tensor map: checker, simulator, package, GPU.

    copies.py check   --titan build/bin/titan [--seed S] [--count N]
    copies.py mutants --titan build/bin/titan [--seed S] [--count N]
    copies.py prepare --titan build/bin/titan [--seed S] [--count N] --out FOLDER
    device.py --library libtitan-runtime.so FOLDER          (on a machine with a GPU)

A kernel brings tiles of X to shared memory, within the CTA or from CTA to CTA of a cluster, and
what it then finds there to P: by cp.async (4, 8, 16 bytes, masks, swizzles, rings; waited for by
tokens, numbers or mbarriers), by bulk copies (multicast, whole rows, reductions), to a peer by bulk
copies, st.async and red.async; some arrivals are for good (arrive_drop), and some bytes are
completed by hand (complete_tx). Kernels are written as text from a seed. What P holds afterwards is
computed here, from nothing of titan. random_kernels.py has the commands.
"""
import sys

import random_kernels
from random_kernels import TYPES
from transfers import REDUCTIONS, reduce

TILE_TYPES = ["i8", "i16", "bf16", "f16", "i32", "f32", "i64"]
SHARED_REDUCTIONS = ["add", "min", "max", "and", "or", "xor"]
SHARED = 227 << 10  # bytes of shared memory that a CTA of sm_90a may have


class Kernel(random_kernels.Kernel):
    def __init__(self, rng, number):
        super().__init__(rng, number)
        self.warps = rng.choice([1, 1, 2, 4])
        self.kind = rng.choice(["cp_async"] * 4 + ["bulk", "bulk", "reduce", "peer", "peer_reduce",
                                                   "st_async", "red_async", "drop"])
        getattr(self, self.kind)()

    def blocked(self, rows, columns, widest):
        """A layout of all warps for rows x columns, and how many elements of a row a thread begins with."""
        rng, warps = self.rng, self.warps
        along = rng.choice([w for w in (1, 2, 4) if warps % w == 0])
        fits = []
        for e in (1, 2, 4, 8, 16):
            for lanes in (1, 2, 4, 8, 16, 32):
                if e <= widest and e * lanes <= columns and (32 // lanes) * (warps // along) <= rows:
                    fits.append((e, lanes))
        wide = [f for f in fits if f[0] == widest]
        e, lanes = rng.choice(wide if wide and rng.random() < 0.6 else fits)
        if e * lanes * along > columns:
            along = 1
        if (32 // lanes) * (warps // along) > rows:
            return self.blocked(rows, columns, widest)
        return (f"#titan.blocked<elements = [1, {e}], lanes = [{32 // lanes}, {lanes}], "
                f"warps = [{warps // along}, {along}]>", e)

    def random_bytes(self, shape):
        count = TYPES[self.type][0]
        for n in shape:
            count *= n
        return self.rng.randbytes(count) if TYPES[self.type][2] is None or self.kind != "reduce" else b"".join(
            self.rng.choice(self.finite()).to_bytes(TYPES[self.type][0], "little")
            for _ in range(count // TYPES[self.type][0]))

    def finite(self):
        """Small whole numbers, as floats of the type: their sums are exact."""
        size, _, (exponent, mantissa) = TYPES[self.type]
        bias, found = (1 << exponent - 1) - 1, [0]
        for value in range(1, 9):
            power = value.bit_length() - 1
            bits = (power + bias) << mantissa | (value << mantissa - power & (1 << mantissa) - 1)
            found += [bits, bits | 1 << 8 * size - 1]
        return found

    def barrier(self, name, count, slots=1, cluster=False):
        ring = f"<{slots}>" if slots > 1 else ""
        self.add(f"%{name} = titan.mbarrier.alloc : !titan.mbarrier{ring}", "titan.elect warp(0) {",
                 f"titan.mbarrier.init %{name} count({count}) : !titan.mbarrier{ring}",
                 "titan.fence.mbarrier_init", "}")
        self.add(*(["titan.cluster.arrive", "titan.cluster.wait"] if cluster else ["titan.cta_sync"]))

    # -- cp.async ----------------------------------------------------------------------------

    def cp_async(self):
        rng = self.rng
        self.type = rng.choice(TILE_TYPES)
        size = TYPES[self.type][0]
        rows, columns = rng.choice([16, 32, 64]), rng.choice([32, 64, 128])
        steps = rng.choice([1, 1, 2, 3, 4])
        slots = min(rng.randint(1, steps), SHARED // (rows * columns * size))
        how = rng.choice(["token", "number", "noinc", "increment"])
        copy, e = self.blocked(rows, columns, 16 // size)
        while e * size < 4:
            copy, e = self.blocked(rows, columns, 16 // size)
        bytes_ = rng.choice([b for b in (4, 8, 16) if b >= size and e * size % b == 0])
        swizzle = rng.choice([0, 0] + [s for s in (32, 64, 128) if columns * size % s == 0])
        own = rng.random() < 0.3  # each thread reads what it copied
        read = copy if own else self.blocked(rows, columns, 16 // size)[0]
        bulk = not swizzle and rng.random() < 0.3
        masked = rng.random() < 0.6
        height = rng.randint(max(1, rows // 2), rows) if masked and rng.random() < 0.5 else rows
        unit = 16 // size
        width = steps * columns if not masked else rng.randint(1, steps * columns // unit) * unit
        limit = rng.randint(0, width) if masked else width
        self.x_shape, self.p_shape = [height, width], [steps * rows, columns]
        self.global_x = f"!titan.global<?x?x{self.type}>"
        self.global_p = (f"!titan.global<?x{columns}x{self.type}, strides = [{columns}, 1]>" if bulk
                         else f"!titan.global<?x?x{self.type}>")
        index, reg = f"tensor<{rows}x{columns}xi32, {copy}>", f"tensor<{rows}x{columns}x{self.type}, {read}>"
        out_index = f"tensor<{rows}x{columns}xi32, {read}>"
        form = f"{rows}x{columns}x{self.type}" + (f", swizzle = {swizzle}" if swizzle else "")
        tile = f"!titan.shared<{form}>"
        ring = f"!titan.shared<{form}, slots = {slots}>" if slots > 1 else tile
        self.add(f"%ring = titan.shared.alloc : {ring}")
        bar = f"!titan.mbarrier<{slots}>" if slots > 1 else "!titan.mbarrier"
        counted = how in ("noinc", "increment")
        if counted:
            self.barrier("full", 32 * self.warps, slots)
        self.add(f"%row = titan.coordinate 0 : {index}", f"%col = titan.coordinate 1 : {index}",
                 f"%orow = titan.coordinate 0 : {out_index}", f"%ocol = titan.coordinate 1 : {out_index}")
        if masked:
            self.scalars["n"] = limit
            self.add("%n32 = arith.trunci %n : i64 to i32", f"%limit = titan.splat %n32 : i32 -> {index}",
                     f"%height = titan.splat {self.constant(height)} : i32 -> {index}",
                     f"%low = arith.cmpi slt, %row, %height : {index}")

        def slot_of(step):
            return f"[{self.constant(step % slots)} : i32]" if slots > 1 else ""

        def view(step, name):
            if slots == 1:
                return "%ring"
            self.add(f"%{name}{step} = titan.shared.slot %ring{slot_of(step)} : {ring} -> {tile}")
            return f"%{name}{step}"

        def issue(step):
            buffer = view(step, "to")
            self.add(f"%off{step} = titan.splat {self.constant(step * columns)} : i32 -> {index}",
                     f"%at{step} = arith.addi %col, %off{step} : {index}")
            mask = ""
            if masked:
                bits = index.replace("xi32", "xi1")
                self.add(f"%in{step} = arith.cmpi slt, %at{step}, %limit : {index}",
                         f"%mask{step} = arith.andi %in{step}, %low : {bits}")
                mask = f" mask(%mask{step} : {bits})"
            self.add(f"titan.cp_async %X[%row, %at{step}]{mask}, {buffer} bytes({bytes_})"
                     f"{' cg' if bytes_ == 16 and rng.random() < 0.5 else ''} : {self.global_x}, {index}, {index} -> {tile}")
            if how in ("token", "number") or rng.random() < 0.2:
                self.add(f"%g{step} = titan.cp_async.commit : !titan.token<async>")
            if counted:
                self.add(f"titan.cp_async.mbarrier_arrive %full{slot_of(step)}{' noinc' if how == 'noinc' else ''} : {bar}")
            if how == "increment":
                self.add(f"titan.mbarrier.arrive %full{slot_of(step)} : {bar}")

        for step in range(slots):
            issue(step)
        issued = slots
        for step in range(steps):
            if how == "token":
                self.add(f"titan.cp_async.wait %g{step} : !titan.token<async>")
            elif how == "number":
                self.add(f"titan.cp_async.wait_group {issued - step - 1}")
            else:
                self.add(f"titan.mbarrier.wait %full{slot_of(step)} parity({self.constant(step // slots % 2)}) : {bar}")
            base = self.constant(step * rows, "index")
            buffer = view(step, "from")
            if bulk:
                self.add("titan.fence.proxy_async shared_cta", "titan.cta_sync", "titan.elect warp(0) {",
                         f"titan.bulk.store {buffer}, %P[{base}, {self.constant(0, 'index')}] : {tile}, {self.global_p}",
                         f"%s{step} = titan.bulk.commit : !titan.token<bulk>",
                         f"titan.bulk.wait %s{step} : !titan.token<bulk>", "}")
            else:
                if not own and not counted:
                    self.add("titan.cta_sync")
                self.add(f"%v{step} = titan.shared.load {buffer} : {tile} -> {reg}",
                         f"%down{step} = titan.splat {self.constant(step * rows)} : i32 -> {out_index}",
                         f"%to_row{step} = arith.addi %orow, %down{step} : {out_index}",
                         f"titan.global.store %v{step}, %P[%to_row{step}, %ocol] : {reg}, {self.global_p}, {out_index}, {out_index}")
            if step + slots < steps:
                if not own or bulk or counted:
                    self.add("titan.cta_sync")
                issue(step + slots)
                issued += 1
        self.x = self.random_bytes(self.x_shape)
        p = bytearray()
        for step in range(steps):
            for r in range(rows):
                for c in range(step * columns, (step + 1) * columns):
                    at = (r * width + c) * size
                    inside = r < height and c < limit
                    p += self.x[at:at + size] if inside else bytes(size)
        self.after = bytes(p)

    # -- bulk copies -------------------------------------------------------------------------

    def tile_of_x(self, types):
        """The type, and tiles of rows x columns: one a CTA of the cluster, in X."""
        rng = self.rng
        self.type = rng.choice(types)
        size = TYPES[self.type][0]
        rows, columns = rng.choice([1, 4, 8, 16]), rng.choice([32, 64, 96])
        self.global_x = f"!titan.global<?x{columns}x{self.type}, strides = [{columns}, 1]>"
        self.global_p = self.global_x
        self.tile = f"!titan.shared<{rows}x{columns}x{self.type}>"
        self.peer_tile = f"!titan.shared<{rows}x{columns}x{self.type}, cluster>"
        self.rows, self.columns, self.bytes = rows, columns, rows * columns * size
        self.at0 = self.constant(0, "index")
        return rows, columns

    def rank(self, down=0):
        """%rank, and %base: the row of this CTA's tile."""
        self.add("%rank = titan.cluster_rank", "%rank_index = arith.index_cast %rank : i32 to index",
                 f"%base = arith.muli %rank_index, {self.constant(self.rows, 'index')} : index")

    def load(self, row, buffer, bar, parity=0, multicast=""):
        self.add("titan.elect warp(0) {",
                 f"titan.mbarrier.arrive_expect_tx %{bar}, {self.constant(self.bytes)} : !titan.mbarrier",
                 f"titan.bulk.load %X[{row}, {self.at0}], {buffer}, %{bar} : {self.global_x}, {self.tile}, !titan.mbarrier",
                 "}", f"titan.mbarrier.wait %{bar} parity({self.constant(parity)}) : !titan.mbarrier")

    def store(self, row, buffer, generic=False):
        """To P, by a bulk copy of the first warp."""
        self.add(*(["titan.fence.proxy_async shared_cta", "titan.cta_sync"] if generic else []), "titan.elect warp(0) {",
                 f"titan.bulk.store {buffer}, %P[{row}, {self.at0}] : {self.tile}, {self.global_p}",
                 "%group = titan.bulk.commit : !titan.token<bulk>", "titan.bulk.wait %group : !titan.token<bulk>", "}")

    def bulk(self):
        rng = self.rng
        self.cluster = self.grid = rng.choice([1, 1, 2, 4])
        rows, columns = self.tile_of_x([t for t in TYPES if not t.startswith("f8")])
        multicast = self.cluster > 1 and rng.random() < 0.7
        self.add(f"%buf = titan.shared.alloc : {self.tile}")
        self.rank()
        self.barrier("full", 1, cluster=multicast)
        self.x_shape = self.p_shape = [rows * self.cluster, columns]
        self.x = self.random_bytes(self.x_shape)
        if not multicast:
            self.load("%base", "%buf", "full")
            self.after = self.x
        else:
            mask = rng.randrange(1, 1 << self.cluster)
            source = rng.randrange(self.cluster)
            self.add("titan.elect warp(0) {",
                     f"%one_more = arith.constant 1 : i32", f"%bit = arith.shli %one_more, %rank : i32",
                     f"%mine = arith.andi %bit, {self.constant(mask)} : i32",
                     f"%reached = arith.cmpi ne, %mine, {self.constant(0)} : i32",
                     f"%wanted = arith.select %reached, {self.constant(self.bytes)}, {self.constant(0)} : i32",
                     "titan.mbarrier.arrive_expect_tx %full, %wanted : !titan.mbarrier",
                     f"%first = arith.cmpi eq, %rank, {self.constant(source)} : i32", "scf.if %first {",
                     f"titan.bulk.load %X[{self.constant(source * rows, 'index')}, {self.at0}], %buf, %full "
                     f"multicast({self.constant(mask, 'i16')}) : {self.global_x}, {self.tile}, !titan.mbarrier", "}", "}",
                     f"titan.mbarrier.wait %full parity({self.constant(0)}) : !titan.mbarrier",
                     f"%mine2 = arith.shrui {self.constant(mask)}, %rank : i32",
                     f"%low_bit = arith.andi %mine2, {self.constant(1)} : i32",
                     f"%holds = arith.cmpi ne, %low_bit, {self.constant(0)} : i32", "scf.if %holds {")
            block = self.x[source * self.bytes:(source + 1) * self.bytes]
            self.p = self.random_bytes(self.p_shape)
            self.after = b"".join(block if mask >> r & 1 else self.p[r * self.bytes:(r + 1) * self.bytes]
                                  for r in range(self.cluster))
        self.store("%base", "%buf")
        if multicast:
            self.add("}", "titan.cluster.arrive", "titan.cluster.wait")

    def reduce(self):
        rng = self.rng
        op = rng.choice(list(REDUCTIONS))
        rows, columns = self.tile_of_x(REDUCTIONS[op])
        self.grid = rng.choice([1, 2, 3])
        self.x_shape, self.p_shape = [rows * self.grid, columns], [rows, columns]
        self.add(f"%buf = titan.shared.alloc : {self.tile}", "%cta = titan.cta_id 0",
                 f"%base = arith.muli %cta, {self.constant(rows, 'index')} : index")
        self.barrier("full", 1)
        self.load("%base", "%buf", "full")
        self.add("titan.elect warp(0) {",
                 f"titan.bulk.reduce {op} %buf, %P[{self.at0}, {self.at0}] : {self.tile}, {self.global_p}",
                 "%group = titan.bulk.commit : !titan.token<bulk>", "titan.bulk.wait %group : !titan.token<bulk>", "}")
        self.x, self.p = self.random_bytes(self.x_shape), self.random_bytes(self.p_shape)
        size = TYPES[self.type][0]
        after = bytearray(self.p)
        for cta in range(self.grid):
            for i in range(0, self.bytes, size):
                at = cta * self.bytes + i
                value = reduce(op, self.type, int.from_bytes(after[i:i + size], "little"),
                               int.from_bytes(self.x[at:at + size], "little"))
                after[i:i + size] = value.to_bytes(size, "little")
        self.after = bytes(after)

    # -- to a peer ---------------------------------------------------------------------------

    def to_peer(self, types):
        """Each CTA's tile goes to the CTA `shift` ranks on: %to is its rank."""
        rng = self.rng
        self.cluster = rng.choice([2, 2, 4])
        self.grid = self.cluster * rng.choice([1, 2])
        rows, columns = self.tile_of_x(types)
        self.shift = rng.randrange(1, self.cluster)
        self.add("%cta = titan.cta_id 0", "%rank = titan.cluster_rank",
                 f"%base = arith.muli %cta, {self.constant(rows, 'index')} : index",
                 f"%next = arith.addi %rank, {self.constant(self.shift)} : i32",
                 f"%to = arith.remui %next, {self.constant(self.cluster)} : i32")
        return rows, columns

    def blocks(self, memory):
        return [memory[i:i + self.bytes] for i in range(0, len(memory), self.bytes)]

    def source_of(self, cta):
        """Whose tile CTA `cta` receives."""
        first = cta // self.cluster * self.cluster
        return first + (cta - first - self.shift) % self.cluster

    def peer(self):
        self.peer_reduce(reduces=False)

    def peer_reduce(self, reduces=True):
        rng = self.rng
        op = rng.choice(SHARED_REDUCTIONS)
        rows, columns = self.to_peer((["i32", "i64"] if op == "add" else ["i32"]) if reduces else list(TYPES))
        self.x_shape, self.p_shape = [rows * self.grid * (1 + reduces), columns], [rows * self.grid, columns]
        self.add(f"%mine = titan.shared.alloc : {self.tile}", f"%theirs = titan.shared.alloc : {self.tile}")
        self.add("%got = titan.mbarrier.alloc : !titan.mbarrier", "titan.elect warp(0) {",
                 "titan.mbarrier.init %got count(1) : !titan.mbarrier",
                 f"titan.mbarrier.arrive_expect_tx %got, {self.constant(self.bytes)} : !titan.mbarrier", "}")
        self.barrier("full", 1)
        self.load("%base", "%mine", "full")
        if reduces:
            # Nobody may be a phase behind when the second one ends.
            self.add(f"%below = arith.addi %base, {self.constant(rows * self.grid, 'index')} : index", "titan.cta_sync")
            self.load("%below", "%theirs", "full", parity=1)
        self.add("titan.cluster.arrive", "titan.cluster.wait",
                 f"%there = titan.map_rank %theirs, %to : {self.tile} -> {self.peer_tile}",
                 "%bar = titan.map_rank %got, %to : !titan.mbarrier -> !titan.mbarrier<cluster>",
                 "titan.elect warp(0) {",
                 f"titan.bulk.{'reduce_to_peer ' + op if reduces else 'copy_to_peer'} %mine, %there, %bar : "
                 f"{self.tile}, {self.peer_tile}, !titan.mbarrier<cluster>", "}",
                 f"titan.mbarrier.wait %got parity({self.constant(0)}) scope(cluster) : !titan.mbarrier")
        self.store("%base", "%theirs")
        self.add("titan.cluster.arrive", "titan.cluster.wait")
        self.x = self.random_bytes(self.x_shape)
        size, block = TYPES[self.type][0], self.blocks(self.x)
        self.after = b""
        for cta in range(self.grid):
            came = block[self.source_of(cta)]
            if reduces:
                old = block[self.grid + cta]
                came = b"".join(reduce(op, self.type, int.from_bytes(old[i:i + size], "little"),
                                       int.from_bytes(came[i:i + size], "little")).to_bytes(size, "little")
                                for i in range(0, self.bytes, size))
            self.after += came

    def st_async(self):
        self.red_async(reduces=False)

    def red_async(self, reduces=True):
        rng = self.rng
        op = rng.choice(SHARED_REDUCTIONS)
        self.cluster = rng.choice([2, 2, 4])
        self.grid = self.cluster
        self.type = rng.choice(["i32", "i64"] if op == "add" else ["i32"]) if reduces else rng.choice(TILE_TYPES)
        size = TYPES[self.type][0]
        rows, columns = rng.choice([16, 32, 64]), rng.choice([32, 64])
        self.rows, self.columns, self.bytes = rows, columns, rows * columns * size
        layout, e = self.blocked(rows, columns, 16 // size)
        while e * size < 4:
            layout, e = self.blocked(rows, columns, 16 // size)
        read, _ = self.blocked(rows, columns, 16 // size)
        swizzle = rng.choice([0] + [s for s in (32, 64, 128) if columns * size % s == 0])
        form = f"{rows}x{columns}x{self.type}" + (f", swizzle = {swizzle}" if swizzle else "")
        tile, peer = f"!titan.shared<{form}>", f"!titan.shared<{form}, cluster>"
        self.global_x = self.global_p = f"!titan.global<?x?x{self.type}>"
        self.shift = rng.randrange(1, self.cluster)
        index, reg = f"tensor<{rows}x{columns}xi32, {layout}>", f"tensor<{rows}x{columns}x{self.type}, {layout}>"
        out_index, out = f"tensor<{rows}x{columns}xi32, {read}>", f"tensor<{rows}x{columns}x{self.type}, {read}>"
        by_hand = rng.random() < 0.4
        self.x_shape, self.p_shape = [rows * self.grid * (1 + reduces), columns], [rows * self.grid, columns]
        self.add(f"%theirs = titan.shared.alloc : {tile}", "%rank = titan.cluster_rank",
                 f"%down = arith.muli %rank, {self.constant(rows)} : i32",
                 f"%next = arith.addi %rank, {self.constant(self.shift)} : i32",
                 f"%to = arith.remui %next, {self.constant(self.cluster)} : i32",
                 "%got = titan.mbarrier.alloc : !titan.mbarrier", "titan.elect warp(0) {",
                 "titan.mbarrier.init %got count(1) : !titan.mbarrier", "titan.fence.mbarrier_init",
                 f"titan.mbarrier.arrive_expect_tx %got, {self.constant(self.bytes + 64 * by_hand)} : !titan.mbarrier",
                 *([f"titan.mbarrier.complete_tx %got, {self.constant(64)} : !titan.mbarrier"] if by_hand else []), "}")

        def rows_from(first, index, name):
            self.add(f"%{name}c = titan.coordinate 1 : {index}", f"%{name}r = titan.coordinate 0 : {index}",
                     f"%{name}s = titan.splat {first} : i32 -> {index}",
                     f"%{name} = arith.addi %{name}r, %{name}s : {index}")

        rows_from("%down", index, "in")
        self.add(f"%v = titan.global.load %X[%in, %inc] : {self.global_x}, {index}, {index} -> {reg}")
        if reduces:
            self.add(f"%below = arith.addi %down, {self.constant(rows * self.grid)} : i32")
            rows_from("%below", out_index, "old")
            self.add(f"%o = titan.global.load %X[%old, %oldc] : {self.global_x}, {out_index}, {out_index} -> {out}",
                     f"titan.shared.store %o, %theirs : {out}, {tile}")
        self.add("titan.cluster.arrive", "titan.cluster.wait",
                 f"%there = titan.map_rank %theirs, %to : {tile} -> {peer}",
                 "%bar = titan.map_rank %got, %to : !titan.mbarrier -> !titan.mbarrier<cluster>",
                 f"titan.{'red_async ' + op if reduces else 'st_async'} %v, %there, %bar : {reg}, {peer}, !titan.mbarrier<cluster>",
                 f"titan.mbarrier.wait %got parity({self.constant(0)}) scope(cluster) : !titan.mbarrier")
        rows_from("%down", out_index, "out")
        self.add(f"%w = titan.shared.load %theirs : {tile} -> {out}",
                 f"titan.global.store %w, %P[%out, %outc] : {out}, {self.global_p}, {out_index}, {out_index}",
                 "titan.cluster.arrive", "titan.cluster.wait")
        self.x = self.random_bytes(self.x_shape)
        block = self.blocks(self.x)
        self.after = b""
        for cta in range(self.grid):
            came = block[self.source_of(cta)]
            if reduces:
                old = block[self.grid + cta]
                came = b"".join(reduce(op, self.type, int.from_bytes(old[i:i + size], "little"),
                                       int.from_bytes(came[i:i + size], "little")).to_bytes(size, "little")
                                for i in range(0, self.bytes, size))
            self.after += came

    # -- arrivals for good -------------------------------------------------------------------

    def drop(self):
        """All warps arrive in phase 0, all but the first for good; in phase 1 the first alone."""
        rng = self.rng
        self.warps = rng.choice([2, 4])
        rows, columns = self.tile_of_x([t for t in TYPES if not t.startswith("f8")])
        self.x_shape = self.p_shape = [2 * rows, columns]
        count = rng.choice([1, 1, 3])
        times = f" {{count = {count} : i64}}" if count > 1 else ""
        self.add(f"%buf = titan.shared.alloc : {self.tile}")
        self.barrier("full", 1 + count * (self.warps - 1))
        self.add("titan.elect warp(0) {",
                 f"titan.mbarrier.arrive_expect_tx %full, {self.constant(self.bytes)} : !titan.mbarrier",
                 f"titan.bulk.load %X[{self.at0}, {self.at0}], %buf, %full : {self.global_x}, {self.tile}, !titan.mbarrier", "}")
        for warp in range(1, self.warps):
            self.add(f"titan.elect warp({warp}) {{", f"titan.mbarrier.arrive_drop %full{times} : !titan.mbarrier", "}")
        self.add(f"titan.mbarrier.wait %full parity({self.constant(0)}) : !titan.mbarrier", "titan.elect warp(0) {",
                 f"titan.bulk.store %buf, %P[{self.at0}, {self.at0}] : {self.tile}, {self.global_p}",
                 "%group0 = titan.bulk.commit : !titan.token<bulk>", "titan.bulk.wait %group0 : !titan.token<bulk>", "}",
                 "titan.cta_sync")
        self.load(self.constant(rows, "index"), "%buf", "full", parity=1)
        self.store(self.constant(rows, "index"), "%buf")
        self.x = self.random_bytes(self.x_shape)
        self.after = self.x


# A line of synchronisation, and what may stand there instead (None: nothing).
BUGS = [(r"^titan\.(cp_async\.wait|cp_async\.wait_group|mbarrier\.wait|bulk\.wait|cta_sync|barrier\.sync|fence\.proxy_async|"
         r"mbarrier\.arrive|cp_async\.mbarrier_arrive|mbarrier\.arrive_drop|mbarrier\.complete_tx|cluster\.wait|cluster\.arrive|"
         r"fence\.mbarrier_init)\b.*$", None),
        (r"^titan\.cp_async\.wait_group (\d+)$", lambda m: f"titan.cp_async.wait_group {int(m[1]) + 1}"),
        (r"^(titan\.cp_async\.mbarrier_arrive .*) noinc( : .*)$", r"\1\2"),
        (r"^(titan\.cp_async\.mbarrier_arrive (?!.* noinc)[^:]*?(?: : i32\])?)( : !titan\.mbarrier.*)$", r"\1 noinc\2"),
        (r"^(titan\.mbarrier\.arrive_)drop( .*)$", r"titan.mbarrier.arrive\2"),
        (r"^(titan\.mbarrier\.init .* count\()(\d+)(\).*)$", lambda m: f"{m[1]}{int(m[2]) + 1}{m[3]}"),
        (r"^(titan\.mbarrier\.arrive_expect_tx %\w+), %c(\d+)_i32(.*)$", r"%wrong_bytes = arith.constant 16 : i32\n\1, %wrong_bytes\3"),
        (r"^(%bar = titan\.map_rank %got, )%to( .*)$", r"\1%rank\2"),
        (r"^(%there = titan\.map_rank %theirs, )%to( .*)$", r"\1%rank\2")]

if __name__ == "__main__":
    sys.exit(random_kernels.main(__doc__, Kernel, BUGS))
