"""Operations on PyTorch's tensors, made of TITAN's generated kernels.

    import torch, titan.ops
    d = titan.ops.gemm(a, b)                                     # a @ b, sums in f32
    d = titan.ops.gemm(a, b, bias=v, activation="silu")          # silu(a @ b + v)
    d = titan.ops.gemm(a, b, gate=True, activation="silu")       # b is K x 2N: silu(a @ g) * (a @ u), SwiGLU
    d = titan.ops.gemm(a8, b8, alpha=scale)                      # fp8, bf16 out; promote=True: sums in f32 every 128 of K
    d = titan.ops.gemm(a3, b3)                                   # batches: a is Z x M x K, b is Z x K x N
    d = torch.ops.titan.gemm(a, b)                               # the same as the first, as PyTorch knows it

    titan.ops.gemm_out(d, a, b)         # into d; anything that speaks DLPack, PyTorch or not

A and B may be stored either way (b = w.t() costs nothing). Rows that TMA does not take, which begin at no multiples of 16
bytes, `gemm` copies first where that is faster than a kernel whose threads copy, and `gemm_out` gives to such a kernel (which
there is not for fp8 and gates: refused). Neither rows nor columns dense: `gemm` copies, `gemm_out` refuses. `gemm` is a custom
operation with a fake registration, so that torch.compile traces through it; it has no gradient. A kernel is taken from the first of:

    $TITAN_PACKAGES or packages/ beside this file   prebuilt: gemm-bf16-nt.titanpkg (package_name), or with -m16, -m64
                                                    one for as many rows at most; a wheel brings some (make_wheel.py)
    the model's choice for the shape                generated and compiled by `titan` ($TITAN_COMPILER, or on the PATH),
                                                    and kept in $TITAN_CACHE (~/.cache/titan)

titan.ops.gemm_grouped, for groups of rows with a matrix each, is in titan/grouped.py, attention and attention_varlen are in titan/attention.py, decode in titan/decode.py. What is refused is a titan.Error with code and fix. A shape's first call may compile (seconds): capture CUDA graphs
after it.
"""
import hashlib
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
from operator import index

from . import compiler
from . import Cache, Error, Kernel, Prepared, alternate, check, dtype_of, look, repeats, see, span, torch_now

__all__ = ["attention", "attention_out", "attention_package", "attention_varlen", "decode", "decode_package", "gemm", "gemm_grouped",
           "gemm_out", "package_name", "prepare_attention", "prepare_decode", "prepare_gemm"]

# titan.h's element types, as `titan generate gemm` spells them.
_INPUTS = {3: "f16", 4: "bf16", 5: "e4m3", 6: "e5m2"}
_OUTPUTS = {1: "f32", 3: "f16", 4: "bf16"}
ACTIVATIONS = ("none", "relu", "gelu", "gelu-tanh", "silu")


def _wrong(message, fix):
    return Error("argument-shape", message, fix=fix)


def _sizes(shape, names):
    """The sizes of a shape that a caller gives, as whole numbers."""
    try:
        sizes = tuple(map(index, shape))
    except TypeError:
        sizes = ()
    if len(sizes) != len(names) or min(sizes) < 1:
        raise Error("bad-argument", f"shape {shape!r}", fix=f"give ({', '.join(names)}), whole numbers from 1")
    return sizes


def package_name(input, output, layout, epilogue=(), activation="none", gate=False, promote=False, batch=False,
                 grouped=False, row_bytes=16):
    """The file name of a prebuilt package: its types, layouts and epilogue, and the bytes that threads copy at a time;
    "gemm-bf16-nt-f32-alpha-silu.titanpkg", "gemm-bf16-nt-rows8.titanpkg"."""
    parts = ["gemm", input, layout] + ([output] if output != input else []) + list(epilogue)
    parts += [name for name, there in (("gate", gate), ("promote", promote), ("batch", batch), ("grouped", grouped),
                                          (f"rows{row_bytes}", row_bytes < 16)) if there]
    return "-".join(parts + ([activation] if activation != "none" else [])) + ".titanpkg"


def _call(*words, folder=None):
    """What the compiler prints; what it refuses is its finding."""
    try:
        done = subprocess.run([compiler.need("no prebuilt package fits"), *words], cwd=folder, capture_output=True, text=True)
    except OSError as error:
        raise Error("file-not-found", f"the compiler: {error}", fix=compiler.FIX) from None
    if done.returncode:
        said = done.stderr.strip()
        finding = re.search(r"error: (.*)  \[([a-z0-9-]+)\]$", said, re.M)
        message, code = finding.groups() if finding else (f"exit status {done.returncode}", "codegen-failed")
        fix = re.search(r"^ *fix: (.*)$", said, re.M)
        raise Error(code, f"titan {words[0]}: {message}", fix=fix[1] if fix else "", text=said or None)
    return done.stdout


def _compiled(options, shape, unchecked):
    """The package of the kernel that the model picks."""
    words = [word for name, value in options for word in ("--" + name, value)]
    # Groups: data decide how often loops run there, and the checker's search takes 4 to 30 s (docs/status.md).
    return _generated("gemm", "--shape", "x".join(map(str, shape)), *words, flags=["--check=off"] if unchecked else [])


def _generated(*words, flags=()):
    """The package of what `titan generate` makes of these words, compiled with these flags, at most once: the file is
    named after the kernel's text and the compiler."""
    text = _call("generate", *words)
    key = hashlib.sha256((_call("--version") + text).encode()).hexdigest()[:32]
    folder = os.environ.get("TITAN_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "titan")
    path = os.path.join(folder, key + ".titanpkg")
    if not os.path.exists(path):
        try:
            os.makedirs(folder, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as work:
                with open(os.path.join(work, words[0] + ".mlir"), "w") as file:
                    file.write(text)
                # By this name, which is part of the package: the same everywhere.
                _call("compile", words[0] + ".mlir", "-o", words[0] + ".titanpkg", *flags, folder=work)
                os.replace(os.path.join(work, words[0] + ".titanpkg"), path)  # Two processes may do so: either's file is whole.
        except OSError as error:
            raise Error("file-write", f"the cache of packages: {error}",
                        fix="set TITAN_CACHE to a folder that can be written") from None
    return path


_kernels = Cache()  # (shape and options) -> Kernel
_packages = {}      # path -> Kernel


def _prebuilt(rows, name):
    """The package of this name, or the one for the fewest rows that are enough: "gemm-bf16-nt-m16.titanpkg"; or None."""
    folder = os.environ.get("TITAN_PACKAGES") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "packages")
    stem = name.removesuffix(".titanpkg")
    for most in (16, 64):
        few = os.path.join(folder, f"{stem}-m{most}.titanpkg")
        if rows <= most and os.path.exists(few):
            return few
    path = os.path.join(folder, name)
    return path if os.path.exists(path) else None


def prepare_gemm(shape, input="bf16", output="bf16", layout="nt", epilogue=(), activation="none", gate=False,
                 promote=False, batches=None, grouped=False, row_bytes=16):
    """The kernel for (M, N, K), and as many batches, or groups of so many rows: before a CUDA graph is captured, say.
    The options are those of `titan generate gemm`."""
    shape = _sizes(shape, ("M", "N", "K"))
    epilogue = (epilogue,) if isinstance(epilogue, str) else tuple(epilogue)
    key = (shape, input, output, layout, epilogue, activation, gate, promote, batches, grouped, row_bytes)
    if key not in _kernels:
        path = _prebuilt(shape[0], package_name(input, output, layout, epilogue, activation, gate, promote,
                                                batches is not None and not grouped, grouped, row_bytes))
        if not path:
            options = [("input", input), ("output", output), ("layout", layout), ("activation", activation)]
            options += [("row-bytes", str(row_bytes))] if row_bytes < 16 else []
            options += [(name, "on") for name, there in (("gate", gate), ("promote", promote)) if there]
            options += [("batch", "grouped" if grouped else "equal"), ("batches", str(batches))] if batches is not None else []
            path = _compiled(options + ([("epilogue", ",".join(epilogue))] if epilogue else []), shape, grouped)
        if path not in _packages:
            _packages[path] = Kernel(path)
        _kernels[key] = _packages[path]
    return _kernels[key]


def _matrix(name, seen):
    """What look() has seen as it is stored, row-major, and whether that is the transpose of what was given. A first
    dimension of three is the batch's."""
    (dims, strides, *rest), rank = seen, len(seen[0])
    if rank not in (2, 3):
        raise _wrong(f"argument '{name}' has {rank} dimensions", "give a matrix, or a batch of them")
    rows, columns = dims[-2:]
    # The stride of a dimension of one element does not count.
    dense_rows, dense_columns = strides[-1] == 1 or columns == 1, strides[-2] == 1 or rows == 1
    if dense_rows and not (dense_columns and columns == 1):
        return seen, False
    if dense_columns:
        turned = lambda numbers: tuple(numbers[:-2]) + tuple(numbers[:-3:-1])
        return (turned(dims), turned(strides), *rest), True
    raise _wrong(f"argument '{name}' has strides {tuple(strides)}: neither its rows nor its columns are dense",
                 "give tensor.contiguous()")


_launches = Cache()  # all that decides, but addresses and numbers -> Prepared, or None


def _begin(shape, strides, address, size):
    """Bytes, a power of two up to 16, at multiples of which all rows begin; size: of an element."""
    bits = address | 16
    for count, stride in zip(shape[:-1], strides[:-1]):
        bits |= stride * size if count > 1 else 0
    return bits & -bits


def _prepare(key, row_bytes=16, factors=None, results=0):
    """The launch for a key of gemm_out, None where there is nothing to compute. row_bytes: below 16 threads copy. Where the
    bits below 16 of the addresses of A and B, and of D and C, are given, they do so where TMA cannot."""
    *_, has_alpha, activation, gate, promote = key
    looks = {name: seen for name, seen in zip(_TENSORS, key) if seen is not None}
    if activation not in ACTIVATIONS:
        raise Error("bad-argument", f"activation '{activation}'", fix="there are " + ", ".join(ACTIVATIONS))
    (A, transposed_a), (B, transposed_b), D = _matrix("a", looks["A"]), _matrix("b", looks["B"]), looks["D"]
    a_type, b_type, d_type = map(dtype_of, (A, B, D))
    if a_type not in _INPUTS or b_type != a_type:
        raise _wrong("'a' and 'b' are not of one of the types bf16, f16, e4m3 and e5m2", "convert them to one of these types")
    if d_type not in _OUTPUTS:
        raise _wrong("'d' is not bf16, f16 or f32", "give a result of one of these types")
    batches = A[0][0] if len(A[0]) == 3 else None
    if (B[0][0] if len(B[0]) == 3 else None) != batches:
        raise _wrong(f"'a' is {tuple(looks['A'][0])} and 'b' is {tuple(looks['B'][0])}",
                     "give as many batches of both, or two matrices")
    m, k = reversed(A[0][-2:]) if transposed_a else A[0][-2:]
    kb, n = reversed(B[0][-2:]) if transposed_b else B[0][-2:]
    if k != kb:
        raise _wrong(f"'a' has {k} columns and 'b' has {kb} rows", "give factors that fit: (M, K) and (K, N)")
    if gate and n % 2:
        raise _wrong(f"'b' has {n} columns", "with a gate it has two for each of the result's")
    n = n // 2 if gate else n
    wanted = (m, n) if batches is None else (batches, m, n)
    if tuple(D[0]) != wanted:
        raise _wrong(f"'d' is {tuple(D[0])}, and the product is {wanted}", f"give a result of the sizes {wanted}")
    if m == 0 or n == 0 or batches == 0:
        return None
    if k == 0:
        raise _wrong("'a' has no columns, and 'b' no rows", "leave out the product: all its sums are 0")
    if repeats(D):
        raise _wrong(f"'d' has strides {tuple(D[1])}: elements lie at one place", "give a result of which each element has its own")
    # In `titan generate gemm` A is n where it is stored M x K, B is n where it is stored K x N.
    epilogue = [term for term, there in (("alpha", has_alpha), ("beta", "C" in looks), ("bias", "bias" in looks)) if there]
    options = ((m, n, k), _INPUTS[a_type], _OUTPUTS[d_type], ("t" if transposed_a else "n") + ("t" if transposed_b else "n"),
               epilogue, activation, gate, promote, batches)
    looks.update(A=A, B=B)
    if factors is not None and not gate and _INPUTS[a_type] in ("bf16", "f16"):
        size = 4 if _OUTPUTS[d_type] == "f32" else 2
        begin = min(_begin(*looks[name][:2], factors, 2) for name in "AB")
        if begin < 16 or n * size % 16 or any(_begin(*looks[name][:2], results, size) < 16 for name in "CD" if name in looks):
            row_bytes = min(begin, 8)
    try:
        kernel = prepare_gemm(*options, row_bytes=row_bytes)
    except Error:
        if factors is None or row_bytes == 16:
            raise
        kernel = prepare_gemm(*options)  # No compiler, say: a launch of this one says what it does not take.
    prepared = Prepared(kernel, [looks.get(name, _F32) for name in kernel.arguments],
                        [_PLACES.index(name) for name in kernel.arguments])
    prepared.spans = [span(looks.get(name)) for name in _TENSORS]
    return prepared


_missing = object()
_F32 = 1  # titan.h's
# What a key has, in its order; and a launch.
_TENSORS = ("A", "B", "D", "bias", "C")
_PLACES = ("A", "B", "bias", "C", "D", "alpha", "beta")


def _bits(number):
    try:
        return _ONE if number == 1.0 else int.from_bytes(struct.pack("<f", number), "little")
    except (OverflowError, TypeError, struct.error):
        raise Error("bad-argument", f"{number!r} is no number of f32", fix="give a number of at most 3.4e38") from None


_ONE = 0x3f800000  # 1 as f32


def _check_apart(name, result, at, others):
    """Refuses a result that shares memory with what it is computed from. It may be c itself: each element of c is read once,
    by the thread that computes the result's."""
    for other, seen, place in others:
        same = other == "c" and seen is not None and at == place and seen[:2] == result[:2]
        if seen is not None and not same and at < place + span(seen) and place < at + span(result) and not alternate(
                result, at, seen, place):
            raise _wrong(f"'{name}' and '{other}' share memory", "give a result of its own")


def gemm_out(d, a, b, bias=None, c=None, alpha=1.0, beta=1.0, activation="none", stream=None, gate=False,
             promote=False):
    """d = activation(alpha * a @ b + beta * c + bias): a is M x K, b is K x N, c and d are M x N and of one type, bias
    has N elements of f32. All may have a first dimension more, the batch's. With `gate` b is K x 2N, bias has 2N, and d =
    activation(alpha * a @ b[:, :N] + bias[:N]) * (alpha * a @ b[:, N:] + bias[N:]). With `promote` sums leave the tensor
    cores every stage (fp8: 128 of K or more), which is more exact. Without c beta is not looked at. d may be c, and else has memory of its own. Returns d."""
    kept = []
    (A, at_a), (B, at_b), (D, at_d) = look("a", a, kept), look("b", b, kept), look("d", d, kept)
    BIAS, at_bias = (None, 0) if bias is None else look("bias", bias, kept)
    C, at_c = (None, 0) if c is None else look("c", c, kept)
    key = A, B, D, BIAS, C, alpha != 1.0, activation, gate, promote
    found = key, (at_a | at_b) & 15, (at_d | at_c) & 15
    prepared = _launches.get(found, _missing)
    if prepared is _missing:
        prepared = _launches[found] = _prepare(key, 16, *found[1:])
    if prepared is not None:
        size_a, size_b, size_d, size_bias, size_c = prepared.spans
        end = at_d + size_d
        if (at_a < end and at_d < at_a + size_a or at_b < end and at_d < at_b + size_b
                or at_bias < end and at_d < at_bias + size_bias or at_c < end and at_d < at_c + size_c):
            _check_apart("d", D, at_d, (("a", A, at_a), ("b", B, at_b), ("bias", BIAS, at_bias), ("c", C, at_c)))
        prepared.launch((at_a, at_b, at_bias, at_c, at_d, _bits(alpha), _bits(beta)), stream)
    return d


_SCHEMA = ('(Tensor a, Tensor b, Tensor? bias=None, Tensor? c=None, float alpha=1.0, float beta=1.0, '
           'str activation="none", ScalarType? out_dtype=None, bool gate=False, bool promote=False) -> Tensor')


def _empty(a, shape, dtype):
    """A tensor on a's device, whose rows begin at multiples of 16 bytes, as tensor maps want them."""
    n = shape[-1]
    if n % 16 == 0:
        return a.new_empty(shape, dtype=dtype)
    whole = 16 // dtype.itemsize
    return a.new_empty((*shape[:-1], (n + whole - 1) // whole * whole), dtype=dtype)[..., :n]


def _fitting(tensor):
    """The tensor, or a copy whose rows are dense and begin at multiples of 16 bytes."""
    if tensor is None or tensor.dim() not in (2, 3):
        return tensor
    size, strides = tensor.dtype.itemsize, tensor.stride()
    if strides[-2] == 1 and strides[-1] != 1:
        return tensor if (turned := tensor.mT) is (copy := _fitting(turned)) else copy.mT
    if strides[-1] == 1 and tensor.data_ptr() % 16 == 0 and not any(s * size % 16 for s in strides[:-1]):
        return tensor
    columns, whole = tensor.shape[-1], 16 // size
    padded = tensor.new_empty((*tensor.shape[:-1], (columns + whole - 1) // whole * whole))
    return padded[..., :columns].copy_(tensor)


# What kernels whose threads copy reach, by the bytes that rows begin at multiples of: floating-point operations in a
# microsecond; and copies on the device, in bytes, and what one takes at least (benchmarks/results/h200-gemm-rows.json).
_BY_THREADS = {8: 250e6, 4: 190e6, 2: 70e6}
_COPIED, _COPY = 1.25e6, 2.5


def _row_bytes(a, b, whole):
    """Bytes at multiples of which the rows of both begin, where threads copy them in less time than it takes to bring what
    TMA does not take to rows of 16 bytes; else 16. whole: elements of the result in 16 bytes."""
    size = a.dtype.itemsize
    if size != 2:
        return 16
    aligned, copied, copies = 8, 0, 0
    for tensor, wider in ((a, False), (b, b.shape[-1] % whole != 0)):
        stored = tensor.mT if tensor.stride()[-2] == 1 and tensor.stride()[-1] != 1 else tensor
        if stored.stride()[-1] != 1:
            return 16
        begin = _begin(stored.shape, stored.stride(), stored.data_ptr(), size)
        aligned = min(aligned, begin)
        times = (begin < 16) + 2 * wider
        copies += times
        copied += times * math.prod(tensor.shape) * size
    operations = 2 * math.prod(a.shape) * b.shape[-1]
    return aligned if operations / _BY_THREADS[aligned] < copies * _COPY + copied / _COPIED else 16


def _wider(tensor, n, wide):
    """The tensor, stored as it is, with zeros behind each n of its columns, that they take `wide`."""
    turned = tensor.dim() > 1 and tensor.stride()[-2] == 1
    stored, at = (tensor.mT, -2) if turned else (tensor, -1)
    shape, parts = list(stored.shape), tensor.shape[-1] // n
    shape[at] = parts * wide
    made = stored.new_zeros(tuple(shape))
    for part in range(parts):
        made.narrow(at, part * wide, n).copy_(stored.narrow(at, part * n, n))
    return made.mT if turned else made


def _register():
    """Makes torch.ops.titan.gemm, once."""
    try:
        import torch
    except ImportError:
        raise Error("file-not-found", "titan.ops.gemm makes a PyTorch tensor, and PyTorch is not there",
                    fix="install torch, or call gemm_out with a result of your own") from None

    def empty(a, b, out_dtype, gate):
        """Of fp8 the result is bf16."""
        dtype = out_dtype or (a.dtype if a.dtype.itemsize > 1 else torch.bfloat16)
        return _empty(a, (*a.shape[:-1], b.shape[-1] // (2 if gate else 1)), dtype)

    calls, now = Cache(), torch_now()  # all that decides, but addresses and numbers -> the call
    kind_of, plain_kind, tracing, modes, grad = now.kind, now.plain_kind, now.tracing, now.modes, now.grad
    new, current, on, stream = now.empty, now.current_device, now.device, now.raw_stream
    refused = Cache()  # of by_threads

    def make(a, b, bias, c, has_alpha, activation, out_dtype, gate, promote, row_bytes=16):
        """What a call with tensors like these does; None where there is nothing to compute."""
        d = empty(a, b, out_dtype, gate)
        seen = [tensor if tensor is None else see(name, tensor)
                for name, tensor in zip(("a", "b", "d", "bias", "c"), (a, b, d, bias, c))]
        prepared = _prepare((*seen, has_alpha, activation, gate, promote), row_bytes)
        if prepared is None:
            return None
        # Else there is to be memory behind the last row, too: TMA stores whole 16 bytes.
        dense = d.stride()[-2] == d.shape[-1]
        start, shape, strides, dtype, device = prepared.start, tuple(d.shape), tuple(d.stride()), d.dtype, seen[2][3]

        def call(a, b, bias, c, alpha, beta):
            if current() != device:
                with on(device):
                    return call(a, b, bias, c, alpha, beta)
            d = new(shape, strides, dtype) if dense else empty(a, b, out_dtype, gate)
            error = start(4, a, b, bias, c, d.data_ptr(), _ONE if alpha == 1.0 else _bits(alpha),
                          _ONE if beta == 1.0 else _bits(beta), stream(device))
            if error:
                check(error)
            return d

        return call

    def once(a, b, bias, c, alpha, beta, *more):
        key = kind_of(a, b, bias, c), alpha != 1.0, *more
        call = calls.get(key, _missing)
        if call is _missing:
            call = calls[key] = make(a, b, bias, c, alpha != 1.0, *more)
        return call(a, b, bias, c, alpha, beta) if call else empty(a, b, *more[1:3])

    def widened(a, b, bias, c, *more, whole):
        """Of rows that end within 16 bytes, which TMA does not store: the first columns of a product of wider ones."""
        columns = b.shape[-1]
        n = columns // 2 if more[4] else columns
        wide = (n + whole - 1) // whole * whole
        for name, tensor, width in (("bias", bias, columns), ("c", c, n)):
            if tensor is not None and tensor.shape[-1:] != (width,):  # With zeros behind they would look as wide as b.
                raise _wrong(f"'{name}' is {tuple(tensor.shape)}, and 'b' has {columns} columns", f"give {width}")
        terms = [None if tensor is None else _wider(tensor, n, wide) for tensor in (b, bias, c)]
        return launch(a, *terms, *more).narrow(-1, 0, n)

    def by_threads(a, b, bias, c, *more, whole):
        """The product by a kernel whose threads copy, where that is faster than copies before it; else None."""
        row_bytes = 16 if more[4] or c is not None and c.stride()[-1:] != (1,) else _row_bytes(a, b, whole)
        key = row_bytes, kind_of(a, b, bias, c), *more[2:]
        if row_bytes == 16 or key in refused:
            return None
        try:
            return once(a, b, bias, c, *more, row_bytes)
        except Error:  # no compiler, say
            refused[key] = True
            return None

    def launch(a, b, bias=None, c=None, alpha=1.0, beta=1.0, activation="none", out_dtype=None, gate=False,
               promote=False):
        if a.dim() not in (2, 3) or a.dim() != b.dim():
            raise _wrong(f"'a' has {a.dim()} dimensions and 'b' has {b.dim()}",
                         "give matrices, or as many batches of both")
        bias = None if bias is None else bias.float()
        more = alpha, beta, activation, out_dtype, gate, promote
        whole = 16 // (out_dtype.itemsize if out_dtype else max(2, a.dtype.itemsize))
        if b.shape[-1] % (2 * whole if gate else whole) and not (gate and b.shape[-1] % 2):
            found = by_threads(a, b, bias, c, *more, whole=whole)
            return widened(a, b, bias, c, *more, whole=whole) if found is None else found
        try:
            return once(a, b, bias, c, *more)
        except Error:
            if (found := by_threads(a, b, bias, c, *more, whole=whole)) is not None:
                return found
            copies = [_fitting(tensor) for tensor in (a, b, c)]
            if all(copy is tensor for copy, tensor in zip(copies, (a, b, c))):
                raise
        return once(*copies[:2], bias, copies[2], *more)

    def trace(a, b, bias=None, c=None, alpha=1.0, beta=1.0, activation="none", out_dtype=None, gate=False,
              promote=False):
        torch._check(a.dim() in (2, 3) and a.dim() == b.dim(), lambda: "titan::gemm takes matrices, or batches of them")
        torch._check(a.shape[-1] == b.shape[-2], lambda: "titan::gemm: a has as many columns as b has rows")
        torch._check(a.shape[:-2] == b.shape[:-2], lambda: "titan::gemm: a has as many batches as b")
        return empty(a, b, out_dtype, gate)

    operation = torch.library.custom_op("titan::gemm", launch, mutates_args=(), schema=_SCHEMA)
    operation.register_fake(trace)

    def call(a, b, bias, c, alpha, beta, *more):
        # Where nothing looks on (no trace, no mode, no gradient of a tensor) the dispatcher would cost more than the launch.
        if not tracing() and (number := plain_kind(a, b, bias, c)) and not modes() and not (grad() and (
                a.requires_grad or b.requires_grad or bias is not None and bias.requires_grad or c is not None and c.requires_grad)):
            found = calls.get((number, alpha != 1.0, *more))
            if found:
                try:
                    return found(a, b, bias, c, alpha, beta)
                except Error:
                    pass  # launch() may know another way, or says it again.
            return launch(a, b, bias, c, alpha, beta, *more)
        return operation(a, b, bias, c, alpha, beta, *more)

    return call


_operation = None  # gemm, once PyTorch is there


def gemm(a, b, bias=None, c=None, alpha=1.0, beta=1.0, activation="none", out_dtype=None, gate=False, promote=False):
    """activation(alpha * a @ b + beta * c + bias), a new PyTorch tensor; see gemm_out. out_dtype: a's; of fp8 bf16."""
    global _operation
    if _operation is None:
        _operation = _register()
    return _operation(a, b, bias, c, alpha, beta, activation, out_dtype, gate, promote)


if "torch" in sys.modules:
    _operation = _register()

from .attention import (attention, attention_out, attention_package, attention_varlen,  # noqa: E402 (it needs the above)
                        prepare_attention)
from .decode import decode, decode_package, prepare_decode  # noqa: E402
from .grouped import gemm_grouped  # noqa: E402
