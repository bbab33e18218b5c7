"""Launches through libtitan-runtime.so, as a program in another language would."""
import ctypes as c
import os
import sys

library, package_path = sys.argv[1:]
titan = c.CDLL(library)
cuda = c.CDLL(os.environ["TITAN_CUDA_LIBRARY"])


class Argument(c.Structure):  # titan_argument
    _fields_ = [("is_tensor", c.c_int32), ("dtype", c.c_int32),
                ("rank", c.c_int32), ("reserved", c.c_int32),
                ("bits", c.c_uint64), ("dims", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64))]


for name in ("package_read", "package_kernel", "kernel_launch", "kernel_load", "kernel_check"):
    getattr(titan, "titan_" + name).restype = c.c_void_p
for name in ("error_code", "error_text", "package_kernel_name", "kernel_argument_name"):
    getattr(titan, "titan_" + name).restype = c.c_char_p
titan.titan_package_kernel_count.restype = c.c_size_t
titan.titan_kernel_argument_count.restype = c.c_size_t


def code(error):
    """The code of an error, which is released."""
    if not error:
        return "ok"
    text = titan.titan_error_code(c.c_void_p(error)).decode()
    titan.titan_error_release(c.c_void_p(error))
    return text


package, kernel = c.c_void_p(), c.c_void_p()
print("abi", titan.titan_abi_version())
print("missing:", code(titan.titan_package_read(b"/nonexistent.titanpkg", c.byref(package))))
print("read:", code(titan.titan_package_read(package_path.encode(), c.byref(package))))
print("kernels:", titan.titan_package_kernel_count(package),
      titan.titan_package_kernel_name(package, c.c_size_t(0)).decode())
print("other kernel:", code(titan.titan_package_kernel(package, b"gemm", c.byref(kernel))))
print("kernel:", code(titan.titan_package_kernel(package, None, c.byref(kernel))))
print("arguments:", [titan.titan_kernel_argument_name(kernel, c.c_size_t(i)).decode()
                     for i in range(titan.titan_kernel_argument_count(kernel))])

# The memory of the CPU's driver is the process's own.
M, N, PITCH = 5, 8, 16
source = (c.c_uint16 * (M * PITCH + 8))(*range(M * PITCH + 8))
target = (c.c_uint16 * (M * N))()


def aligned(buffer):
    return (c.addressof(buffer) + 15) // 16 * 16


dims, pitched = (c.c_int64 * 2)(M, N), (c.c_int64 * 2)(PITCH, 1)
BF16 = 4
arguments = (Argument * 2)(Argument(1, BF16, 2, 0, aligned(source), dims, pitched),
                           Argument(1, BF16, 2, 0, c.addressof(target), dims, None))
print("no context:", code(titan.titan_kernel_launch(kernel, arguments, c.c_size_t(2), None)))
cuda.cuCtxSetCurrent(c.c_void_p(1))
print("load:", code(titan.titan_kernel_load(kernel)))


class Resources(c.Structure):  # titan_resources
    _fields_ = [(name, c.c_int32) for name in ("registers", "local_bytes", "threads", "shared_bytes")]


resources = Resources()
titan.titan_kernel_resources.restype = c.c_void_p
print("resources:", code(titan.titan_kernel_resources(kernel, c.byref(resources))),
      [getattr(resources, name) for name, _ in Resources._fields_])
print("resources of nothing:", code(titan.titan_kernel_resources(None, c.byref(resources))))
print("launch:", code(titan.titan_kernel_launch(kernel, arguments, c.c_size_t(2), None)))
first = (aligned(source) - c.addressof(source)) // 2
print("copied:", list(target) == [first + r * PITCH + i for r in range(M) for i in range(N)])
arguments[0].bits += 2
error = titan.titan_kernel_launch(kernel, arguments, c.c_size_t(2), None)
print(titan.titan_error_text(c.c_void_p(error)).decode(), end="")
titan.titan_error_release(c.c_void_p(error))
titan.titan_package_release(package)
