"""Whether the list of libdevice's functions in docs/triton.md is the table's: device_functions.py SOURCE DOCS"""
import re
import sys

source, docs = (open(name).read() for name in sys.argv[1:])
at = source.index("rows[]"), source.index("others[]")
known = set(re.findall(r'\{"(\w+)", \d', source[slice(*at)])) | set(re.findall(r'\{"\w+", \{"(\w+)"', source[at[1]:]))
told = set(re.findall(r"`(\w+)`", re.search(r"\nFunctions of libdevice that it knows[^:]*: (.*)", docs)[1]))
print(f"libdevice: {len(known)} functions, not told: {sorted(known - told)}, not known: {sorted(told - known)}")
