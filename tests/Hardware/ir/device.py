#!/usr/bin/env python3
"""The launches that `prepare` of random_kernels.py wrote into a folder, on the GPU:

    cmake --preset runtime-only && cmake --build build-runtime --target titan-runtime
    device.py --library build-runtime/lib/Runtime/libtitan-runtime.so FOLDER

Each tensor stands between guards, 16 bytes past a multiple of 32 (a multiple of 32 where slices of
channels have 32 bytes); afterwards the whole of it,
guards and what lies between rows included, must be what the simulator left, bit for bit, but for
elements that lie within bounds (approximations, elementwise.py). Needs
Python 3, libcuda and the runtime's library. A worker does the launches; where one faults or
hangs, it is counted as a failure and another worker goes on behind it.
"""
import argparse
import ctypes
import json
import os
import pathlib
import queue
import struct
import subprocess
import sys
import threading
import time

DTYPES = {"f64": 0, "f32": 1, "f16": 3, "bf16": 4, "f8E4M3FN": 5, "f8E5M2": 6, "i64": 7, "i32": 8, "i16": 9, "i8": 10}
GUARD = 4096
PATTERN = bytes(range(7, 7 + 64)) * (GUARD // 64)


class Argument(ctypes.Structure):
    _fields_ = [("is_tensor", ctypes.c_int32), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("bits", ctypes.c_uint64),
                ("dims", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64))]


class Runtime:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ("error_text", "package_kernel_name", "kernel_argument_name"):
            getattr(self.lib, "titan_" + name).restype = ctypes.c_char_p
        for name in ("package_read", "package_kernel", "kernel_check", "kernel_launch"):
            getattr(self.lib, "titan_" + name).restype = ctypes.c_void_p
        self.lib.titan_kernel_argument_count.restype = ctypes.c_size_t
        self.packages = {}

    def call(self, name, *arguments):
        error = getattr(self.lib, "titan_" + name)(*arguments)
        if error:
            raise RuntimeError(self.lib.titan_error_text(ctypes.c_void_p(error)).decode())

    def kernel(self, path, name):
        if path not in self.packages:
            self.packages[path] = ctypes.c_void_p()
            self.call("package_read", str(path).encode(), ctypes.byref(self.packages[path]))
        kernel = ctypes.c_void_p()
        self.call("package_kernel", self.packages[path], name.encode(), ctypes.byref(kernel))
        return kernel

    def arguments(self, kernel, transfer, addresses):
        count = self.lib.titan_kernel_argument_count(kernel)
        array = (Argument * count)()
        for i, slot in enumerate(array):
            name = self.lib.titan_kernel_argument_name(kernel, ctypes.c_size_t(i)).decode()
            if name in transfer["scalars"]:
                slot.dtype, slot.bits = DTYPES["i64"], transfer["scalars"][name] & (1 << 64) - 1
                continue
            shape, strides = transfer[name]["shape"], transfer[name]["strides"]
            slot.is_tensor, slot.rank = 1, len(shape)
            slot.dtype = DTYPES[transfer[name]["type"]]
            slot.bits = addresses[name]
            slot.dims = (ctypes.c_int64 * len(shape))(*shape)
            slot.strides = (ctypes.c_int64 * len(shape))(*strides)
        return array


class Gpu:
    def __init__(self):
        self.lib = ctypes.CDLL(os.environ.get("TITAN_CUDA_LIBRARY", "libcuda.so.1"))
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        result = getattr(self.lib, name)(*arguments)
        if result:
            raise RuntimeError(f"{name}: CUDA error {result}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def write(self, address, data):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def read(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw


def rounded(got, want, start, within):
    """What is between the bounds of its element (f32s: least, greatest) counts as what is wanted."""
    result = bytearray(got)
    for n in range(len(within) // 8):
        at = start + 4 * n
        low, high = struct.unpack_from("<ff", within, 8 * n)
        if low <= struct.unpack_from("<f", got, at)[0] <= high:
            result[at:at + 4] = want[at:at + 4]
    return bytes(result)


def work(options, folder, transfers):
    """One line for each transfer: its number, then what is wrong, or nothing."""
    memory = (folder / "memory.bin").read_bytes()
    piece = lambda where: memory[where[0]:where[0] + where[1]]
    runtime = Runtime(options.library)
    names = transfers[0]["tensors"]
    size = GUARD * 2 + 4096 + max(t[name]["before"][1] for t in transfers for name in names)
    gpu = None if options.dry_run else Gpu()
    bases = {name: 1 << 20 if options.dry_run else gpu.allocate(size) for name in names}
    for number in range(options.worker, len(transfers)):
        transfer, problems = transfers[number], []
        print("start", number, flush=True)
        # As far as TMA asks, and no further.
        starts = {name: bases[name] + GUARD + transfer[name]["align"] for name in names}
        try:
            kernel = runtime.kernel(folder / transfer["package"], transfer["kernel"])
            array = runtime.arguments(kernel, transfer, starts)
            if options.dry_run:
                runtime.call("kernel_check", kernel, array, ctypes.c_size_t(len(array)))
            else:
                around = lambda name, when: (PATTERN[:GUARD] + PATTERN[:transfer[name]["align"]] +
                                             piece(transfer[name][when]) + PATTERN[:GUARD])
                for name in names:
                    gpu.write(bases[name], around(name, "before"))
                runtime.call("kernel_launch", kernel, array, ctypes.c_size_t(len(array)), None)
                gpu.call("cuCtxSynchronize")
                for name in names:
                    want = around(name, "after")
                    got = gpu.read(bases[name], len(want))
                    if "within" in transfer[name]:
                        got = rounded(got, want, GUARD + transfer[name]["align"], piece(transfer[name]["within"]))
                    if got != want:
                        bad = [i for i, (a, b) in enumerate(zip(got, want)) if a != b]
                        at = bad[0] - GUARD - transfer[name]["align"]
                        problems.append(f"{name} differs in {len(bad)} bytes, the first one {at} of "
                                        f"{transfer[name]['after'][1]}: {got[bad[0]]:#04x}, not {want[bad[0]]:#04x}")
        except RuntimeError as error:
            problems.append(str(error).replace("\n", " "))
            if "CUDA error" in problems[-1]:
                print("end", number, "; ".join(problems), flush=True)
                return 3  # The context may be lost.
        print("end", number, "; ".join(problems), flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="libtitan-runtime.so")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for one transfer (30)")
    parser.add_argument("--workers", type=int, default=20, help="at most: each fault or hang takes one (20)")
    parser.add_argument("--dry-run", action="store_true", help="no GPU: packages and arguments only")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    listed = json.loads((options.folder / "transfers.json").read_text())
    transfers = listed["transfers"]
    if options.worker is not None:
        return work(options, options.folder, transfers)

    begin, outcome, next_one, workers = time.time(), {}, 0, 0
    while next_one < len(transfers) and workers < options.workers:
        workers += 1
        worker = subprocess.Popen([sys.executable, *sys.argv, "--worker", str(next_one)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        lines = queue.Queue()

        def listen(stream=worker.stdout, lines=lines):
            for line in stream:
                lines.put(line)
            lines.put(None)

        threading.Thread(target=listen, daemon=True).start()
        last, told, started = next_one, [], False
        while True:
            try:
                line = lines.get(timeout=options.timeout)
            except queue.Empty:
                worker.kill()
                told = [f"no end after {options.timeout:g} s"]
                break
            if line is None:
                break
            word, _, rest = line.rstrip("\n").partition(" ")
            number, _, problem = rest.partition(" ")
            if word == "start" and number.isdigit():
                last, started = int(number), True
            elif word == "end" and number.isdigit():
                outcome[int(number)] = problem
            else:
                told.append(line.strip())
        worker.wait()
        if not started:
            print("no transfer was begun:", *told[-5:], sep="\n  ")
            return 2
        if last not in outcome:
            outcome[last] = " ".join(told)[-500:] or f"the worker ended with {worker.returncode}"
        next_one = last + 1
    good = sum(not problem for problem in outcome.values())
    for number, problem in sorted(outcome.items()):
        if problem:
            print(f"FAIL {transfers[number]['what']}\n     {problem}")
    if len(outcome) < len(transfers):
        print(f"given up after {workers} workers: {len(transfers) - len(outcome)} transfers not run")
    what = "checked, nothing launched" if options.dry_run else "equal"
    print(f"seed {listed['seed']}: {good} of {len(transfers)} transfers {what} ({time.time() - begin:.1f} s)")
    return 0 if good == len(transfers) else 1


if __name__ == "__main__":
    sys.exit(main())
