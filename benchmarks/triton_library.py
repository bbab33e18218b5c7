# Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for licence information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of tests/Triton/Inputs/tutorials and library at the sizes at which triton_programs.py races them.

A row says what a kernel is given, in order, and what PyTorch computes of it in float64. Signatures follow: a tensor
begins at a multiple of 16 bytes, a number that is a multiple of 16 is known to be one.
"""
import importlib
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
for folder in ("python", "tests/Triton/Inputs/tutorials", "tests/Triton/Inputs/library"):
    sys.path.append(str(ROOT / folder))

CASES = {}
# In signatures of Triton, and PyTorch's names.
TYPES = {"f32": ("fp32", "float32"), "f16": ("fp16", "float16"), "bf16": ("bf16", "bfloat16"), "i32": ("i32", "int32"),
         "i8": ("i8", "int8"), "u8": ("u8", "uint8"), "fp8": ("fp8e4nv", "float8_e4m3fn")}


class In:
    """A tensor: `kind` is "normal", "zeros", "empty", (low, high) of integers or of floats, or a function of PyTorch."""
    written = False

    def __init__(self, dtype, *shape, kind="normal"):
        self.dtype, self.shape, self.kind = dtype, shape, kind

    def make(self, torch, g):
        dtype, options = getattr(torch, TYPES[self.dtype][1]), dict(device="cuda")
        if callable(self.kind):
            return self.kind(torch, g).to(dtype)
        if self.kind == "normal":
            return torch.randn(self.shape, generator=g, **options).to(dtype)
        if isinstance(self.kind, tuple):
            low, high = self.kind
            if isinstance(low, int):
                return torch.randint(low, high, self.shape, generator=g, **options).to(dtype)
            return (torch.rand(self.shape, generator=g, **options) * (high - low) + low).to(dtype)
        return torch.zeros(self.shape, dtype=dtype, **options)


class Out(In):
    """What the kernel writes, and does not read."""
    written = True

    def __init__(self, dtype, *shape):
        super().__init__(dtype, *shape, kind="empty")


class InOut(In):
    """What the kernel changes in place."""
    written = True


class Case:
    def __init__(self, fn, arguments, grid, expected, bound, warps=4, checks=(), **constants):
        self.fn, self.arguments, self.grid, self.expected, self.bound = fn, arguments, grid, expected, bound
        self.warps, self.checks, self.constants = warps, list(checks), constants

    def signature(self):
        words = []
        for value in self.arguments.values():
            if isinstance(value, In):
                words.append(f"*{TYPES[value.dtype][0]}:16")
            elif isinstance(value, float):
                words.append("fp32")
            else:
                words.append("i32:16" if value % 16 == 0 else "i32=1" if value == 1 else "i32")
        return words


def case(name, kernel, arguments, grid, expected, bound, **options):
    """`kernel`: "file.kernel"; `expected(torch, a)`: the results by argument, of the arguments as float64 (a.x_ptr);
    None: of a result that is compared with Triton's alone."""
    module, _, fn = kernel.partition(".")
    fn = getattr(importlib.import_module(module), fn)
    CASES[name] = Case(getattr(fn, "fn", fn) if type(fn).__name__ == "Autotuner" else fn, arguments, grid, expected, bound,
                       **options)


def cdiv(a, b):
    return -(-a // b)


BF16, F16, F32 = 2.0**-7, 2.0**-10, 2.0**-17

# ---------------------------------------------------------------- activations and gates

n = 1 << 26
flat = lambda block: (cdiv(n, block), )
gelu = lambda torch, x: torch.nn.functional.gelu(x)
case("gelu_erf", "activations.gelu_kernel", dict(x_ptr=In("bf16", n), y_ptr=Out("bf16", n), n=n), flat(2048),
     lambda torch, a: dict(y_ptr=gelu(torch, a.x_ptr)), BF16, BLOCK=2048)
case("gelu_backward", "activations.gelu_backward_kernel", dict(dy_ptr=In("bf16", n), x_ptr=In("bf16", n), dx_ptr=Out("bf16", n), n=n),
     flat(2048), lambda torch, a: dict(dx_ptr=a.dy_ptr * (0.5 * (1 + torch.erf(a.x_ptr / math.sqrt(2))) + a.x_ptr * torch.exp(
         -a.x_ptr**2 / 2) / math.sqrt(2 * math.pi))), BF16, BLOCK=2048)
case("mish", "activations.mish_kernel", dict(x_ptr=In("bf16", n), y_ptr=Out("bf16", n), n=n), flat(2048),
     lambda torch, a: dict(y_ptr=torch.nn.functional.mish(a.x_ptr)), BF16, BLOCK=2048)
case("bce", "activations.bce_kernel", dict(x_ptr=In("f32", n), t_ptr=In("f32", n, kind=(0.0, 1.0)), loss_ptr=Out("f32", n), n=n),
     flat(1024), lambda torch, a: dict(loss_ptr=torch.nn.functional.binary_cross_entropy_with_logits(a.x_ptr, a.t_ptr, reduction="none")),
     F32, BLOCK=1024)
case("asin", "extern_functions.asin_kernel", dict(x_ptr=In("f32", n, kind=(-1.0, 1.0)), y_ptr=Out("f32", n), n=n), flat(1024),
     lambda torch, a: dict(y_ptr=torch.asin(a.x_ptr)), F32, BLOCK=1024)
case("dropout", "dropout.dropout_kernel", dict(x_ptr=In("f32", n), out_ptr=Out("f32", n), n=n, p=0.5, seed=123), flat(1024), None, 0,
     BLOCK=1024)
m, c = 8192, 11008
case("geglu", "activations.geglu_kernel", dict(ab_ptr=In("bf16", m, 2 * c), c_ptr=Out("bf16", m, c), n_cols=c), (m, cdiv(c, 2048)),
     lambda torch, a, c=c: dict(c_ptr=torch.nn.functional.gelu(a.ab_ptr[:, :c], approximate="tanh") * a.ab_ptr[:, c:]), BF16, BLOCK=2048)


def swiglu_gradients(torch, a):
    s = torch.sigmoid(a.a_ptr)
    return dict(a_ptr=a.dc_ptr * a.b_ptr * s * (1 + a.a_ptr * (1 - s)), b_ptr=a.dc_ptr * a.a_ptr * s)


case("swiglu_rows", "swiglu.swiglu_kernel", dict(a_ptr=In("bf16", m, c), b_ptr=In("bf16", m, c), c_ptr=Out("bf16", m, c), stride=c, n=c),
     (m, cdiv(c, 2048)), lambda torch, a: dict(c_ptr=torch.nn.functional.silu(a.a_ptr) * a.b_ptr), BF16, checks=["stride >= n"],
     BLOCK=2048)
case("swiglu_backward", "activations.swiglu_backward_kernel", dict(dc_ptr=In("bf16", m, c), a_ptr=InOut("bf16", m, c),
     b_ptr=InOut("bf16", m, c), n_cols=c), (m, cdiv(c, 2048)), swiglu_gradients, BF16, BLOCK=2048)
m, c = 16384, 4096
case("bias_dropout_residual", "activations.bias_dropout_residual_kernel", dict(x_ptr=In("bf16", m, c), bias_ptr=In("bf16", c),
     residual_ptr=In("bf16", m, c), y_ptr=Out("bf16", m, c), n_cols=c, p=0.1, seed=77), (m, ), None, BF16, warps=8, BLOCK=4096)

# ---------------------------------------------------------------- norms

rows = lambda dtype, cls=In: cls(dtype, m, c)
rms = lambda torch, x: x * torch.rsqrt((x**2).mean(1, True) + 1e-5)


def add_rms(torch, a):
    x = a.x_ptr + a.residual_ptr
    return dict(residual_ptr=x, y_ptr=rms(torch, x) * a.weight_ptr)


def rms_gradient(torch, a):
    m, s = a.dy_ptr * a.weight_ptr, torch.rsqrt((a.x_ptr**2).mean(1, True) + 1e-5)
    return dict(dx_ptr=s * m - s**3 * (m * a.x_ptr).mean(1, True) * a.x_ptr)


case("add_rms_norm", "norms.add_rms_norm_kernel", dict(x_ptr=rows("bf16"), residual_ptr=rows("bf16", InOut), weight_ptr=In("bf16", c),
     y_ptr=rows("bf16", Out), n_cols=c, eps=1e-5), (m, ), add_rms, BF16, warps=8, BLOCK=4096)
case("rms_norm_backward", "norms.rms_norm_backward_kernel", dict(dy_ptr=rows("bf16"), x_ptr=rows("bf16"), weight_ptr=In("bf16", c),
     dx_ptr=rows("bf16", Out), n_cols=c, eps=1e-5), (m, ), rms_gradient, BF16, warps=8, BLOCK=4096)
case("rms_norm_rows", "rms_norm.rms_norm_kernel", dict(x_ptr=rows("f32"), w_ptr=In("f32", c), y_ptr=rows("f32", Out), r_ptr=Out("f32", m),
     stride=c, n=c, eps=1e-5), (m, ), lambda torch, a: dict(y_ptr=rms(torch, a.x_ptr) * a.w_ptr,
                                                           r_ptr=torch.rsqrt((a.x_ptr**2).mean(1) + 1e-5)), F32, warps=8,
     checks=["stride >= n"], BLOCK=4096)
case("rms_norm_weight", "rms_norm.rms_norm_weight_kernel", dict(x_ptr=rows("f32"), dy_ptr=rows("f32"), r_ptr=In("f32", m),
     dw_ptr=InOut("f32", c, kind="zeros"), stride=c, n=c, rows=m), (m // 32, ),
     lambda torch, a: dict(dw_ptr=(a.x_ptr * a.dy_ptr * a.r_ptr[:, None]).sum(0)), 2.0**-9, warps=8, ROWS=32, BLOCK=4096)


def layer_forward(torch, a):
    mean, var = a.x_ptr.mean(1), a.x_ptr.var(1, correction=0)
    return dict(y_ptr=torch.nn.functional.layer_norm(a.x_ptr, (c, ), a.w_ptr, a.b_ptr, 1e-5), mean_ptr=mean,
                rstd_ptr=torch.rsqrt(var + 1e-5))


def layer_backward(torch, a):
    xhat, wdy = (a.x_ptr - a.mean_ptr[:, None]) * a.rstd_ptr[:, None], a.w_ptr * a.dy_ptr
    part = lambda t: t.view(m // 64, 64, c).sum(0)
    return dict(dx_ptr=(wdy - xhat * (xhat * wdy).mean(1, True) - wdy.mean(1, True)) * a.rstd_ptr[:, None],
                dw_ptr=part(a.dy_ptr * xhat), db_ptr=part(a.dy_ptr))


case("layer_norm_forward", "layer_norm.forward_kernel", dict(x_ptr=rows("f32"), y_ptr=rows("f32", Out), w_ptr=In("f32", c),
     b_ptr=In("f32", c), mean_ptr=Out("f32", m), rstd_ptr=Out("f32", m), stride=c, N=c, eps=1e-5), (m, ), layer_forward, 2.0**-14,
     warps=8, checks=["stride >= N"], BLOCK=4096)
case("layer_norm_backward", "layer_norm.backward_kernel", dict(dx_ptr=rows("f32", Out), dy_ptr=rows("f32"), dw_ptr=Out("f32", 64, c),
     db_ptr=Out("f32", 64, c), x_ptr=rows("f32"), w_ptr=In("f32", c), mean_ptr=In("f32", m, kind=(-0.1, 0.1)),
     rstd_ptr=In("f32", m, kind=(0.9, 1.1)), lock_ptr=InOut("i32", 128, kind="zeros"), stride=c, N=c), (m, ), layer_backward, 2.0**-9,
     warps=8, checks=["stride >= N"], GROUP=64, BLOCK=4096)
case("layer_norm_sum", "layer_norm.sum_kernel", dict(part_w_ptr=rows("f32"), part_b_ptr=rows("f32"), dw_ptr=Out("f32", c),
     db_ptr=Out("f32", c), M=m, N=c), (c // 32, ), lambda torch, a: dict(dw_ptr=a.part_w_ptr.sum(0), db_ptr=a.part_b_ptr.sum(0)),
     2.0**-9, BLOCK_M=32, BLOCK_N=32)
case("group_norm", "norms.group_norm_kernel", dict(x_ptr=In("bf16", 32, 512, 64 * 64), weight_ptr=In("f32", 512), bias_ptr=In("f32", 512),
     y_ptr=Out("bf16", 32, 512, 64 * 64), channels=512, pixels=64 * 64, eps=1e-5), (32, 32),
     lambda torch, a: dict(y_ptr=torch.nn.functional.group_norm(a.x_ptr, 32, a.weight_ptr, a.bias_ptr, 1e-5)), BF16, warps=8,
     checks=["channels >= grid_y * 16"], GROUP=16, BLOCK=4096)
case("welford", "norms.welford_kernel", dict(x_ptr=rows("f32"), mean_ptr=Out("f32", m), variance_ptr=Out("f32", m), n_cols=c), (m, ),
     lambda torch, a: dict(mean_ptr=a.x_ptr.mean(1), variance_ptr=a.x_ptr.var(1, correction=0)), F32, warps=8, BLOCK=4096)
case("l2_normalize", "norms.l2_normalize_kernel", dict(x_ptr=In("bf16", 1 << 19, 128), y_ptr=Out("bf16", 1 << 19, 128), rows=1 << 19,
     n_cols=128), ((1 << 19) // 16, ), lambda torch, a: dict(y_ptr=torch.nn.functional.normalize(a.x_ptr, dim=1)), BF16, ROWS=16, BLOCK=128)

# ---------------------------------------------------------------- softmax and losses

case("softmax_rows", "softmax.softmax_kernel", dict(out_ptr=rows("f32", Out), in_ptr=rows("f32"), in_stride=c, out_stride=c, rows=m,
     columns=c), (132 * 8, ), lambda torch, a: dict(out_ptr=torch.softmax(a.in_ptr, 1)), F32, warps=8, checks=["out_stride >= columns"],
     BLOCK=4096, num_stages=2)
case("softmax_backward", "softmaxes.softmax_backward_kernel", dict(dy_ptr=rows("f32"), y_ptr=In("f32", m, c, kind=(0.0, 1e-3)),
     dx_ptr=rows("f32", Out), n_cols=c), (m, ), lambda torch, a: dict(dx_ptr=a.y_ptr * (a.dy_ptr - (a.y_ptr * a.dy_ptr).sum(1, True))),
     F32, warps=8, BLOCK=4096)
case("log_softmax", "softmaxes.log_softmax_kernel", dict(x_ptr=rows("bf16"), y_ptr=rows("bf16", Out), n_cols=c), (m, ),
     lambda torch, a: dict(y_ptr=torch.log_softmax(a.x_ptr, 1)), BF16, warps=8, BLOCK=4096)
case("causal_softmax", "softmaxes.causal_softmax_kernel", dict(s_ptr=In("bf16", 32, 2048, 2048), p_ptr=Out("bf16", 32, 2048, 2048), n=2048,
     scale=0.125), (2048, 32), lambda torch, a: dict(p_ptr=torch.softmax(torch.where(torch.ones(
         2048, 2048, device="cuda", dtype=torch.bool).tril(), a.s_ptr * 0.125, -math.inf), 2)), BF16, checks=["n >= grid_x"], BLOCK=2048)
case("kl_divergence", "softmaxes.kl_divergence_kernel", dict(log_p_ptr=rows("f32"), q_ptr=In("f32", m, c, kind=(0.0, 1.0)),
     loss_ptr=Out("f32", m), n_cols=c), (m, ), lambda torch, a: dict(loss_ptr=(torch.xlogy(a.q_ptr, a.q_ptr) - a.q_ptr * a.log_p_ptr).sum(1)),
     2.0**-11, warps=8, BLOCK=4096)


def smoothed(torch, a):
    target = a.target_ptr.long()
    dx = torch.softmax(a.x_ptr, 1) - 0.1 / c - 0.9 * torch.nn.functional.one_hot(target.clamp(min=0), c)
    return dict(dx_ptr=torch.where(target[:, None] < 0, 0.0, dx))


case("smoothed_gradient", "softmaxes.smoothed_gradient_kernel", dict(x_ptr=rows("f32"), target_ptr=In("i32", m, kind=(-100, c)),
     dx_ptr=rows("f32", Out), n_cols=c, smoothing=0.1), (m, ), smoothed, F32, warps=8, BLOCK=4096)


def cross_entropy(torch, a):
    x, target = a.x_ptr, a.target_ptr.long()
    p = torch.softmax(x, 1)
    return dict(loss_ptr=torch.nn.functional.cross_entropy(x, target, reduction="none"),
                x_ptr=(p - torch.nn.functional.one_hot(target, 32768)) / 4096)


case("cross_entropy", "cross_entropy.cross_entropy_kernel", dict(x_ptr=InOut("f32", 4096, 32768), target_ptr=In("i32", 4096, kind=(0, 32768)),
     loss_ptr=Out("f32", 4096), stride=32768, n=32768, rows=4096), (4096, ), cross_entropy, F32, warps=8, checks=["stride >= n"],
     BLOCK=4096)

# ---------------------------------------------------------------- positions

t, h, d = 16384, 32, 128


def turn(torch, a):
    cos, sin = a.cos_ptr[:, None], a.sin_ptr[:, None]
    x, y = a.q_ptr[..., :d // 2], a.q_ptr[..., d // 2:]
    return dict(q_ptr=torch.cat([x * cos - y * sin, y * cos + x * sin], 2))


def turn_pairs(torch, a):
    cos, sin = a.cos_ptr[:, None], a.sin_ptr[:, None]
    x, y = a.x_ptr[..., ::2], a.x_ptr[..., 1::2]
    return dict(y_ptr=torch.stack([x * cos - y * sin, y * cos + x * sin], 3).view(t, h, d))


def turn_angles(torch, a):
    angle = a.position_ptr[:, None] * 10000.0**(-torch.arange(d // 2, device="cuda", dtype=torch.float64) * 2 / d)
    cos, sin = angle.cos()[:, None], angle.sin()[:, None]
    x, y = a.x_ptr[..., :d // 2], a.x_ptr[..., d // 2:]
    return dict(y_ptr=torch.cat([x * cos - y * sin, y * cos + x * sin], 2))


unit = lambda *shape: In("f32", *shape, kind=(-0.7, 0.7))
case("rope", "rope.rope_kernel", dict(q_ptr=InOut("f32", t, h, d), cos_ptr=unit(t, d // 2), sin_ptr=unit(t, d // 2), stride=h * d, heads=h),
     (t, ), turn, F32, checks=["stride >= heads * 128"], D=d, HEADS=h)
case("rope_pairs", "positions.rope_pairs_kernel", dict(x_ptr=In("f32", t, h, d), cos_ptr=unit(t, d // 2), sin_ptr=unit(t, d // 2),
     y_ptr=Out("f32", t, h, d), tokens=t), (t, ), turn_pairs, F32, HEADS=h, D=d)
# An angle of f32 is right to 2^-24 of itself.
case("rope_angles", "positions.rope_angles_kernel", dict(x_ptr=In("bf16", t, h, d), position_ptr=In("i32", t, kind=(0, 4096)),
     y_ptr=Out("bf16", t, h, d), base=10000.0), (t, ), turn_angles, 2.0**-6, HEADS=h, D=d)

# ---------------------------------------------------------------- few bits


def unpack(torch, a):
    byte = a.packed_ptr.long() & 255
    q = torch.stack([byte & 15, byte >> 4], 2).view(8192, 8192).double()
    each = lambda s: s.repeat_interleave(128, 1)
    return dict(w_ptr=(q - each(a.zero_ptr)) * each(a.scale_ptr))


case("unpack_int4", "low_bits.unpack_int4_kernel", dict(packed_ptr=In("u8", 8192, 4096, kind=(0, 256)), scale_ptr=In("f32", 8192, 64),
     zero_ptr=In("f32", 8192, 64, kind=(0, 16)), w_ptr=Out("bf16", 8192, 8192), n_cols=8192), (8192, 4), unpack, BF16, GROUP=128, BLOCK=1024)


def by_groups(torch, a):
    x = a.x_ptr.view(m, c // 128, 128)
    scale = x.abs().amax(2).clamp(min=1e-12) / 448
    return dict(scale_ptr=scale)


case("fp8_blocks", "low_bits.fp8_blocks_kernel", dict(x_ptr=rows("bf16"), q_ptr=rows("fp8", Out), scale_ptr=Out("f32", m, c // 128),
     n_cols=c), (m, ), by_groups, F32, warps=8, GROUP=128, GROUPS=32)
case("quantize", "quantize.quantize_kernel", dict(x_ptr=rows("f32"), q_ptr=rows("i8", Out), scale_ptr=Out("f32", m), n=c), (m, ),
     lambda torch, a: dict(scale_ptr=a.x_ptr.abs().amax(1) / 127), F32, warps=8, BLOCK=4096)
case("dequantize", "quantize.dequantize_kernel", dict(q_ptr=In("i8", m, c, kind=(-127, 128)), scale_ptr=In("f32", m), y_ptr=rows("f32", Out),
     n=c), (m, ), lambda torch, a: dict(y_ptr=a.q_ptr * a.scale_ptr[:, None]), F32, warps=8, BLOCK=4096)

# ---------------------------------------------------------------- products

s = 4096
tiles = (s // 128, s // 128)
square = lambda dtype, cls=In, **options: cls(dtype, s, s, **options)
case("int8_matmul", "low_bits.int8_matmul_kernel", dict(a_ptr=square("i8", kind=(-127, 128)), b_ptr=square("i8", kind=(-127, 128)),
     scale_a_ptr=In("f32", s), scale_b_ptr=In("f32", s), c_ptr=square("f32", Out), M=s, N=s, K=s), tiles,
     lambda torch, a: dict(c_ptr=(a.a_ptr @ a.b_ptr.T) * a.scale_a_ptr[:, None] * a.scale_b_ptr), F32, warps=8, BM=128, BN=128, BK=64)


def int4_product(torch, a):
    word = a.packed_ptr.long()
    b = torch.stack([(word >> 4 * i & 15) - 8 for i in range(8)], 1).view(s, s).double()
    return dict(c_ptr=(a.a_ptr @ b) * a.scale_ptr)


case("int4_matmul", "low_bits.int4_matmul_kernel", dict(a_ptr=square("f16"), packed_ptr=In("i32", s // 8, s, kind=(-2**31, 2**31 - 1)),
     scale_ptr=In("f32", s, kind=(0.01, 0.02)), c_ptr=square("f32", Out), M=s, N=s, K=s), tiles, int4_product, 2.0**-8, warps=8, BM=128,
     BN=128, BK=32)
product = lambda torch, a: dict(c_ptr=a.a_ptr @ a.b_ptr)
case("matmul", "matmul.matmul_kernel", dict(a_ptr=square("f16"), b_ptr=square("f16"), c_ptr=square("f16", Out), M=s, N=s, K=s, stride_am=s,
     stride_ak=1, stride_bk=s, stride_bn=1, stride_cm=s, stride_cn=1), (tiles[0] * tiles[1], ), product, 2.0**-4, warps=8, BM=128, BN=128,
     BK=32, GROUP=8, ACTIVATION="")
case("block_matmul", "steps.block_matmul_kernel", dict(a_ptr=square("f16"), b_ptr=square("f16"), c_ptr=square("f16", Out), M=s, N=s, K=s),
     tiles, product, 2.0**-4, warps=8, BM=128, BN=128, BK=32)
case("split_k", "split_k.split_k_kernel", dict(a_ptr=In("f16", 256, 16384), b_ptr=In("f16", 16384, 512), c_ptr=InOut("f32", 256, 512,
     kind="zeros"), M=256, N=512, K=16384), (4, 8, 16), product, 2.0**-6, BM=64, BN=64, BK=32, SPLIT=16)
case("linear_gelu", "steps.linear_gelu_kernel", dict(x_ptr=square("bf16"), w_ptr=square("bf16"), bias_ptr=In("bf16", s),
     y_ptr=square("bf16", Out), M=s, N=s, K=s), tiles, lambda torch, a: dict(y_ptr=gelu(torch, a.x_ptr @ a.w_ptr.T + a.bias_ptr)), BF16,
     warps=8, BM=128, BN=128, BK=32)

# ---------------------------------------------------------------- experts, embeddings, caches

tokens, top, experts, d = 32768, 2, 64, 4096
slots = tokens * top
permutation = lambda torch, g: torch.randperm(slots, generator=g, device="cuda")
case("expert_count", "experts.count_kernel", dict(expert_ptr=In("i32", 1 << 22, kind=(0, experts)), count_ptr=InOut("i32", experts, kind="zeros"),
     n=1 << 22), ((1 << 22) // 1024, ), lambda torch, a: dict(count_ptr=torch.bincount(a.expert_ptr.long(), minlength=experts)), 0,
     EXPERTS=experts, BLOCK=1024)


def places(torch, a):
    order = torch.argsort(a.expert_ptr.long(), stable=True)
    return dict(place_ptr=torch.empty_like(order).scatter_(0, order, torch.arange(len(order), device="cuda")))


case("expert_place", "experts.place_kernel", dict(expert_ptr=In("i32", 65536, kind=lambda torch, g: torch.arange(65536, device="cuda") * 7 % 8),
     count_ptr=In("i32", 8, kind=lambda torch, g: torch.full((8, ), 8192, device="cuda")), place_ptr=Out("i32", 65536), n=65536), (1, ), places, 0, EXPERTS=8, BLOCK=256)


case("expert_permute", "experts.permute_kernel", dict(x_ptr=In("bf16", tokens, d), place_ptr=In("i32", slots, kind=permutation),
     y_ptr=Out("bf16", slots, d), d=d), (slots, 2), lambda torch, a, d=d: dict(y_ptr=torch.empty(slots, d, device="cuda", dtype=torch.float64).index_copy_(
         0, a.place_ptr.long(), a.x_ptr.repeat_interleave(top, 0))), 0, TOP=top, BLOCK=2048)
case("expert_combine", "experts.combine_kernel", dict(y_ptr=In("bf16", slots, d), place_ptr=In("i32", slots, kind=permutation),
     weight_ptr=In("f32", tokens, top, kind=(0.0, 1.0)), out_ptr=Out("bf16", tokens, d), d=d), (tokens, 2),
     lambda torch, a: dict(out_ptr=sum(a.weight_ptr[:, k, None] * a.y_ptr[a.place_ptr.long().view(tokens, top)[:, k]] for k in range(top))),
     BF16, TOP=top, BLOCK=2048)
case("expert_matmul", "experts.expert_matmul_kernel", dict(x_ptr=In("bf16", 8192, 2048), w_ptr=In("bf16", 8, 2048, 2048),
     row_ptr=In("i32", 8192, kind=lambda torch, g: torch.randperm(8192, generator=g, device="cuda")),
     block_expert_ptr=In("i32", 64, kind=lambda torch, g: torch.arange(64, device="cuda") // 8), y_ptr=Out("bf16", 8192, 2048), rows=8192,
     N=2048, K=2048), (64, 16), lambda torch, a: dict(y_ptr=torch.empty(8192, 2048, device="cuda", dtype=torch.float64).index_copy_(
         0, a.row_ptr.long(), torch.cat([x @ w.T for x, w in zip(a.x_ptr[a.row_ptr.long()].view(8, 1024, 2048), a.w_ptr)]))), 2.0**-5,
     warps=8, BM=128, BN=128, BK=32)


def routed(torch, a):
    best = torch.softmax(a.x_ptr, 1).topk(2, 1)
    return dict(w_ptr=best.values / best.values.sum(1, True), i_ptr=best.indices)


case("top_k", "top_k.top_k_kernel", dict(x_ptr=In("f32", 1 << 20, 64), w_ptr=Out("f32", 1 << 20, 2), i_ptr=Out("i32", 1 << 20, 2),
     tokens=1 << 20, experts=64), ((1 << 20) // 32, ), routed, F32, TOKENS=32, EXPERTS=64)
case("embedding", "embedding.embedding_kernel", dict(table_ptr=In("f32", 50000, 1024), index_ptr=In("i32", 65536, kind=(0, 50000)),
     out_ptr=Out("f32", 65536, 1024), tokens=65536, d=1024), (65536 // 8, 1), lambda torch, a: dict(out_ptr=a.table_ptr[a.index_ptr.long()]), 0,
     TOKENS=8, BLOCK=1024)
case("embedding_backward", "embedding.embedding_backward_kernel", dict(dy_ptr=In("f32", 65536, 1024), index_ptr=In("i32", 65536, kind=(0, 50000)),
     dtable_ptr=InOut("f32", 50000, 1024, kind="zeros"), d=1024), (65536, 1), lambda torch, a: dict(dtable_ptr=torch.zeros(
         50000, 1024, device="cuda", dtype=torch.float64).index_add_(0, a.index_ptr.long(), a.dy_ptr)), 2.0**-14, BLOCK=1024)
case("kv_cache", "kv_cache.kv_cache_kernel", dict(key_ptr=In("f32", 65536, 1024), cache_ptr=InOut("f32", 65536, 1024),
     slot_ptr=In("i32", 65536, kind=lambda torch, g: torch.randperm(65536, generator=g, device="cuda")), stride=1024, page=16 * 1024, d=1024),
     (65536, ), lambda torch, a: dict(cache_ptr=torch.empty_like(a.cache_ptr).index_copy_(0, a.slot_ptr.long(), a.key_ptr)), 0, PAGE=16,
     BLOCK=1024)

# ---------------------------------------------------------------- scans, orders


def recurrence(torch, a):
    h, states = torch.zeros(4096, device="cuda", dtype=torch.float64), []
    for x, y in zip(a.a_ptr, a.b_ptr):
        h = x * h + y
        states.append(h)
    return dict(h_ptr=torch.stack(states))


case("recurrence", "orders.recurrence_kernel", dict(a_ptr=In("f32", 2048, 4096, kind=(0.0, 1.0)), b_ptr=In("f32", 2048, 4096),
     h_ptr=Out("f32", 2048, 4096), time=2048, channels=4096), (4096 // 16, ), recurrence, 2.0**-14, BT=32, BC=16)
r = 65536
lines = lambda dtype, cls=In, **options: cls(dtype, r, 1024, **options)
case("cumsum", "cumsum.cumsum_kernel", dict(x_ptr=rows("f32"), y_ptr=rows("f32", Out), n=c), (m, ),
     lambda torch, a: dict(y_ptr=a.x_ptr.cumsum(1)), 2.0**-11, BLOCK=1024)
case("cummax", "orders.cummax_kernel", dict(x_ptr=lines("f32"), y_ptr=lines("f32", Out), i_ptr=lines("i32", Out), n_cols=1024), (r, ),
     lambda torch, a: dict(y_ptr=a.x_ptr.cummax(1).values), 0, BLOCK=1024)
case("returns", "orders.returns_kernel", dict(r_ptr=lines("f32"), g_ptr=lines("f32", Out), n_cols=1024), (r, ),
     lambda torch, a: dict(g_ptr=a.r_ptr.flip(1).cumsum(1).flip(1)), 2.0**-13, BLOCK=1024)
# 128 columns: when these sizes were chosen, rows of more were not sorted yet.
short = lambda cls=In, **options: cls("f32", 8 * r, 128, **options)
case("sort", "orders.sort_kernel", dict(x_ptr=short(), y_ptr=short(Out), n_cols=128), (8 * r, ),
     lambda torch, a: dict(y_ptr=a.x_ptr.sort(1).values), 0, BLOCK=128)
case("largest", "orders.largest_kernel", dict(x_ptr=short(), y_ptr=Out("f32", 8 * r, 8), n_cols=128), (8 * r, ),
     lambda torch, a: dict(y_ptr=a.x_ptr.topk(8, 1).values), 0, K=8, BLOCK=128)
case("greedy", "orders.greedy_kernel", dict(x_ptr=In("bf16", 4096, 32768), token_ptr=Out("i32", 4096), n_cols=32768), (4096, ), None, 0,
     warps=8, BLOCK=4096)
case("nucleus", "orders.nucleus_kernel", dict(p_ptr=short(kind=lambda torch, g: torch.softmax(2 * torch.randn(
     8 * r, 128, generator=g, device="cuda"), 1)), kept_ptr=short(Out), n_cols=128, top_p=0.9), (8 * r, ), None, 2.0**-5, BLOCK=128)
case("histogram", "histogram.histogram_kernel", dict(x_ptr=In("i32", n, kind=(0, 64)), h_ptr=InOut("i32", 64, kind="zeros"), n=n), flat(1024),
     lambda torch, a: dict(h_ptr=torch.bincount(a.x_ptr.long(), minlength=64)), 0, BLOCK=1024, BINS=64)
case("transpose_blocks", "transpose.transpose_kernel", dict(x_ptr=In("f32", 8192, 8192), y_ptr=Out("f32", 8192, 8192), rows=8192, columns=8192),
     (128, 128), lambda torch, a: dict(y_ptr=a.x_ptr.T), 0, BR=64, BC=64)

# ---------------------------------------------------------------- decoding

sequences, heads, d, page, pages = 64, 32, 128, 16, 256
pool = sequences * pages

cache = lambda: In("f16", pool, heads, page, d)
case("paged_decode", "decoding.paged_decode_kernel", dict(q_ptr=In("f16", sequences, heads, d), k_ptr=cache(), v_ptr=cache(),
     table_ptr=In("i32", pool, kind=lambda torch, g: torch.randperm(pool, generator=g, device="cuda")),
     length_ptr=In("i32", sequences, kind=lambda torch, g: torch.full((sequences, ), pages * page, device="cuda")),
     part_ptr=Out("f32", sequences, heads, 4, d), lse_ptr=Out("f32", sequences, heads, 4), scale=1 / math.sqrt(d), pages=pages),
     (sequences, heads, 4), None, 2.0**-11, checks=["grid_y <= 32", "grid_z <= 4"], HEADS=heads, PAGE=page, D=d, PARTS=4)
case("combine_parts", "decoding.combine_parts_kernel", dict(part_ptr=In("f32", 65536, 8, 128), lse_ptr=In("f32", 65536, 8),
     o_ptr=Out("f32", 65536, 128)), (65536, ), lambda torch, a: dict(o_ptr=(torch.softmax(a.lse_ptr, 1)[..., None] * a.part_ptr).sum(1)), F32,
     PARTS=8, D=128)

# ---------------------------------------------------------------- steps, sums, windows


def adamw(torch, a):
    m = 0.9 * a.m_ptr + 0.1 * a.g_ptr
    v = 0.99 * a.v_ptr + 0.01 * a.g_ptr**2
    return dict(m_ptr=m, v_ptr=v, p_ptr=a.p_ptr * (1 - 1e-3 * 0.1) - 1e-3 * (m / 0.5) / ((v / 0.25).sqrt() + 1e-8))


case("adamw", "steps.adamw_kernel", dict(p_ptr=InOut("f32", n), g_ptr=In("f32", n), m_ptr=InOut("f32", n), v_ptr=InOut("f32", n, kind=(0.0, 1.0)),
     n=n, rate=1e-3, beta1=0.9, beta2=0.99, eps=1e-8, decay=0.1, correction1=0.5, correction2=0.25), flat(1024), adamw, 2.0**-15, BLOCK=1024)
case("square_sum", "steps.square_sum_kernel", dict(x_ptr=In("f32", n), total_ptr=InOut("f32", 1, kind="zeros"), n=n), flat(4096),
     lambda torch, a: dict(total_ptr=(a.x_ptr**2).sum()[None]), 2.0**-10, BLOCK=4096)
case("clip", "steps.clip_kernel", dict(x_ptr=InOut("f32", n), total_ptr=In("f32", 1, kind=(8.0, 9.0)), n=n, most=1.0), flat(1024),
     lambda torch, a: dict(x_ptr=a.x_ptr * torch.clamp(1 / (a.total_ptr.sqrt() + 1e-6), max=1)), F32, BLOCK=1024)
case("last_block", "last_block.last_block_kernel", dict(x_ptr=In("f32", 1 << 22), part_ptr=Out("f32", 1024), count_ptr=InOut("i32", 1,
     kind="zeros"), out_ptr=Out("f32", 1), n=1 << 22), (1024, ), None, 2.0**-6, BLOCK=4096, PROGRAMS=1024)
case("look_back", "look_back.look_back_kernel", dict(x_ptr=In("f32", 1 << 20), y_ptr=Out("f32", 1 << 20), sum_ptr=Out("f32", 256),
     flag_ptr=InOut("i32", 256, kind="zeros"), n=1 << 20), (256, ), lambda torch, a: dict(y_ptr=a.x_ptr.cumsum(0)), 2.0**-7, warps=8, BLOCK=4096)
case("locked_sum", "steps.locked_sum_kernel", dict(x_ptr=In("f32", 1024, 4096), y_ptr=InOut("f32", 4096, kind="zeros"),
     lock_ptr=InOut("i32", 1, kind="zeros"), n_cols=4096), (1024, ), lambda torch, a: dict(y_ptr=a.x_ptr.sum(0)), 2.0**-9, warps=8, BLOCK=4096)
case("conv1d", "conv1d.conv1d_kernel", dict(x_ptr=In("f32", 8192, 8192), w_ptr=In("f32", 8192, 4), y_ptr=Out("f32", 8192, 8192), time=8192,
     channels=8192), (8192 // 32, 8192 // 64), lambda torch, a: dict(y_ptr=sum(a.w_ptr[:, k] * torch.nn.functional.pad(
         a.x_ptr, (0, 0, 3 - k, 0))[:8192] for k in range(4))), F32, WIDTH=4, BT=32, BC=64)
case("average_pool", "steps.average_pool_kernel", dict(x_ptr=In("f32", 4096, 128, 128), y_ptr=Out("f32", 4096, 64, 64), height=128, width=128),
     (4096, 64), lambda torch, a: dict(y_ptr=torch.nn.functional.avg_pool2d(a.x_ptr[None], 2)[0]), F32, warps=2, WINDOW=2, BLOCK=64)
case("depthwise", "steps.depthwise_kernel", dict(x_ptr=In("f32", 4096, 128, 128), w_ptr=In("f32", 256, 9), y_ptr=Out("f32", 4096, 128, 128),
     channels=256, height=128, width=128), (4096, 128), lambda torch, a: dict(y_ptr=torch.nn.functional.conv2d(a.x_ptr.view(
         16, 256, 128, 128), a.w_ptr.view(256, 1, 3, 3), padding=1, groups=256).view(4096, 128, 128)), F32, warps=4, BLOCK=128)
