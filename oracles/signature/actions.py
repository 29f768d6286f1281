"""Read which pass and which pattern a compiler was running when it crashed.

MLIR logs each action before it begins and after it is completed: the run of a pass, the application
of a pattern to an op (https://mlir.llvm.org/docs/ActionTracing/). Release builds do so, too, and
name patterns and passes that have no symbol in a stripped library. The log of a whole model is
gigabytes, so only small programs are asked.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from oracles.rows import row_of
from oracles.run import terminal
from oracles.run.reaper_client import python

LOG_ACTIONS = ("--log-actions-to=-", "--mlir-disable-threading")
"""Flags that make a compiler log its actions to standard output, in order."""

_EVENT = row_of(
    r"^\[thread [^\]\n]*\] (?:(?P<ends>completed)|begins (?:\([^)\n]*\) )?Action )\s*`?"
    r"(?P<action>[\w-]+)(?:`? running `(?P<pass>[^`\n]+)`| pattern: (?P<pattern>[^\n]*))?",
    "mlir/log-of-patterns",
    flags=re.M,
)
_ADAPTOR = "OpToOpPassAdaptor"
_OPERATION = row_of(r"(?:^|= )\"?(?P<name>[A-Za-z_][\w$]*(?:\.[\w$]+)+)", "mlir/log-of-patterns")


@dataclass(frozen=True)
class Culprit:
    """What a compiler was doing at its end; '' where it does not say.

    `pass_name` is the innermost pass that was running, or the last one that had run if none was:
    then the verifier rejected or met what it left. `pattern` is the pattern that was being applied,
    and `op` the name of the op that it was applied to.
    """

    pass_name: str = ""
    pattern: str = ""
    op: str = ""

    def __bool__(self) -> bool:
        return bool(self.pass_name or self.pattern)


def logging_actions(argv: Sequence[str]) -> list[str]:
    """A command whose standard output is not buffered, so that a crash does not truncate it."""
    return python("-I", terminal.__file__, *argv)


def culprit_of(log: str, *, after_pass: bool = False) -> Culprit:
    """What was going on at the end of a log of actions.

    `after_pass` says that no pass was running, although one that runs others may not have ended:
    the verifier was looking at what the last one left.

    >>> culprit_of("[thread a] begins (no breakpoint) Action `pass-execution` running `CSE` on ...")
    Culprit(pass_name='CSE', pattern='', op='')
    """
    last_pass = ""
    running: list[re.Match[str]] = []
    for event in _EVENT.finditer(log):
        if event["ends"]:
            if running:
                running.pop()
            continue
        running.append(event)
        if event["pass"] and _ADAPTOR not in event["pass"]:
            last_pass = event["pass"]
    inside = (
        []
        if after_pass
        else [one["pass"] for one in running if one["pass"] and _ADAPTOR not in one["pass"]]
    )
    applied = running[-1]["pattern"] if running else None
    pattern, _, op = _parts(applied or "")
    operation = _OPERATION.search(op)
    return Culprit(
        _short(inside[-1] if inside else last_pass),
        pattern,
        operation["name"] if operation else "",
    )


def _parts(applied: str) -> tuple[str, str, str]:
    """The name of a pattern and the op in parentheses behind it."""
    name = applied.replace("(anonymous namespace)", "{anonymous}")
    name, middle, op = name.partition(" (")
    return name.replace("{anonymous}::", "").strip(), middle, op


def _short(name: str) -> str:
    return name.rsplit("::", 1)[-1]
