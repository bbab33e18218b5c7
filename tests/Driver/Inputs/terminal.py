"""Runs a command whose standard error is a terminal (its standard output is not read), until a line there
matches the pattern: prints it, and ends the command. Else all lines, at its end.

    terminal.py PATTERN COMMAND...
"""
import os
import pty
import re
import subprocess
import sys

terminal, theirs = pty.openpty()
run = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
said = ""
while True:
    try:
        said += os.read(terminal, 4096).decode()
    except OSError:  # The command has ended.
        print(said)
        break
    if found := re.search(sys.argv[1], said):
        print("found:", found[0])
        run.kill()
        break
run.wait()
