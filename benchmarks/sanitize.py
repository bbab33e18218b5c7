#!/usr/bin/env python3
# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compute-sanitizer says of a launch of each kind of kernel that `titan generate` makes, and of titan.ops' calls.

    python3 benchmarks/sanitize.py prepare --titan build/bin/titan --out sanitize/     # needs no GPU
    python3 benchmarks/sanitize.py run sanitize/ --launch titan-launch [--tools memcheck,synccheck] > sanitizer.txt

    PYTHONPATH=python:benchmarks TITAN_RUNTIME=libtitan-runtime.so TITAN_PACKAGES=FOLDER python3 benchmarks/sanitize.py ops

The last one: the cases of attention_ops.py (which makes the FOLDER and says what it needs), eagerly, each compared with float64 as
well; a process for each of its steps (--only) under each tool. Each tensor is an allocation of its own there (PyTorch's cache
off), and racecheck looks at kernels called gemm, attention and attention_combine alone.

    PYTHONPATH=python:benchmarks TITAN_RUNTIME=libtitan-runtime.so TITAN_PACKAGES=FOLDER python3 benchmarks/sanitize.py maps

What initcheck finds in one call of titan.ops.gemm_grouped: before it publishes a map of D a block reads what its place in memory
held, and drops that (tensormap.cp_fenceproxy is an atomic exchange for ptxas). Called twice, with memory that nobody wrote and with
zeros: the exit status is 0 where each finding is that instruction's, in these maps, and with zeros there is none. FOLDER has
gemm-bf16-nt-grouped.titanpkg (of `titan generate gemm --batch grouped --tile 128x128x64`); with the .mlir beside it the lines are shown, with nvdisasm the instructions.

Of kinds each launch is a process of titan-launch under one of the tools; it holds the bytes around each tensor against what they
were, too. Needs no module beyond Python's own. A tool that has not ended after --timeout seconds is stopped, and said so.
The exit status is 1 where memcheck, synccheck or initcheck found something or did not end, or a launch went wrong. racecheck's findings
are listed and not counted: it knows the order that barriers of a whole CTA make, and not that of mbarriers whose
transactions TMA completes, so that each slot of a ring that is filled again is a hazard to it.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOOLS = ("memcheck", "synccheck", "initcheck", "racecheck")


def tensor(name, dims, data="random:1"):
    return ["--arg", f"{name}={data},shape={'x'.join(map(str, dims))}"]


def result(name, *dims):
    return ["--shape", f"{name}={'x'.join(map(str, dims))}"]


def product(m, n, k, *more, layout="nt", columns=None):
    """The arguments of D = A * B^T; `columns`: of what B has, where that is not D's."""
    a, b = (m, k), (columns or n, k)
    return [*tensor("A", a if layout[0] == "n" else a[::-1]), *tensor("B", b if layout[1] == "t" else b[::-1], "random:2"),
            *result("D", m, n), *more]


def attend(queries, keys, *more, heads=4, heads_k=2, size=128, batches=2):
    return [*tensor("Q", (batches, queries, heads, size)), *tensor("K", (batches, keys, heads_k, size), "random:2"),
            *tensor("V", (batches, keys, heads_k, size), "random:3"), *result("O", batches, queries, heads, size),
            "--scalar", "scale=0.09", *more]


# More tiles than an H200 has multiprocessors (132), the last ones ragged.
M, N, K = 1544, 1672, 520
ALPHA = ["--scalar", "alpha=0.5"]
TERMS = [*ALPHA, "--scalar", "beta=-2", *tensor("C", (M, N), "random:3"), *tensor("bias", (N,), "random:4")]
PARTS = 140  # Rows of a decode's workspace: a CTA's parts of the four tiles.
# Name -> the words of `titan generate`, and those of each of the package's launches.
KINDS = {
    "gemm-cooperative": ("gemm --tile 128x256x64 --consumers cooperative", product(M, N, K)),
    "gemm-pingpong": ("gemm --tile 128x128x64 --consumers pingpong", product(M, N, K)),
    "gemm-tn": ("gemm --tile 128x128x64 --layout tn", product(M, N, K, layout="tn")),
    "gemm-epilogue": ("gemm --tile 128x128x64 --consumers pingpong --epilogue alpha,beta,bias --activation gelu",
                      product(M, N, K, *TERMS)),
    "gemm-nn": ("gemm --tile 128x128x64 --layout nn --consumers pingpong", product(M, N, K, layout="nn")),
    "gemm-rows8": ("gemm --row-bytes 8 --tile 128x128x64", product(M, 1667, 524)),
    "gemm-rows8-terms": ("gemm --row-bytes 8 --tile 128x128x64 --consumers pingpong --epilogue alpha,beta,bias --activation gelu",
                         product(M, N, 524, *TERMS)),
    "gemm-rows4": ("gemm --row-bytes 4 --tile 128x256x64 --programmatic on", product(1545, 1667, 522)),
    "gemm-rows4-tn": ("gemm --row-bytes 4 --tile 128x128x64 --layout tn", product(1546, 1670, 521, layout="tn")),
    "gemm-rows2": ("gemm --row-bytes 2 --tile 128x128x64", product(1545, 1667, 521)),
    "gemm-rows2-nn": ("gemm --row-bytes 2 --tile 64x128x64 --layout nn --consumers pingpong", product(1545, 1667, 521, layout="nn")),
    "gemm-rows2-swap": ("gemm --row-bytes 2 --tile 16x64x64 --swap on --output f32", product(7, 8193, 1025)),
    "gemm-programmatic": ("gemm --tile 128x128x64 --consumers pingpong --programmatic on", product(M, N, K)),
    "gemm-f32": ("gemm --tile 128x128x64 --output f32", product(M, N, K)),
    "gemm-pairs": ("gemm --tile 128x128x64 --cluster 2x1", product(M, N, K)),
    "gemm-pairs-a": ("gemm --tile 128x128x64 --cluster 1x2 --consumers pingpong", product(M, N, K)),
    "gemm-swap": ("gemm --shape 16x8192x1024 --swap on", product(16, 8192, 1024)),
    "gemm-swap-panels": ("gemm --tile 88x256x64 --swap on --panel 32", product(1544, 8200, K)),
    "gemm-swap-turns": ("gemm --tile 200x128x64 --swap on --panel 32 --consumers pingpong", product(M, 2184, K)),
    "gemm-once": ("gemm --tile 64x128x64 --once on", product(128, 8200, K)),
    "gemm-split": ("gemm --tile 128x128x64 --split 4", product(200, 520, 2056)),
    "gemm-stream-k": ("gemm --tile 128x128x64 --stream-k on", product(
        M, N, K, *tensor("pages", (132, 128, 128), "zeros"), *result("flags", 132))),
    "gemm-batch": ("gemm --tile 128x128x64 --batch equal", [
        *tensor("A", (5, 520, K)), *tensor("B", (5, 264, K), "random:2"), *result("D", 5, 520, 264)]),
    "gemm-grouped": ("gemm --tile 128x128x64 --batch grouped", [
        *tensor("A", (900, K)), *tensor("B", (3, 1032, K), "random:2"), *result("D", 900, 1032),
        *tensor("offsets", (4,), "steps:300"), *tensor("maps", (132, 128), "zeros")]),
    "gemm-fp8": ("gemm --tile 128x128x128 --input e4m3 --epilogue alpha", product(M, N, 528, *ALPHA)),
    "gemm-promoted": ("gemm --tile 128x128x128 --input e5m2 --promote on", product(M, N, 528)),
    "gemm-gate": ("gemm --tile 128x128x64 --gate on --activation silu", product(M, 840, K, columns=1680)),
    "attention-full": ("attention", attend(520, 777)),
    "attention-causal": ("attention --causal on --lse on", attend(777, 777, *result("LSE", 2, 4, 777))),
    "attention-window": ("attention --window on", attend(520, 777, "--scalar", "window=90")),
    "attention-tail": ("attention --tail 48", attend(520, 3 * 176 + 40)),
    "attention-pack": ("attention --pack on", attend(260, 777, heads=8, heads_k=2)),
    "attention-64-pack": ("attention --head-size 64 --pack on", attend(260, 777, heads=6, heads_k=2, size=64)),
    "attention-persistent": ("attention --persistent on --ahead on --tile 128x128", attend(2600, 777)),
    "attention-wide": ("attention --persistent on --tile 128x176 --programmatic on", attend(2600, 777)),
    "attention-causal-ahead": ("attention --causal on --persistent on --ahead on --skip on --tile 128x128", attend(2600, 2600)),
    "attention-64-ahead": ("attention --head-size 64 --persistent on --ahead on --tile 192x128 --programmatic on", attend(3400, 777, size=64)),
    "attention-64-skip": ("attention --head-size 64 --causal on --persistent on --ahead on --skip on --tile 192x128", attend(3400, 3400, size=64)),
    "attention-64-causal": ("attention --head-size 64 --causal on", attend(777, 777, size=64)),
    "attention-ragged": ("attention --ragged on --causal on", [
        *tensor("Q", (1200, 4, 128)), *tensor("K", (1600, 2, 128), "random:2"), *tensor("V", (1600, 2, 128), "random:3"),
        *result("O", 1200, 4, 128), *tensor("cu_seqlens_q", (5,), "steps:300"), *tensor("cu_seqlens_k", (5,), "steps:400"),
        "--scalar", "longest=300", "--scalar", "scale=0.09"]),
    "attention-64-ragged": ("attention --ragged on --head-size 64 --lse on", [
        *tensor("Q", (1200, 4, 64)), *tensor("K", (1600, 2, 64), "random:2"), *tensor("V", (1600, 2, 64), "random:3"),
        *result("O", 1200, 4, 64), *result("LSE", 4, 1200), *tensor("cu_seqlens_q", (5,), "steps:300"),
        *tensor("cu_seqlens_k", (5,), "steps:400"), "--scalar", "longest=300", "--scalar", "scale=0.12"]),
    "decode": ("attention --decode on", ["--kernel", "attention",
        *tensor("Q", (2, 1, 2, 8, 128)), *tensor("K", (2, 3000, 2, 128), "random:2"), *tensor("V", (2, 3000, 2, 128), "random:3"),
        *result("Parts", PARTS, 64, 128), *result("Logs", PARTS, 64), "--scalar", "ctas=132", "--scalar", "scale=0.09"]),
    "decode-64-causal": ("attention --decode on --causal on --lse on --head-size 64", ["--kernel", "attention",
        *tensor("Q", (2, 3, 2, 8, 64)), *tensor("K", (2, 3000, 2, 64), "random:2"), *tensor("V", (2, 3000, 2, 64), "random:3"),
        *result("Parts", PARTS, 64, 64), *result("Logs", PARTS, 64), "--scalar", "ctas=132", "--scalar", "scale=0.12"]),
    "decode-pages": ("attention --decode on --page 16", ["--kernel", "attention",
        *tensor("Q", (2, 1, 2, 8, 128)), *tensor("K", (376, 16, 2, 128), "random:2"), *tensor("V", (376, 16, 2, 128), "random:3"),
        *tensor("table", (2, 188), "steps:1"), *tensor("lengths", (2,), "fill:3000"), *result("Parts", PARTS, 64, 128),
        *result("Logs", PARTS, 64), "--scalar", "ctas=132", "--scalar", "longest=3000", "--scalar", "scale=0.09"]),
    "decode-combine": ("attention --decode on --page 16", ["--kernel", "attention_combine",
        *tensor("Parts", (PARTS, 64, 128)), *tensor("Logs", (PARTS, 64), "random:2"), *tensor("K", (1, 16, 2, 128), "zeros"),
        *result("O", 2, 1, 2, 8, 128), "--scalar", "ctas=132", "--scalar", "longest=3000"])}


def prepare(options):
    os.makedirs(options.out, exist_ok=True)

    def make(name):
        words, stem = KINDS[name][0], os.path.join(options.out, name)
        subprocess.run([options.titan, "generate", *words.split(), "-o", stem + ".mlir"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([options.titan, "compile", stem + ".mlir", "--check=off", "-o", stem + ".titanpkg"], check=True,
                       stdout=subprocess.DEVNULL)
        os.remove(stem + ".mlir")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(make, KINDS))
    return 0


def look(options, tool, name):
    """The tool's last word, the lines before it, and titan-launch's report."""
    command = [options.sanitizer, "--tool", tool, options.launch, os.path.join(options.folder, name + ".titanpkg"),
               "--timeout", str(options.timeout), "--json", *KINDS[name][1]]
    if time.time() - options.begun > options.limit:
        return f"not begun after {options.limit} s", [], {}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return f"not ended after {options.timeout} s", [], {}
    said = [line[10:].strip() for line in (done.stdout + done.stderr).splitlines() if line.startswith("=========")]
    last = next((line for line in reversed(said) if "SUMMARY" in line), "no summary")
    try:
        report = json.loads("".join(line for line in done.stdout.splitlines(True) if not line.startswith("=========")))
    except ValueError:
        report = {"error": {"code": f"status {done.returncode}", "message": done.stderr.strip()[-300:]}}
    return last, [line for line in said if line and line != last], report


STEPS = ("products", "epilogues", "rows", "batched", "paged", "ragged", "groups")


def look_at_calls(options, tool, step):
    """The tool's last word, the lines before it, and what attention_ops.py says of a step: how many cases were right."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "attention_ops.py")
    command = [options.sanitizer, "--tool", tool]
    if tool == "racecheck":
        command += [word for name in ("gemm", "attention", "attention_combine") for word in ("--kernel-name", f"kne={name}")]
    command += [sys.executable, script, "--eager", "--only", step]
    left = options.limit - (time.time() - options.begun)
    if left < 1:
        return f"not begun after {options.limit} s", [], ""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                               env={**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "PYTHONUNBUFFERED": "1"})
    ended = True
    try:
        text, _ = process.communicate(timeout=min(options.timeout, left))
    except subprocess.TimeoutExpired:  # It stops with its children; what was said until then is told.
        os.killpg(process.pid, signal.SIGKILL)
        text, ended = process.communicate()[0], False
    said = [line[10:].strip() for line in text.splitlines() if line.startswith("=========")]
    cases = [line for line in text.splitlines() if re.search(r": (right|WRONG \(\d+\)|\w*Error: .*)$", line)]
    wrong = [line for line in cases if not line.endswith(": right")]
    last = next((line for line in reversed(said) if "SUMMARY" in line), "no summary") if ended else "not ended"
    report = f"; {len(cases)} cases, {len(cases) - len(wrong)} right" + "".join("\n      " + line[:200] for line in wrong)
    if not cases:
        report += "\n      " + text.strip()[-300:]
    return last, [line for line in said if line and line != last], report


def calls(options):
    from race import describe
    options.begun = time.time()
    jobs = [(tool, step) for step in options.only.split(",") for tool in options.tools.split(",")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = dict(zip(jobs, pool.map(lambda job: look_at_calls(options, *job), jobs)))
    there = describe()
    version = subprocess.run([options.sanitizer, "--version"], capture_output=True, text=True).stdout.split("Version ")[-1]
    print(f"{there['device']}; PyTorch {there['torch']}; compute-sanitizer {version.splitlines()[0] if version else '?'}; TITAN {there['titan']}")
    bad = 0
    for tool in options.tools.split(","):
        print(f"\n{tool}")
        for step in options.only.split(","):
            last, lines, report = found[tool, step]
            quiet = re.search(r"\b0 (errors|hazards)", last)
            right = re.match(r"; ([1-9]\d*) cases, \1 right", report)
            bad += not right or tool != "racecheck" and not quiet
            print(f"  {step:12s} {last}{report}")
            for line, times in [] if quiet else headlines(lines)[:6]:
                print(f"    {times:4d} x {line[:200]}")
    print("\nnot quiet, racecheck aside, or not right:", bad)
    return 1 if bad else 0


def grouped_call(options):
    """One call, and where its maps lie. Nothing reads the result: initcheck does not see what TMA stores."""
    import torch
    import titan
    import titan.ops
    from titan.workspaces import shared
    a = torch.randn(1000, 328, device="cuda").to(torch.bfloat16)
    b = torch.randn(6, 512, 328, device="cuda").to(torch.bfloat16)
    offsets = torch.tensor([0, 100, 100, 420, 700, 999, 1000], device="cuda", dtype=torch.int32)
    size = torch.cuda.get_device_properties(0).multi_processor_count * 128
    stream = titan.torch_now().raw_stream(0)
    address = shared.find(0, stream, size)
    if options.call == "zeros":
        shared.kept[0, stream][2].zero_()
    torch.cuda.synchronize()
    print(f"maps {address:#x} {size}", flush=True)
    titan.ops.gemm_grouped(a, b.mT, offsets)
    torch.cuda.synchronize()
    print("same maps" if shared.find(0, stream, size) == address else "other maps", flush=True)


def instructions(package):
    """{kernel: {offset: instruction}} of a package, where nvdisasm is there."""
    from machine_code import find_tool
    tool, kernels = find_tool("nvdisasm"), {}
    if not tool:
        return kernels
    with open(package, "rb") as file:
        data = file.read()
    with tempfile.NamedTemporaryFile(suffix=".cubin") as cubin:
        cubin.write(data[data.index(b"\x7fELF"):])
        cubin.flush()
        text = subprocess.run([tool, "-c", cubin.name], capture_output=True, text=True).stdout
    kernel = None
    for line in text.splitlines():
        if begin := re.match(r"\.text\.(\w+):", line):
            kernel = kernels.setdefault(begin.group(1), {})
        elif (row := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?);", line)) and kernel is not None:
            kernel[int(row.group(1), 16)] = " ".join(row.group(2).split())
    return kernels


def maps(options):
    if options.call:
        return grouped_call(options)
    folder, bad = os.environ["TITAN_PACKAGES"], 0
    stem = os.path.join(folder, "gemm-bf16-nt-grouped")
    machine, source = instructions(stem + ".titanpkg"), []
    if os.path.exists(stem + ".mlir"):
        with open(stem + ".mlir", encoding="utf-8") as file:
            source = file.read().splitlines()
    for call in ("unwritten", "zeros"):
        command = [options.sanitizer, "--tool", "initcheck", "--print-limit", "20000", sys.executable, os.path.abspath(__file__), "maps", "--call", call]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout,
                                  env={**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"})
        except subprocess.TimeoutExpired:
            print(f"maps of {call} memory: not ended after {options.timeout} s")
            bad += 1
            continue
        text = done.stdout + done.stderr
        place = re.search(r"^maps (0x[0-9a-f]+) (\d+)$", text, re.M)
        said = "".join(line[10:].strip() + "\n" for line in text.splitlines() if line.startswith("========="))
        summary = re.search(r"ERROR SUMMARY: (\d+) error.*", said)
        print(f"maps of {call} memory: {summary.group(0) if summary else 'no summary'}")
        if not summary or not place or "\nsame maps" not in text:
            print("   ", text.strip()[-600:])
            bad += 1
            continue
        begin, end = int(place.group(1), 16), int(place.group(1), 16) + int(place.group(2))
        count = collections.Counter()
        for finding in re.split(r"^(?=Uninitialized )", said, flags=re.M)[1:]:
            at = re.search(r"\bat .*?(\w+)(?:\([^)]*\))?\+(0x[0-9a-f]+)(?: in [^\n:]*:(\d+))?", finding)
            address = re.search(r"\b0x[0-9a-f]{9,}", finding)
            inside = address and begin <= int(address.group(0), 16) < end
            count[finding.splitlines()[0], *(at.groups() if at else (None, "0", None)), bool(inside)] += 1
        for (what, kernel, offset, line, inside), times in count.most_common(12):
            # The tool's offset is that of the instruction, or of the next one.
            offset = int(offset, 16)
            done_by = [machine[kernel][o] for o in (offset - 16, offset) if o in machine.get(kernel, {})]
            text_of = source[int(line) - 1].strip() if line and int(line) <= len(source) else ""
            print(f"  {times:5} x {what}, {'in' if inside else 'outside of'} the maps, {kernel}+{offset:#x}, line {line}: {text_of}")
            print("".join(f"          {instruction}\n" for instruction in done_by), end="")
            known = (not source or "tensormap.cp_fenceproxy" in text_of) and (
                not done_by or any("ATOM" in instruction for instruction in done_by))
            bad += not inside or not known
        told = sum(count.values())
        bad += told != int(summary.group(1)) or (told > 0) != (call == "unwritten")
    print("as explained" if not bad else "NOT as explained")
    return 1 if bad else 0


def headlines(lines):
    """Kinds of findings and how many there were, without threads and addresses."""
    count = {}
    for line in lines:
        if re.match(r"(Error|Warning|Invalid|Uninitialized|Barrier|Potential|Race|Divergent|Program hit|Unused)", line):
            line = re.sub(r"0x[0-9a-fA-F]+", "0x…", re.sub(r"\(\d+,\d+,\d+\)", "(…)", line))
            line = re.sub(r"\d+ hazards?", "… hazards", line)
            count[line] = count.get(line, 0) + 1
    return sorted(count.items(), key=lambda item: -item[1])


def run(options):
    from race import commit
    options.begun = time.time()
    version = subprocess.run([options.sanitizer, "--version"], capture_output=True, text=True).stdout.split("Version ")[-1]
    tools = options.tools.split(",")
    jobs = [(tool, name) for tool in tools for name in KINDS if any(part in name for part in options.only.split(","))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = dict(zip(jobs, pool.map(lambda job: look(options, *job), jobs)))
    machine = next((report for *_, report in found.values() if "device" in report), {})
    print(f"{machine.get('device')}, driver {machine.get('driver_version')}; compute-sanitizer "
          f"{version.splitlines()[0] if version else '?'}; TITAN {commit()}")
    bad = 0
    for tool in tools:
        print(f"\n{tool}")
        for name in (name for other, name in jobs if other == tool):
            last, lines, report = found[tool, name]
            error, quiet = report.get("error"), re.search(r"\b0 (errors|hazards)", last)
            bad += error is not None or tool != "racecheck" and not quiet
            print(f"  {name:22s} {last}" + (f"; [{error['code']}] {error['message']}" if error else ""))
            for line, times in [] if quiet else headlines(lines)[:4]:
                print(f"    {times:4d} x {line[:200]}")
    print("\nnot quiet, racecheck aside:", bad)
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("prepare")
    make.add_argument("--titan", required=True)
    make.add_argument("--out", required=True)
    go = commands.add_parser("run")
    go.add_argument("folder")
    go.add_argument("--launch", default=shutil.which("titan-launch") or "titan-launch")
    go.add_argument("--sanitizer", default=shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer")
    go.add_argument("--tools", default=",".join(TOOLS))
    go.add_argument("--only", default="", help="kinds whose names have one of these, with commas between")
    go.add_argument("--timeout", type=int, default=60, help="seconds of a launch")
    go.add_argument("--limit", type=int, default=600, help="seconds; no launch begins later")
    go.add_argument("--jobs", type=int, default=6, help="launches at a time")
    ops = commands.add_parser("ops")
    ops.add_argument("--sanitizer", default=shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer")
    ops.add_argument("--tools", default=",".join(TOOLS))
    ops.add_argument("--only", default=",".join(STEPS), help="steps of attention_ops.py")
    ops.add_argument("--timeout", type=int, default=600, help="seconds of a process")
    ops.add_argument("--limit", type=int, default=600, help="seconds of all")
    ops.add_argument("--jobs", type=int, default=6, help="processes at a time")
    of_maps = commands.add_parser("maps")
    of_maps.add_argument("--sanitizer", default=shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer")
    of_maps.add_argument("--timeout", type=int, default=120, help="seconds of a process")
    of_maps.add_argument("--call", choices=["unwritten", "zeros"], help="the call alone, which the others run under the tool")
    options = parser.parse_args()
    if options.command == "maps":
        return maps(options)
    if options.command == "ops":
        return calls(options)
    return prepare(options) if options.command == "prepare" else run(options)


if __name__ == "__main__":
    sys.exit(main())
