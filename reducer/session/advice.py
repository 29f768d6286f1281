"""What to say about a command that succeeds where a failure was expected."""

import re
import shlex

from oracles import Outcome
from oracles.signature.abnormal import has_banner

_QUOTED = 80  # characters of an error, enough to search for it


def says_otherwise(outcome: Outcome) -> bool:
    """Whether a command that succeeds prints an error, or that something crashed."""
    errors = any(one.severity == "error" for one in outcome.diagnostics)
    return errors or has_banner(outcome.stderr)


def advice(outcome: Outcome) -> str:
    """A hint about a command that succeeds."""
    if outcome.remarks:
        return "; ".join(outcome.remarks)
    error = next((d.message for d in outcome.diagnostics if d.severity == "error"), None)
    if error is None and has_banner(outcome.stderr):
        return (
            "it exits with 0 but prints that something crashed; a script should exit as the "
            "compiler does, which `… | tee log` only does after `set -o pipefail`"
        )
    if error is None:
        return "check the flags, or describe the failure with --match or --test"
    how = f"{outcome.exit_code} and" if outcome.exit_code else "0 but"
    return f"it exits with {how} prints an error; to preserve it: {matching(error)}"


def matching(message: str) -> str:
    """The option that preserves a message."""
    words = re.escape(message[:_QUOTED]).replace("\\ ", " ")
    return f"--match {shlex.quote(words)}"
