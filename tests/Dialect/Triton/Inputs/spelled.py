"""Prints the operations of a module with the aliases of encodings spelled out."""
import re
import sys

text = open(sys.argv[1]).read()
aliases = dict(re.findall(r"^(#\w+) = (.*)$", text, re.M))
for line in text.splitlines():
    if "{e = #" in line:
        while (name := re.search(r"#(?!ttg)\w+", line)):
            line = line.replace(name.group(), aliases[name.group()])
        print(line.strip())
