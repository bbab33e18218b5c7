"""Attention on PyTorch's tensors, by TITAN's generated kernels.

    import torch, titan.ops
    o = titan.ops.attention(q, k, v)                             # softmax(q k^T / sqrt(size)) v
    o = titan.ops.attention(q, k, v, causal=True, window=4096)   # a row sees its own place and 4096 keys before it
    o, lse = titan.ops.attention(q, k, v, lse=True)              # and the logarithms of the rows' sums, f32

    titan.ops.attention_out(o, q, k, v)   # into o; anything that speaks DLPack, PyTorch or not

Tensors are batch x heads x tokens x size, as scaled_dot_product_attention has them, bf16 or f16, heads of size 64 or
128; K and V may have fewer heads, each of which serves as many of Q's. Their order in memory is free as long as a row
of a head is dense: what comes from a projection (batch x tokens x heads x size) is transposed at no cost. Queries are the
last ones of the keys (query i sees key j up to i + keys - queries), as in FlashAttention. No gradient. Few queries over many
keys go to titan.ops.decode (titan/decode.py). Sequences of many lengths, packed along the rows:

    o = titan.ops.attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, longest)   # rows x heads x size; i32, where each begins

`longest` is at least the most queries of a sequence. The values behind a sequence's last key, up to a block's end, are
the next one's; they count nothing, but have to be finite.

A kernel is taken from $TITAN_PACKAGES or packages/ beside this file (attention_package names them), or the model picks it
for the shape, of a few that are compiled once each; see titan.ops.
"""
import math
import os
import sys
from operator import index

from . import Cache, Error, Kernel, Prepared, check, dtype_of, look, ops, repeats, see, span, torch_now

__all__ = ["attention", "attention_out", "attention_package", "attention_varlen", "prepare_attention"]

# titan.h's element types, as `titan generate attention` spells them.
_INPUTS = {3: "f16", 4: "bf16"}
_F32, _I32 = 1, 8
_kernels = Cache()   # (shape and options) -> Kernel
_packages = {}       # path -> Kernel
_launches = Cache()  # all that decides, but addresses and numbers -> Prepared, or None


def _wrong(message, fix):
    return Error("argument-shape", message, fix=fix)


def attention_package(input="bf16", size=128, causal=False, window=False, lse=False, ragged=False):
    """The file name of a prebuilt package: "attention-bf16-128-causal-lse.titanpkg"."""
    flags = [word for word, there in (("causal", causal), ("window", window), ("lse", lse), ("ragged", ragged)) if there]
    return "-".join(["attention", input, str(size)] + flags) + ".titanpkg"


def _near(tokens):
    """Tokens as the model is asked: by steps of an eighth, so that lengths that change are few kinds."""
    step = 1 << max(tokens.bit_length() - 4, 0)
    return -(-tokens // step) * step


def prepare_attention(shape, input="bf16", size=128, causal=False, window=False, lse=False, ragged=False):
    """The kernel for (batches, queries, keys, heads, heads of K): before a CUDA graph is captured, say."""
    batches, queries, keys, heads, heads_k = ops._sizes(shape, ("batches", "queries", "keys", "heads", "heads of K"))
    shape = (batches, _near(queries), _near(keys), heads, heads_k)
    key = (shape, input, size, causal, window, lse, ragged)
    if key not in _kernels:
        beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "packages")
        path = os.path.join(os.environ.get("TITAN_PACKAGES") or beside, attention_package(*key[1:]))
        if not os.path.exists(path):
            words = ["attention", "--shape", "x".join(map(str, shape)), "--input", input, "--head-size", str(size)]
            for option, there in (("causal", causal), ("window", window), ("lse", lse), ("ragged", ragged)):
                words += ["--" + option, "on"] if there else []
            # The checker takes 5 to 20 s with a mask, more where CTAs have several tiles, and cannot decide on some (docs/status.md).
            path = ops._generated(*words, flags=["--check=off"])
        if path not in _packages:
            _packages[path] = Kernel(path)
        _kernels[key] = _packages[path]
    return _kernels[key]


def _by_token(name, seen):
    """What look() has seen, as batch x tokens x heads x size."""
    dims, strides, *rest = seen
    if len(dims) != 4:
        raise _wrong(f"argument '{name}' has {len(dims)} dimensions", "give batch x heads x tokens x size")
    if strides[3] != 1 and dims[3] != 1:
        raise _wrong(f"argument '{name}' has strides {tuple(strides)}: its rows are not dense",
                     "give tensor.contiguous()")
    return (tuple(dims[i] for i in (0, 2, 1, 3)), tuple(strides[i] for i in (0, 2, 1, 3)), *rest)


# What a launch has, in its order; a kernel takes some of it.
_VALUES = ("Q", "K", "V", "O", "LSE", "scale", "window")


def _prepare(key):
    """The launch for a key of attention_out, None where there is nothing to compute."""
    q, k, v, o, lse, causal, window = key
    Q, K, V, O = (_by_token(name, seen) for name, seen in (("q", q), ("k", k), ("v", v), ("o", o)))
    types = {dtype_of(seen) for seen in (Q, K, V, O)}
    if len(types) != 1 or not types <= set(_INPUTS):
        raise _wrong("'q', 'k', 'v' and 'o' are not all bf16, and not all f16", "convert them to one of these types")
    batches, queries, heads, size = Q[0]
    if size not in (64, 128):
        raise _wrong(f"heads of size {size}", "give heads of size 64 or 128; pad them with zeros")
    if K[0] != V[0] or K[0][0] != batches or K[0][3] != size:
        raise _wrong(f"'k' and 'v' are {K[0]} and {V[0]} (batch x tokens x heads x size), 'q' is {Q[0]}",
                     "give keys and values of one shape, with q's batches and size")
    if O[0] != Q[0]:
        raise _wrong(f"'o' is {O[0]} (batch x tokens x heads x size), and 'q' is {Q[0]}", "give a result of q's sizes")
    if K[0][2] == 0 or heads % K[0][2]:
        raise _wrong(f"{heads} heads of 'q', and {K[0][2]} of 'k'", "each head of k serves as many of q's")
    if K[0][1] == 0:
        raise _wrong("'k' has no keys", "give at least one")
    if lse is not None and (dtype_of(lse) != _F32 or tuple(lse[0]) != (batches, heads, queries)):
        raise _wrong(f"'lse' is {tuple(lse[0])}, or not f32", f"give {(batches, heads, queries)} of f32")
    if not (batches and queries and heads):
        return None
    if repeats(O) or lse is not None and repeats(lse):
        raise _wrong("elements of 'o', or of 'lse', lie at one place", "give a result of which each element has its own")
    kernel = prepare_attention((batches, queries, K[0][1], heads, K[0][2]), _INPUTS[types.pop()], size, causal, window,
                               lse is not None)
    looks = {"Q": Q, "K": K, "V": V, "O": O, "LSE": lse, "scale": _F32, "window": _I32}
    prepared = Prepared(kernel, [looks[name] for name in kernel.arguments], [_VALUES.index(name) for name in kernel.arguments])
    prepared.spans = [span(seen) for seen in (q, k, v, o, lse)]
    return prepared


_missing = object()
# So few queries of the heads with one head of K, over so many keys: decode.
_FEW, _MANY = 64, 1024


def _number(name, value, least):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value < math.inf:
        raise Error("bad-argument", f"{name} {value!r}", fix=f"give a number, at least {least}")
    return value


def _check_scale(scale):
    if scale is not None and not ops._bits(_number("scale", scale, 0)):
        raise Error("bad-argument", f"scale {scale:g}", fix="give a positive number, at least f32's smallest")


def _whole(name, value):
    try:
        return index(value)
    except TypeError:
        raise Error("bad-argument", f"{name} {value!r}", fix="give a whole number") from None


def attention_out(o, q, k, v, causal=False, scale=None, window=None, lse=None, stream=None):
    """o = softmax(scale * q k^T) v. scale: 1 / sqrt(size), positive; window: how many keys before its own place a row
    sees; lse: batch x heads x queries, f32, gets the logarithms. o has memory of its own. Returns o."""
    kept = []
    (Q, at_q), (K, at_k), (V, at_v), (O, at_o) = look("q", q, kept), look("k", k, kept), look("v", v, kept), look("o", o, kept)
    L, at_lse = (None, 0) if lse is None else look("lse", lse, kept)
    _check_scale(scale)
    if window is not None:
        window = min(_number("window", _whole("window", window), 0), 2**31 - 1)
    key = Q, K, V, O, L, bool(causal), window is not None
    prepared = _launches.get(key, _missing)
    if prepared is _missing:
        prepared = _launches[key] = _prepare(key)
    if prepared is not None:
        size_q, size_k, size_v, size_o, size_lse = prepared.spans
        end = at_o + size_o
        if (at_q < end and at_o < at_q + size_q or at_k < end and at_o < at_k + size_k
                or at_v < end and at_o < at_v + size_v or at_lse < end and at_o < at_lse + size_lse):
            ops._check_apart("o", O, at_o, (("q", Q, at_q), ("k", K, at_k), ("v", V, at_v), ("lse", L, at_lse)))
        bits = ops._bits(Q[0][3] ** -0.5 if scale is None else scale)
        prepared.launch((at_q, at_k, at_v, at_o, at_lse, bits, window or 0), stream)
    return o


_SCHEMA = ("(Tensor q, Tensor k, Tensor v, bool causal=False, float? scale=None, int? window=None, bool lse=False)"
           " -> (Tensor, Tensor)")


def _register():
    """Makes torch.ops.titan.attention, once; without `lse` its second result is empty."""
    try:
        import torch
    except ImportError:
        raise Error("file-not-found", "titan.ops.attention makes a PyTorch tensor, and PyTorch is not there",
                    fix="install torch, or call attention_out with a result of your own") from None

    from .decode import launcher
    _, find = launcher(torch)
    calls, now = Cache(), torch_now()  # all that decides, but addresses and numbers -> the call
    kind_of, plain_kind, tracing, modes, grad = now.kind, now.plain_kind, now.tracing, now.modes, now.grad
    new, current, on, stream = now.empty, now.current_device, now.device, now.raw_stream

    def empty(q, lse):
        """O as a projection takes it: the heads of a token side by side."""
        batches, heads, queries, size = q.shape
        row = heads * size
        o = q.new_empty_strided(q.shape, (queries * row, size, row, 1))
        return o, q.new_empty((batches, heads, queries) if lse else (0,), dtype=torch.float32)

    def make(q, k, v, causal, windowed, lse, shares):
        """What a call with tensors like these does; None where there is nothing to compute."""
        for name, tensor in (("q", q), ("k", k), ("v", v)):
            if tensor.dim() != 4:
                raise _wrong(f"'{name}' has {tensor.dim()} dimensions", "give batch x heads x tokens x size")
        if not windowed and q.shape[2] * q.shape[1] <= _FEW * k.shape[1] and k.shape[2] >= _MANY:
            found = find(q, k, v, causal, lse, shares)
            return found and (lambda q, k, v, scale, window: found(q, k, v, scale, None, None, 0))
        seen = [see(*named) for named in zip(("q", "k", "v", "o", "lse"), (q, k, v, *empty(q, lse)))]
        prepared = _prepare((*seen[:4], seen[4] if lse else None, causal, windowed))
        if prepared is None:
            return None
        (shape, strides, dtype, device), own, start = seen[3], ops._bits(q.shape[3] ** -0.5), prepared.start
        shape, strides, (shape_lse, strides_lse, *_) = tuple(shape), tuple(strides), (tuple(x) for x in seen[4][:2])

        def call(q, k, v, scale, window):
            if current() != device:
                with on(device):
                    return call(q, k, v, scale, window)
            o, sums = new(shape, strides, dtype), new(shape_lse, strides_lse, torch.float32) if lse else None
            error = start(3, q, k, v, o.data_ptr(), sums.data_ptr() if lse else 0, own if scale is None else ops._bits(scale),
                          window or 0, stream(device))
            if error:
                check(error)
            return o, sums

        return call

    def launch(q, k, v, causal=False, scale=None, window=None, lse=False, shares=True):
        """O, and the logarithms where they are asked for, else perhaps None."""
        _check_scale(scale)
        if window is not None:
            window = min(_number("window", _whole("window", window), 0), 2**31 - 1)
        key = kind_of(q, k, v), causal, window is None, lse, shares
        call = calls.get(key, _missing)
        if call is _missing:
            call = calls[key] = make(q, k, v, bool(causal), window is not None, bool(lse), shares)
        return call(q, k, v, scale, window) if call else empty(q, lse)

    def whole(q, k, v, causal=False, scale=None, window=None, lse=False):
        o, sums = launch(q, k, v, causal, scale, window, lse, shares=False)
        return o, q.new_empty((0,), dtype=torch.float32) if sums is None else sums

    def trace(q, k, v, causal=False, scale=None, window=None, lse=False):
        torch._check(q.dim() == 4 and k.dim() == 4 and v.dim() == 4,
                     lambda: "titan::attention takes batch x heads x tokens x size")
        torch._check(q.shape[3] == k.shape[3] and q.shape[3] == v.shape[3],
                     lambda: "titan::attention: q, k and v have heads of one size")
        return empty(q, lse)

    operation = torch.library.custom_op("titan::attention", whole, mutates_args=(), schema=_SCHEMA)
    operation.register_fake(trace)

    def call(q, k, v, causal, scale, window, lse):
        # As titan.ops.gemm's.
        if not tracing() and (number := plain_kind(q, k, v)) and not modes() and not (
                grad() and (q.requires_grad or k.requires_grad or v.requires_grad)):
            found = calls.get((number, causal, window is None, lse, True)) if scale is None and window is None else None
            return found(q, k, v, None, None) if found else launch(q, k, v, causal, scale, window, lse)
        return operation(q, k, v, causal, scale, window, lse)

    return call


def _packed(name, seen):
    dims, strides, *_ = seen
    if len(dims) != 3 or (strides[2] != 1 and dims[2] != 1):
        raise _wrong(f"argument '{name}' has sizes {tuple(dims)} and strides {tuple(strides)}",
                     "give rows x heads x size, rows of a head dense")
    return seen


# What a call has, in its order.
_VARLEN = ("Q", "K", "V", "cu_seqlens_q", "cu_seqlens_k", "O", "LSE", "scale", "window", "longest")


def _prepare_varlen(key, longest):
    """The launch for a key of attention_varlen, None where there is nothing to compute."""
    q, k, v, o, starts_q, starts_k, lse, causal, window = key
    Q, K, V, O = (_packed(name, seen) for name, seen in (("q", q), ("k", k), ("v", v), ("o", o)))
    types = {dtype_of(seen) for seen in (Q, K, V, O)}
    if len(types) != 1 or not types <= set(_INPUTS):
        raise _wrong("'q', 'k' and 'v' are not all bf16, and not all f16", "convert them to one of these types")
    (rows, heads, size), (rows_k, heads_k, _) = Q[0], K[0]
    if size not in (64, 128):
        raise _wrong(f"heads of size {size}", "give heads of size 64 or 128; pad them with zeros")
    if K[0] != V[0] or K[0][2] != size:
        raise _wrong(f"'k' and 'v' are {tuple(K[0])} and {tuple(V[0])} (rows x heads x size), 'q' is {tuple(Q[0])}",
                     "give keys and values of one shape, with q's size")
    if heads_k == 0 or heads % heads_k:
        raise _wrong(f"{heads} heads of 'q', and {heads_k} of 'k'", "each head of k serves as many of q's")
    for name, seen in (("cu_seqlens_q", starts_q), ("cu_seqlens_k", starts_k)):
        if dtype_of(seen) != _I32 or len(seen[0]) != 1 or seen[0] != starts_q[0] or seen[0][0] < 2:
            raise _wrong(f"'{name}' is {tuple(seen[0])}, or not i32",
                         "give i32, one more than there are sequences: where each begins, and the last one's end")
    if rows_k == 0:
        raise _wrong("'k' has no keys", "give at least one")
    if not (rows and heads):
        return None
    batches = starts_q[0][0] - 1
    kernel = prepare_attention((batches, longest, max(1, rows_k // batches), heads, heads_k), _INPUTS[types.pop()], size, causal,
                               window, lse is not None, True)
    looks = {"Q": Q, "K": K, "V": V, "O": O, "LSE": lse, "scale": _F32, "window": _I32, "longest": _I32,
             "cu_seqlens_q": starts_q, "cu_seqlens_k": starts_k}
    return Prepared(kernel, [looks[name] for name in kernel.arguments], [_VARLEN.index(name) for name in kernel.arguments])


_SCHEMA_VARLEN = ("(Tensor q, Tensor k, Tensor v, Tensor cu_seqlens_q, Tensor cu_seqlens_k, int longest, bool causal=False,"
                  " float? scale=None, int? window=None, bool lse=False) -> (Tensor, Tensor)")


def _register_varlen():
    """Makes torch.ops.titan.attention_varlen, once; without `lse` its second result is empty."""
    try:
        import torch
    except ImportError:
        raise Error("file-not-found", "titan.ops.attention_varlen makes a PyTorch tensor, and PyTorch is not there",
                    fix="install torch") from None

    calls, now = Cache(), torch_now()  # all that decides, but addresses and numbers -> the call
    kind_of, plain_kind, tracing, modes, grad = now.kind, now.plain_kind, now.tracing, now.modes, now.grad
    new, current, on, stream = now.empty, now.current_device, now.device, now.raw_stream

    def empty(q, lse):
        return q.new_empty(q.shape), q.new_empty((q.shape[1], q.shape[0]) if lse else (0,), dtype=torch.float32)

    def make(tensors, causal, windowed, lse, longest):
        """What a call with tensors like these does; None where there is nothing to compute."""
        q = tensors[0]
        if q.dim() != 3:
            raise _wrong(f"'q' has {q.dim()} dimensions", "give rows x heads x size")
        names = "q", "k", "v", "cu_seqlens_q", "cu_seqlens_k", "o", "lse"
        q, k, v, starts_q, starts_k, o, sums = [see(*named) for named in zip(names, (*tensors, *empty(q, lse)))]
        prepared = _prepare_varlen((q, k, v, o, starts_q, starts_k, sums if lse else None, causal, windowed), longest)
        if prepared is None:
            return None
        own, start, (shape, strides, dtype, device) = ops._bits(q[0][2] ** -0.5), prepared.start, o
        shape, strides, (shape_lse, strides_lse) = tuple(shape), tuple(strides), (tuple(x) for x in sums[:2])

        def call(q, k, v, starts_q, starts_k, scale, window, longest):
            if current() != device:
                with on(device):
                    return call(q, k, v, starts_q, starts_k, scale, window, longest)
            o, sums = new(shape, strides, dtype), new(shape_lse, strides_lse, torch.float32) if lse else None
            error = start(5, q, k, v, starts_q, starts_k, o.data_ptr(), sums.data_ptr() if lse else 0,
                          own if scale is None else ops._bits(scale), window, longest, stream(device))
            if error:
                check(error)
            return o, sums

        return call

    def launch(q, k, v, cu_seqlens_q, cu_seqlens_k, longest, causal=False, scale=None, window=None, lse=False):
        """O, and the logarithms where they are asked for, else perhaps None."""
        _check_scale(scale)
        longest = _whole("longest", longest)
        if not 0 < longest < 2**31:
            raise Error("bad-argument", f"longest {longest}", fix="give at least the most queries that a sequence has")
        if window is not None:
            window = min(_number("window", _whole("window", window), 0), 2**31 - 1)
        # The model's kernel for the longest of some kinds of lengths.
        key = kind_of(q, k, v, cu_seqlens_q, cu_seqlens_k), causal, window is None, lse, _near(longest)
        call = calls.get(key, _missing)
        if call is _missing:
            call = calls[key] = make((q, k, v, cu_seqlens_q, cu_seqlens_k), bool(causal), window is not None, bool(lse), longest)
        return call(q, k, v, cu_seqlens_q, cu_seqlens_k, scale, window or 0, longest) if call else empty(q, lse)

    def whole(q, *more):
        o, sums = launch(q, *more)
        return o, q.new_empty((0,), dtype=torch.float32) if sums is None else sums

    def trace(q, k, v, cu_seqlens_q, cu_seqlens_k, longest, causal=False, scale=None, window=None, lse=False):
        torch._check(q.dim() == 3 and k.dim() == 3 and v.dim() == 3,
                     lambda: "titan::attention_varlen takes rows x heads x size")
        return empty(q, lse)

    operation = torch.library.custom_op("titan::attention_varlen", whole, mutates_args=(), schema=_SCHEMA_VARLEN)
    operation.register_fake(trace)

    def call(q, k, v, starts_q, starts_k, longest, causal, scale, window, lse):
        # As titan.ops.gemm's.
        if not tracing() and (number := plain_kind(q, k, v, starts_q, starts_k)) and not modes() and not (
                grad() and (q.requires_grad or k.requires_grad or v.requires_grad)):
            if scale is None and window is None and type(longest) is int and 0 < longest < 2**31:
                found = calls.get((number, causal, True, lse, _near(longest)))
                if found:
                    return found(q, k, v, starts_q, starts_k, None, 0, longest)
            return launch(q, k, v, starts_q, starts_k, longest, causal, scale, window, lse)
        return operation(q, k, v, starts_q, starts_k, longest, causal, scale, window, lse)

    return call


_varlen = None  # attention_varlen, once PyTorch is there


def attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, longest, causal=False, scale=None, window=None, lse=False):
    """Attention of sequences packed along the rows, a new PyTorch tensor; with lse also heads x rows logarithms."""
    global _varlen
    if _varlen is None:
        _varlen = _register_varlen()
    o, sums = _varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, longest, causal, scale, window, lse)
    return (o, sums) if lse else o


_operation = None  # attention, once PyTorch is there


def attention(q, k, v, causal=False, scale=None, window=None, lse=False):
    """softmax(scale * q k^T) v, a new PyTorch tensor; with lse also the logarithms. See attention_out."""
    global _operation
    if _operation is None:
        _operation = _register()
    o, sums = _operation(q, k, v, causal, scale, window, lse)
    return (o, sums) if lse else o


if "torch" in sys.modules:
    _operation, _varlen = _register(), _register_varlen()
