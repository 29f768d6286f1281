"""Models repeat themselves: try one of each kind of op before cutting the whole.

Sixty-one layers are two or three kinds of layer, and of 65,000 ops fewer than 400 differ in more
than their names. Where no diagnostic says where to look, two things are tried, at a tiny part of
what halving costs:

- *Examples*: one op of each kind with its producers, stubs for everything else; the rarest kinds
  first, since whatever breaks a compiler that translates the rest is likely to be rare.
- *Windows*: small parts of the text that together hold every kind, for a failure that needs ops
  which stand together. They are chosen greedily by how many kinds they add, as in set cover.

Kinds are told apart by fingerprints: an op's name, attributes and types and what its producers
are, without value and symbol names.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module
from reducer.ir.flow import backward_slice
from reducer.search.state import State
from reducer.search.windows import accept_first
from reducer.transformations import Abi, Units

_WORTH_IT = 100  # units; a smaller module is as quickly halved
_EXAMPLES = (16, 64, None)  # kinds in one candidate, the rarest ones; None is all
_DEPTHS = (1, 4)  # how far the producers of an example are followed
_MOST_EXAMPLE_WORK = 0.3  # of one full run, in all

_PARTS = 100  # a window is this part of the units…
_LEAST = 64  # …but no fewer than these
_FEW = 8  # windows; a module of fewer is as quickly halved
_WIDER = 4  # the second round's windows, in those of the first
_MOST_WINDOWS = 8
_MOST_WORK = 0.25  # of one full run, in each round
_LEAST_NEWS = 0.02  # a window must add fingerprints for this part of its units
_LONG_CONSTANT = 300  # characters; what a longer one holds makes no kind of its own
_SYMBOL = re.compile(r'@(?:"(?:[^"\\]|\\.)*"|[\w$.-]+)')


def sample(state: State[Module], abi: Abi) -> bool:
    """Tries examples of every kind, then windows; accepts the first that fails."""
    units = Units.of(state.document)
    if len(units.units) < _WORTH_IT:
        return False
    kinds = _kinds(units.module, units.units)
    if accept_first(state, abi, units, _examples(units, kinds), "one of each kind"):
        return True
    size = max(_LEAST, len(units.units) // _PARTS)
    if len(units.units) < _FEW * size:
        return False
    for width in (size, size * _WIDER):
        windows = list(_windows(units, kinds, width))
        if accept_first(state, abi, units, windows, "sample"):
            return True
    return False


def _examples(units: Units, kinds: Sequence[int]) -> Iterator[frozenset[int]]:
    """One unit of each kind with its producers: of the rarest kinds first, and near ones."""
    counts = Counter(kinds)
    first: dict[int, int] = {}
    for unit, kind in zip(units.units, kinds, strict=True):
        first.setdefault(kind, unit)
    rarest = [first[kind] for kind in sorted(first, key=lambda k: (counts[k], first[k]))]
    seen: set[frozenset[int]] = set()
    left = _MOST_EXAMPLE_WORK * len(units.units)
    for depth in _DEPTHS:
        for number in _EXAMPLES:
            around = backward_slice(units.module, rarest[:number], depth)
            found = frozenset(around).intersection(units.function_of)
            if found in seen or len(found) > left:
                continue
            seen.add(found)
            left -= len(found)
            yield found


def _windows(units: Units, kinds: Sequence[int], width: int) -> Iterator[frozenset[int]]:
    """The windows to try, the one with the most kinds first."""
    order = units.units
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
    sources = tuple(_source(module, op) if op != NONE else "" for op in producers)
    inner = tuple(t.name[op] for op in module.subtree(unit)[1:])
    return t.name[unit], _SYMBOL.sub("@", rest), sources, inner


def _source(module: Module, op: int) -> str:
    """What a producer is: its name, and of a constant its value."""
    t = module.t
    start, end = t.operands_end[op], t.header_end[op]
    if t.operands[op] or op in t.regions or end - start > _LONG_CONSTANT:
        return t.name[op]
    return t.name[op] + _SYMBOL.sub("@", module.text[start:end])
