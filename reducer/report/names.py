"""Find and replace the user-given names in MLIR text.

This is lexical only, so it works on generic and pretty form, and on text that no tool can parse.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from reducer.ir.lexer import BLOCK, COMMENT, NAME, STRING, SYMBOL, VALUE, Outside, brackets_at

_TOKEN = re.compile(
    rf"""(?P<comment>[ \t]*{COMMENT})
    | (?P<defines>\bsym_name\ =\ )(?P<defined>{STRING})
    | (?P<op>{STRING}(?=\())                      # "some.op"(…) in generic form
    | (?P<holds>\bdense_resource<)(?P<held>{STRING}|{NAME})(?=>)
    | (?P<entry>{STRING}|(?<![\w$.-]){NAME})(?P<colon>:\s*)(?P<blob>"0x[0-9A-Fa-f]*")
    | (?P<data>"0x[0-9A-Fa-f]*")
    | (?P<string>{STRING})
    | (?P<symbol>{SYMBOL})
    | (?P<value>{VALUE}|{BLOCK})""",
    re.X,
)
_LOCATION = Outside(r"[ \t]*\bloc(?=\()")
_ALIGNMENT = len('"0x') + 8  # a resource blob begins with its alignment, four bytes


class NameKind(StrEnum):
    """The kind of thing that a name refers to; `DATA` means the bytes of a constant."""

    SYMBOL = "symbol"
    STRING = "string"
    RESOURCE = "resource"
    DATA = "data"


@dataclass(frozen=True)
class Name:
    """A name, regardless of where it occurs."""

    kind: NameKind
    text: str


def names_in(text: str) -> list[Name]:
    """The distinct names in a text, in order. Excludes empty strings and all-zero data."""
    names: dict[Name, None] = {}

    def see(name: Name) -> None:
        if name.text and name.text.strip("0x"):
            names.setdefault(name)

    _walk(text, see)
    return list(names)


def without(text: str, gone: Collection[Name]) -> str:
    """The text without comments, and with neutral names in place of the names in `gone`.

    Each name is replaced by the same new name everywhere, which does not occur in the original.
    """
    chosen = set(gone)
    taken = {name.text for name in names_in(text)}
    fresh = {kind: _fresh(_STEMS[kind], taken) for kind in NameKind}
    new: dict[Name, str] = {}

    def replacement(name: Name) -> str | None:
        if name not in chosen:
            return None
        if name.kind is NameKind.DATA:
            return "0x" + "0" * (len(name.text) - 2)
        if name not in new:
            new[name] = next(fresh[name.kind])
        return new[name]

    return _walk(text, replacement)


def with_plain_values(text: str) -> str:
    """The text with numbered names for its values and blocks."""
    numbers: dict[str, str] = {}

    def renamed(token: re.Match[str]) -> str:
        name = token["value"]
        if name is None:
            return token[0]
        stem = "%v" if name[0] == "%" else "^b"
        return numbers.setdefault(name, f"{stem}{len(numbers)}")

    return _TOKEN.sub(renamed, text)


def value_names(text: str) -> set[str]:
    """The names of values and blocks, without sigils."""
    return {match["value"][1:] for match in _TOKEN.finditer(text) if match["value"]}


def language_of(text: str) -> set[str]:
    """The words of a text that are not user-given: names of ops, attributes, types, and parts."""
    parts = _TOKEN.sub(lambda token: f" {token['op'] or ''} ", text)
    words = set(re.findall(NAME, parts))
    return words | {part for word in words for part in word.split(".")}


def without_locations(text: str) -> str:
    """The text without `loc(…)` after ops and without the definitions of location aliases."""
    text = re.sub(r"^#loc\w* = loc\(.*\)[ \t]*\n", "", text, flags=re.M)
    out, start = [], 0
    for match in _LOCATION.finditer(text):
        if match.start() < start:
            continue
        location = brackets_at(text, match.end())
        out.append(text[start : match.start()])
        start = location.end + 1 if location is not None else len(text)
    return "".join([*out, text[start:]])


_STEMS = {NameKind.SYMBOL: "f", NameKind.STRING: "s", NameKind.RESOURCE: "r", NameKind.DATA: ""}


def _fresh(stem: str, taken: Collection[str]) -> Iterator[str]:
    return (name for name in (f"{stem}{number}" for number in count()) if name not in taken)


def _walk(text: str, visit: Callable[[Name], str | None]) -> str:
    """Rewrite a text with the result of `visit` for each name; None keeps the name."""

    def write(kind: NameKind, written: str, quoted: bool) -> str:
        bare = _bare(written)
        new = visit(Name(kind, bare))
        if new is None:
            return written
        return f'"{new}"' if quoted else new

    def token(match: re.Match[str]) -> str:
        if match["comment"] is not None:
            return ""
        if match["defines"] is not None:
            return match["defines"] + write(NameKind.SYMBOL, match["defined"], True)
        if match["holds"] is not None:
            return match["holds"] + write(NameKind.RESOURCE, match["held"], False)
        if match["entry"] is not None:
            key = write(NameKind.RESOURCE, match["entry"], False)
            head, rest = match["blob"][:_ALIGNMENT], match["blob"][_ALIGNMENT:-1]
            new = visit(Name(NameKind.DATA, f"0x{rest}"))
            return f'{key}{match["colon"]}{head}{rest if new is None else new[2:]}"'
        if match["data"] is not None:
            return write(NameKind.DATA, match["data"], True)
        if match["string"] is not None:
            return write(NameKind.STRING, match["string"], True)
        if match["symbol"] is not None:
            return "@" + write(NameKind.SYMBOL, match["symbol"][1:], False)
        return match[0]

    return _TOKEN.sub(token, text)


def _bare(written: str) -> str:
    return written[1:-1] if written.startswith('"') else written
