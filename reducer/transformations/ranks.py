"""Drop dims: from types, affine maps, iterators, reassociations and slices at once."""

from collections.abc import Mapping
from functools import cached_property

from reducer.ir import Module
from reducer.ir.sizes import DROPPED, Size, SizeSystem, Variable


class DropDims:
    """Lowers ranks: a size goes from every shape that has it, and with it the loop over it."""

    name = "drop dims"

    def __init__(self, illegal: str = "") -> None:
        """
        Args:
            illegal: the name of an op that the compiler says nothing of but that it has no use for
                it. Where no verifier looks either, a rank less may be one more reason for that.
        """
        self._illegal = illegal

    def of(self, module: Module) -> "Ranks":
        return Ranks(SizeSystem(module), self._illegal)


class Ranks:
    """The sizes of a module, each of which may go."""

    def __init__(self, system: SizeSystem, illegal: str = "") -> None:
        self._system = system
        self._variables = {
            variable.number: variable
            for variable in system.free
            if not system.is_of_unverified(variable, illegal)
        }

    @cached_property
    def values(self) -> dict[int, Size]:
        """Units first: dropping them changes least."""
        order = sorted(self._variables.values(), key=lambda variable: variable.size != 1)
        return {variable.number: variable.size for variable in order}

    def simpler(self, number: int, value: Size) -> list[Size]:
        return [] if value is DROPPED else [DROPPED]

    def next_down(self, value: Size) -> None:
        return None

    def between(self, simple: Size, value: Size) -> None:
        return None

    def around(self, number: int, values: Mapping[int, Size]) -> str:
        """Whether a size is one, more, or dynamic; how much it is does not matter here."""
        return self._system.around(self._variables[number], values, exactly=False)

    def texts(self, values: Mapping[int, Size]) -> list[str]:
        """With a value that counts dims counted down, and as it is, or what numbers later dims."""
        dropped = [self._variables[number] for number, size in values.items() if size is DROPPED]
        texts = [self._system.text(values)]
        if elements := self._system.lost_elements(values):
            texts.insert(0, self._system.text(values, elements=elements))
        counted = {op: n for v in dropped for op, n in self._later_dims(v).items()}
        if counted:
            texts.append(self._system.text(values, counted))
        return [text for text in texts if text is not None]

    def _later_dims(self, variable: Variable) -> dict[int, int]:
        first = min(dim.number for dim in variable.dims)
        rank = 1 + max(dim.number for v in self._system.variables for dim in v.dims)
        return {
            op: number - 1
            for number in range(first + 1, rank)
            for op in self._system.constants_of(variable, number)
        }
