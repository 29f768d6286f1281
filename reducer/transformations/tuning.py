"""What a tuning is: parameters of a module that could have simpler values.

A transformation removes something at a place; a tuning gives something that stays a simpler value:
a size, a rank, an element type. One parameter may stand in many places.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from reducer.ir import D_contra

V = TypeVar("V")


class Parameters(Protocol[V]):
    """The parameters of one module, by number, and its text for other values of them."""

    @property
    def values(self) -> Mapping[int, V]:
        """The values as they are, in the order in which they should be tried."""
        ...

    def simpler(self, number: int, value: V) -> Sequence[V]:
        """Values to try instead of one, the simplest first."""
        ...

    def next_down(self, value: V) -> V | None:
        """The nearest simpler value, None if values have no such order."""
        ...

    def between(self, simple: V, value: V) -> V | None:
        """A value half-way between two, None if there is none: a bisection is over."""
        ...

    def around(self, number: int, values: Mapping[int, V]) -> str:
        """What is near the places of a parameter, its own value included, for these values.

        What failed there will most likely fail as long as this stays the same; '' if nobody knows.
        """
        ...

    def texts(self, values: Mapping[int, V]) -> Sequence[str]:
        """The module with other values, in the ways worth trying, the likeliest first."""
        ...


class Tuning(Protocol[D_contra, V]):
    """A way to make what stays of a module simpler. Add one by writing a class in a file."""

    name: str
    """Short and in the imperative, for progress and reports: `shrink sizes`."""

    def of(self, module: D_contra) -> Parameters[V]:
        """The parameters of a module."""
        ...
