"""Try large sizes once more in the end, since failures are not monotonic in sizes.

A compiler may fail with 576 and with 64, and not with 512 or 32. Descents stop at the first values
that do not fail, and sizes that are equal may have to stay so, as those of a transposed value.
"""

from collections.abc import Iterator
from functools import partial

from reducer.ir import D, Module
from reducer.search.state import SearchState
from reducer.transformations.sizes import ShrinkSizes, Sizes

NAME = "shrink large sizes"
_LARGE = 64
"""Larger sizes are worth a few runs."""

_MOST = 24
"""Runs for one program; half of them for sizes that are equal, half for single ones."""


def shrink_large_sizes(state: SearchState[D]) -> bool:
    """Accept the first program with a smaller one of its large sizes that still fails."""
    document = state.document
    if not isinstance(document, Module):
        return False
    made = (state.candidate(partial(str, text), NAME) for text in _texts(document))
    hit = state.evaluator.first_interesting(filter(None, made), document)
    if hit is None:
        return False
    state.accept(hit[1])
    return True


def _texts(module: Module) -> Iterator[str]:
    sizes = ShrinkSizes().of(module)
    large = {n: size for n, size in sizes.values.items() if size is not None and size > _LARGE}
    groups: dict[int, list[int]] = {}
    for number, size in large.items():
        groups.setdefault(size, []).append(number)
    equal = [tuple(numbers) for numbers in groups.values() if len(numbers) > 1]
    for chosen in (equal, [(number,) for number in large]):
        left = _MOST // 2
        for numbers in chosen:
            smaller = _smaller(large[numbers[0]])[:left]
            left -= len(smaller)
            yield from _with(sizes, numbers, smaller)


def _with(sizes: Sizes, numbers: tuple[int, ...], smaller: list[int]) -> Iterator[str]:
    for size in smaller:
        yield from sizes.texts({**sizes.values, **dict.fromkeys(numbers, size)})[:1]


def _smaller(size: int) -> list[int]:
    """Powers of two, small multiples of them, and parts of the size, the smallest first.

    >>> _smaller(576)
    [8, 16, 32, 64, 96, 128, 192, 256, 288, 384, 512]
    """
    powers = [1 << n for n in range(3, size.bit_length())]
    multiples = [3 << n for n in range(5, size.bit_length() - 1)]
    parts = [size // n for n in (2, 3) if size % n == 0]
    return sorted(value for value in {*powers, *multiples, *parts} if value < size)
