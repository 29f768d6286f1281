"""Why a compiled program did not run to its end: the runtime's status, a signal, or a hang."""

import re
from dataclasses import dataclass

from oracles.abnormal import abnormal_exit
from oracles.classify import signal_code
from oracles.limits import ProcessResult
from oracles.profiles import RUNTIME
from oracles.templates import template_of

_NUMBERED = re.compile(r"\b([a-z_]+)\d+\b")
"""`input0`: the number says which of the arguments that are left."""


@dataclass(frozen=True)
class RunFailure:
    """How a run failed.

    `status` is the runtime's status code, a signal, or the exit code. `message` is what was
    printed, and `template` that without whatever depends on the input, or on which call is the
    first to hear of work that fails later: it identifies the bug.
    `exit_code` is negative for a signal. `no_device` is whether this machine cannot run the program
    at all, `is_hang` whether it had not ended in the time it was given.
    """

    status: str
    message: str
    template: str
    exit_code: int = 1
    no_device: bool = False
    is_hang: bool = False


def failure_of(result: ProcessResult) -> RunFailure:
    """The failure of a process that ended by itself, but not with exit code 0."""
    code = signal_code(result.exit_code)
    ending = abnormal_exit(result.stderr, code)
    if ending is not None:
        status = f"signal {-code}" if code < 0 else f"exit code {code}"
        said = ending.message or ending.template or status
        return RunFailure(status, said, ending.template or status, code)
    status, place, message = _reported(result.stderr) or (f"exit code {code}", "", "")
    head = f"{status} in {place}" if place else status
    template = _NUMBERED.sub(r"\1N", template_of(message))
    in_call = RUNTIME.in_call.search(f"{result.stdout}\n{result.stderr}") is not None
    missing = status in RUNTIME.device_missing and not in_call
    said = ": ".join(filter(None, (head, message)))
    known = template and RUNTIME.queued.match(place)  # by what went wrong, whoever reports it
    folded = f"{status}: {template}" if known else ": ".join(filter(None, (head, template)))
    return RunFailure(status, said, folded, code, missing)


def _reported(stderr: str) -> tuple[str, str, str] | None:
    """The runtime's status, where it arose, and its message (the latter two may be '')."""
    for found in RUNTIME.failure.finditer(stderr):
        if found["status"] in RUNTIME.statuses:
            return found["status"], found["place"] or "", (found["message"] or "").strip()
    words = stderr.replace(";", " ").split()
    return next(((word, "", "") for word in words if word in RUNTIME.statuses), None)
