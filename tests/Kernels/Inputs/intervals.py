"""interval of benchmarks/race.py against medians of samples that are drawn."""
import random
import statistics
import sys

sys.path.insert(0, sys.argv[1])
import race  # noqa: E402 (its path)

rng = random.Random(5)
for count in (1, 2, 3, 4, 7, 10, 15, 16):
    ratios = [rng.gauss(1, 0.01) for _ in range(count)]
    drawn = sorted(statistics.median(rng.choices(ratios, k=count)) for _ in range(20000))
    # Of what is drawn, as much as the interval leaves out on either side, to within 0.5 %.
    low, high = race.interval(ratios)
    share = lambda meant: sum(map(meant, drawn)) / len(drawn)
    print(count, share(lambda m: m < low - 1e-12) < 0.03 and share(lambda m: m <= low + 1e-12) > 0.02 and
          share(lambda m: m > high + 1e-12) < 0.03 and share(lambda m: m >= high - 1e-12) > 0.02)
rounds = [1 + i / 100 for i in range(15)]
print([rounds.index(end) + 1 for end in race.interval(rounds)])
