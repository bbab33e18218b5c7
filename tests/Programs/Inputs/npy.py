#!/usr/bin/env python3
"""npy.py FILE [i8] N N ...: writes a vector of i32 (i8: of i64). npy.py FILE: prints the numbers of such a file."""
import struct
import sys

path, *words = sys.argv[1:]
if not words:
    data = open(path, "rb").read()
    size = struct.unpack_from("<H", data, 8)[0]
    kind = {b"<i4": "i", b"<i8": "q"}[data[10:10 + size].split(b"'")[3]]
    print(*[x for x, in struct.iter_unpack("<" + kind, data[10 + size:])])
    sys.exit()
kind = "i8" if words[0] == "i8" else "i4"
values = [int(word, 0) for word in words[kind == "i8":]]
header = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
header += " " * (117 - len(header)) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{len(values)}{'q' if kind == 'i8' else 'i'}", *values))
