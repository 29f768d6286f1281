"""What to say about an input that does not fail or that no tool reads, and about a bare signal."""

import re
import shlex
from pathlib import Path

from oracles import Outcome, Signature
from oracles.signature.abnormal import has_banner
from oracles.signature.kind import Conclusion, NamedBy

_KILLED = "SIGKILL"
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


def unread_by(opt: Path | None, outcome: Outcome) -> str:
    """Which tool does not read a program, and how to name another if the compiler itself does."""
    unread = f"{opt.name} cannot parse the input" if opt else "no …-opt tool was found"
    rejected = outcome.kind.traits.conclusion is Conclusion.REJECTED
    return unread if rejected else f"{unread} (--opt PROGRAM names one that can)"


def remark_on(signature: Signature) -> str:
    """What to tell about a crash without a stack or a pass; '' for any other failure.

    Programs that load a compiler as a library, as scripts in Python do, often print no stack. Then
    a crash is like any other with this signal, and a reduction may end at another bug.
    """
    known = signature.op or signature.pass_name or signature.frames or signature.details
    if known or signature.kind.traits.named_by is not NamedBy.STACK:
        return ""
    if signature.template == _KILLED:
        return (
            "something outside of the program killed it, twice, such as a limit of a container or "
            "a script; that leaves no stack, so any SIGKILL counts as the same failure"
        )
    return (
        f"the program prints no stack, so any {signature.template or 'crash'} counts as the same "
        "failure; docs/signatures.md says how to let gdb print one"
    )
