"""triton_passes.py PASS: the text on the standard input after one of Triton 3.6's own passes, as passes.ttir has them."""
import sys
import tempfile

from triton._C.libtriton import ir, passes
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend

context = ir.context()
ir.load_dialects(context)
make_backend(GPUTarget("cuda", 90, 32)).load_dialects(context)
with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
    file.write(sys.stdin.read())
    file.flush()
    module = ir.parse_mlir_module(file.name, context)
manager = ir.pass_manager(context)
getattr(passes.ttir, sys.argv[1])(manager)
manager.run(module, "passes")
print(module.str_nodebug())
