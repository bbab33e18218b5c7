#!/usr/bin/env python3
"""trace.py TRACE RESULT SOURCE: what `titan run --trace TRACE --json` wrote.

Checks the trace against the trace-event format (what chrome://tracing and
Perfetto read), the run's own counts and the kernel's source; prints a summary.
"""
import collections
import json
import sys


def main():
    with open(sys.argv[1]) as file:
        trace = json.load(file)
    with open(sys.argv[2]) as file:
        kernel, = json.load(file)["kernels"]
    with open(sys.argv[3]) as file:
        lines = file.read().split("\n")
    names, spans = {}, []
    for event in trace["traceEvents"]:
        thread = event["pid"], event["tid"]
        if event["ph"] == "M":
            assert event["name"] == "thread_name" and thread not in names, event
            names[thread] = event["args"]["name"]
        else:
            assert event["ph"] == "X", event
            spans.append((thread, event))
    count = collections.Counter()
    last = {}
    for thread, event in spans:
        name = names[thread]  # every thread has one
        assert event["ts"] >= 0 and event["dur"] >= 1, event
        count[name.split()[0], event["name"]] += 1
        _, line, column = event["args"]["place"].split(":")
        assert int(column) >= 1 and int(line) <= len(lines), event
        # Operations stand where they say, but for those that a pipe becomes.
        if not lines[int(line) - 1].count("titan.pipe."):
            assert event["name"] in lines[int(line) - 1], event
        # A warp does one thing after another.
        if name.startswith("warp"):
            assert event["ts"] >= last.get(thread, 0), event
            last[thread] = event["ts"]
    copies = sum(n for (thread, _), n in count.items() if thread in ("bulk", "cp.async", "generic"))
    products = sum(n for (thread, _), n in count.items() if thread == "wgmma")
    assert copies == kernel["copies"], (copies, kernel["copies"])
    assert products == kernel["products"], (products, kernel["products"])
    assert len(spans) - copies - products <= kernel["operations"]
    print("processes:", len({pid for pid, _ in names}))
    for (thread, name), n in sorted(count.items()):
        print(f"{thread}: {name}: {n}")


main()
