"""round_trip.py TITAN-OPT FOLDER: each text of Triton 3.6 there is printed as it stands."""
import difflib
import pathlib
import subprocess
import sys

opt, folder = sys.argv[1:]
files = sorted(pathlib.Path(folder).glob("*.ttir"))
bad = 0
for path in files:
    done = subprocess.run([opt, "--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix", path],
                          capture_output=True, text=True)
    text = path.read_text()
    if done.stdout != text + "\n":
        bad += 1
        print(f"{path.name}: {done.stderr or 'printed otherwise'}")
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True),
                                                   done.stdout.splitlines(True), n=1))
print(f"{len(files) - bad} of {len(files)} texts unchanged")
sys.exit(bad != 0 or not files)
