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
from reducer.ir.lexer import SYMBOL
from reducer.search.state import SearchState
from reducer.search.windows import accept_first
from reducer.transformations import BodyOps, BoundaryTypes

_MIN_OPS = 100  # units; a smaller module is as quickly halved
_EXAMPLES = (16, 64, None)  # kinds in one candidate, the rarest ones; None is all
_DEPTHS = (1, 4)  # how far the producers of an example are followed
_MAX_EXAMPLE_WORK = 0.3  # of one full run, in all

_PARTS = 100  # a window is this part of the units…
_MIN_WINDOW = 64  # …but no fewer than these
_MIN_WINDOWS = 8  # windows; a module of fewer is as quickly halved
_WIDER = 4  # the second round's windows, in those of the first
_MAX_WINDOWS = 8
_MAX_WORK = 0.25  # of one full run, in each round
_MIN_NEW_FINGERPRINTS = 0.02  # a window must add fingerprints for this part of its units
_LONG_CONSTANT = 300  # characters; what a longer one holds makes no kind of its own
_SYMBOL = re.compile(SYMBOL)


def sample(state: SearchState[Module], boundary: BoundaryTypes) -> bool:
    """Tries examples of every kind, then windows; accepts the first that fails."""
    body = BodyOps.of(state.document)
    if len(body.ops) < _MIN_OPS:
        return False
    kinds = _kinds(body.module, body.ops)
    if accept_first(state, boundary, body, _examples(body, kinds), "one of each kind"):
        return True
    size = max(_MIN_WINDOW, len(body.ops) // _PARTS)
    if len(body.ops) < _MIN_WINDOWS * size:
        return False
    for width in (size, size * _WIDER):
        windows = list(_windows(body, kinds, width))
        if accept_first(state, boundary, body, windows, "sample"):
            return True
    return False


def _examples(body: BodyOps, kinds: Sequence[int]) -> Iterator[frozenset[int]]:
    """One unit of each kind with its producers: of the rarest kinds first, and near ones."""
    counts = Counter(kinds)
    first: dict[int, int] = {}
    for body_op, kind in zip(body.ops, kinds, strict=True):
        first.setdefault(kind, body_op)
    rarest = [first[kind] for kind in sorted(first, key=lambda k: (counts[k], first[k]))]
    seen: set[frozenset[int]] = set()
    left = _MAX_EXAMPLE_WORK * len(body.ops)
    for depth in _DEPTHS:
        for number in _EXAMPLES:
            around = backward_slice(body.module, rarest[:number], depth)
            found = frozenset(around).intersection(body.function_of)
            if found in seen or len(found) > left:
                continue
            seen.add(found)
            left -= len(found)
            yield found


def _windows(body: BodyOps, kinds: Sequence[int], width: int) -> Iterator[frozenset[int]]:
    """The windows to try, the one with the most kinds first."""
    order = body.ops
    starts = range(0, max(1, len(order) - width // 2), max(1, width // 2))
    news = {start: set(kinds[start : start + width]) for start in starts}
    work = 0
    for _ in range(_MAX_WINDOWS):
        start = max(news, key=lambda s: (len(news[s]), -s))
        found = news[start]
        work += width
        if len(found) < _MIN_NEW_FINGERPRINTS * width or work > _MAX_WORK * len(order):
            return
        yield frozenset(order[start : start + width])
        for others in news.values():
            others -= found if others is not found else set()
        news[start] = set()


def _kinds(module: Module, body: Sequence[int]) -> list[int]:
    """For each unit, a number that equal neighbourhoods share."""
    numbers: dict[tuple[object, ...], int] = {}
    return [numbers.setdefault(_fingerprint(module, body_op), len(numbers)) for body_op in body]


def _fingerprint(module: Module, body_op: int) -> tuple[object, ...]:
    t = module.t
    rest = module.text[t.operands_end[body_op] : t.header_end[body_op]] + module.tail(body_op)
    producers = (t.def_op[value] if value != NONE else NONE for value in t.operands[body_op])
    sources = tuple(_source(module, op) if op != NONE else "" for op in producers)
    inner = tuple(t.name[op] for op in module.subtree(body_op)[1:])
    return t.name[body_op], _SYMBOL.sub("@", rest), sources, inner


def _source(module: Module, op: int) -> str:
    """What a producer is: its name, and of a constant its value."""
    t = module.t
    start, end = t.operands_end[op], t.header_end[op]
    if t.operands[op] or op in t.regions or end - start > _LONG_CONSTANT:
        return t.name[op]
    return t.name[op] + _SYMBOL.sub("@", module.text[start:end])
