"""Drop dims from types, affine maps, iterators, reassociations and slices at once."""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from reducer.ir import Module
from reducer.ir.sizes import DROPPED, Size, SizeSystem, Variable
from reducer.transformations.tuning import Parameters


class DropDims:
    """Lowers ranks: removes a size from all shapes that have it, and the loop over it.

    No shape loses its last dim: what is made of a scalar may fail for another reason.
    """

    name = "drop dims"

    def __init__(self, illegal: str = "") -> None:
        """
        Args:
            illegal: the name of an op that the compiler reports as illegal without saying why. If
                no verifier checks that op, a lower rank might itself make it illegal.
        """
        self._illegal = illegal

    def of(self, module: Module) -> "Ranks":
        return Ranks(SizeSystem(module), self._illegal)


class Ranks(Parameters[Size]):
    """The sizes of a module that can be dropped."""

    def __init__(self, system: SizeSystem, illegal: str = "") -> None:
        self._system = system
        self._variables = {
            variable.number: variable
            for variable in system.free
            if variable.dims and not system.is_of_unverified(variable, illegal)
        }

    @cached_property
    def values(self) -> dict[int, Size]:
        """Sizes of 1 first, because dropping them changes the least."""
        order = sorted(self._variables.values(), key=lambda variable: variable.size != 1)
        return {variable.number: variable.size for variable in order}

    def simpler(self, number: int, value: Size) -> list[Size]:
        return [] if value is DROPPED else [DROPPED]

    def around(self, number: int, values: Mapping[int, Size]) -> str:
        """Only distinguishes 1, larger and dynamic sizes; the exact size does not matter here."""
        return self._system.around(self._variables[number], values, exactly=False)

    def texts(self, values: Mapping[int, Size]) -> list[str]:
        """Variants: with shape elements dropped, without, and with later dim numbers decreased."""
        dropped = self._dropped(values)
        if not dropped:
            return []
        values = {variable.number: DROPPED for variable in dropped}
        texts = [self._system.text(values)]
        if elements := self._system.lost_elements(values):
            texts.insert(0, self._system.text(values, elements=elements))
        counted = {op: n for v in dropped for op, n in self._later_dims(v).items()}
        if counted:
            texts.append(self._system.text(values, counted))
        return [text for text in texts if text is not None]

    def _dropped(self, values: Mapping[int, Size]) -> list[Variable]:
        """The variables that are dropped, as far as each shape keeps a dim."""
        left = Counter(dim.value for variable in self._system.variables for dim in variable.dims)
        out: list[Variable] = []
        for variable in (self._variables[n] for n, size in values.items() if size is DROPPED):
            lost = Counter(dim.value for dim in variable.dims)
            if all(left[value] > times for value, times in lost.items()):
                left.subtract(lost)
                out.append(variable)
        return out

    def _later_dims(self, variable: Variable) -> dict[int, int]:
        first = min(dim.number for dim in variable.dims)
        rank = 1 + max(dim.number for v in self._system.variables for dim in v.dims)
        return {
            op: number - 1
            for number in range(first + 1, rank)
            for op in self._system.constants_of(variable, number)
        }
