"""exit.py CODE COMMAND...: passes stdout on; fails unless the command ends with CODE."""
import subprocess, sys

result = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True)
print(result.stdout, end="")
if result.returncode != int(sys.argv[1]):
    sys.exit(f"exit code {result.returncode}, expected {sys.argv[1]}")
