#!/usr/bin/env python3
"""The wheel of titan: its modules, the runtime's library and packages that are compiled beforehand.

    python3 python/make_wheel.py --library build/lib/Runtime/libtitan-runtime.so --titan build/bin/titan -o dist
    pip install dist/titan-*.whl

With --simulator build/lib/Simulator/Triton/libtitan-simulator.so, TITAN=simulate needs no tree (but MLIR's and LLVM's
shared libraries where the build has them so: apt install libmlir-22).

    TITAN_RUNTIME=... TITAN_COMPILER=... pip install ./python        # the same, by pyproject.toml

The packages are products for bf16 and f16 in all four layouts, for any shape, and for few rows (PREBUILT); with
--packages FOLDER those of the folder are taken as they are. Nothing but Python's own library is needed. The same files
give the same bytes, wherever and whenever: members are sorted, without times, and carry one mode.
"""
import argparse
import base64
import concurrent.futures
import hashlib
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# Rows up to which a package is the best one, and the shape that the model picks it for.
PREBUILT = {16: "16x8192x8192", 64: "64x8192x8192", None: "8192x8192x8192"}


def refuse(code, message, fix):
    sys.exit(f"make_wheel.py: error: {message}  [{code}]\n  fix: {fix}")


def contents(path, magic, what, fix):
    """The bytes of a file that begins with `magic`."""
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        refuse("file-not-found", f"{what}: {error}", fix)
    if not data.startswith(magic):
        refuse("bad-argument", f"{what}: '{path}' is none", fix)
    return data


def version():
    return re.search(r"project\(titan VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def compile_packages(titan, folder):
    """All of PREBUILT, compiled side by side."""
    titan = os.path.abspath(shutil.which(titan) or titan)
    ended = itertools.count(1)

    def make(job):
        type, layout, rows, shape = job
        stem = f"gemm-{type}-{layout}{f'-m{rows}' if rows else ''}"
        for words in (["generate", "gemm", "--shape", shape, "--input", type, "--output", type, "--layout", layout,
                       "-o", f"{stem}.mlir"],
                      ["compile", f"{stem}.mlir", "-o", f"{stem}.titanpkg"]):
            # In the folder: the source's name, as it is given, is part of the code's line table.
            try:
                done = subprocess.run([titan, *words], cwd=folder, capture_output=True, text=True)
            except OSError as error:
                refuse("file-not-found", f"the compiler: {error}", "name build/bin/titan with --titan, or give --packages")
            if done.returncode:
                sys.exit(f"titan {' '.join(words)}\n{done.stderr}")
        print(f"[{next(ended)}/{len(jobs)}] {stem}", file=sys.stderr)
        return folder / f"{stem}.titanpkg"
    jobs = [(type, layout, rows, shape) for type in ("bf16", "f16") for layout in ("nt", "nn", "tn", "tt")
            for rows, shape in PREBUILT.items()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(make, jobs))


def write(library, packages, out, simulator=None):
    """Writes the wheel into the folder `out`; its file name."""
    release = version()
    info = f"titan-{release}.dist-info"
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    members = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in (HERE / "titan").rglob("*.py")}
    for name, path in (("runtime", library), ("simulator", simulator)):
        if path:
            members[f"titan/libtitan-{name}.so.1"] = contents(path, b"\x7fELF", f"the {name}'s library",
                                                              f"name libtitan-{name}.so of a build with --{name if name == 'simulator' else 'library'}")
    members.update({f"titan/packages/{path.name}": contents(path, b"TITANPKG", "a package", "compile it again")
                    for path in packages})
    source = HERE / "titan.dist-info"
    members[f"{info}/METADATA"] = re.sub(r"(?m)^Version: .*", f"Version: {release}", (source / "METADATA").read_text()).encode()
    members[f"{info}/entry_points.txt"] = (source / "entry_points.txt").read_bytes()
    members[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: titan\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    members[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record = f"{info}/RECORD"
    members[record] = "".join(f"{name},sha256={digest(data)},{len(data)}\n"
                              for name, data in sorted(members.items())).encode() + f"{record},,\n".encode()
    name = f"titan-{release}-{tag}.whl"
    try:
        os.makedirs(out, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out) as work:  # The wheel is there as a whole, or not.
            archive(os.path.join(work, name), members, record, info)
            os.replace(os.path.join(work, name), os.path.join(out, name))
    except OSError as error:
        refuse("file-write", f"the wheel: {error}", "name a folder that can be written with -o")
    return name


def archive(path, members, record, info):
    with zipfile.ZipFile(path, "w") as wheel:
        # RECORD is the last member, as the format asks for.
        for member in sorted(members, key=lambda n: (n == record, n.startswith(info), n)):
            entry = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
            wheel.writestr(entry, members[member], compresslevel=9)


def build(library, titan, folder, out, simulator=None):
    # Before anything is compiled, which takes a minute.
    for flag, name, path in (("--library", "runtime", library), ("--simulator", "simulator", simulator)):
        if path and not os.path.isfile(path):
            refuse("file-not-found", f"the {name}'s library: there is no file '{path}'", f"name libtitan-{name}.so of a build with {flag}")
    if os.path.exists(out) and not os.path.isdir(out):
        refuse("file-write", f"the wheel: '{out}' is no folder", "name a folder that can be written with -o")
    if folder:
        packages = sorted(pathlib.Path(folder).glob("*.titanpkg"))
        if not packages:
            refuse("file-not-found", f"'{folder}' has no packages (*.titanpkg)", "name a folder that has some, or --titan")
        return write(library, packages, out, simulator)
    with tempfile.TemporaryDirectory() as made:
        return write(library, compile_packages(titan, pathlib.Path(made)), out, simulator)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """What pyproject.toml names (PEP 517)."""
    given = os.environ.get
    return build(given("TITAN_RUNTIME") or ROOT / "build/lib/Runtime/libtitan-runtime.so",
                 given("TITAN_COMPILER") or ROOT / "build/bin/titan", given("TITAN_PACKAGES"), wheel_directory,
                 given("TITAN_SIMULATOR"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", required=True, help="libtitan-runtime.so")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--titan", help="the compiler, for the packages")
    source.add_argument("--packages", help="a folder of packages instead")
    parser.add_argument("--simulator", help="libtitan-simulator.so, for TITAN=simulate without a tree (large)")
    parser.add_argument("-o", default=".", help="folder for the wheel")
    options = parser.parse_args()
    print(os.path.join(options.o, build(options.library, options.titan, options.packages, options.o, options.simulator)))


if __name__ == "__main__":
    main()
