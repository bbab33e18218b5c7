"""truncate.py TITAN FILE SCRATCH: a program cut anywhere is refused with a code."""
import subprocess, sys

titan, source, scratch = sys.argv[1:]
text = open(source).read()
program = text.index("\n  titan.return") + 1  # the first kernel, without its end
step = max(1, program // 100)
for length in range(step, program, step):
    with open(scratch, "w") as f:
        f.write(text[:length])
    result = subprocess.run([titan, "check", scratch], capture_output=True, text=True)
    refused = any(code in result.stderr for code in ("[parse-error]", "[verify-error]", "[no-kernel]"))
    if result.returncode != 2 or not refused:
        sys.exit(f"cut at byte {length}: exit {result.returncode}: {result.stderr}")
print("all refused")
