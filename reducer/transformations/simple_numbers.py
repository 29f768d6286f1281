"""The order in which simpler integers are tried, for all tunings of numbers."""

from collections.abc import Mapping


class Integers:
    """What all tunings of integers do alike: each is tuned by itself, towards 1 and 0."""

    def simpler(self, number: int, value: int) -> list[int]:
        return simpler_numbers(value)

    def next_down(self, value: int) -> int | None:
        return next_number_down(value)

    def between(self, simple: int, value: int) -> int | None:
        return number_between(simple, value)

    def around(self, number: int, values: Mapping[int, int]) -> str:
        return ""


def simpler_numbers(value: int) -> list[int]:
    """1, then 0, 2 and the powers of four below the value, with its sign.

    1 comes first because a program in which 0 fails too is hardly ever simpler, but often makes no
    sense: a step, stride, factor or tile size of 0.

    >>> simpler_numbers(6), simpler_numbers(-3), simpler_numbers(1)
    ([1, 0, 2, 4], [-1, 0, -2], [])
    """
    if abs(value) < 2:
        return []
    sign = 1 if value > 0 else -1
    steps = (1, 0, 2, *(4**n for n in range(1, 32)))
    return [sign * step for step in steps if step < abs(value)]


def next_number_down(value: int) -> int | None:
    """The nearest number closer to zero; None for 1, 0 and -1, which are simple enough."""
    if abs(value) < 2:
        return None
    return value - 1 if value > 0 else value + 1


def number_between(simple: int, value: int) -> int | None:
    """A number halfway between two; None if there is none."""
    return (simple + value) // 2 if abs(value - simple) > 1 else None
