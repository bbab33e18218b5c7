#!/usr/bin/env python3
"""Kernels with a titan.example, simulated here and run on a GPU: the same bytes.

    figures.py prepare --titan build/bin/titan --out FOLDER FILE.mlir[:VARIANT,VARIANT]...
    figures.py compare --launch titan-launch FOLDER      (on a machine with a GPU)

`prepare` compiles each file, runs each of its kernels on the simulator as its example says, and
keeps what each tensor then holds, inputs too. `compare` launches the packages with the same
arguments and compares file by file; it prints a SHA-256 of each. For the copies of the seed's
figures: tests/Programs/copies.mlir; for each way of a copy: tests/Dispatch. A VARIANT is one of the file's
(tests/Inputs/variant.py). Results that depend on the order of sums are not for it.
"""
import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys


def kernels(text):
    """Name, sizes and arguments of each kernel that has an example."""
    for part in re.split(r"(?=^titan\.kernel )", text, flags=re.M)[1:]:
        name = re.match(r"titan\.kernel @(\w+)", part).group(1)
        example = re.search(r"titan\.example = \{(.*?)\}[,\s]*(?:titan|\})", part, re.S)
        if not example:
            continue
        # The closing brace of `sizes` may end the match: its numbers are read from the whole, other numbers from what is left.
        text = part[example.start():part.index("launch {")]
        listed = re.search(r"sizes = \{(.*?)\}", text, re.S)
        sizes = dict(re.findall(r"(\w+) = (\d+)", listed.group(1))) if listed else {}
        rest = text[text.index("titan.example"):].split("titan.reference")[0]
        rest = re.sub(r"sizes = \{.*?\}|\"[^\"]*\"", "", rest, flags=re.S)
        scalars = dict(re.findall(r"(\w+) = (-?\d+(?:\.\d+)?)(?=[ ,}])", rest))
        scalars.pop("multiprocessor_count", None)
        yield name, sizes, scalars, dict(re.findall(r"(\w+) = \"([^\"]+)\"", example.group(1)))


def texts(paths):
    """Name and text of each file, and of each variant that is asked for."""
    variant = pathlib.Path(__file__).resolve().parents[2] / "Inputs" / "variant.py"
    for path in paths:
        file, _, variants = path.partition(":")
        yield pathlib.Path(file).stem, pathlib.Path(file).read_text()
        for name in filter(None, variants.split(",")):
            made = subprocess.run([sys.executable, variant, name, file], check=True, capture_output=True, text=True)
            yield f"{pathlib.Path(file).stem}-{name}", made.stdout


def prepare(options):
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for stem, text in texts(options.paths):
        package, file = folder / (stem + ".titanpkg"), folder / (stem + ".mlir")
        file.write_text(text)
        subprocess.run([options.titan, "compile", file, "-o", package], check=True, stdout=subprocess.DEVNULL)
        for name, sizes, scalars, arguments in kernels(text):
            launch, tensors = [word for each in scalars.items() for word in ("--scalar", "=".join(each))], []
            for argument, how in arguments.items():
                shape, *source = how.split()
                shape = "x".join(sizes.get(size, size) for size in shape.split("x"))
                tensors.append(argument)
                launch += ["--arg", f"{argument}={source[0]},shape={shape}"] if source else \
                          ["--shape", f"{argument}={shape}"]
            outs = [word for tensor in tensors for word in ("--out", f"{tensor}={folder}/{stem}.{name}.{tensor}.npy")]
            subprocess.run([options.titan, "run", file, "--kernel", name, *outs], check=True,
                           stdout=subprocess.DEVNULL)
            cases.append({"package": package.name, "kernel": name, "launch": launch, "tensors": tensors, "file": stem})
    (folder / "cases.json").write_text(json.dumps(cases, indent=1))
    print(f"{len(cases)} kernels prepared")


def compare(options):
    folder, equal, total = pathlib.Path(options.paths[0]), 0, 0
    for case in json.loads((folder / "cases.json").read_text()):
        for tensor in case["tensors"]:
            total += 1
            words = [options.launch, folder / case["package"], "--kernel", case["kernel"], *case["launch"],
                     "--out", f"{tensor}={folder}/gpu.npy"]
            run = subprocess.run(words, capture_output=True, text=True)
            ours = (folder / f"{case['file']}.{case['kernel']}.{tensor}.npy").read_bytes()
            same = run.returncode == 0 and (folder / "gpu.npy").read_bytes() == ours
            equal += same
            print("equal" if same else "DIFFERENT", case["file"], case["kernel"], tensor, hashlib.sha256(ours).hexdigest()[:16],
                  run.stderr.strip())
    print(f"{equal} of {total} tensors equal")
    return equal != total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=["prepare", "compare"])
    parser.add_argument("--titan")
    parser.add_argument("--launch")
    parser.add_argument("--out")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else compare(options)


if __name__ == "__main__":
    sys.exit(main())
