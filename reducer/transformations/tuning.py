"""The interface of a tuning: parameters of a module that could have simpler values.

A transformation removes something at one place. A tuning keeps it, but gives it a simpler value: a
size, a rank, an element type. One parameter may occur in many places.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from reducer.ir import D_contra

V = TypeVar("V")


class Parameters(Protocol[V]):
    """The parameters of one module by number, and the module's text for other values of them."""

    @property
    def values(self) -> Mapping[int, V]:
        """The current values, in the order in which parameters should be tried."""
        ...

    def simpler(self, number: int, value: V) -> Sequence[V]:
        """Values to try instead, the simplest first."""
        ...

    def next_down(self, value: V) -> V | None:
        """The nearest simpler value; None if the values have no such order."""
        return None

    def between(self, simple: V, value: V) -> V | None:
        """A value halfway between two; None ends the bisection."""
        return None

    def around(self, number: int, values: Mapping[int, V]) -> str:
        """A description of a parameter's surroundings and own value, given all values.

        A value that failed is likely to fail again as long as this is unchanged; '' if unknown.
        """
        return ""

    def texts(self, values: Mapping[int, V]) -> Sequence[str]:
        """The module's text with other values, in all variants worth trying, likeliest first."""
        ...


class Tuning(Protocol[D_contra, V]):
    """A way to simplify what stays in a module. To add one, write a class."""

    name: str
    """A short imperative phrase for progress and reports: `shrink sizes`."""

    def of(self, module: D_contra) -> Parameters[V]:
        """The parameters of this module."""
        ...
