#!/usr/bin/env python3
"""What the hardware counts while a GEMM runs, ours beside its peers: cycles, the tensor cores' share of them,
bytes through L2 and memory, instructions, and what warps wait for.

    ncu --profile-from-start off --clock-control none --set full --export p -f \\
        --metrics dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum,l1tex__m_xbar2l1tex_read_bytes.sum,\\
    lts__t_sectors_srcunit_tex.sum,sm__cycles_active.avg,sm__cycles_elapsed.max,sm__inst_executed.sum \\
        python3 benchmarks/gemm_profile.py run FOLDER --library libtitan-runtime.so --shapes 512x8192x8192 \\
        --with cublas,lt1,quack:128/256/2/1/False,ours=512x8192x8192 | tee log
    ncu --import p.ncu-rep --page raw --csv > raw.csv
    python3 benchmarks/gemm_profile.py table raw.csv --log log

run     launches each contender of each shape once between cudaProfilerStart and cudaProfilerStop, behind two launches
        that are not counted. ncu empties the caches before each pass, and restores D. A shape is MxNxK; --with names,
        once for each of --shapes, cublas, ltI (algorithm I of cuBLASLt's heuristic), quack:CONFIGURATION as race.py writes
        it, and ours=PACKAGE (a file's name below FOLDER, without .titanpkg).
table   the counters of raw.csv by kernel, as text, under the names that the log has. Clocks are as they are: cycles compare, microseconds do so only
        where the clocks do.
"""
import argparse
import csv
import os
import sys

# Of ncu's raw page: what a line of the table says, and in which unit.
COUNTERS = [("us", "gpu__time_duration.sum"),
            ("MHz", "sm__cycles_elapsed.avg.per_second"),
            ("cycles", "sm__cycles_elapsed.max"),
            ("of them active", "sm__cycles_active.avg"),
            ("tensor cores busy, % of active", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
            ("tensor cores busy, % of all", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"),
            ("memory, % of its rate", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"),
            ("memory read, MB", "dram__bytes_read.sum"),
            ("memory written, MB", "dram__bytes_write.sum"),
            ("L2, % of its rate", "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
            ("L2 asked, M sectors", "lts__t_sectors_srcunit_tex.sum"),
            ("L2 hits, %", "lts__t_sector_hit_rate.pct"),
            ("to the SMs, MB", "l1tex__m_xbar2l1tex_read_bytes.sum"),
            ("instructions, M", "sm__inst_executed.sum"),
            ("waves", "launch__waves_per_multiprocessor"),
            ("registers", "launch__registers_per_thread"),
            ("shared memory, KB", "launch__shared_mem_per_block")]
STALLS = "smsp__average_warps_issue_stalled_"


def contenders(options, m, n, k, names):
    import torch
    import race
    from gemm import Library
    found, library = {}, None
    for name in names:
        if name == "cublas":
            found[name] = lambda a, b, d: torch.matmul(a, b.T, out=d)
        elif name.startswith("lt"):
            found[name] = race.CublasLt().algorithms(m, n, k)[int(name[2:])]
        elif name.startswith("quack:"):
            found[name] = race.quack_launchers()[name[6:]]
        else:
            library = library or Library(options.library)
            found[name] = race.ours_of(library, os.path.join(options.folder, name.removeprefix("ours=") + ".titanpkg"))
    return found


def run(options):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import torch
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    for shape, names in zip(options.shapes.split(","), options.contenders):
        m, n, k = map(int, shape.split("x"))
        generator = torch.Generator(device="cuda").manual_seed(m + 3 * n + 5 * k)
        normal = lambda *s: torch.randn(s, device="cuda", generator=generator, dtype=torch.float32).to(torch.bfloat16)
        a, b, d = normal(m, k), normal(n, k), torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        for name, launch in contenders(options, m, n, k, names.split(",")).items():
            for _ in range(2):
                launch(a, b, d)
            torch.cuda.synchronize()
            torch.cuda.cudart().cudaProfilerStart()
            launch(a, b, d)
            torch.cuda.synchronize()
            torch.cuda.cudart().cudaProfilerStop()
            print("profiled", shape, name, flush=True)
    return 0


def read(path):
    """Rows of ncu's CSV by name, and the units, which stand in its second line."""
    with open(path) as file:
        lines = [line for line in file if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    return rows[1:], rows[0]


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


SCALES = {"byte": 1e-6, "Kbyte": 1e-3, "Mbyte": 1, "Gbyte": 1e3, "ns": 1e-3, "us": 1, "ms": 1e3, "hz": 1e-6, "Mhz": 1,
          "Ghz": 1e3, "cycle/nsecond": 1e3, "cycle/usecond": 1, "cycle/second": 1e-6, "sector": 1e-6, "inst": 1e-6}


def table(options):
    rows, units = read(options.csv)
    names = [None] * len(rows)
    if options.log:
        with open(options.log) as file:
            names = [line.split(None, 1)[1].strip() for line in file if line.startswith("profiled ")]
        if len(names) != len(rows):
            sys.exit(f"{len(names)} contenders in the log, {len(rows)} kernels in the file: not each has launched one")
    for row, name in zip(rows, names):
        if name:
            print(name)
        print(f"  {row['Kernel Name'][:90]}  grid {row['Grid Size']}, block {row['Block Size']}")
        for what, name in COUNTERS:
            value = number(row.get(name) or "")
            if value is None:
                continue
            unit = units.get(name) or ""
            value *= SCALES.get(unit, 1)
            if what.startswith("shared") and unit.startswith("byte"):
                value *= 1e3
            print(f"    {what:28s} {value:12,.2f}")
        waits = sorted(((number(value), name[len(STALLS):].split("_per_")[0]) for name, value in row.items()
                        if name.startswith(STALLS) and name.endswith("_per_issue_active.ratio")
                        and number(value or "")), reverse=True)
        print("    a warp waits, cycles an instruction: " + ", ".join(f"{name} {value:.2f}" for value, name in waits[:6]))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    go = commands.add_parser("run")
    go.add_argument("folder")
    go.add_argument("--library", required=True)
    go.add_argument("--shapes", required=True, help="MxNxK,...")
    go.add_argument("--with", dest="contenders", action="append", required=True, help="of each shape, in their order")
    show = commands.add_parser("table")
    show.add_argument("csv")
    show.add_argument("--log")
    options = parser.parse_args()
    return run(options) if options.command == "run" else table(options)


if __name__ == "__main__":
    sys.exit(main())
