"""What is blamed for a failure, and how sure that is: one value and one table for all of them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Certainty(StrEnum):
    """How sure a blame is."""

    SHOWN = "shown"  # it fails with this and not without it, the rest alike
    LAST_SEEN = "last seen"  # the last one that ran, was tried, or was needed
    WITHIN = "within"  # one of several that were not told apart
    UNKNOWN = "unknown"


_SENTENCES = {
    Certainty.SHOWN: "{name}",
    Certainty.LAST_SEEN: "{name} (last seen)",
    Certainty.WITHIN: "one of {name}",
    Certainty.UNKNOWN: "unknown",
}


@dataclass(frozen=True)
class Blame:
    """One claim.

    Attributes:
        kind: what is blamed: a phase, dispatch, pass, rewrite, fold, or release.
        name: which one, in a few words.
        how: the evidence, or why it is unknown, in words.
        runs: how many runs show it; 0 if they were not counted apart.
    """

    kind: str
    name: str = ""
    certainty: Certainty = Certainty.UNKNOWN
    how: str = ""
    runs: int = 0

    @property
    def claim(self) -> str:
        """What is claimed, in a line without the evidence."""
        if not self.name:
            return "" if self.how else _SENTENCES[Certainty.UNKNOWN]
        claim = _SENTENCES[self.certainty].format(name=self.name)
        runs = self.runs if self.certainty is not Certainty.UNKNOWN else 0
        return f"{claim}, found in {runs} runs" if runs else claim

    @property
    def text(self) -> str:
        """The claim and its evidence.

        >>> Blame("pass", "cse", Certainty.LAST_SEEN, "the message names it", 3).text
        'cse (last seen), found in 3 runs; the message names it'
        >>> Blame("phase").text, Blame("rewrite", "`A`", how="any of 30 applications").text
        ('unknown', 'unknown; any of 30 applications')
        """
        return "; ".join(filter(None, (self.claim, self.how)))

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "certainty": str(self.certainty), "text": self.text}


def pass_blame(name: str, certainty: Certainty, found_by: str = "") -> Blame:
    """What is claimed of a pass, which may break the IR on which a later one fails."""
    how = f"it breaks the IR; {found_by} fails on that, and not without it" if found_by else ""
    return Blame("pass", name, certainty if name else Certainty.UNKNOWN, how)
