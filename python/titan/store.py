"""Packages of Triton programs, by what they are made of: TITAN=compile asks, the compiler's machine answers.

    TITAN=compile TITAN_STORE=DIR python3 program.py    # where the GPU is: what is missing is written down there
    python3 -m titan.store DIR                          # where the compiler is: compiles what is asked for
    TITAN=compile TITAN_STORE=DIR python3 program.py    # again

    DIR/KEY.ttir              a program of tt; its first line is a comment with name, target and options
    DIR/BUILD/KEY.titanpkg    what the compiler of this build makes of it,
    DIR/BUILD/KEY.json        or why it does not
    DIR/build                 the build whose packages are taken where there is no compiler

A key is a digest of the text without its locations, of the options and of the target. Both machines may be one: a
program that finds the compiler compiles at once, and keeps that in the store.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import sys
import tempfile

from . import Error, compiler
from .findings import Refused

TARGET = "sm_90a"


def without_locations(text):
    """MLIR's text without the places of the source: `loc(...)` behind operations and arguments, #loc aliases."""
    kept, at = [], 0
    for found in re.finditer(r'^#loc.*\n|"(?:[^"\\\n]|\\.)*"| ?(?<![\w@%.$-])loc\(', text, re.M):
        if found.start() < at or found[0][0] == '"':
            continue  # Within the last location; a string.
        end = found.end()
        if found[0][-1] == "(":
            depth = 1
            for part in re.compile(r'"(?:[^"\\\n]|\\.)*"|[()]').finditer(text, end):
                depth += {"(": 1, ")": -1}.get(part[0], 0)
                if not depth:
                    end = part.end()
                    break
        kept.append(text[at:found.start()])
        at = end
    return "".join(kept) + text[at:]


class Program:
    """A program of tt to be compiled. `options`: `num_warps`, `num_stages`; `check`: what `titan check` refuses is not
    compiled; perhaps `maxnreg`, and `fp_fusion`, which is "off"."""

    def __init__(self, name, text, options):
        self.name, self.text, self.options = name, text, options
        what = json.dumps([TARGET, options, without_locations(text)], sort_keys=True)
        self.key = hashlib.sha256(what.encode()).hexdigest()[:32]

    def written(self):
        return "// " + json.dumps({"name": self.name, "target": TARGET, **self.options}, sort_keys=True) + "\n" + self.text

    @classmethod
    def read(cls, path):
        with open(path) as file:
            first, _, text = file.read().partition("\n")
        try:
            options = json.loads(first.removeprefix("// "))
            name, target = options.pop("name"), options.pop("target")
        except (ValueError, KeyError, AttributeError):
            raise Error("bad-argument", f"{path}: the first line is no comment with name, target and options",
                        fix="remove the file; TITAN=compile writes it anew") from None
        if target != TARGET:
            raise Error("not-supported-yet", f"{path}: it is for {target}", fix=f"there is {TARGET}")
        return cls(name, text, options)

    def compile(self, tool):
        """The package's bytes. What the compiler refuses is a Refused."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, self.key + ".titanpkg")
            with open(os.path.join(folder, self.name + ".ttir"), "w") as file:
                file.write(self.text)
            flags = [f"--{name.replace('_', '-')}={self.options[name]}"
                     for name in ("num_warps", "num_stages", "maxnreg", "fp_fusion") if name in self.options]
            # By this name, which is part of the package: the same everywhere.
            compiler.call(tool, "compile", self.name + ".ttir", "--target", TARGET, *flags,
                          "--check=" + ("on" if self.options["check"] else "off"), "-o", path, folder=folder)
            with open(path, "rb") as file:
                return file.read()


def _write(path, data):
    """A whole file or none, whoever else writes it."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), delete=False) as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        os.replace(file.name, path)
    except OSError as error:
        raise Error("file-write", f"the store: {error}", fix="set TITAN_STORE to a folder that can be written") from None


class Store:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)

    def build(self):
        """The build whose packages are taken where there is no compiler; None: nothing was compiled yet."""
        try:
            with open(os.path.join(self.folder, "build")) as file:
                return file.read().strip() or None
        except OSError:
            return None

    def _made(self, build, key, kind):
        return os.path.join(self.folder, build, f"{key}.{kind}")

    def _set_build(self, build):
        if self.build() != build:
            _write(os.path.join(self.folder, "build"), build + "\n")

    def ask(self, program):
        """Writes down what is to be compiled."""
        _write(os.path.join(self.folder, program.key + ".ttir"), program.written())

    def find(self, key, build):
        """The package's bytes; None if it was not compiled. A program that the compiler refused is a Refused."""
        try:
            with open(self._made(build, key, "titanpkg"), "rb") as file:
                return file.read()
        except OSError:
            pass
        try:
            with open(self._made(build, key, "json")) as file:
                refused = json.load(file)
        except OSError:
            return None
        raise Refused(refused["findings"], refused["kernel"])

    def make(self, program, tool):
        """Compiles, and keeps what was asked for and what came of it: the package's bytes. What the compiler refuses is
        a Refused."""
        build = compiler.build(tool)
        self.ask(program)
        self._set_build(build)
        try:
            package = program.compile(tool)
        except Refused as error:
            _write(self._made(build, program.key, "json"), json.dumps({"kernel": program.name, "findings": error.findings}))
            raise
        _write(self._made(build, program.key, "titanpkg"), package)
        return package

    def make_all(self, tool, jobs):
        """Compiles what is asked for and was not compiled by this build; (name, key, None or the refusal) of each."""
        build = compiler.build(tool)
        keys = sorted(name[:-5] for name in os.listdir(self.folder) if name.endswith(".ttir"))

        def make(key):
            program = Program.read(os.path.join(self.folder, key + ".ttir"))
            if program.key != key:
                raise Error("bad-argument", f"{key}.ttir is not what its name says", fix="remove the file")
            try:
                if self.find(key, build) is None:
                    self.make(program, tool)
                return program.name, key, None
            except Refused as error:
                return program.name, key, error
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            done = list(pool.map(make, keys))
        self._set_build(build)
        return done


def main():
    parser = argparse.ArgumentParser(prog="python3 -m titan.store", description="compiles what a store of packages asks for")
    parser.add_argument("folder")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="how many at a time (all cores)")
    options = parser.parse_args()
    if not os.path.isdir(options.folder):
        raise Error("file-not-found", f"the store: {options.folder} is no folder", fix="TITAN=compile makes it")
    refused = 0
    for name, key, error in Store(options.folder).make_all(compiler.need("the store is to be compiled"), options.j):
        print(f"{key} {name}" + (f": {error}" if error else ""))
        refused += error is not None
    print(f"refused: {refused}")


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        sys.exit(f"error: {error}")
