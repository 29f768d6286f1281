"""Programs that run a compiler where it does not see the input, or hide how it ends."""

import re
from collections.abc import Sequence
from pathlib import Path

from oracles.compilers.command import CONTAINERS, split_launcher
from oracles.profiles import DEFAULT
from reducer.errors import UsageError

_DEBUGGERS = frozenset(("cgdb", "gdb", "lldb"))
_UNATTENDED = frozenset(("-b", "-batch", "--batch", "-batch-silent", "--batch-silent"))


def refuse_wrapper(words: Sequence[str], *, described: bool = False) -> None:
    """Check that the command can be run unattended, each time in a new folder with the input.

    Args:
        told: whether the user says what a run that fails prints, or how it ends. A debugger may
            do without its batch mode then: where it would wait for commands, there are no more.

    Raises:
        UsageError: it cannot; the message says how to run the compiler instead.
    """
    if not words:
        return
    _, inner = split_launcher(words)
    name = Path(inner[0]).name
    if name in CONTAINERS:
        raise UsageError(
            f"{name} cannot see the input, which is in a new folder for each run; mount it: "
            f"bash -c '{name} run --rm -v \"$PWD:/w\" -w /w IMAGE {DEFAULT.compiler} FLAGS {{}}'"
        )
    if name in _DEBUGGERS and not described and _UNATTENDED.isdisjoint(inner):
        raise UsageError(
            f"{name} waits for commands and hides how the compiler exits; leave it out, or match "
            "what it prints: --match REGEX"
        )


_TIMEOUT = "timeout"
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)"
_LIMIT = re.compile(
    r"(?:-[fpv] |--(?:foreground|preserve-status|verbose) |(?:-s ?|--signal[ =])\w+ "
    rf"|(?:-k ?|--kill-after[ =]){_NUMBER}[smhd]? )*(?P<number>{_NUMBER})(?P<unit>[smhd]?) "
)
"""The options of `timeout` and its limit, each word with a space after it."""
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def split_timeout(words: Sequence[str]) -> tuple[float, tuple[str, ...]] | None:
    """The seconds that `timeout` in front of a command allows, and the command without it.

    None if it is not there, sets no limit, or has options in a form that is not known.

    >>> split_timeout(["env", "X=1", "timeout", "-k", "5", "2m", "mlir-opt", "--cse"])
    (120.0, ('env', 'X=1', 'mlir-opt', '--cse'))
    """
    launcher, inner = split_launcher(words) if words else ([], [])
    names = [Path(word).name for word in launcher]
    if _TIMEOUT not in names:
        return None
    start = names.index(_TIMEOUT)
    limit = _LIMIT.match(" ".join([*launcher[start + 1 :], ""]))
    seconds = float(limit["number"]) * _SECONDS[limit["unit"]] if limit else 0.0
    if limit is None or not seconds:
        return None
    return seconds, (*launcher[:start], *launcher[start + 1 + limit[0].count(" ") :], *inner)
