"""Why a compiled program did not run to its end: the runtime's status, a signal, or a hang."""

from dataclasses import dataclass

from oracles.profiles import RUNTIME
from oracles.run.limits import ProcessResult
from oracles.signature.abnormal import abnormal_exit
from oracles.signature.classify import signal_code
from oracles.signature.runtime_status import RuntimeStatus, reported_status


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
    found = _reported(result.stderr) or RuntimeStatus(f"exit code {code}")
    in_call = RUNTIME.in_call.search(f"{result.stdout}\n{result.stderr}") is not None
    missing = found.status in RUNTIME.device_missing and not in_call
    return RunFailure(found.status, found.said, found.template, code, missing)


def _reported(stderr: str) -> RuntimeStatus | None:
    """The runtime's status, in whatever form it is printed."""
    words = stderr.replace(";", " ").split()
    named = next((word for word in words if word in RUNTIME.statuses), "")
    return reported_status(stderr) or (RuntimeStatus(named) if named else None)
