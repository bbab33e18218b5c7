"""titan_kernel_check_contents, on memory of the CPU's driver, which is the process's own."""
import ctypes as c
import os
import sys

titan = c.CDLL(sys.argv[1])
cuda = c.CDLL(os.environ["TITAN_CUDA_LIBRARY"])
M, N, PITCH = 5, 8, 16


class Argument(c.Structure):  # titan_argument
    _fields_ = [("is_tensor", c.c_int32), ("dtype", c.c_int32), ("rank", c.c_int32), ("reserved", c.c_int32),
                ("bits", c.c_uint64), ("dims", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64))]


for name in ("package_read", "package_kernel", "kernel_launch", "kernel_check_contents"):
    getattr(titan, "titan_" + name).restype = c.c_void_p
for name in ("error_code", "error_text"):
    getattr(titan, "titan_" + name).restype = c.c_char_p


def told(error, what=titan.titan_error_code):
    return what(c.c_void_p(error)).decode().splitlines()[0] if error else "ok"


package, kernel = c.c_void_p(), c.c_void_p()
assert not titan.titan_package_read(sys.argv[2].encode(), c.byref(package))
assert not titan.titan_package_kernel(package, None, c.byref(kernel))
source = (c.c_int16 * (M * N + 8))()
target = (c.c_int16 * (M * PITCH))(*[-7] * (M * PITCH))
dims, pitched = (c.c_int64 * 2)(M, N), (c.c_int64 * 2)(PITCH, 1)
I16 = 9
arguments = (Argument * 2)(Argument(1, I16, 2, 0, (c.addressof(source) + 15) // 16 * 16, dims, None),
                           Argument(1, I16, 2, 0, c.addressof(target), dims, pitched))
cuda.cuCtxSetCurrent(c.c_void_p(1))
check = lambda count=2: titan.titan_kernel_check_contents(kernel, arguments, c.c_size_t(count))
print("fresh:", told(check()))
target[3 * PITCH + N] = 1
print("between rows:", told(check()))
target[3 * PITCH + 5] = 2
print("changed:", told(check(), titan.titan_error_text))
print("launch:", told(titan.titan_kernel_launch(kernel, arguments, c.c_size_t(2), None)))
print("too few:", told(check(1)))
