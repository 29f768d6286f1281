"""The rewrite at fault, and what is said of it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from functools import lru_cache
from typing import Any, Self

from oracles.stored import fields_of
from reducer.ir.dialects import MODULE_OPS
from reducer.units import cut

_SHOWN, _WIDTH = 3, 48  # lines of a difference in a sentence, and characters of each
_CONSTANT = re.compile(r"= \S*\bconst(?:ant)?\b")
_GENERIC = re.compile(rf'^"(?:{"|".join(map(re.escape, MODULE_OPS))})"\(', re.M)
_NAME = re.compile(r"(?P<name>%[\w$.-]+|[#!][A-Za-z_]\w*(?![\w.<]))(?:~\d*)?")
_ROUNDS = 5
_RESULTS = re.compile(r"%[^=]*= ")
_DEFINED = re.compile(r": | = ")  # follows the name of an argument or an alias
_ATTRIBUTES = re.compile(r" <?\{.*\}>?(?= |$)")


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
        compared: `before` in the form in which `after` is; '' if it is in that already.
        make: the command that makes `before` of the program, and the one that makes `after`.
        alone: the command under which `before` fails by that rewrite alone; empty if unknown.
        reduced: whether `before` was reduced further, and `after` made of that by `alone`.
        cycle: the patterns that undo each other, if they never end.
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
    compared: str = ""
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
        if self.cycle:
            what = "undo each other" if len(self.cycle) > 1 else "applies"
            return f"{' and '.join(f'`{name}`' for name in self.cycle)} {what} without end"
        if self.folds:
            kind = "a fold of" if len(self.folds) == 1 else "one of the folds of"
            place = f" in line {self.line}" if self.line and len(self.folds) == 1 else ""
            return f"{kind} {' and '.join(f'`{name}`' for name in self.folds)}{place}"
        return f"`{self.pattern}`" if self.pattern else ""

    @property
    def text(self) -> str:
        """What is blamed, in one line."""
        if not self.pattern or self.folds:
            return self.name or self.how
        if self.sure:
            which = f"application {self.number:,} of {self.applications:,}"
            return f"{self.name} ({which}, found in {self.runs} runs)"
        which = f"applications {max(self.first, 1):,} to {self.number:,} of {self.applications:,}"
        return f"one of the rewrites up to {self.name} ({which}, found in {self.runs} runs)"

    @property
    def applied_to(self) -> str:
        """The op, with its line."""
        return f"line {self.line}: {self.op}" if self.line else self.op

    @property
    def in_one_form(self) -> bool:
        """Whether the IR after it is printed in the form of that before it."""
        texts = filter(None, (self.compared or self.before, self.after))
        return len({_GENERIC.search(text) is None for text in texts}) < 2

    @property
    def difference(self) -> list[str]:
        """The lines that the rewrite removes and adds."""
        if not self.before or not self.after or not self.in_one_form:
            return []
        return list(_difference(self.compared or self.before, self.after))

    @property
    def sentence(self) -> str:
        """What the rewrite turns into what, if that is short, and what this does to results."""
        if not self.pattern and not self.folds:
            return ""
        gone, come = ([line[1:].strip() for line in self.difference if line[0] == sign]
                      for sign in "-+")  # fmt: skip
        if not gone and not come:
            return f"{self.name} fails on `{self.op}`" if self.op and self.sure else ""
        kind = "pattern " if self.pattern and not self.folds else ""
        short = [[_ATTRIBUTES.sub("", line) for line in lines] for lines in (gone, come)]
        gone, come = short if short[0] != short[1] else (gone, come)
        told = f"{kind}{self.name} turns {_shown(gone)} into {_shown(come)}"
        return f"{told}; {self.proof}" if self.proof else told

    def to_json(self) -> dict[str, Any]:
        """Its fields, and what is said of it."""
        return {**vars(self), "text": self.text, "sentence": self.sentence}

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
    texts = [new, _renamed(old, new, "%")]
    while len(texts) < _ROUNDS and texts[-1] != texts[-2]:  # the operands tell ops apart now
        texts.append(_renamed(old, texts[-1], r"\g<name>"))
    ways = (list(unified_diff(old, text, n=0, lineterm=""))[2:] for text in texts)
    return tuple(line for line in min(ways, key=len) if line.strip("-+") and line[:2] != "@@")


def _renamed(old: Sequence[str], new: Sequence[str], mask: str) -> list[str]:
    """The new lines, in which what is defined and used as in the old ones is called the same.

    Lines are the same if they are with the mask for each name that is used.
    """
    both = ours, theirs = _numbered(old), _numbered(new)
    masked = [[_NAME.sub(mask, _RESULTS.sub(_masked, line)) for line in lines] for lines in both]
    given, names = dict[str, str](), dict[str, str]()
    for at, to, size in SequenceMatcher(None, masked[0], masked[1]).get_matching_blocks():
        texts = " ".join(ours[at : at + size]), " ".join(theirs[to : to + size])
        for own, other in zip(*map(_NAME.finditer, texts), strict=False):
            if given.setdefault(own[0], other[0]) == other[0]:
                names.setdefault(other[0], own["name"])
    used = set(_NAME.findall(" ".join(ours)))

    def name(found: re.Match[str]) -> str:
        free = found["name"] if found["name"] not in used else found[0].replace("~", "_")
        return names.get(found[0], free)

    return [_NAME.sub(name, line) for line in theirs]


def _masked(text: re.Match[str]) -> str:
    return _NAME.sub("%", text[0])


def _numbered(lines: Sequence[str]) -> list[str]:
    """The lines, in which each name is followed by the number of the line that defines it."""
    out, defined = list[str](), dict[str, int]()
    for number, line in enumerate(lines):
        results = _RESULTS.match(line)
        for name in _NAME.finditer(line):
            if (results and name.end() <= results.end()) or _DEFINED.match(line, name.end()):
                defined[name[0]] = number
        out.append(_NAME.sub(lambda name: f"{name[0]}~{defined.get(name[0], '')}", line))
    return out
