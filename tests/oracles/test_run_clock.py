"""Which seconds of a run count, with made-up programs on made-up machines."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from oracles.run import run_clock
from oracles.run.procfs import Process
from oracles.run.run_clock import RunClock

SECOND = 1_000_000_000
LATE = run_clock._LATE


@dataclass(frozen=True)
class Machine:
    """What each thread of a program does in every second, as the shares that it runs and waits.

    With `short`, a new process does so in every second, and lives for that part of it.
    """

    threads: Sequence[tuple[float, float]]
    state: str = "R"
    short: float = 0.0

    def seen(self, second: int) -> list[Process]:
        """The processes at the end of this second."""
        lived = self.short or second
        times = {
            number: (round(ran * lived * SECOND), round(waited * lived * SECOND))
            for number, (ran, waited) in enumerate(self.threads)
        }
        return [Process(second if self.short else 1, self.state, 0, lived, times)]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which the test sets."""
    clock = [100.0]
    monkeypatch.setattr(run_clock.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(run_clock, "_processors", lambda: 2)
    return clock


CASES = {
    "an idle machine": (Machine([(1.0, 0.0)]), 1.0),
    "a deadlock": (Machine([(0.0, 0.0)] * 2, "S"), 1.0),
    "eight busy loops beside it": (Machine([(0.2, 0.8)]), 0.2),
    "it waits for a file, too": (Machine([(0.25, 0.25)]), 0.75),
    "an own thread for each processor": (Machine([(1.0, 0.0)] * 2), 1.0),
    "more threads than processors": (Machine([(0.5, 0.5)] * 4), 1.0),
    "these, and eight busy loops": (Machine([(0.2, 0.8)] * 4), 0.4),
    "one thread works, others wait for that": (Machine([(0.2, 0.8), (0.0, 0.0)]), 0.2),
    "stopped": (Machine([(0.0, 0.0)], "T"), 0.1),
    "many short ones": (Machine([(0.2, 0.8)], short=0.1), 0.2),
    "many short ones that sleep": (Machine([(0.01, 0.0)], "S", short=0.1), 1.0),
}


@pytest.mark.parametrize(("machine", "share"), CASES.values(), ids=CASES)
def test_time_counts_if_the_program_could_go_on(
    now: list[float], machine: Machine, share: float
) -> None:
    clock = RunClock(1000.0)
    for second in range(1, 11):
        now[0] += 1.0
        clock.waited(1.0)
        clock.look(machine.seen(second))
    assert clock.seconds == pytest.approx(10 * share, abs=0.01)


def test_no_more_than_a_bound_is_left_out(now: list[float]) -> None:
    clock = RunClock(3.0)
    for second in range(1, 11):
        now[0] += 1.0
        clock.waited(1.0)
        clock.look(Machine([(0.1, 0.9)]).seen(second))
    assert clock.seconds == pytest.approx(7.0)


def test_time_in_which_nobody_watched_does_not_count(now: list[float]) -> None:
    """Nor is it what the program waited for: half of what was watched."""
    clock = RunClock(1000.0)
    now[0] += 3600.0
    clock.waited(0.25)
    assert clock.seconds == 0.25 + LATE and clock.unwatched == 3600 - clock.seconds
    clock.look(Machine([(0.5, 0.5)]).seen(3600))
    assert clock.seconds == pytest.approx((0.25 + LATE) / 2)
