"""Unpacks the wheel of a folder as pip does, checks its RECORD, and launches a kernel from it: wheel.py FOLDER SITE"""
import base64
import csv
import ctypes as c
import glob
import hashlib
import os
import sys
import zipfile

folder, site = sys.argv[1:]
wheel, = glob.glob(os.path.join(folder, "*.whl"))
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(site)
    names = archive.namelist()
record, = [name for name in names if name.endswith("/RECORD")]
with open(os.path.join(site, record)) as file:
    rows = list(csv.reader(file))
good = sorted(row[0] for row in rows) == sorted(names)
for name, digest, size in rows:
    if name == record:
        continue
    with open(os.path.join(site, name), "rb") as file:
        data = file.read()
    seen = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    good &= seen == digest and len(data) == int(size)
print(record, "is true of" if good else "is false of", len(rows), "files")

import importlib.metadata
import importlib.util

import titan
import titan.ops

here, = (d for d in importlib.metadata.distributions(path=[site]))
for point in here.entry_points:
    print(f"entry point: {point.group} {point.name} = {point.value}, there: "
          f"{importlib.util.find_spec(point.value) is not None}")
print(here.metadata["Name"], here.metadata["Version"] == here.version == titan.__version__)

here = os.path.dirname(titan.__file__)
titan._runtime()
print("titan from", os.path.basename(os.path.dirname(here)) + ", its library beside it:",
      os.path.join(here, "libtitan-runtime.so.1") in open("/proc/self/maps").read())
print(", ".join(f"{rows} rows: {os.path.basename(titan.ops._prebuilt(rows, 'gemm-bf16-nt.titanpkg'))}"
                for rows in (5, 17)))
c.CDLL(os.environ["TITAN_CUDA_LIBRARY"]).cuCtxSetCurrent(c.c_void_p(1))
new_capsule = c.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]


class Tensor:
    def __init__(self, dims, strides, first):
        self.memory = (c.c_uint16 * 128)(*range(first, first + 128))
        self.kept = (c.c_int64 * 2)(*dims), (c.c_int64 * 2)(*strides)
        self.tensor = titan._DLTensor(c.addressof(self.memory), 2, 0, 2, 4, 16, 1, *self.kept, 0)

    def __dlpack__(self):
        return new_capsule(c.addressof(self.tensor), b"dltensor", None)


a, b, d = Tensor((5, 8), (8, 1), 0), Tensor((8, 8), (1, 8), 0), Tensor((5, 8), (8, 1), 900)
titan.ops.gemm_out(d, a, b)
print("launched:", list(d.memory[:40]) == list(range(40)))
