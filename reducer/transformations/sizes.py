"""Shrink sizes wherever they occur: in types, integer arrays and scalar constants."""

from collections.abc import Mapping
from functools import cached_property

from reducer.ir import Module
from reducer.ir.sizes import Size, SizeSystem

_STATIC_FOR_DYNAMIC = (2, 8, 100)
"""Sizes to try for a dynamic dim: small ones, and a large one that is not a power of two."""

_SMALLEST = 2
"""The simplest size."""

_LARGE = 64
"""Larger sizes are worth a few more runs."""

_MAYBE_A_DIM_NUMBER = 4  # a constant up to this may be a dim number rather than a size


class ShrinkSizes:
    """Finds the smallest size that preserves the failure; for dynamic sizes, any static one."""

    name = "shrink sizes"

    def of(self, module: Module) -> "Sizes":
        return Sizes(SizeSystem(module))


class Sizes:
    """The free sizes of a module; None is a dynamic size."""

    def __init__(self, system: SizeSystem) -> None:
        self._system = system
        self._variables = {variable.number: variable for variable in system.variables}

    @cached_property
    def values(self) -> dict[int, int | None]:
        """Dynamic sizes first, since static ones compile faster; then the largest first."""
        system = self._system
        free = (
            v
            for v in system.free
            if not system.is_of_results_only(v) and not system.is_place_of_dims(v)
        )
        order = sorted(free, key=lambda v: (v.size is not None, -(v.size or 0)))
        return {variable.number: variable.size for variable in order}

    def simpler(self, number: int, value: int | None) -> list[int | None]:
        """2, 3, the powers of four below the value, and the largest power of two below it.

        Nothing becomes 1: such a size is folded, broadcast, or not looped over, so that it may fail
        for another reason, and where all are 1, nobody sees which one has to be. But in shapes that
        no verifier checks, all sizes are 1 before it is known which depend on each other.
        Compilers tile by powers of two: a failure at 224 may occur at 128 but not at 223. If none
        of these fails, another size may be to the compiler what this one is: one that is as much
        above a tile, or above another size of the program; a half, or three tiles, of a large one.
        A dynamic size may also be valid only if it equals a static one next to it.
        """
        variable = self._variables[number]
        if value is None:
            beside = self._system.sizes_beside(variable)
            return list(dict.fromkeys([*_STATIC_FOR_DYNAMIC, *beside]))
        small = (1, _SMALLEST) if self._system.is_unverified(variable) else (_SMALLEST, 3)
        if value <= small[0]:
            return []
        powers = [2**n for n in range(value.bit_length()) if 2**n < value]
        likely = {step for step in (*small, *powers[2::2], powers[-1]) if step < value}
        others = {v.size for v in self._system.variables if v.size is not None}
        widths = {width for width in (*powers[2:], *others) if _SMALLEST < width < value}
        rest = {width + value % width for width in widths if value % width or width in others}
        if value > _LARGE:
            rest |= {*powers[3:], *(3 * power for power in powers[5:]), value // 2}
        rest = {step for step in rest if step < value} - likely
        # A descent takes the last for the nearest one.
        return [*sorted(likely), *sorted(rest), *([max(likely)] if rest else [])]

    def next_down(self, value: int | None) -> int | None:
        return value - 1 if value is not None and value > _SMALLEST else None

    def between(self, simple: int | None, value: int | None) -> int | None:
        """A power of two, where failures tend to begin, or else the middle.

        If a power of two fails, but not three quarters of it, it is most likely where they begin,
        so the value below it is next.
        """
        if simple is None or value is None or value - simple < 2:
            return None
        power = 1 << (value - 1).bit_length() - 1  # the largest below the value
        if power > simple:
            return power
        if value == 2 * power and 4 * simple >= 3 * value:
            return value - 1
        return (simple + value) // 2

    def around(self, number: int, values: Mapping[int, int | None]) -> str:
        return self._system.around(self._variables[number], values)

    def texts(self, values: Mapping[int, int | None]) -> list[str]:
        """The text with sizes that ops compute changed as well; also without, if there are any."""
        computed = self._system.computed(values)
        choices = [{**values, **computed}, *([values] if computed else [])]
        return [text for choice in choices for text in self._texts(choice)]

    def _texts(self, values: Mapping[int, Size]) -> list[str]:
        """The text with constants of that size changed; also without, if they may not be sizes."""
        constants: dict[int, int] = {}
        doubtful = False
        for number, size in (self._system.derive(values) or {}).items():
            variable = self._variables[number]
            if isinstance(size, int) and variable.size is not None:
                found = self._system.constants(variable)
                constants.update((op, size) for op in found)
                doubtful |= bool(found) and variable.size <= _MAYBE_A_DIM_NUMBER
        texts = [self._system.text(values, constants)]
        if doubtful:
            texts.append(self._system.text(values))
        return [text for text in texts if text is not None]
