# lit's configuration: which files are tests, and which tools they may call.
import os
import sys
import lit.formats

config.name = "titan"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.titan_build, "tests")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.titan_build, "bin"), config.llvm_tools, config.environment["PATH"]])
# ptxas: where titan compile looks for it, too.
for folder in os.environ["PATH"].split(os.pathsep) + ["/usr/local/cuda/bin"]:
    if os.access(os.path.join(folder, "ptxas"), os.X_OK):
        config.available_features.add("ptxas")
        config.environment["PATH"] += os.pathsep + folder
        break
config.substitutions.append(("%examples", os.path.join(config.titan_source, "examples")))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(
    ("%variant", sys.executable + " " + os.path.join(config.test_source_root, "Inputs", "variant.py")))
config.substitutions.append(("%titan_build", config.titan_build))
config.substitutions.append(("%cxx", config.cxx))
# Triton itself: python3 -m venv build/triton && build/triton/bin/pip install triton==3.6.0 pytest
triton = os.path.join(config.titan_build, "triton", "bin", "python")
if os.access(triton, os.X_OK):
    config.available_features.add("triton")
config.substitutions.append(("%triton_python", triton))
# A Python program with Triton's kernels, as TITAN=simulate runs it, with a stand-in for Triton.
inputs = os.path.join(config.test_source_root, "Triton", "Inputs")
in_python = ["PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=" + os.pathsep.join(
    [os.path.join(config.titan_source, "python")] + [os.path.join(inputs, name) for name in ("fake", "tutorials")]), sys.executable]
config.substitutions.append(("%simulate", " ".join([
    "env", "TITAN=simulate",
    "TITAN_SIMULATOR=" + os.path.join(config.titan_build, "lib", "Simulator", "Triton", "libtitan-simulator.so.1")] + in_python)))
# As TITAN=compile runs it, on a driver that runs on the CPU.
config.substitutions.append(("%on_gpu", " ".join([
    "TITAN=compile", "TITAN_RUNTIME=" + os.path.join(config.titan_build, "lib", "Runtime", "libtitan-runtime.so"),
    "TITAN_CUDA_LIBRARY=" + os.path.join(config.titan_build, "lib", "libtitan-fake-cuda.so")] + in_python)))
# ./test --full runs the long tests, too: those that say REQUIRES: full.
if os.environ.get("TITAN_TEST_FULL"):
    config.available_features.add("full")
    config.environment["TITAN_TEST_FULL"] = "1"
# ./test --sanitize
if "ASAN_OPTIONS" in os.environ:
    config.available_features.add("sanitize")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TITAN_SHARD"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
