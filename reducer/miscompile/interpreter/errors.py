"""Why a program has no results."""

from reducer.miscompile.values.elements import Unsupported as Unsupported


class UndefinedBehavior(Exception):
    """The program has no meaning for its inputs: whatever a compiler makes of it is right."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.place = ""
        super().__init__(what)

    def __str__(self) -> str:
        return f"{self.what} ({self.place})" if self.place else self.what


class ProgramError(Exception):
    """The program ends with an error, which is what it should do, such as a failed assertion."""


class Divergent(Exception):
    """Points of a vectorized body take different paths, so each must be evaluated alone."""
