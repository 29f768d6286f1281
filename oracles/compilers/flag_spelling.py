"""Spell flags that are added to a command as the tool at hand does, whatever its age.

MLIR's flags have not always had their names: up to LLVM 14, those of the pass manager had no prefix
(`--print-ir-after-failure`), and others did not exist. A program says which flags it refuses, so
that is how its spelling is learned; nothing here depends on version numbers. Tools of another make
(xDSL) have a profile with their names for MLIR's flags.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from oracles.profiles import PROFILES
from oracles.run.limits import ProcessResult

_REFUSED = re.compile(
    r"(?:Unknown command line argument|[Nn]o such option:?|[Uu]nexpected argument"
    r"|[Uu]n(?:known|recognized) (?:command[- ]line )?(?:arguments?|options?|flags?):?)"
    r"(?P<flags>(?:,? ['`\"]?--?[\w-]+(?:[= ][^\s'`\"-][^\s'`\"]*)?['`\"]?)+)"
)
"""LLVM's words, and those of Python's and other libraries, which may refuse several at once."""
_SUGGESTED = re.compile(r"\bDid you mean '(?P<flag>--?[^']+)'\?")
_NAME = re.compile(r"(?<![\w=-])--?[\w-]+")
_PREFIX = "--mlir-"


class Spelling:
    """How one program spells flags, as far as it has refused any."""

    def __init__(self) -> None:
        self._spelled: dict[str, str] = {}

    def of(self, flags: Iterable[str]) -> list[str]:
        """The flags in the program's spelling, without those that it does not have."""
        spelled = []
        for flag in flags:
            _, equals, value = flag.partition("=")
            if own := self._spelled_now(flag):
                spelled.append(f"{own}{equals}{value}")
        return spelled

    def learn(self, stderr: str, flags: Iterable[str]) -> bool:
        """Learn from what was printed for these flags; return whether there is anything to try."""
        now = {flag.partition("=")[0]: self._spelled_now(flag) for flag in flags}
        if not any(name and name in stderr for name in now.values()):
            return False  # cheap: standard error can be megabytes of printed IR
        refused = refused_flags(stderr)
        learned = False
        for name, spelled in now.items():
            if spelled in refused:
                names = [*_names(name), ""]
                self._spelled[name] = names[names.index(spelled) + 1]
                learned = True
        return learned

    def _spelled_now(self, flag: str) -> str:
        name = flag.partition("=")[0]
        return self._spelled.get(name, name)


def refused_flags(stderr: str) -> set[str]:
    """The flags that a program says it does not have.

    >>> refused_flags("tool: Unknown command line argument '--a=1'.  Try: 'tool --help'")
    {'--a'}
    """
    return {name for line in _REFUSED.finditer(stderr) for name in _NAME.findall(line["flags"])}


def suggested_flag(stderr: str) -> str:
    """The flag that a program suggests in place of one that it does not have; '' if it does not.

    >>> suggested_flag("Unknown command line argument '--acb=1'.\\nDid you mean '--abc=1'?")
    '--abc=1'
    """
    found = _SUGGESTED.search(stderr)
    return found["flag"] if found and refused_flags(stderr) else ""


def _names(flag: str) -> list[str]:
    """What a flag is called, by one program or another."""
    unprefixed = [f"--{flag.removeprefix(_PREFIX)}"] if flag.startswith(_PREFIX) else []
    others = [profile.flags[flag] for profile in PROFILES if flag in profile.flags]
    return list(dict.fromkeys([flag, *unprefixed, *others]))


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
