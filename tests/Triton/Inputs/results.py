"""results.py PROGRAM NAME=FILE.npy ... SIZE=N ...: what the program computed against its definition.

Plain Python in doubles; the bounds are of the elements' types. Exits 1 where an element is wrong.
"""
import ast
import math
import struct
import sys

FORMATS = {"<f4": "f", "<f8": "d", "<f2": "e", "<i4": "i", "<i8": "q", "|i1": "b", "<i2": "h"}


def load(path):
    data = open(path, "rb").read()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    code = FORMATS[header["descr"]]
    body = data[10 + length:]
    return list(struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)), header["shape"]


def add(a):
    return [x + y for x, y in zip(a["x_ptr"], a["y_ptr"])], a["out_ptr"], 1e-6


def softmax(a):
    n, want = a["n_cols"], []
    for row in range(a["n_rows"]):
        x = a["in_ptr"][row * n:row * n + n]
        powers = [math.exp(v - max(x)) for v in x]
        want += [p / sum(powers) for p in powers]
    return want, a["out_ptr"], 1e-6


def matmul(a):
    m, n, k = a["M"], a["N"], a["K"]
    return [sum(a["a_ptr"][i * k + l] * a["b_ptr"][l * n + j] for l in range(k))
            for i in range(m) for j in range(n)], a["c_ptr"], 2e-3


def layer_norm(a):
    n, want = a["N"], []
    for row in range(len(a["x_ptr"]) // n):
        x = a["x_ptr"][row * n:row * n + n]
        mean = sum(x) / n
        rstd = 1 / math.sqrt(sum((v - mean) ** 2 for v in x) / n + a["eps"])
        want += [(v - mean) * rstd * w + b for v, w, b in zip(x, a["w_ptr"], a["b_ptr"])]
    return want, a["y_ptr"], 2e-3


def attention(a):
    n, d, want = a["n"], 64, []
    for i in range(n):
        s = [a["scale"] * sum(a["q_ptr"][i * d + c] * a["k_ptr"][j * d + c] for c in range(d))
             for j in range(i + 1)]
        p = [math.exp(v - max(s)) for v in s]
        want += [sum(p[j] * a["v_ptr"][j * d + c] for j in range(i + 1)) / sum(p) for c in range(d)]
    return want, a["o_ptr"], 4e-3


def gelu_tanh(a):
    return [0.5 * x * (1 + math.tanh(0.7978845608 * (x + 0.044715 * x ** 3))) for x in a["x_ptr"]], \
        a["out_ptr"], 1e-5


def quantize_rows(a):
    n, want = a["n"], []
    for row in range(len(a["x_ptr"]) // n):
        x = a["x_ptr"][row * n:row * n + n]
        want.append(max(abs(v) for v in x) / 127)
    return want, a["scale_ptr"], 1e-6


def layer_norm_backward(a):
    # Rows that share a lock are summed; small integers, exact.
    n, group = a["N"], 4
    want = [0.0] * (group * n)
    for row in range(a["M"]):
        for c in range(n):
            want[row % group * n + c] += a["dw_part"][row * n + c]
    return want, a["dw_ptr"], 0.0


def descriptor_argument(a):
    k = a["k"]
    return [a["a"][(k + i) * 72 + j] if k + i < 90 else 0.0 for i in range(64) for j in range(64)], a["out_ptr"], 0.0


def main():
    arguments = {}
    for word in sys.argv[2:]:
        name, value = word.split("=")
        arguments[name] = load(value)[0] if value.endswith(".npy") else float(value) if "." in value else int(value)
    want, got, bound = globals()[sys.argv[1]](arguments)
    worst = max(abs(w - g) / max(1.0, abs(w)) for w, g in zip(want, got))
    good = len(want) == len(got) and worst <= bound
    print(f"{len(got)} elements, largest error {worst:.2e}: {'right' if good else 'WRONG'}")
    sys.exit(not good)


main()
