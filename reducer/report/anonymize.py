"""Anonymize a program and its report by removing user-given names, so that both can be shared.

Symbols, strings and resources get neutral names, the bytes of constants become zeros, and locations
and comments are removed. Names that the failure depends on are kept and listed: a string may well
be what the compiler fails on. Op names, attribute names, types and numbers are always kept.
"""

import os
import re
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar

from oracles import Limits, Outcome
from oracles.compilers.compiler import DISCARD
from oracles.profiles import RELEASES
from reducer.conversions import OptPrinter
from reducer.errors import ExitCode, ReducerError
from reducer.ir import PlainText
from reducer.ir.pretty import shorten_value_names, unwrap
from reducer.report.facts import repro_name
from reducer.report.names import (
    Name,
    NameKind,
    language_of,
    names_in,
    value_names,
    with_plain_values,
    without,
    without_locations,
)
from reducer.search.candidate import Candidate, Verdict
from reducer.search.inquiry import Questions, inquire
from reducer.search.judge import Judge

_END = r"(?![\w.-])"
_ORACLE = re.compile(r"(?:/[\w.@+~-]+)*/oracle-[\w]{6,}/")
_TOOLCHAIN = re.compile(rf"(?:/[\w.@+~-]+)+/{RELEASES.libraries}/")


def hide_folders(text: str, more: Sequence[Path] = ()) -> str:
    """The text with local folders removed from paths: of runs, of compilers, and of the user.

    Args:
        more: additional folders to remove.
    """
    text = _TOOLCHAIN.sub("", _ORACLE.sub("", text))
    for folder in sorted(map(str, {*more, Path(tempfile.gettempdir()), Path.cwd()}), key=len)[::-1]:
        if folder not in ("/", "."):
            text = re.sub(re.escape(folder) + r"/", "", text)
    home = os.path.expanduser("~")  # noqa: PTH111  (a home that does not exist is no error here)
    if len(home) > 1:
        text = re.sub(re.escape(home) + _END, "~", text)
    return text


_SECONDS = 600.0
_MIN_IDENTIFYING = 5
"""Minimum length of a name to search for inside longer words too."""
_WORD = re.compile(r"[\w$.-]+")
_FOLDER = re.compile(r"(?:^|[=,:])(~?/[\w.@+-]+/[\w./@+-]*)")


@dataclass(frozen=True)
class Leftover:
    """A name of the original or a folder that is still present.

    `where` is `program`, `message`, `command`, or the name of a file of the report.
    """

    name: str
    where: str


@dataclass(frozen=True)
class AnonymizedResult:
    """An anonymized program. It may be shared if it is `verified` and has no `leftovers`.

    Attributes:
        text: the anonymized program, or the original if not `verified`.
        outcome: the outcome of the last run.
        verified: whether `text` has the target signature.
        kept: the names that the failure depends on.
        leftovers: where a search for the names of the original still found some.
        calls: the number of runs.
    """

    text: str
    outcome: Outcome
    verified: bool
    kept: tuple[Name, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    calls: int = 0
    renamed: Mapping[str, int] = field(default_factory=dict)
    """The number of removed names by kind."""


def anonymize(
    text: str, judge: Judge, *, opt: Path | None = None, input_name: str = "repro.mlir"
) -> AnonymizedResult:
    """Anonymize a program as far as the judge still sees its failure. Usually takes one run.

    Args:
        opt: the `…-opt` tool of the compiler under test, used to drop locations and comments and to
            rename values. Without it, or if it cannot read the program, the text is edited instead.
        input_name: the name of the shared file.

    Raises:
        Stopped: the user interrupted the run.
    """
    return _Anonymizer(text, judge, opt).result(input_name)


class _Anonymizer:
    def __init__(self, text: str, judge: Judge, opt: Path | None) -> None:
        self.original = text
        self.judge = judge
        self.printer = OptPrinter(opt, Limits(_SECONDS)) if opt else None
        generic = self.printer.generic(text) if self.printer else None
        self.is_generic = generic is not None
        self.base = generic or with_plain_values(without_locations(text))
        pretty = self._pretty(self.base)
        self.names = _without_keywords(names_in(self.base), pretty)
        self.printed = value_names(pretty)

    def result(self, input_name: str) -> AnonymizedResult:
        gone = frozenset(self.names)
        text = self._shown(gone)
        if not self.judge.fails(PlainText(text)):
            base = PlainText(self.base)
            gone = inquire(self.judge, base, partial(_removable, self.names), self._candidate)
            text = self._shown(gone)
            if not self.judge.fails(PlainText(text)):  # only the generic form has this failure
                text = without(self.base, gone)
        outcome = self.judge.run(text, 1)
        calls = self.judge.costs.calls
        if self.judge.verdict_of(outcome) is not Verdict.SAME:
            kept = tuple(self.names)
            return AnonymizedResult(self.original, outcome, False, kept, calls=calls)
        command = self.judge.oracle.display(input_name)
        return AnonymizedResult(
            text,
            outcome,
            True,
            tuple(name for name in self.names if name not in gone),
            find_leftovers(self.original, text, outcome, command, self.printed),
            calls,
            {str(kind): sum(name.kind is kind for name in gone) for kind in NameKind},
        )

    def _candidate(self, gone: frozenset[Name]) -> Candidate[PlainText]:
        return Candidate(PlainText(without(self.base, gone)), "remove names")

    def _shown(self, gone: frozenset[Name]) -> str:
        """The program in pretty form, if available, without these names."""
        text = without(self.base, gone)
        pretty = self._pretty(text)
        return shorten_value_names(unwrap(pretty) or pretty) if pretty else text

    def _pretty(self, text: str) -> str:
        """The pretty form of a program; '' if it cannot be printed."""
        if self.printer is None or not self.is_generic:
            return ""
        return self.printer.pretty(text) or ""


def _removable(names: Sequence[Name]) -> Questions[frozenset[Name], frozenset[Name]]:
    """The names that can be removed without losing the failure, found by bisection."""
    gone: frozenset[Name] = frozenset()
    groups = [tuple(names)]
    while groups:
        group = groups.pop()
        if taken := (yield [gone.union(group)]).taken:
            gone = taken
        elif len(group) > 1:
            middle = len(group) // 2
            groups += [group[middle:], group[:middle]]
    return gone


def _without_keywords(names: Sequence[Name], pretty: str) -> list[Name]:
    """The names that are also names in pretty form.

    The others are strings in generic form, but keywords in pretty form, such as `private` in
    `sym_visibility = "private"`.
    """
    if not pretty:
        return list(names)
    shown, language = set(names_in(pretty)), language_of(pretty)
    return [name for name in names if name in shown or name.text not in language]


def find_leftovers(
    original: str,
    text: str,
    outcome: Outcome,
    command: Sequence[str],
    printed: Collection[str] = (),
) -> tuple[Leftover, ...]:
    """Names of the original that are still present, and folders in the command.

    The program is searched for names in name positions. The message and the command are searched
    for any words, except words of the language (a function named `@module` reveals nothing) and
    single letters.

    Args:
        printed: value names generated by the compiler.
    """
    language = language_of(original) | language_of(text)
    names = {name.text for name in names_in(original)}
    values = {name for name in value_names(original) if len(name) >= _MIN_IDENTIFYING}
    allowed = [outcome.stderr, *(one.message for one in outcome.diagnostics)]
    elsewhere = {
        "message": set(_WORD.findall(" ".join(allowed))),
        "command": set(_WORD.findall(" ".join(command))),
    }
    left = {name.text for name in names_in(text)}
    leftovers = [Leftover(name, "program") for name in names if _is_mentioned(name, left)]
    for where, words in elsewhere.items():
        identifying = (names | values - value_names(text) - set(printed)) - language
        leftovers += [
            Leftover(name, where) for name in identifying if name[1:] and _is_mentioned(name, words)
        ]
    for word in command[1:]:
        folders = _FOLDER.findall(word)
        leftovers += [Leftover(folder, "command") for folder in folders if folder != DISCARD]
    return tuple(sorted(set(leftovers), key=lambda one: (one.where, one.name)))


def _is_mentioned(name: str, words: Collection[str]) -> bool:
    """Whether a name is one of the words or, if long enough to be distinctive, inside one."""
    return name in words or (len(name) >= _MIN_IDENTIFYING and any(name in word for word in words))


NOTE = (
    "Symbols, strings, resources, values, and locations of the original were replaced; the program "
    "was checked to fail the same way afterwards."
)

_SHOWN = 12
_PLAIN = re.compile(r"(?:arg|values?|result|cst|c)?[\d_]*")  # value names generated by printers


class NotAnonymous(ReducerError):
    """Something of the original would be disclosed."""

    exit_code: ClassVar[ExitCode] = ExitCode.FLAKY


def anonymized_text(text: str, judge: Judge, opt: Path | None, allowed: Collection[str]) -> str:
    """The anonymized program, which fails as before.

    Args:
        allowed: names that may be disclosed.

    Raises:
        NotAnonymous: other names are left, or the program no longer fails in the same way.
    """
    result = anonymize(text, judge, opt=opt, input_name=repro_name(judge.oracle))
    if not result.verified:
        raise NotAnonymous("the program does not fail the same way without its names")
    _raise_on_leaks([one for one in result.leftovers if one.name not in allowed])
    return result.text


def leak_check(original: str, allowed: Collection[str]) -> Callable[[Mapping[str, bytes]], None]:
    """A final check of all files of a report for names of the original.

    Ignores short names, value names generated by printers, words of the language, and `allowed`.

    Returns:
        A function that takes the files by name and raises NotAnonymous if one contains such a name.
    """
    values = {name for name in value_names(original) if not _PLAIN.fullmatch(name)}
    names = values | {name.text for name in names_in(original)}
    identifying = {name for name in names if len(name) >= _MIN_IDENTIFYING}
    identifying -= language_of(original) | set(allowed)

    def check_leaks(files: Mapping[str, bytes]) -> None:
        found: list[Leftover] = []
        for file, data in files.items():
            words = "\n".join(set(_WORD.findall(data.decode(errors="replace"))))
            found += [Leftover(name, file) for name in sorted(identifying) if name in words]
        _raise_on_leaks(found)

    return check_leaks


def _raise_on_leaks(found: Collection[Leftover]) -> None:
    if not found:
        return
    each = list(dict.fromkeys(f"{one.name!r} in the {one.where}" for one in found))
    more = f" and {len(each) - _SHOWN} more" if len(each) > _SHOWN else ""
    raise NotAnonymous(
        f"nothing was written: the report would reveal {', '.join(each[:_SHOWN])}{more}; "
        "to allow a name: --anonymize=NAME"
    )
