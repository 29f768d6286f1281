"""Run one program safely: bounded in time, memory, output and disk space."""

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from oracles.child import Child
from oracles.limits import End, Limits, ProcessResult, Reader
from oracles.memory import Seat
from oracles.settle import settled
from oracles.watch import watch

__all__ = ["End", "Limits", "ProcessResult", "run_process"]


def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    limits: Limits,
    cancel: threading.Event | None = None,
    env: Mapping[str, str] | None = None,
    sweep: bool = False,
    reader: Reader | None = None,
    symbolize: bool = False,
) -> ProcessResult:
    """Run `argv` in a session of its own and kill whatever is left of it at the end.

    The run waits for memory that other runs use, and is restarted if its end says nothing about the
    program (see `settle`).

    `env` replaces the environment. `reader` gets the output as it arrives and may end the program
    (end STOPPED). With `symbolize`, LLVM looks up the functions of a crash as it does for the user,
    which takes 200 ms or more. `sweep` is without effect: nothing outlives its run.

    Raises:
        OSError: the program cannot be started.
    """

    def attempt(seat: Seat) -> ProcessResult:
        child = Child(argv, cwd, _environment(os.environ if env is None else env, symbolize))
        return watch(child, limits=limits, cancel=cancel, seat=seat, reader=reader)

    return settled(attempt, cancel=cancel, reader=reader)


def _environment(env: Mapping[str, str], symbolize: bool) -> dict[str, str]:
    """Without crash reports in the user's home, and as a rule without symbolizer (see `frames`).

    Python prints where a signal ended it only if asked.
    """
    quick = {} if symbolize else {"LLVM_DISABLE_SYMBOLIZATION": "1"}
    return {"PYTHONFAULTHANDLER": "1", **env, **quick, "LLVM_DISABLE_CRASH_REPORT": "1"}
