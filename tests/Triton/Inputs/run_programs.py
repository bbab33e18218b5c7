"""Runs Python programs one after another in one process, each as if it were alone."""
import os
import runpy
import sys

for program in sys.argv[1:]:
    sys.argv, sys.path[0] = [program], os.path.dirname(program)
    runpy.run_path(program, run_name="__main__")
