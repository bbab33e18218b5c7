"""Every page that a source, test or document names is in the repository.

citations.py ROOT: exit status 1, and the places, where one is not.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
elsewhere = {"tma-modeling-in-depth.md"}  # In NVIDIA/Fuser, doc/reading.
bad = []
for folder in ("include", "lib", "tools", "tests", "unittests", "docs", "scripts", "examples", "benchmarks", "."):
    files = (root / folder).rglob("*") if folder != "." else root.glob("*.md")
    for file in sorted(files):
        if file.suffix not in (".h", ".cpp", ".cu", ".td", ".def", ".py", ".md", ".mlir", ".test", ".txt", ".tma"):
            continue
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            for page in re.findall(r"(?<!%)\b[\w./-]*\w\.md\b", line):
                if page.rsplit("/", 1)[-1] in elsewhere or page.startswith(("S/", "/")):
                    continue
                here = (root / page, root / "docs" / page, file.parent / page)
                if not any(path.is_file() for path in here):
                    bad.append(f"{file.relative_to(root)}:{number}: {page}")
print("\n".join(bad))
sys.exit(bool(bad))
