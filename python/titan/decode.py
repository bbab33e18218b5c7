"""Attention of few queries over many keys, as decoding has it, by TITAN's generated kernels.

    o = titan.ops.decode(q, k, v)                                       # softmax(q k^T / sqrt(size)) v
    o, lse = titan.ops.decode(q, k, v, causal=True, lse=True)           # several queries, the last ones of the keys
    o = titan.ops.decode(q, k, v, table=table, lengths=lengths, longest=n)   # keys in pages

q is batch x heads x queries x size, k and v batch x heads x tokens x size, as in titan.ops.attention, which calls this where
it is faster. With a table k and v are pages x tokens of a page x heads x size, row b of `table` (i32) names the pages of
batch b in their order, `lengths` (i32) says how many keys it has, and `longest` (a number) at least the most of these; of a page
past the last key nothing is read but what follows that key in its block of 64, which has to be finite.

The queries of all heads that one head of k serves are multiplied together, and the keys of the whole launch are dealt out
evenly to the multiprocessors; a second kernel adds up. Works under CUDA graphs and torch.compile; no gradient. The memory
between the two stays, up to 32 MB for each stream and thread that has called. Packages: see titan.ops and decode_package.
"""
import os
import sys

from . import Cache, Error, Kernel, Prepared, check, dtype_of, ops, see, torch_now
from .attention import _F32, _I32, _INPUTS, _check_scale, _whole, _wrong
from .workspaces import Workspaces, shared

__all__ = ["decode", "decode_package", "prepare_decode"]

_kernels = Cache()   # options -> the two kernels
_launches = Cache()  # all that decides, but addresses and numbers -> the call, or None
_missing = object()


def decode_package(input="bf16", size=128, causal=False, lse=False, page=0):
    """The file name of a prebuilt package: "decode-bf16-128-causal-lse-page64.titanpkg"."""
    flags = [word for word, there in (("causal", causal), ("lse", lse), (f"page{page}", page)) if there]
    return "-".join(["decode", input, str(size)] + flags) + ".titanpkg"


def prepare_decode(input="bf16", size=128, causal=False, lse=False, page=0):
    """The two kernels: before a CUDA graph is captured, say. `page`: tokens of a page, 0 without pages."""
    key = (input, size, causal, lse, page)
    if key not in _kernels:
        beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "packages")
        path = os.path.join(os.environ.get("TITAN_PACKAGES") or beside, decode_package(*key))
        if not os.path.exists(path):
            words = ["attention", "--decode", "on", "--input", input, "--head-size", str(size)]
            for option, there in (("causal", causal), ("lse", lse)):
                words += ["--" + option, "on"] if there else []
            words += ["--page", str(page)] if page else []
            # In pages data decide how often a loop runs, and the checker's search takes 5 to 15 s.
            path = ops._generated(*words, flags=["--check=off"] if page else [])
        _kernels[key] = Kernel(path, "attention"), Kernel(path, "attention_combine")
    return _kernels[key]


# What the two kernels take, in the order in which a call has it; Logs lies behind Parts.
_VALUES = ("Q", "K", "V", "table", "lengths", "O", "Parts", "LSE", "ctas", "scale", "longest")


def _launch(kernels, looks, slots, o, lse, ctas, shares):
    """The call that launches both kernels for one kind of arguments: what they need beside the tensors' addresses. o: sizes and
    strides; lse: sizes, or None. `shares`: see Workspaces."""
    (*_, size), _, f32, device = looks["Parts"]
    parts = slots * 64 * size * 4  # bytes
    places = {name: at for at, name in enumerate(_VALUES)}
    places["Logs"] = places["Parts"], parts
    of = lambda kernel: (kernel, *([of[name] for name in kernel.arguments] for of in (looks, places)))
    prepared = Prepared(*of(kernels[0]))
    prepared.add(*of(kernels[1]))
    start, own_scale, dtype, work_bytes = prepared.start, ops._bits(size ** -0.5), looks["Q"][2], parts + slots * 64 * 4
    (shape, strides), strides_lse = o, lse and (lse[1] * lse[2], lse[2], 1)
    shares, now = shares and work_bytes <= Workspaces.LARGEST, torch_now()
    new, current, on, stream_of, capturing, find = now.empty, now.current_device, now.device, now.raw_stream, now.capturing, shared.find

    def call(q, k, v, scale, table, lengths, longest):
        if current() != device:
            with on(device):
                return call(q, k, v, scale, table, lengths, longest)
        o, stream, sums = new(shape, strides, dtype), stream_of(device), new(lse, strides_lse, f32) if lse else None
        if shares and not capturing():
            work = find(device, stream, work_bytes)
        else:
            own = now.bytes(work_bytes)
            work = own.data_ptr()
        error = start(5, q, k, v, table, lengths, o.data_ptr(), work, sums.data_ptr() if lse else 0, ctas,
                      own_scale if scale is None else ops._bits(scale), longest, stream)
        if error:
            check(error)
        return o, sums

    return call


def _prepare(q, k, v, table, lengths, causal, lse, shares, multiprocessors):
    """The launch for tensors like these, None where there is nothing to compute; `multiprocessors`: of a device."""
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        if tensor.dim() != 4:
            raise _wrong(f"'{name}' has {tensor.dim()} dimensions", "give batch x heads x tokens x size; with a table "
                         "'k' and 'v' are pages x tokens x heads x size")
        if tensor.stride(3) != 1 and tensor.shape[3] != 1:
            raise _wrong(f"'{name}' has strides {tuple(tensor.stride())}: its rows are not dense", "give tensor.contiguous()")
    code = dtype_of((None, None, q.dtype, 0))
    if not (q.dtype == k.dtype == v.dtype) or code not in _INPUTS:
        raise _wrong("'q', 'k' and 'v' are not all bf16, and not all f16", "convert them to one of these types")
    batches, heads, queries, size = q.shape
    if size not in (64, 128):
        raise _wrong(f"heads of size {size}", "give heads of size 64 or 128; pad them with zeros")
    paged = table is not None
    if paged != (lengths is not None):
        raise _wrong("a table without lengths, or lengths without a table", "give both, and the longest length")
    by_token = [tensor if paged else tensor.transpose(1, 2) for tensor in (k, v)]
    outer, tokens, heads_k, size_k = by_token[0].shape
    if k.shape != v.shape or size_k != size or (not paged and outer != batches):
        raise _wrong(f"'k' and 'v' are {tuple(k.shape)} and {tuple(v.shape)}, 'q' is {tuple(q.shape)}",
                     "give keys and values of one shape, with q's size and, without a table, its batches")
    if heads_k == 0 or heads % heads_k:
        raise _wrong(f"{heads} heads of 'q', and {heads_k} of 'k'", "each head of k serves as many of q's")
    if tokens == 0 or (paged and outer == 0):
        raise _wrong("'k' has no keys", "give at least one")
    if not (batches and heads and queries):
        return None
    device, group = see("q", q)[3], heads // heads_k
    multiprocessors = multiprocessors(device)
    looks = {"K": see("k", by_token[0]), "V": see("v", by_token[1]), "ctas": _I32, "scale": _F32, "longest": _I32}
    if paged:
        pages = (batches, *(table.shape[1:2] or (1,)))
        for name, tensor, shape in (("table", table, pages), ("lengths", lengths, (batches,))):
            if dtype_of((None, None, tensor.dtype, 0)) != _I32 or tuple(tensor.shape) != shape:
                raise _wrong(f"'{name}' is {tuple(tensor.shape)}, or not i32", f"give {shape} of torch.int32")
            looks[name] = see(name, tensor)
    stride_b, stride_h, stride_n, _ = q.stride()
    looks["Q"] = ((batches, queries, heads_k, group, size), (stride_b, stride_n, group * stride_h, stride_h, 1),
                  q.dtype, device)
    row = heads * size  # O as a projection takes it.
    looks["O"] = (looks["Q"][0], (queries * row, row, group * size, size, 1), q.dtype, device)
    import torch
    slots = batches * heads_k * -(-queries * group // 64) + multiprocessors
    looks["Parts"] = ((slots, 64, size), (64 * size, size, 1), torch.float32, device)
    looks["Logs"] = ((slots, 64), (64, 1), torch.float32, device)
    looks["LSE"] = ((batches, heads_k, group, queries), (heads * queries, group * queries, queries, 1), torch.float32, device)
    return _launch(prepare_decode(_INPUTS[code], size, causal, lse, tokens if paged else 0), looks, slots,
                   (tuple(q.shape), _strides(q)), (batches, heads, queries) if lse else None, multiprocessors, shares)


_SCHEMA = ("(Tensor q, Tensor k, Tensor v, bool causal=False, float? scale=None, bool lse=False, Tensor? table=None,"
           " Tensor? lengths=None, int longest=0) -> (Tensor, Tensor)")


def _strides(q):
    """O's, as a projection takes it: the heads of a token side by side."""
    _, heads, queries, size = q.shape
    return queries * heads * size, size, heads * size, 1


def _empty(q, lse):
    import torch
    o = q.new_empty_strided(q.shape, _strides(q))
    return o, q.new_empty(q.shape[:3] if lse else (0,), dtype=torch.float32)


def launcher(torch):
    """titan.ops.decode without PyTorch's dispatcher; and the call that it makes for tensors without pages, or None. `shares`: see
    Workspaces."""
    counts, kind_of = {}, torch_now().kind

    def multiprocessors(device):
        if device not in counts:
            counts[device] = torch.cuda.get_device_properties(device).multi_processor_count
        return counts[device]

    def find(q, k, v, causal, lse, shares):
        return _prepare(q, k, v, None, None, causal, lse, shares, multiprocessors)

    def launch(q, k, v, causal=False, scale=None, lse=False, table=None, lengths=None, longest=0, shares=True):
        """O, and the logarithms where they are asked for, else perhaps None."""
        _check_scale(scale)
        longest = _whole("longest", longest)
        if table is not None and not 0 < longest < 2**31:
            raise Error("bad-argument", f"longest {longest}", fix="give at least the most keys that a batch has")
        key = kind_of(q, k, v, table, lengths), causal, lse, shares
        call = _launches.get(key, _missing)
        if call is _missing:
            if q.dim() != 4:
                raise _wrong(f"'q' has {q.dim()} dimensions", "give batch x heads x queries x size")
            call = _launches[key] = _prepare(q, k, v, table, lengths, bool(causal), bool(lse), shares, multiprocessors)
        if call is None:
            return _empty(q, lse)
        return call(q, k, v, scale, table, lengths, longest)

    return launch, find


def _register():
    """Makes torch.ops.titan.decode, once; without `lse` its second result is empty."""
    try:
        import torch
    except ImportError:
        raise Error("file-not-found", "titan.ops.decode makes a PyTorch tensor, and PyTorch is not there",
                    fix="install torch") from None
    launch, _ = launcher(torch)

    def whole(q, k, v, causal=False, scale=None, lse=False, table=None, lengths=None, longest=0):
        o, sums = launch(q, k, v, causal, scale, lse, table, lengths, longest, shares=False)
        return o, q.new_empty((0,), dtype=torch.float32) if sums is None else sums

    def trace(q, k, v, causal=False, scale=None, lse=False, table=None, lengths=None, longest=0):
        torch._check(q.dim() == 4 and k.dim() == 4 and v.dim() == 4,
                     lambda: "titan::decode takes batch x heads x tokens x size")
        torch._check(q.shape[3] == k.shape[3] and q.shape[3] == v.shape[3],
                     lambda: "titan::decode: q, k and v have heads of one size")
        return _empty(q, lse)

    operation = torch.library.custom_op("titan::decode", whole, mutates_args=(), schema=_SCHEMA)
    operation.register_fake(trace)
    now = torch_now()
    plain_kind, tracing, modes, grad = now.plain_kind, now.tracing, now.modes, now.grad

    def call(q, k, v, causal, scale, lse, table, lengths, longest):
        # As titan.ops.gemm's.
        if not tracing() and (number := plain_kind(q, k, v, table, lengths)) and not modes() and not (
                grad() and (q.requires_grad or k.requires_grad or v.requires_grad)):
            if scale is None and (table is None or type(longest) is int and 0 < longest < 2**31):
                found = _launches.get((number, causal, lse, True))
                if found:
                    return found(q, k, v, None, table, lengths, longest)
            return launch(q, k, v, causal, scale, lse, table, lengths, longest)
        return operation(q, k, v, causal, scale, lse, table, lengths, longest)

    return call


_operation = None  # decode, once PyTorch is there


def decode(q, k, v, causal=False, scale=None, lse=False, table=None, lengths=None, longest=0):
    """softmax(scale * q k^T) v, a new PyTorch tensor; with lse also the logarithms of the rows' sums."""
    global _operation
    if _operation is None:
        _operation = _register()
    o, sums = _operation(q, k, v, causal, scale, lse, table, lengths, longest)
    return (o, sums) if lse else o


if "torch" in sys.modules:
    _operation = _register()
