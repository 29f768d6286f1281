"""What a transformation is: places where it could act, and the text after it has acted there.

A transformation never runs the compiler and never decides whether its result is wanted. The
search asks for the sites, tries many of them together, then fewer, then each alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from reducer.ir import D_contra


@dataclass(frozen=True)
class Site:
    """One place to act: an op, and where needed a number (operand, result…) and a name."""

    op: int
    number: int = 0
    name: str = ""


class Transformation(Protocol[D_contra]):
    """A way to make a module smaller. Add one by writing a class in a file of its own."""

    name: str
    """Short and in the imperative, for progress and reports: `drop arguments`."""

    all_at_once: bool
    """Whether all sites are likely to go together, so that trying them all first pays."""

    def sites(self, module: D_contra) -> list[Site]:
        """Every place where this could act on its own, in text order."""
        ...

    def apply(self, module: D_contra, sites: Sequence[Site]) -> str | None:
        """The module's text after acting at these sites; None if nothing would change."""
        ...
