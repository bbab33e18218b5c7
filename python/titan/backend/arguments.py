"""From the parameters of a Python function to the arguments of its kernel of TTIR."""


def signature_of(source):
    """(name, type) of each parameter: "*fp32", "i32", "constexpr", "tensordesc<fp16[64, 64]>", tuples of such."""
    names = getattr(getattr(source, "fn", None), "arg_names", None)
    # A key is a name, or a place in the parameters.
    return [(str(names[k] if names and isinstance(k, int) else k), kind) for k, kind in source.signature.items()]


def flatten(signature, values):
    """(name, kind, value) of each argument: a "pointer", a "descriptor" and the sizes and strides that follow it, or
    a number of Triton's type `kind`."""
    for (name, kind), value in zip(signature, values):
        yield from _flatten(name, kind, value)


def _flatten(path, kind, value):
    if isinstance(kind, (tuple, list)):
        for i, (inner, part) in enumerate(zip(kind, value)):
            yield from _flatten(f"{path}.{i}", inner, part)
    elif kind == "constexpr":
        return
    elif kind.startswith("*"):
        yield path, "pointer", value
    elif kind.startswith("tensordesc"):
        yield path, "descriptor", value
        for size in value.shape:
            yield path, "i32", size
        for stride in value.strides:
            yield path, "i64", stride
    else:
        yield path, kind, value
