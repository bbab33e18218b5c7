"""pytest --titan: the Triton programs of a test suite run without a GPU, and each launch is checked.

    pytest --titan tests                          as TITAN=simulate pytest tests
    pytest --titan --titan-schedule=eager,lazy,random:1

A launch that is refused raises in the test; a test that catches that fails at its end, unless it said so:

    def test_race(titan):
        with titan.refused("race"):
            kernel[(2,)](x)
        assert titan.launches[-1].programs == 2
"""
import contextlib
import difflib
import os
import re

import pytest

from .backend import mode


def pytest_addoption(parser):
    group = parser.getgroup("titan", "Triton programs without a GPU (TITAN)")
    group.addoption("--titan", action="store_true", help="simulate and check each launch: TITAN=simulate")
    group.addoption("--titan-schedule", metavar="NAMES", default=None,
                    help="who goes on at atomics: eager, lazy, random:SEED; several with commas")


def pytest_load_initial_conftests(early_config, parser, args):
    options = early_config.known_args_namespace
    schedule = getattr(options, "titan_schedule", None)
    if schedule is not None:
        if not getattr(options, "titan", False) and mode() != "simulate":
            raise pytest.UsageError("--titan-schedule is for simulated launches: give --titan, too")
        for name in schedule.split(","):
            if not re.fullmatch(r"eager|lazy|random:[0-9]+", name):
                raise pytest.UsageError(f"--titan-schedule: '{name}' is no schedule: eager, lazy or random:SEED")
    if getattr(options, "titan", False):
        os.environ["TITAN"] = "simulate"  # Before anything imports Triton.
    if getattr(options, "titan_schedule", None):
        os.environ["TITAN_SCHEDULE"] = options.titan_schedule


class Checked:
    """What one test launched."""

    def __init__(self):
        self.launches, self.expected = [], set()

    def see(self, launch):
        self.launches.append(launch)

    @contextlib.contextmanager
    def refused(self, code):
        """What is launched within has to be refused with this code."""
        from titan.simulation import Refused, codes
        __tracebackhide__ = True
        if code not in codes():
            close = difflib.get_close_matches(code, codes(), 1)
            raise ValueError(f"there is no code '{code}'" + (f": '{close[0]}'?" if close else " (docs/codes.md)"))
        first = len(self.launches)
        with pytest.raises(Refused) as raised:
            yield raised
        for at in range(first, len(self.launches)):
            self.expected.add(at)
        assert raised.value.code == code, f"refused as {raised.value.code}, not {code}: {raised.value}"

    def swallowed(self):
        return [launch for at, launch in enumerate(self.launches)
                if launch.findings and at not in self.expected]


_checked = pytest.StashKey()


@pytest.fixture(autouse=True)
def _titan_launches(request):
    if mode() != "simulate":
        yield
        return
    from titan import simulation
    checked = request.node.stash[_checked] = Checked()
    simulation.observers.append(checked.see)
    yield
    simulation.observers.remove(checked.see)
    request.config.stash.setdefault(_totals, []).extend(checked.launches)


@pytest.fixture
def titan(request, _titan_launches):
    """The launches of this test (`launches`), each of which is checked; `refused(code)`."""
    if _checked not in request.node.stash:
        pytest.skip("without --titan or TITAN=simulate no launch is checked")
    return request.node.stash[_checked]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    outcome = yield
    left = item.stash[_checked].swallowed() if _checked in item.stash else []
    if left and outcome.excinfo is None:
        outcome.force_exception(pytest.fail.Exception(
            "a launch was refused, and the test went on: " + left[0].findings[0]["message"], pytrace=False))


_totals = pytest.StashKey()


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    launches = config.stash.get(_totals, [])
    if launches:
        found = sum(bool(launch.findings) for launch in launches)
        terminalreporter.write_line(
            f"titan: {len(launches)} launches checked, {sum(l.programs for l in launches)} programs, "
            f"{found} refused")
