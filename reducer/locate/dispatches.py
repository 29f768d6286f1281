"""The dispatches of a program: the parts that a compiler hands to code generation, one file each.

IREE can write every executable as it is before code generation, and continue from one of them alone
(see `oracles.profiles.Dispatches`). A crash in code generation that does not identify its
origin can thus be located among the dispatches, and the locations on a dispatch's ops lead back to
the ops of the input.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Diagnostic
from reducer.ir.lexer import INSIDE_STRING, NAME
from reducer.locate.locations import Location, locations_in


@dataclass(frozen=True)
class Dispatch:
    """One dispatch: its name, its text, and the locations of the ops that it was made from."""

    name: str
    text: str
    places: tuple[Location, ...]


def read_dispatches(folder: Path) -> list[str]:
    """The texts of the dispatches in a folder, in program order."""
    paths = sorted(folder.glob("*.mlir"), key=lambda path: _natural(path.stem))
    return list(map(_read, paths))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def dispatch_of(text: str, op: str) -> Dispatch:
    """Read the text of a dispatch, contained in an `op` with a symbol name."""
    symbol = rf'^\s*{re.escape(op)} (?:public |private )?@(?:"({INSIDE_STRING})"|({NAME}))'
    found = re.search(symbol, text, re.M)
    name = (found[1] or found[2]) if found else ""
    return Dispatch(name, text, tuple(dict.fromkeys(locations_in(text))))


def at_origin(diagnostics: Iterable[Diagnostic], folder: Path) -> tuple[Diagnostic, ...]:
    """The same diagnostics at the places in the input that their ops were made from.

    A compiler that writes the dispatches to a folder takes the lines of these files for the
    locations of their ops from then on. What an op was made from is written next to it. An op
    without that is at no place.
    """
    lines: dict[str, list[str]] = {}

    def moved(diagnostic: Diagnostic) -> Diagnostic:
        path = Path(diagnostic.file)
        if not diagnostic.line or path.parent != folder:
            return diagnostic
        if diagnostic.file not in lines:
            lines[diagnostic.file] = _read(path).splitlines() if path.is_file() else []
        file, line, column = _origin(lines[diagnostic.file], diagnostic.line) or ("", 0, 0)
        return replace(diagnostic, file=file, line=line, column=column)

    return tuple(map(moved, diagnostics))


def _origin(lines: list[str], number: int) -> Location | None:
    """The location of the op that starts on a line; one with regions has it after the last."""
    first, *rest = lines[number - 1 :] or [""]
    indentation = first[: len(first) - len(first.lstrip(" "))]
    opens = first.endswith("{")
    if not opens and (found := next(locations_in(first), None)):
        return found
    for line in rest if opens else ():
        if line.startswith(f"{indentation}}}"):
            if found := next(locations_in(line), None):
                return found
        elif not line.startswith((f"{indentation} ", f"{indentation}^")):
            return None  # not of this op
    return None


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key that puts dispatch_10 after dispatch_9."""
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", name)]
