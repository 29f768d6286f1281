"""Keep the text of an issue within GitHub's limit: what is too long moves to a file beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MAX_CHARACTERS = 65_536
"""GitHub's limit for the body of an issue."""


@dataclass(frozen=True)
class Part:
    """A part of the text, in Markdown.

    Attributes:
        instead: what takes its place where the text gets too long, and says where to find it; ''
            for a part that stays as it is.
        files: what to write beside the text then, by name.
    """

    text: str
    instead: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def gain(self) -> int:
        """How much shorter the text gets without the part."""
        return length(self.text) - length(self.instead) if self.instead else 0


def length(text: str) -> int:
    """An upper bound of the length of a text as GitHub counts it.

    Browsers send a line break as two characters, and JavaScript counts those outside the Basic
    Multilingual Plane twice.
    """
    return len(text) + text.count("\n") + sum(character > "\uffff" for character in text)


def fit(parts: Sequence[Part], most: int = MAX_CHARACTERS) -> tuple[str, dict[str, str]]:
    """The text of all parts, and the files with those that were too long: the longest first."""
    kept = [part for part in parts if part.text]
    files: dict[str, str] = {}
    while length(_joined(kept)) > most:
        longest = max(range(len(kept)), key=lambda number: kept[number].gain)
        part = kept[longest]
        if part.gain <= 0:
            break
        kept[longest] = Part(part.instead)
        files |= part.files
    return _joined(kept), files


def _joined(parts: Sequence[Part]) -> str:
    return "\n\n".join(part.text for part in parts) + "\n"
