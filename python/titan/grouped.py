"""Products of groups of rows, each with a matrix of its own (the experts of a mixture), by TITAN's generated kernels.

    d = titan.ops.gemm_grouped(a, b, offsets)                     # d[offsets[g]:offsets[g + 1]] = a[those rows] @ b[g]
    d = titan.ops.gemm_grouped(a, b, offsets, gate=True, activation="silu")   # SwiGLU; b is groups x K x 2N

a is M x K, b is groups x K x N and may be stored either way (w.mT costs nothing), `offsets` (i32) has one number more than
there are groups: where each begins in a, and where the last one ends; groups of no rows may be among them. They lie on the
GPU and are read there: nothing is waited for. Rows of no group are not written. Works under CUDA graphs and torch.compile;
no gradient. bias is groups x N, f32; the other options are titan.ops.gemm's. The kernel is picked for the mean of the rows
of a group, rounded up by steps of an eighth.
"""
import sys

from . import Cache, Error, Prepared, check, dtype_of, ops, see, torch_now
from .attention import _I32, _near
from .workspaces import Workspaces, shared

__all__ = ["gemm_grouped"]

_missing = object()
_F32, _BYTE = 1, 10
# What a call has, in its order.
_VALUES = ("A", "B", "offsets", "bias", "D", "alpha", "maps")


def _prepare(a, b, d, offsets, bias, has_alpha, activation, gate, promote, multiprocessors):
    """The launch for what look() has seen, and the bytes of its maps; None where there is nothing to compute."""
    if activation not in ops.ACTIVATIONS:
        raise Error("bad-argument", f"activation '{activation}'", fix="there are " + ", ".join(ops.ACTIVATIONS))
    (A, transposed_a), (B, transposed_b) = ops._matrix("a", a), ops._matrix("b", b)
    if len(A[0]) != 2 or len(B[0]) != 3:
        raise ops._wrong(f"'a' is {tuple(a[0])} and 'b' is {tuple(b[0])}", "give (M, K) and (groups, K, N)")
    a_type, b_type, d_type = map(dtype_of, (A, B, d))
    if a_type not in ops._INPUTS or b_type != a_type:
        raise ops._wrong("'a' and 'b' are not of one of the types bf16, f16, e4m3 and e5m2", "convert them to one of these types")
    if d_type not in ops._OUTPUTS:
        raise ops._wrong("the result is not bf16, f16 or f32", "ask for one of these types")
    groups = B[0][0]
    m, k = reversed(A[0]) if transposed_a else A[0]
    kb, n = reversed(B[0][1:]) if transposed_b else B[0][1:]
    if k != kb:
        raise ops._wrong(f"'a' has {k} columns and a matrix of 'b' has {kb} rows", "give factors that fit: (M, K) and (groups, K, N)")
    if gate and n % 2:
        raise ops._wrong(f"'b' has {n} columns", "with a gate it has two for each of the result's")
    if dtype_of(offsets) != _I32 or tuple(offsets[0]) != (groups + 1,):
        raise ops._wrong(f"'offsets' is {tuple(offsets[0])}, or not i32",
                         f"give i32, {groups + 1} numbers: where each group begins, and the last one's end")
    if bias is not None and tuple(bias[0]) != (groups, n):
        raise ops._wrong(f"'bias' is {tuple(bias[0])}", f"give {(groups, n)}")
    if not (m and n and groups):
        return None
    if k == 0:
        raise ops._wrong("'a' has no columns, and 'b' no rows", "leave out the product: all its sums are 0")
    epilogue = [term for term, there in (("alpha", has_alpha), ("bias", bias is not None)) if there]
    layout = ("t" if transposed_a else "n") + ("t" if transposed_b else "n")
    kernel = ops.prepare_gemm((_near(-(-m // groups)), n // 2 if gate else n, k), ops._INPUTS[a_type], ops._OUTPUTS[d_type], layout,
                              epilogue, activation, gate, promote, groups, True)
    looks = {"A": A, "B": B, "D": d, "bias": bias, "alpha": _F32, "offsets": offsets,
             "maps": ((multiprocessors, 128), (128, 1), _BYTE, None)}
    prepared = Prepared(kernel, [looks[name] for name in kernel.arguments], [_VALUES.index(name) for name in kernel.arguments])
    # Each block's map of D, which it writes before it reads.
    return prepared, multiprocessors * 128 if "maps" in kernel.arguments else 0


_SCHEMA = ('(Tensor a, Tensor b, Tensor offsets, Tensor? bias=None, float alpha=1.0, str activation="none", '
           'ScalarType? out_dtype=None, bool gate=False, bool promote=False) -> Tensor')


def _register():
    """Makes torch.ops.titan.gemm_grouped, once."""
    try:
        import torch
    except ImportError:
        raise Error("file-not-found", "titan.ops.gemm_grouped makes a PyTorch tensor, and PyTorch is not there",
                    fix="install torch") from None
    calls, now = Cache(), torch_now()  # all that decides, but addresses and numbers -> the launch, or None
    kind_of, plain_kind, tracing, modes, grad = now.kind, now.plain_kind, now.tracing, now.modes, now.grad
    new, current, on, stream_of, capturing = now.empty, now.current_device, now.device, now.raw_stream, now.capturing

    def empty(a, b, out_dtype, gate):
        """Of fp8 the result is bf16."""
        dtype = out_dtype or (a.dtype if a.dtype.itemsize > 1 else torch.bfloat16)
        return ops._empty(a, (a.shape[0], b.shape[-1] // (2 if gate else 1)), dtype)

    def make(a, b, offsets, bias, has_alpha, activation, out_dtype, gate, promote, shares):
        """What a call with tensors like these does; None where there is nothing to compute. `shares`: see Workspaces."""
        d, seen = empty(a, b, out_dtype, gate), see("a", a)
        count = torch.cuda.get_device_properties(seen[3]).multi_processor_count
        found = _prepare(seen, see("b", b), see("d", d), see("offsets", offsets), None if bias is None else see("bias", bias),
                         has_alpha, activation, gate, promote, count)
        if found is None:
            return None
        prepared, maps = found
        # Else there is to be memory behind the last row, too: TMA stores whole 16 bytes.
        dense = d.stride()[-2] == d.shape[-1]
        start, shape, strides, dtype, device = prepared.start, tuple(d.shape), tuple(d.stride()), d.dtype, seen[3]
        shares = shares and maps <= Workspaces.LARGEST

        def call(a, b, offsets, bias, alpha):
            if current() != device:
                with on(device):
                    return call(a, b, offsets, bias, alpha)
            d, stream, work = new(shape, strides, dtype) if dense else empty(a, b, out_dtype, gate), stream_of(device), 0
            if maps:
                if shares and not capturing():
                    work = shared.find(device, stream, maps)
                else:
                    own = now.bytes(maps)
                    work = own.data_ptr()
            error = start(4, a, b, offsets, bias, d.data_ptr(), ops._ONE if alpha == 1.0 else ops._bits(alpha), work, stream)
            if error:
                check(error)
            return d

        return call

    def once(a, b, offsets, bias, alpha, *more):
        key = kind_of(a, b, offsets, bias), alpha != 1.0, *more
        call = calls.get(key, _missing)
        if call is _missing:
            call = calls[key] = make(a, b, offsets, bias, alpha != 1.0, *more)
        return call(a, b, offsets, bias, alpha) if call else empty(a, b, *more[1:3])

    def launch(a, b, offsets, bias=None, alpha=1.0, activation="none", out_dtype=None, gate=False, promote=False, shares=True):
        if a.dim() != 2 or b.dim() != 3:
            raise ops._wrong(f"'a' has {a.dim()} dimensions and 'b' has {b.dim()}", "give (M, K) and (groups, K, N)")
        bias = None if bias is None else bias.float()
        more = offsets, bias, alpha, activation, out_dtype, gate, promote, shares
        try:
            return once(a, b, *more)
        except Error:
            copies = ops._fitting(a), ops._fitting(b)
            if copies[0] is a and copies[1] is b:
                raise
        return once(*copies, *more)

    def whole(*arguments, **named):
        return launch(*arguments, **named, shares=False)

    def trace(a, b, offsets, bias=None, alpha=1.0, activation="none", out_dtype=None, gate=False, promote=False):
        torch._check(a.dim() == 2 and b.dim() == 3, lambda: "titan::gemm_grouped takes (M, K) and (groups, K, N)")
        torch._check(a.shape[1] == b.shape[1], lambda: "titan::gemm_grouped: a has as many columns as b's matrices have rows")
        return empty(a, b, out_dtype, gate)

    operation = torch.library.custom_op("titan::gemm_grouped", whole, mutates_args=(), schema=_SCHEMA)
    operation.register_fake(trace)

    def call(a, b, offsets, bias, alpha, *more):
        # As titan.ops.gemm's.
        if not tracing() and (number := plain_kind(a, b, offsets, bias)) and not modes() and not (grad() and (
                a.requires_grad or b.requires_grad or bias is not None and bias.requires_grad)):
            found = calls.get((number, alpha != 1.0, *more, True))
            if found:
                try:
                    return found(a, b, offsets, bias, alpha)
                except Error:
                    pass
            return launch(a, b, offsets, bias, alpha, *more)
        return operation(a, b, offsets, bias, alpha, *more)

    return call


_operation = None  # gemm_grouped, once PyTorch is there


def gemm_grouped(a, b, offsets, bias=None, alpha=1.0, activation="none", out_dtype=None, gate=False, promote=False):
    """activation(alpha * a @ b[g] + bias[g]) for the rows of each group g, a new PyTorch tensor. out_dtype: a's; of fp8 bf16."""
    global _operation
    if _operation is None:
        _operation = _register()
    return _operation(a, b, offsets, bias, alpha, activation, out_dtype, gate, promote)


if "torch" in sys.modules:
    _operation = _register()
