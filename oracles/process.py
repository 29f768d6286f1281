"""Run one program safely: bounded in time, memory, output and disk space."""

import os
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from oracles.child import Child
from oracles.guard import guarded_mark
from oracles.limits import End, Limits, ProcessResult, Reader
from oracles.memory import Seat
from oracles.settle import settled
from oracles.tree import RUN_VARIABLE
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

    `sweep` also searches, after a normal end, for descendants in sessions of their own (at the cost
    of a scan of /proc, which a forced end always pays). `env` replaces the environment. `reader`
    gets the output as it arrives and may end the program (end STOPPED). With `symbolize`, LLVM
    looks up the functions of a crash as it does for the user, which takes 200 ms or more.

    Raises:
        OSError: the program cannot be started.
    """

    def attempt(seat: Seat) -> ProcessResult:
        token = uuid.uuid4().hex
        started = time.monotonic()
        process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=_marked_environment(os.environ if env is None else env, token, symbolize),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        return watch(
            Child(process),
            limits=limits,
            cancel=cancel,
            started=started,
            token=token,
            sweep=sweep,
            seat=seat,
            reader=reader,
        )

    return settled(attempt, cancel=cancel, reader=reader)


def _marked_environment(env: Mapping[str, str], token: str, symbolize: bool) -> dict[str, str]:
    """Without crash reports in the user's home, and as a rule without symbolizer (see `frames`).

    Python prints where a signal ended it only if asked.
    """
    quick = {} if symbolize else {"LLVM_DISABLE_SYMBOLIZATION": "1"}
    return {
        "PYTHONFAULTHANDLER": "1",
        **env,
        **quick,
        "LLVM_DISABLE_CRASH_REPORT": "1",
        RUN_VARIABLE: " ".join(filter(None, (env.get(RUN_VARIABLE), guarded_mark(), token))),
    }
