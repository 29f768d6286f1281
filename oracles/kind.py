"""What kinds of outcome a run can have."""

from enum import StrEnum


class Kind(StrEnum):
    """How one run ended; the coarsest part of a signature."""

    VERIFIER = "verifier"
    LEGALIZATION = "legalization"
    BUFFERIZATION = "bufferization"
    ASSERTION = "assertion"
    CRASH = "crash"
    FATAL_ERROR = "fatal-error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    MISCOMPILE = "miscompile"
    OTHER_ERROR = "other-error"
    SUCCESS = "success"
    INVALID_INPUT = "invalid-input"
    SCRIPT = "script"
    PLUGIN = "plugin"
    MATCH = "match"
    EXIT_CODE = "exit-code"
    CANCELLED = "cancelled"
