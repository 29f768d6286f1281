"""Spell the flags that this program adds as the program at hand does.

MLIR's flags have not always had their names: up to LLVM 14, those of the pass manager had no prefix
(`--print-ir-after-failure`), and others did not exist. A program says which flags it refuses, so
that is how its spelling is learned; nothing here depends on version numbers.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from oracles.limits import ProcessResult

_REFUSED = re.compile(r"Unknown command line argument '(--?[\w-]+)")
_PREFIX = "--mlir-"


class Spelling:
    """How one program spells flags, as far as it has refused any."""

    def __init__(self) -> None:
        self._spelled: dict[str, str] = {}

    def of(self, flags: Iterable[str]) -> list[str]:
        """The flags in the program's spelling, without those that it does not have."""
        spelled = []
        for flag in flags:
            name, equals, value = flag.partition("=")
            if own := self._spelled.get(name, name):
                spelled.append(f"{own}{equals}{value}")
        return spelled

    def learn(self, stderr: str, flags: Iterable[str]) -> bool:
        """Learn from what was printed for these flags; return whether there is anything to try."""
        if "Unknown command line argument" not in stderr:
            return False
        refused = set(_REFUSED.findall(stderr))
        learned = False
        for name in {flag.partition("=")[0] for flag in flags}:
            if (now := self._spelled.get(name, name)) in refused:
                renamed = now == name and name.startswith(_PREFIX)
                self._spelled[name] = f"--{name.removeprefix(_PREFIX)}" if renamed else ""
                learned = True
        return learned


@cache
def spelling_of(program: Path) -> Spelling:
    """The spelling of a program, learned once per process."""
    return Spelling()


def run_with(
    program: Path, flags: Sequence[str], run: Callable[[Sequence[str]], ProcessResult]
) -> ProcessResult:
    """Run a program with flags that it may spell otherwise, or not have."""
    spelling = spelling_of(program)
    while True:
        result = run(spelling.of(flags))
        if not spelling.learn(result.stderr, flags):
            return result


def not_given(flags: Iterable[str], words: Iterable[str]) -> list[str]:
    """The flags that the words of a command do not have yet, since a flag may not be repeated.

    >>> not_given(["--a", "--b=1", "--c"], ["tool", "-a", "--b=2"])
    ['--c']
    """
    given = {word.partition("=")[0].lstrip("-") for word in words if word.startswith("-")}
    return [flag for flag in flags if flag.partition("=")[0].lstrip("-") not in given]
