"""verdicts.py TITAN FOLDER ...: what `titan check --proof=off` says of each text (FOLDER/ttir/*.ttir), by its verdict."""
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys


def verdict(path):
    done = subprocess.run([sys.argv[1], "check", "--proof=off", "--json", str(path)], capture_output=True, text=True)
    result = json.loads(done.stdout)
    kernel, = result["kernels"]
    codes = sorted({finding["code"] for finding in result["findings"] if finding["severity"] == "error"})
    return path, kernel, codes


paths = [path for folder in sys.argv[2:] for path in sorted((pathlib.Path(folder) / "ttir").glob("*.ttir"))]
verdicts, assumed = collections.defaultdict(list), []
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for path, kernel, codes in pool.map(verdict, paths):
        program, name, number, _ = path.name.split(".")
        name = f"{name.removesuffix('_kernel')}.{number}"
        if kernel["verdict"] == "searched":
            verdicts["accepted"].append(name)
            if kernel["assumed"]:
                assumed.append(name)
        else:
            wrong = [code for code in codes if code != "undecided"]
            verdicts["refused as a " + ", ".join(wrong) if wrong else "undecided"].append(name)
print(f"of {len(paths)} texts, accepted: {len(verdicts.pop('accepted'))}")
print(f"with an assumption {len(assumed)}: {', '.join(sorted(assumed))}")
for word, names in sorted(verdicts.items()):
    print(f"{word} {len(names)}: {', '.join(sorted(names))}")
