"""The compiler `titan`: where it is, which build, and what it says.

It is what $TITAN_COMPILER names ("none": there is none), else build/bin/titan of the tree that this package stands in, else
`titan` on the PATH.
"""
import functools
import hashlib
import json
import os
import shutil
import struct
import subprocess

from . import Error
from .findings import Refused

FIX = "name `titan` in TITAN_COMPILER, or put it on the PATH"


def find():
    """The compiler's path, or None."""
    named = os.environ.get("TITAN_COMPILER")
    if named == "none":
        return None
    if named:
        return os.path.abspath(shutil.which(named) or named)
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(here, "..", "..", "build", "bin", "titan")
    return os.path.normpath(built) if os.access(built, os.X_OK) else shutil.which("titan")


def need(why):
    """The compiler's path; without one an Error that says `why` it is asked for."""
    path = find()
    if not path:
        raise Error("file-not-found", f"{why}, and the compiler `titan` is not there", fix=FIX)
    return path


def _missing(error):
    return Error("file-not-found", f"the compiler: {error}", fix=FIX)


def _build_id(file):
    """What the linker has made of a program's contents, as hexadecimal digits (ELF, PT_NOTE, NT_GNU_BUILD_ID); None: no such
    program, or it has none."""
    head = file.read(64)
    if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
        return None
    at, = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    file.seek(at)
    table = file.read(size * count)
    for i in range(len(table) // size if size >= 56 else 0):
        kind, _, begin, _, _, length = struct.unpack_from("<IIQQQQ", table, i * size)
        if kind != 4:
            continue
        file.seek(begin)
        notes, at = file.read(min(length, 4096)), 0
        while at + 12 <= len(notes):
            name, words, what = struct.unpack_from("<III", notes, at)
            first = at + 12 + (name + 3 & ~3)
            if what == 3 and notes[at + 12:at + 12 + name] == b"GNU\0":
                return notes[first:first + words].hex()
            at = first + (words + 3 & ~3)
    return None


@functools.lru_cache
def _digest(path, size, time):
    with open(path, "rb") as file:
        made = _build_id(file)
        if made is None:
            file.seek(0)
        return hashlib.sha256(made.encode() if made else file.read()).hexdigest()[:16]


def build(path):
    """Which build a compiler is: a digest of its linker's, or of the whole file."""
    try:
        status = os.stat(path)
        return _digest(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise _missing(error) from None


def call(path, *words, folder=None):
    """Calls the compiler; the object that it prints under --json. What it refuses is a Refused."""
    try:
        done = subprocess.run([path, *words, "--json"], cwd=folder, capture_output=True, text=True)
    except OSError as error:
        raise _missing(error) from None
    try:
        said = json.loads(done.stdout)
    except ValueError:
        said = {}
    if done.returncode:
        for finding in said.get("findings", ()):
            for place in (finding, *finding.get("places", ())):
                if place.get("column") and place["file"].endswith(".py"):  # From 0, as Python and a simulated launch count them.
                    place["column"] -= 1
        errors = [f for f in said.get("findings", ()) if f.get("severity") == "error"]
        raise Refused(errors or [{"code": "internal-error", "message": f"titan {words[0]}: exit status {done.returncode}, "
                                  + (done.stderr.strip() or "and not a word")}])
    return said
