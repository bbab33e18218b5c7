#!/usr/bin/env python3
"""Two grids of one stream that overlap (titan.programmatic), on the GPU:

    titan compile tests/Hardware/ir/grids.mlir -o grids.titanpkg
    grids.py --library libtitan-runtime.so [--rounds N] grids.titanpkg

The first grid writes a tensor, lets its dependents begin, sleeps, and writes another one; the second
takes the time, waits for the first (titan.griddepcontrol.wait), and adds up both. In each round:

    sums       every element is right: what was written before and behind launch_dependents is seen
    begun      the second grid began before the first had ended: they overlap
    waited     no thread came past its wait before the first had ended
    after      the same second kernel, launched as usual, began when the first had ended

Needs Python 3, libcuda and the runtime's library.
"""
import argparse
import ctypes
import pathlib
import struct
import sys

from device import Gpu, Runtime

CTAS, LANES = 64, 32


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="libtitan-runtime.so")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--naps", type=int, default=300, help="of a microsecond, by each CTA of the first grid (300)")
    parser.add_argument("package", type=pathlib.Path)
    options = parser.parse_args()
    runtime, gpu = Runtime(options.library), Gpu()
    words, times = (lambda: {"type": "i32", "shape": [CTAS * LANES], "strides": [1]},
                    lambda: {"type": "i64", "shape": [CTAS], "strides": [1]})
    tensors = {"Early": words(), "Late": words(), "Sum": words(), "Ends": times(), "Begins": times(), "Waited": times()}
    sizes = {name: (8 if tensor["type"] == "i64" else 4) * tensor["shape"][0] for name, tensor in tensors.items()}
    places = {name: gpu.allocate(size) for name, size in sizes.items()}
    stream = ctypes.c_void_p()
    gpu.call("cuStreamCreate", ctypes.byref(stream), 0)

    def launch(name):
        kernel = runtime.kernel(options.package, name)
        array = runtime.arguments(kernel, {**tensors, "scalars": {"naps": options.naps}}, places)
        for slot in array:
            if not slot.is_tensor:
                slot.dtype = 8  # i32
        runtime.call("kernel_launch", kernel, array, ctypes.c_size_t(len(array)), stream)

    def read(name):
        return struct.unpack(f"<{tensors[name]['shape'][0]}{'q' if tensors[name]['type'] == 'i64' else 'i'}",
                             gpu.read(places[name], sizes[name]))

    want, counts, gains = tuple(8 * i for i in range(CTAS * LANES)), {}, []
    # The first round loads the kernels, which takes longer than they run: not counted.
    for number in range(options.rounds + 1):
        for second in ("second", "after"):
            for name, size in sizes.items():
                gpu.write(places[name], b"\xff" * size)
            launch("first")
            launch(second)
            gpu.call("cuStreamSynchronize", stream)
            end, begins, waited = max(read("Ends")), read("Begins"), read("Waited")
            seen = {"sums": read("Sum") == want}
            if second == "second":
                seen.update(begun=min(begins) < end, waited=min(waited) >= end)
                gains.append((end - min(begins)) / 1e3)
            else:
                seen.update(after=min(begins) >= end)
            if number == 0:
                gains.clear()
                continue
            for what, good in seen.items():
                counts[what] = counts.get(what, 0) + good
    asked = {"sums": 2 * options.rounds, "begun": options.rounds, "waited": options.rounds, "after": options.rounds}
    for what, of in asked.items():
        print(f"{what}: {counts[what]} of {of}")
    print(f"the second grid began {min(gains):.1f} to {max(gains):.1f} us before the first had ended")
    return 0 if counts == asked else 1


if __name__ == "__main__":
    sys.exit(main())
