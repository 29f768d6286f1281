"""The rewrite at fault, and what is said of it."""

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from functools import lru_cache
from typing import Any, Self

from oracles.stored import fields_of
from reducer.locate.blame import Blame, Certainty
from reducer.units import cut

_SHOWN, _WIDTH = 3, 48  # lines of a difference in a sentence, and characters of each
_CONSTANT = re.compile(r"= \S*\bconst(?:ant)?\b")
_NAME = re.compile(r"(%[\w$.-]+|[#!][A-Za-z_]\w*(?![\w.<]))(?:~\d*)?")
_DEFINED = re.compile(rf"{_NAME.pattern}(?=(?::\d+)?(?:, %\w+)* = |: )")


@dataclass(frozen=True)
class BlamedRewrite:
    """The rewrite at fault.

    Attributes:
        pattern: its name; '' if the program fails without any pattern.
        op: the op that it was applied to, as the log has it; '' if unknown.
        line: where that op is in the program; 0 if unknown.
        pass_name: the pass that applied it.
        number: which application it is, from 1.
        first: the first of the applications that are at fault together, of which it is the last.
        applications: how many were seen.
        sure: whether it is confirmed; otherwise it is only one of those at fault.
        how: the evidence, in words.
        before: the IR before it; '' if it cannot be had.
        after: the IR after it; '' if there is none.
        make: the command that makes `before` of the program, and the one that makes `after`.
        alone: the command under which `before` fails by that rewrite alone; empty if unknown.
        reduced: whether `before` was reduced further, and `after` made of that by `alone`.
        cycle: the patterns that undo each other, if they never end; with a `pattern`, all that are
            needed for it to be applied without end, in the order in which they begin.
        folds: the ops that are folded, if no pattern is at fault.
        proof: what a comparison on all inputs of small widths says; '' if there is none.
        runs: how many runs it took.
    """

    pattern: str = ""
    op: str = ""
    line: int = 0
    pass_name: str = ""
    number: int = 0
    first: int = 0
    applications: int = 0
    sure: bool = False
    how: str = ""
    before: str = ""
    after: str = ""
    make: tuple[tuple[str, ...], ...] = ()
    alone: tuple[str, ...] = ()
    reduced: bool = False
    cycle: tuple[str, ...] = ()
    folds: tuple[str, ...] = ()
    proof: str = ""
    runs: int = 0

    def in_program(self, text: str, file: str) -> Self:
        """The same with the line in a file that holds the program; none if it does not."""
        head, inside, _ = file.partition(text.strip("\n"))
        above = head.count("\n") - (len(text) - len(text.lstrip("\n")))
        return replace(self, line=self.line + above if inside and self.line else 0)

    @property
    def name(self) -> str:
        """What is blamed, in a few words."""
        if self.cycle and self.pattern:
            others = [f"`{name}`" for name in self.cycle if name != self.pattern]
            on = f" on what {' and '.join(others)} made" if others else ""
            return f"`{self.pattern}` is applied without end{on}"
        if self.cycle:
            what = "undo each other" if len(self.cycle) > 1 else "applies"
            return f"{' and '.join(f'`{name}`' for name in self.cycle)} {what} without end"
        if self.folds:
            kind = "a fold of" if len(self.folds) == 1 else "one of the folds of"
            place = f" in line {self.line}" if self.line and len(self.folds) == 1 else ""
            return f"{kind} {' and '.join(f'`{name}`' for name in self.folds)}{place}"
        return f"`{self.pattern}`" if self.pattern else ""

    @property
    def blame(self) -> Blame:
        """What is claimed of it; how sure that is follows from what was tried."""
        kind, name, how = "fold" if self.folds else "rewrite", self.name, self.how
        certainty = Certainty.SHOWN if self.sure else Certainty.LAST_SEEN
        if not self.sure and len(self.folds) > 1:
            certainty, name = Certainty.WITHIN, name.removeprefix("one of ")
        if not self.sure and not self.name and not self.op:
            certainty = Certainty.UNKNOWN
        if not self.pattern or self.folds or self.cycle:
            return Blame(kind, name, certainty, how, self.runs if name else 0)
        which = f"application {self.number:,}"
        if not self.sure and self.first:
            certainty, which = Certainty.WITHIN, f"applications {self.first:,} to {self.number:,}"
            name = f"the rewrites up to {name}"
            if (self.first, self.number) == (1, self.applications):
                certainty, how = Certainty.UNKNOWN, f"any of {self.number:,} applications; {how}"
        return Blame(kind, f"{name} ({which} of {self.applications:,})", certainty, how, self.runs)

    @property
    def text(self) -> str:
        """What is blamed, in one line."""
        return self.blame.claim or self.how

    @property
    def applied_to(self) -> str:
        """The op, with its line."""
        return f"line {self.line}: {self.op}" if self.line else self.op

    @property
    def difference(self) -> list[str]:
        """The lines that the rewrite removes and adds."""
        return list(_difference(self.before, self.after)) if self.before and self.after else []

    @property
    def sentence(self) -> str:
        """What the rewrite turns into what, if that is short, and what this does to results."""
        if self.cycle or (not self.pattern and not self.folds):
            return ""
        gone, come = ([line[1:].strip() for line in self.difference if line[0] == sign]
                      for sign in "-+")  # fmt: skip
        if not gone and not come:
            return f"{self.name} fails on `{self.op}`" if self.op and self.sure else ""
        kind = "pattern " if self.pattern and not self.folds else ""
        told = f"{kind}{self.name} turns {_shown(gone)} into {_shown(come)}"
        return f"{told}; {self.proof}" if self.proof else told

    def to_json(self) -> dict[str, Any]:
        """Its fields, and what is said of it."""
        said = {"text": self.text, "sentence": self.sentence, "blame": self.blame.to_json()}
        return {**vars(self), **said}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self | None:
        """The inverse of `to_json`; None if there is nothing."""
        return fields_of(data, cls) if data else None


def _shown(lines: list[str]) -> str:
    lines = [line for line in lines if not _CONSTANT.search(line)] or lines
    shown = [cut(line, _WIDTH) for line in lines[:_SHOWN]] + ["…"] * (len(lines) > _SHOWN)
    return f"`{'; '.join(shown)}`" if lines else "nothing"


@lru_cache(maxsize=4)
def _difference(before: str, after: str) -> tuple[str, ...]:
    """The lines of one text only, however they are indented, with the names of `before`."""
    old, new = ([line.strip() for line in text.splitlines()] for text in (before, after))
    for hidden in (_NAME, _DEFINED, _DEFINED, _DEFINED):  # once aligned, operands tell ops apart
        new = _renamed(old, new, hidden)
    told = list(unified_diff(old, new, n=0, lineterm=""))[2:]
    return tuple(line for line in told if line.strip("-+") and line[:2] != "@@")


def _renamed(old: list[str], new: list[str], hidden: re.Pattern[str]) -> list[str]:
    """The new lines with the names of those old ones that are the same but for what is hidden."""
    masked = [[hidden.sub("%", line) for line in lines] for lines in (old, new)]
    ours, theirs = _numbered(old), _numbered(new)
    given, names = dict[str, str](), dict[str, str]()
    for at, to, size in SequenceMatcher(None, masked[0], masked[1]).get_matching_blocks():
        texts = " ".join(ours[at : at + size]), " ".join(theirs[to : to + size])
        for own, other in zip(*map(_NAME.finditer, texts), strict=False):
            if given.setdefault(own[0], other[0]) == other[0]:
                names.setdefault(other[0], own[1])
    used = set(_NAME.findall(" ".join(ours)))

    def name(own: re.Match[str]) -> str:
        return names.get(own[0]) or (own[0].replace("~", "_") if own[1] in used else own[1])

    return [_NAME.sub(name, line) for line in theirs]


def _numbered(lines: list[str]) -> list[str]:
    """The lines, in which each name is followed by the number of the line that defines it."""
    out, defined = list[str](), dict[str, int]()
    for number, line in enumerate(lines):
        defined.update(dict.fromkeys(_DEFINED.findall(line), number))
        out.append(_NAME.sub(lambda name: f"{name[0]}~{defined.get(name[0], '')}", line))
    return out
