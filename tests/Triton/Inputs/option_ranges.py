"""Options of a launch beyond their ranges are refused; those within are not."""
import types

import triton

import titan
from titan.backend.compiler import Compiler

USUAL = {"num_warps": 4, "num_ctas": 1, "num_stages": 3, "maxnreg": None}
compiler = object.__new__(Compiler)  # What nvidia's parses is what is given here.
compiler.nvidia = types.SimpleNamespace(parse_options=lambda given: types.SimpleNamespace(**{**USUAL, **given}))
for name, value in (("num_warps", 3), ("num_warps", 64), ("num_ctas", 3), ("num_stages", -1), ("maxnreg", 23), ("num_warps", "4"), ("enable_fp_fusion", "off")):
    try:
        compiler.parse_options({name: value})
    except titan.Error as error:
        print(str(error).split("\n")[0].replace("  ", " "))
for name, value in (("num_warps", 32), ("num_ctas", 16), ("num_stages", 0), ("maxnreg", 24), ("maxnreg", 255), ("enable_fp_fusion", False)):
    compiler.parse_options({name: value})
print("the others are taken on", triton.__name__)
