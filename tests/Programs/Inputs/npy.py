#!/usr/bin/env python3
"""npy.py FILE N N ...: writes a vector of i32."""
import struct
import sys

values = [int(word) for word in sys.argv[2:]]
header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(values)},), }}"
header += " " * (117 - len(header)) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{len(values)}i", *values))
