"""backend_options.py: options of a kernel of Triton's, and what the compiler, or the back end, makes of them."""
import pathlib
import re
import types

from titan.backend import packages

text = (pathlib.Path(__file__).parent / "backend" / "ttir" / "copies.copy.0.ttir").read_text()


def make(**options):
    """The package, or what is refused."""
    given = types.SimpleNamespace(**{"num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None, "enable_fp_fusion": True} | options)
    try:
        return packages.make("copy", text, given)[0]
    except packages.Refused as error:
        return str(error).encode()


made = [make(), make(maxnreg=40), make(enable_fp_fusion=False), make(maxnreg=40, enable_fp_fusion=False)]
for line in sorted(path.open().readline()[3:].strip() for path in pathlib.Path(packages._store().folder).glob("*.ttir")):
    print(line)
print("maxnreg=40:", re.search(rb"\.maxnreg \d+", made[1])[0].decode(), "in others:", any(b".maxnreg" in made[i] for i in (0, 2)))
print("maxnreg=300:", make(maxnreg=300).decode())
print("num_ctas=2:", make(num_ctas=2).decode())
