"""full.py FOLDER COMMAND...: runs a command as on a full disk, where no file can
grow: it must end with status 2 and [file-write], and leave nothing in FOLDER.
Its stdout goes to a file, too."""
import os
import resource
import signal
import subprocess
import sys
import tempfile

folder, command = sys.argv[1], sys.argv[2:]
os.makedirs(folder, exist_ok=True)
before = {name: os.stat(os.path.join(folder, name)) for name in os.listdir(folder)}


def full():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


with tempfile.TemporaryFile() as out:
    run = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True,
                         preexec_fn=full, env={**os.environ, "TMPDIR": folder})
after = {name: os.stat(os.path.join(folder, name)) for name in os.listdir(folder)}
if run.returncode != 2 or "[file-write]" not in run.stderr or "LLVM ERROR" in run.stderr:
    sys.exit(f"status {run.returncode}: {run.stderr}")
if before.keys() != after.keys() or any(before[n].st_size != after[n].st_size for n in before):
    sys.exit(f"left behind: {sorted(after)}")
print("refused, nothing left")
