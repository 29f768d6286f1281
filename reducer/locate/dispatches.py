"""The dispatches of a program: what IREE hands to code generation, one file for each.

IREE can write every executable as it is before code generation, and go on from one of them alone.
So a crash in code generation that says nothing of where it comes from is found among them, and the
locations on a dispatch's ops lead back to the ops of the input.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from reducer.ir.lexer import INSIDE_STRING, NAME
from reducer.locate.locations import Location, locations_in

_LAST_PHASE_BEFORE = "executable-sources"
_EXECUTABLE = re.compile(
    rf'^\s*hal\.executable (?:public |private )?@(?:"({INSIDE_STRING})"|({NAME}))', re.M
)


@dataclass(frozen=True)
class Dispatch:
    """One executable: its name, its text, and the places of the ops that it was made of."""

    name: str
    text: str
    places: tuple[Location, ...]


def dump_flags(folder: Path) -> list[str]:
    """What makes `iree-compile` write the dispatches into a folder, and stop."""
    return [
        f"--compile-to={_LAST_PHASE_BEFORE}",
        f"--iree-hal-dump-executable-sources-to={folder}",
        "--mlir-print-debuginfo",
    ]


def compile_flags() -> list[str]:
    """What makes `iree-compile` take a dispatch for its input."""
    return [f"--compile-from={_LAST_PHASE_BEFORE}"]


def read_dispatches(folder: Path) -> list[str]:
    """The texts of the dispatches in a folder, in the order of the program."""
    paths = sorted(folder.glob("*.mlir"), key=lambda path: _natural(path.stem))
    return [path.read_text(encoding="utf-8", errors="surrogateescape") for path in paths]


def dispatch_of(text: str) -> Dispatch:
    """What a dispatch's text says of itself."""
    found = _EXECUTABLE.search(text)
    name = (found[1] or found[2]) if found else ""
    return Dispatch(name, text, tuple(dict.fromkeys(locations_in(text))))


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that puts dispatch_10 after dispatch_9."""
    return [(int(part or 0), text) for text, part in re.findall(r"(\D*)(\d*)", name)]
