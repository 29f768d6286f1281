"""Run one program safely: bounded in time, memory, output and disk space.

A run may end for external reasons: other runs need the memory, the machine is short of memory, or
something else killed it, usually a kernel in that situation. All are repeated, the latter two with
no other run of ours on this machine.
"""

import errno
import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from oracles.run.confinement import (
    Confinement,
    Reach,
    bare_environment,
    current_confinement,
    reach_of,
)
from oracles.run.limits import End, Limits, ProcessResult, Reader
from oracles.run.memory import (
    Seat,
    out_of_memory_kills,
    out_of_memory_kills_anywhere,
    room_here,
)
from oracles.run.reaper_client import Child
from oracles.run.supervisor import watch

StartChild = Callable[[Sequence[str], Path, Mapping[str, str], Reach | None, Limits], Child]
"""Starts a program, its words, in a folder and an environment."""

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
    confinement: Confinement | None = None,
    start: StartChild | None = None,
) -> ProcessResult:
    """Run `argv` in a session of its own and kill whatever is left of it at the end.

    The run waits for memory that other runs use, and is restarted if its end says nothing about the
    program.

    `env` replaces the environment. `reader` gets the output as it arrives and may end the program
    (end STOPPED). With `symbolize`, LLVM looks up the functions of a crash as it does for the user,
    which takes 200 ms or more. `sweep` is without effect: nothing outlives its run. `confinement`
    replaces that of this process. `start` starts the program, unless it is confined.

    Raises:
        OSError: the program cannot be started.
    """
    how = confinement or current_confinement()
    given = os.environ if env is None else env
    environment = _environment(
        given if how is None else bare_environment(given, cwd, how), symbolize
    )
    reach = None if how is None else reach_of(argv, cwd, environment, how)

    def attempt(seat: Seat) -> ProcessResult:
        if start is not None and reach is None:
            child = start(argv, cwd, environment, None, limits)
        else:
            child = Child(argv, cwd, environment, reach, limits)
        return watch(child, limits=limits, cancel=cancel, seat=seat, reader=reader)

    return _retry_killed(attempt, cancel=cancel, reader=reader)


def _environment(env: Mapping[str, str], symbolize: bool) -> dict[str, str]:
    """Without crash reports in the user's home, and as a rule without symbolizer (see `frames`).

    Python prints where a signal ended it only if asked.
    """
    quick = {} if symbolize else {"LLVM_DISABLE_SYMBOLIZATION": "1"}
    return {"PYTHONFAULTHANDLER": "1", **env, **quick, "LLVM_DISABLE_CRASH_REPORT": "1"}


_NEVER_RUN = ProcessResult(End.CANCELLED, -signal.SIGKILL, 0.0, 0.0, 0, "", "")
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL, 256 - signal.SIGKILL)
"""The exit codes of the process itself, of a shell around it, and of a Python entry point."""


def _retry_killed(
    attempt: Callable[[Seat], ProcessResult],
    *,
    cancel: threading.Event | None,
    reader: Reader | None,
) -> ProcessResult:
    """The result of the program. `attempt` starts it and watches it in a seat.

    A program that is killed again when it runs alone is itself the cause; it is `starved` if the
    kernel ran out of memory again. Others share the machine, but then a kill by the kernel in both
    runs is hardly chance; it may be that of a container or another control group of the program.
    """
    seat, alone, attempts = room_here().seat(), False, 0
    while True:
        with seat.taken(cancel, alone=alone) as admitted:
            if not admitted:
                return _NEVER_RUN
            if attempts and reader is not None:
                reader.restart()
            attempts += 1
            kills = out_of_memory_kills()
            everywhere = out_of_memory_kills_anywhere() if alone else None
            result = attempt(seat)
        if seat.displaced:
            continue
        if seat.starving:
            seat.starving, alone = False, True
            continue
        short = result.end is End.EXITED and kills != out_of_memory_kills()
        killed = result.end is End.EXITED and result.exit_code in KILLED
        if alone:
            starved = short or everywhere != out_of_memory_kills_anywhere()
            return replace(result, starved=killed and starved)
        if not killed and not (short and result.exit_code):
            return result
        alone = True


_ERRORS = (errno.ENOSPC, errno.EDQUOT)
_WORDS = [os.strerror(one) for one in _ERRORS]
_AT_END_OF_LINE = re.compile(r"^[^\"'\n]*: (?:" + "|".join(map(re.escape, _WORDS)) + r")\.?$", re.M)
"""What the system says, as LLVM and others end their messages; in a program it is in quotes."""


def is_full_disk(error: OSError) -> bool:
    """Whether an error of the system is that a file cannot be written for lack of space."""
    return error.errno in _ERRORS


def had_full_disk(result: ProcessResult) -> bool:
    """Whether a program failed and says that it could not write a file for lack of space."""
    if result.end is not End.EXITED or result.exit_code == 0:
        return False
    if not any(words in result.stderr for words in _WORDS):
        return False  # cheap: standard error can be megabytes of printed IR
    return _AT_END_OF_LINE.search(result.stderr) is not None


def refuse_full_disk(result: ProcessResult) -> ProcessResult:
    """The same result.

    Raises:
        OSError: the program had no space for its files.
    """
    if had_full_disk(result):
        raise OSError(
            errno.ENOSPC,
            "No space left on device for temporary files of the program that was run",
            tempfile.gettempdir(),
        )
    return result
