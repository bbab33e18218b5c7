"""Meter.joules of benchmarks/race.py with a clock of its own: a device that takes 500 W, counted every 50 ms."""
import random
import sys
import types

sys.path.insert(0, sys.argv[1])
now, free = [0.0], [0.0]


class Graph:
    def __init__(self, seconds):
        self.seconds = seconds

    def replay(self):
        free[0] = max(free[0], now[0]) + self.seconds


class Event:
    def record(self):
        self.at = free[0]

    def query(self):
        return now[0] >= self.at


def clock():
    now[0] += 0.0005  # what a turn of a loop takes
    return now[0]


def wait():
    now[0] = max(now[0], free[0])


sys.modules["torch"] = types.SimpleNamespace(cuda=types.SimpleNamespace(Event=Event, synchronize=wait))
import race  # noqa: E402

race.time = types.SimpleNamespace(perf_counter=clock)


class Meter(race.Meter):
    def __init__(self, stands=False):
        self.nvml, self.stands = object(), stands

    def energy(self):
        return 0 if self.stands else 500 * (now[0] // 0.05) * 0.05


graphs = {"short": Graph(1e-3), "long": Graph(8e-3)}  # of four launches
wanted = {"short": 0.125, "long": 1.0}
for seconds in (0.3, 0.6):
    joules = race.energies(Meter(), graphs, 4, {"short": 10, "long": 2}, types.SimpleNamespace(energy=seconds), random.Random(1))
    for name, turns in joules.items():
        print(seconds, name, [abs(j / wanted[name] - 1) < 0.02 for j in turns])
print("none wanted:", race.energies(Meter(), graphs, 4, {}, types.SimpleNamespace(energy=0), random.Random(1)))
print(race.energies(Meter(stands=True), graphs, 4, {"short": 10, "long": 2}, types.SimpleNamespace(energy=0.3), random.Random(1)))
