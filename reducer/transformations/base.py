"""The interface of a transformation: sites where it can act, and the text after acting there.

A transformation never runs the compiler and never decides whether its result is accepted. The
search asks for the sites and tries many of them together, then fewer, then each alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from reducer.ir import D_contra


@dataclass(frozen=True)
class Site:
    """A place to act: an op and, if needed, a number (of an operand, result…) and a name.

    `op` is NONE at the definition of an alias, which `name` then quotes, and 0 if the place may be
    anywhere in the text. It means nothing in any other module than that which was asked for sites.
    """

    op: int
    number: int = 0
    name: str = ""


def numbers_by_op(sites: Iterable[Site]) -> dict[int, set[int]]:
    """The numbers of the sites of each op."""
    numbers: dict[int, set[int]] = {}
    for site in sites:
        numbers.setdefault(site.op, set()).add(site.number)
    return numbers


class Transformation(Protocol[D_contra]):
    """A way to make a module smaller. To add one, write a class."""

    name: str
    """A short imperative phrase for progress and reports: `drop arguments`."""

    all_at_once: bool
    """Whether many sites usually succeed together, so that trying all of them first pays off."""

    def sites(self, module: D_contra) -> list[Site]:
        """All sites where this can act on its own, in text order."""
        ...

    def apply(self, module: D_contra, sites: Sequence[Site]) -> str | None:
        """The module's text after acting at these sites; None if it would not change."""
        ...
