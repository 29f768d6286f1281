"""The dispatches of a program: the parts that a compiler hands to code generation, one file each.

IREE can write every executable as it is before code generation, and continue from one of them alone
(see `oracles.profiles.Dispatches`). A crash in code generation that does not identify its origin
can thus be located among the dispatches, and the locations on a dispatch's ops lead back to the ops
of the input.
"""

import re
from dataclasses import dataclass
from pathlib import Path

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
    return [path.read_text(encoding="utf-8", errors="surrogateescape") for path in paths]


def dispatch_of(text: str, op: str) -> Dispatch:
    """Read the text of a dispatch, contained in an `op` with a symbol name."""
    symbol = rf'^\s*{re.escape(op)} (?:public |private )?@(?:"({INSIDE_STRING})"|({NAME}))'
    found = re.search(symbol, text, re.M)
    name = (found[1] or found[2]) if found else ""
    return Dispatch(name, text, tuple(dict.fromkeys(locations_in(text))))


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key that puts dispatch_10 after dispatch_9."""
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", name)]
