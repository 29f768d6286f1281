"""Run a program until its end says something about the program itself.

A run may end for external reasons: other runs need the memory (`room`), the machine is short of
memory, or something else killed it, usually a kernel in that situation. All are repeated, the
latter two with no other run of ours on this machine.
"""

import signal
import threading
from collections.abc import Callable
from dataclasses import replace

from oracles.limits import End, ProcessResult, Reader
from oracles.memory import (
    Seat,
    out_of_memory_kills,
    out_of_memory_kills_anywhere,
    room_here,
)

_NEVER_RUN = ProcessResult(End.CANCELLED, -signal.SIGKILL, 0.0, 0.0, 0, "", "")
KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL, 256 - signal.SIGKILL)
"""The exit codes of the process itself, of a shell around it, and of a Python entry point."""


def settled(
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
