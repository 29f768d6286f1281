"""Models repeat themselves: try one of each kind of neighbourhood before cutting the whole.

Sixty-one layers are two or three kinds of layer. Where no diagnostic says where to look, a few
small windows that together hold every *kind* of op neighbourhood find most failures for a tiny
part of what halving costs: the work of one full run buys a hundred windows of one percent each.

Kinds are told apart by fingerprints: an op's name, attributes and types and the names of its
producers, without value and symbol names. Windows are chosen greedily by how many fingerprints
they add, as in set cover.
"""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module
from reducer.search.state import State
from reducer.search.windows import accept_first
from reducer.transformations import Abi, Units

_PARTS = 100  # a window is this part of the units…
_LEAST = 64  # …but no fewer than these
_FEW = 40  # windows; a module of fewer is as quickly halved
_WIDER = 4  # the second round's windows, in those of the first
_MOST_WINDOWS = 8
_MOST_WORK = 0.25  # of one full run, in each round
_LEAST_NEWS = 0.02  # a window must add fingerprints for this part of its units
_SYMBOL = re.compile(r'@(?:"(?:[^"\\]|\\.)*"|[\w$.-]+)')


def sample(state: State[Module], abi: Abi) -> bool:
    """Tries windows of every kind, small ones and then wider ones; accepts the first that fails."""
    units = Units.of(state.document)
    size = max(_LEAST, len(units.units) // _PARTS)
    if len(units.units) < _FEW * size:
        return False
    for width in (size, size * _WIDER):
        windows = list(_windows(units, width))
        if accept_first(state, abi, units, windows, "sample"):
            return True
    return False


def _windows(units: Units, width: int) -> Iterator[frozenset[int]]:
    """The windows to try, the one with the most kinds first."""
    order = units.units
    kinds = _kinds(units.module, order)
    starts = range(0, max(1, len(order) - width // 2), max(1, width // 2))
    news = {start: set(kinds[start : start + width]) for start in starts}
    work = 0
    for _ in range(_MOST_WINDOWS):
        start = max(news, key=lambda s: (len(news[s]), -s))
        found = news[start]
        work += width
        if len(found) < _LEAST_NEWS * width or work > _MOST_WORK * len(order):
            return
        yield frozenset(order[start : start + width])
        for others in news.values():
            others -= found if others is not found else set()
        news[start] = set()


def _kinds(module: Module, units: Sequence[int]) -> list[int]:
    """For each unit, a number that equal neighbourhoods share."""
    numbers: dict[tuple[object, ...], int] = {}
    return [numbers.setdefault(_fingerprint(module, unit), len(numbers)) for unit in units]


def _fingerprint(module: Module, unit: int) -> tuple[object, ...]:
    t = module.t
    rest = module.text[t.operands_end[unit] : t.header_end[unit]] + module.tail(unit)
    producers = (t.def_op[value] if value != NONE else NONE for value in t.operands[unit])
    names = tuple(t.name[op] if op != NONE else "" for op in producers)
    inner = tuple(t.name[op] for op in module.subtree(unit)[1:])
    return t.name[unit], _SYMBOL.sub("@", rest), names, inner
