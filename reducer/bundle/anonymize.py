"""Removes the names that people gave from a program and its report, so that both can be shared.

Symbols, strings, resources and constants' bytes get plain names or zeros; locations and comments
go. What the failure needs stays, and is named: a string may well be what the compiler trips over.
Op names, attribute names, types and numbers are the program itself and stay.
"""

import os
import re
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from oracles import Limits, Oracle, Outcome, Signature
from oracles.compiler import DISCARD
from oracles.profiles import RELEASES
from reducer.bundle.facts import REPRO
from reducer.bundle.names import (
    Name,
    NameKind,
    language_of,
    names_in,
    value_names,
    with_plain_values,
    without,
    without_locations,
)
from reducer.errors import ExitCode, ReducerError
from reducer.ir.pretty import shorten_value_names
from reducer.session.conversions import OptPrinter, unwrap

_END = r"(?![\w.-])"
_ORACLE = re.compile(r"(?:/[\w.@+~-]+)*/oracle-[\w]{6,}/")
_TOOLCHAIN = re.compile(rf"(?:/[\w.@+~-]+)+/{RELEASES.libraries}/")


def hide_folders(text: str, more: Sequence[Path] = ()) -> str:
    """Paths without the folders of this machine: those of a run, of a compiler, of the user.

    `more` are folders that go too.
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
"""Characters from which on a name is looked for inside longer words too."""
_WORD = re.compile(r"[\w$.-]+")
_FOLDER = re.compile(r"(?:^|[=,:])(~?/[\w.@+-]+/[\w./@+-]*)")


@dataclass(frozen=True)
class Leftover:
    """A name of the original, or a folder, that is still to be read, and where: `program`,
    `message` or `command`."""

    name: str
    where: str


@dataclass(frozen=True)
class AnonymizedResult:
    """What may be shared, if it is `verified` and has no `leftovers`.

    `text` is the program, `outcome` what its last run showed: the wanted failure if `verified`. If
    it is not, `text` is the original. `kept` are the names that the failure does not go without;
    `leftovers` what a search for every name of the original still found. `calls` counts runs.
    """

    text: str
    outcome: Outcome
    verified: bool
    kept: tuple[Name, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    calls: int = 0
    renamed: Mapping[str, int] = field(default_factory=dict)
    """How many names of each sort are gone."""


def anonymize(
    text: str,
    oracle: Oracle,
    signature: Signature,
    *,
    opt: Path | None = None,
    input_name: str = "repro.mlir",
) -> AnonymizedResult:
    """The program without names, as far as it still fails with `signature`.

    `opt` is the `…-opt` tool of the compiler under test; it drops locations and comments and gives
    values plain names. Without it, or where it cannot read the text, that is done on the text as
    it is. `input_name` is what the shared file is called. Mostly this costs one run.
    """
    return _Anonymizer(text, oracle, signature, opt).result(input_name)


class _Anonymizer:
    def __init__(self, text: str, oracle: Oracle, signature: Signature, opt: Path | None) -> None:
        self.original = text
        self.oracle = oracle
        self.signature = signature
        self.printer = OptPrinter(opt, Limits(_SECONDS)) if opt else None
        generic = self.printer.generic(text) if self.printer else None
        self.is_generic = generic is not None
        self.base = generic or with_plain_values(without_locations(text))
        pretty = self._pretty(self.base)
        self.names = _without_keywords(names_in(self.base), pretty)
        self.printed = value_names(pretty)
        self.calls = 0
        self._known: dict[str, Outcome] = {}

    def result(self, input_name: str) -> AnonymizedResult:
        gone = frozenset(self.names)
        text = self._shown(gone)
        if not self._fails(text):
            gone = self._removable_names()
            text = self._shown(gone)
            if not self._fails(text):  # only the generic form fails like that
                text = without(self.base, gone)
        outcome = self._run(text)
        if outcome.signature != self.signature:
            kept = tuple(self.names)
            return AnonymizedResult(self.original, outcome, False, kept, calls=self.calls)
        command = self.oracle.display(input_name)
        return AnonymizedResult(
            text,
            outcome,
            True,
            tuple(name for name in self.names if name not in gone),
            find_leftovers(self.original, text, outcome, command, self.printed),
            self.calls,
            {str(kind): sum(name.kind is kind for name in gone) for kind in NameKind},
        )

    def _removable_names(self) -> frozenset[Name]:
        """As many of the names as the failure can do without, found by halving."""
        gone: frozenset[Name] = frozenset()
        groups = [tuple(self.names)]
        while groups:
            group = groups.pop()
            if self._fails(without(self.base, gone | set(group))):
                gone |= set(group)
            elif len(group) > 1:
                middle = len(group) // 2
                groups += [group[middle:], group[:middle]]
        return gone

    def _shown(self, gone: frozenset[Name]) -> str:
        """The program as people write it, without these names."""
        text = without(self.base, gone)
        pretty = self._pretty(text)
        return shorten_value_names(unwrap(pretty) or pretty) if pretty else text

    def _pretty(self, text: str) -> str:
        """What the compiler prints for people; nothing where it cannot."""
        if self.printer is None or not self.is_generic:
            return ""
        return self.printer.pretty(text) or ""

    def _fails(self, text: str) -> bool:
        return self._run(text).signature == self.signature

    def _run(self, text: str) -> Outcome:
        if text not in self._known:
            self.calls += 1
            self._known[text] = self.oracle.run(text)
        return self._known[text]


def _without_keywords(names: Sequence[Name], pretty: str) -> list[Name]:
    """The names that are still names in pretty form.

    The others are strings in generic form only, where people write a word of the language:
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
    """Names of the original that are still to be read, and folders in the command.

    In the program, names are looked for where names stand; in the message and the command among
    all words, but for those that are words of the language (a function called `@module` tells
    nothing) and single letters. `printed` are value names that the compiler gives by itself.
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
    found = [Leftover(name, "program") for name in names if _is_mentioned(name, left)]
    for where, words in elsewhere.items():
        identifying = (names | values - value_names(text) - set(printed)) - language
        found += [
            Leftover(name, where) for name in identifying if name[1:] and _is_mentioned(name, words)
        ]
    for word in command[1:]:
        folders = _FOLDER.findall(word)
        found += [Leftover(folder, "command") for folder in folders if folder != DISCARD]
    return tuple(sorted(set(found), key=lambda one: (one.where, one.name)))


def _is_mentioned(name: str, words: Collection[str]) -> bool:
    """Whether a name is one of the words, or in one of them if it is long enough to tell."""
    return name in words or (len(name) >= _MIN_IDENTIFYING and any(name in word for word in words))


NOTE = (
    "Symbols, strings, resources, values, and locations of the original were replaced; the program "
    "was checked to fail the same way afterwards."
)

_SHOWN = 12
_PLAIN = re.compile(r"(?:arg|values?|result|cst|c)?[\d_]*")  # names of values that printers give


class NotAnonymous(ReducerError):
    """Something of the original would be told."""

    exit_code: ClassVar[ExitCode] = ExitCode.FLAKY


def anonymized_text(
    text: str, oracle: Oracle, signature: Signature, opt: Path | None, allowed: Collection[str]
) -> str:
    """The program without names, which fails as before.

    `told` are names that may stay. Raises NotAnonymous where others do.
    """
    result = anonymize(text, oracle, signature, opt=opt, input_name=REPRO)
    if not result.verified:
        raise NotAnonymous("the program does not fail the same way without its names")
    _raise_on_leaks([one for one in result.leftovers if one.name not in allowed])
    return result.text


def leak_check(original: str, allowed: Collection[str]) -> Callable[[Mapping[str, bytes]], None]:
    """A last look at all files of a report: raises NotAnonymous if one has a name of the original.

    Short names, those that printers give to values, and words of the language tell nothing.
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
        "to allow a name: --keep-name NAME"
    )
