"""What to tell the user about an input: why it cannot be reduced, or what its failure leaves open.

A run that takes long says so while it lasts.
"""

import re
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from oracles import Kind, Oracle, Outcome, Signature
from oracles.base import ResultOracle, capabilities_of
from oracles.compilers.flag_spelling import refused_flags, suggested_flag
from oracles.signature.abnormal import has_banner
from oracles.signature.diagnostics import primary_error
from oracles.signature.kind import Conclusion, NamedBy
from reducer.storage.files import ONLY_COMMENTS, has_only_comments
from reducer.toolchain.flags import known_elsewhere
from reducer.units import duration

_KILLED = "SIGKILL"
_QUOTED = 80  # characters of an error, enough to search for it

EMPTY_MODULE = "module {\n}\n"

WOULD_HELP = (
    "what would help: a reference that compiles the program (--reference), such as another release "
    "or backend; known results (expected outputs in the command after a second --); or a script "
    "that decides whether a program is wrong (--test)"
)
"""What to do if no reference can judge results."""


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
            "it exits with 0 but reports a crash; a script should exit with the status of the "
            "compiler (`… | tee log` does so only after `set -o pipefail`)"
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
    return unread if rejected else f"{unread} (MLIR_REDUCER_OPT names one that can)"


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
            "something else killed the program twice, such as a container's limit or a script; "
            "that leaves no stack, so any SIGKILL counts as the same failure"
        )
    return (
        f"the program prints no stack, so any {signature.template or 'crash'} counts as the same "
        "failure; docs/signatures.md shows how to have gdb print one"
    )


def _ended(exit_code: int) -> str:
    return f"exit code {exit_code}" if exit_code > 0 else signal.Signals(-exit_code).name


def no_failure(oracle: Oracle, outcome: Outcome, text: str) -> str:
    """What to say about an input without the failure that is looked for."""
    empty = has_only_comments(text.encode(errors="surrogateescape"))
    which = f", which {ONLY_COMMENTS}" if empty else ""
    can = capabilities_of(oracle)
    if can.script:
        return f"the script exits with {outcome.exit_code} on the input{which}; 0 means interesting"
    if can.results and outcome.exit_code:
        error = primary_error(outcome.diagnostics)
        said = f": {error.line}:{error.column}: {error.message}" if error is not None else ""
        return (
            f"the program does not compile{which} ({_ended(outcome.exit_code)}){said}; to reduce "
            "that failure, leave out --wrong-results"
        )
    if can.numbers and outcome.remarks:
        error = primary_error(outcome.diagnostics)
        said = f": {error.line}:{error.column}: {error.message}" if error is not None else ""
        worse = f"the input{which} is not worse: " if outcome.numbers else ""
        return f"{worse}{advice(outcome)}{said}"
    differently = " as asked" if outcome.exit_code else ""
    return f"the command does not fail{differently} on the input{which}; {advice(outcome)}"


def crashes_when_empty(outcome: Outcome, kind: Kind) -> str:
    """What to say about an empty module with another failure than the input; '' unless both crash.

    What frees or reads memory that it does not own crashes in a different place for each program.
    An input that fails with words of its own, as those of an assertion, shows another bug.

    Args:
        kind: that of the input's failure.
    """
    if not outcome.kind.traits.known_by_stack or not kind.traits.known_by_stack:
        return ""
    return f"an empty module crashes too ({outcome.signature.text}); any input may trigger the bug"


def needs_no_input(oracle: Oracle, outcome: Outcome) -> str:
    """What to say if an empty module has the failure of this outcome.

    A compiler should not crash, whatever the command is, so that is a bug, if a small one.
    """
    if capabilities_of(oracle).script:
        return "the script finds an empty module interesting; have it check for the failure"
    why = (
        "so the compiler crashes on any input, and there is nothing to reduce"
        if crashes(outcome)
        else "so the problem is in the command, not in the input"
    )
    compiler, refused = capabilities_of(oracle).compiler, refused_flags(outcome.stderr)
    known = (
        (known_elsewhere(compiler.executable, flag) for flag in sorted(refused)) if compiler else ()
    )
    told = "; ".join(filter(None, known))
    said = f"{outcome.signature.text.rstrip('.')}; {told}" if told else with_suggestion(outcome)
    return f"an empty module fails the same way, {why}: {said}"


def crashes(outcome: Outcome) -> bool:
    """Whether it ends in a way that is a bug whatever the input is."""
    traits = outcome.kind.traits
    return traits.known_by_stack or traits.condition


def with_suggestion(outcome: Outcome) -> str:
    """The failure, and the flag that the program suggests in place of one that it lacks."""
    suggested = suggested_flag(outcome.stderr)
    return outcome.signature.text + (f" Did you mean {suggested}?" if suggested else "")


WAIT = 10.0
"""Seconds of silence; most inputs have failed by then."""


@contextmanager
def saying_that_it_runs(
    say: Callable[[str], None],
    limit: float | None,
    results: ResultOracle | None = None,
    *,
    after: float | None = None,
) -> Iterator[None]:
    """Say so once, from another thread, if the body of the `with` takes longer than `after`.

    Args:
        say: prints one line.
        limit: the seconds after which the command is stopped; None if it never is.
        results: compares results once the command has ended.
        after: in seconds; `WAIT` by default.
    """
    after = WAIT if after is None else after
    if limit is not None and limit <= after:
        yield
        return
    until = (
        "there is no time limit; --timeout SECONDS sets one"
        if limit is None
        else f"it is stopped after {duration(limit)}; --timeout SECONDS sets another limit"
    )

    def said() -> str:
        if results is not None and results.is_comparing:
            return f"comparing results: the command has ended, after {duration(after)} in all"
        return f"the command still runs after {duration(after)}; {until}"

    with saying_later(say, said, after):
        yield


@contextmanager
def saying_later(
    say: Callable[[str], None], text: Callable[[], str], after: float
) -> Iterator[None]:
    """Say something, from another thread, if the body of the `with` takes more than `after` s."""
    timer = threading.Timer(after, lambda: say(text()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
