"""Sampling: models are repetitive, so try one op of each kind before halving the module.

A model with 61 layers has two or three kinds of layers, and of 65,000 ops fewer than 400 differ in
more than names. If no diagnostic points to an op, three things are tried at a small fraction of the
cost of halving:

- *Named ops*: what the command or the failure names, such as all kinds of ops of the `linalg`
  dialect for a pass `convert-linalg-to-loops`, without the bodies that they are in.
- *Examples*: one op of each kind with its producers, and stubs for everything else. The rarest
  kinds go first, since a construct that breaks a compiler which handles the rest is likely rare.
- *Windows*: small parts of the text that together contain every kind, for failures that need
  several adjacent ops. They are chosen greedily by the number of new kinds, as in set cover.

Kinds are distinguished by fingerprints: an op's name, attributes, types and producers, without
value and symbol names.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from reducer.ir import NONE, Module
from reducer.ir.flow import backward_slice
from reducer.ir.functions import may_end_block
from reducer.ir.lexer import SYMBOL
from reducer.search.plan import Next, Once, Plan, later
from reducer.search.state import SearchState
from reducer.search.walk import walk
from reducer.search.windows import CarvingPlan, Part, halving
from reducer.transformations import BodyOps, BoundaryTypes, carve, lift
from reducer.transformations.delete_nested import DeleteNested

_MIN_OPS = 100  # body ops; halving is as fast for smaller modules
_EXAMPLES = (16, 64, None)  # the number of kinds in a candidate, rarest first; None for all
_DEPTHS = (1, 4)  # the depth of the producers to include with an example
_EXAMPLE = "one of each kind"
_LARGEST_EXAMPLE = 16  # ops in a named one
_MAX_EXAMPLE_WORK = 0.3  # total for all examples, as a fraction of one full run

_PARTS = 100  # a window has 1/_PARTS of the body ops…
_MIN_WINDOW = 64  # …but at least this many
_MIN_WINDOWS = 8  # halving is as fast for modules with fewer windows
_WIDER = 4  # the width of the second round's windows, relative to the first round
_MAX_WINDOWS = 8
_MAX_WORK = 0.25  # per round, as a fraction of one full run
_MIN_NEW_FINGERPRINTS = 0.02  # a window must add this many new fingerprints per body op
_LONG_CONSTANT = 300  # characters; the values of longer constants are ignored in fingerprints
_SYMBOL = re.compile(SYMBOL)
_WORD = re.compile(r"[a-zA-Z][a-zA-Z0-9]*")


def sample(state: SearchState[Module], boundary: BoundaryTypes) -> bool:
    """Try examples of every kind, then windows, and accept the first that keeps the failure.

    Returns:
        Whether a candidate was accepted.
    """
    windows = partial(_windows_of, state, boundary)
    return walk(_examples_of(state, boundary, state.document, windows), state)


def sample_examples(state: SearchState[Module], boundary: BoundaryTypes) -> bool:
    """Try ops of every kind with their producers, and accept the first that keeps the failure."""
    return walk(sampling(state, boundary), state)


def sample_windows(state: SearchState[Module], boundary: BoundaryTypes) -> bool:
    """Try windows that contain every kind, and accept the first that keeps the failure."""
    return walk(_windows_of(state, boundary, state.document), state)


def sampling(state: SearchState[Module], boundary: BoundaryTypes) -> Plan[Module] | None:
    """What `sample_examples` asks, and what other searches ask after that."""
    windows = partial(later, following=partial(_windows_of, state, boundary))
    return _examples_of(state, boundary, state.document, windows)


def _examples_of(
    state: SearchState[Module],
    boundary: BoundaryTypes,
    module: Module,
    otherwise: Next[Module],
) -> Plan[Module] | None:
    body = BodyOps.of(module)
    if len(body.ops) < _MIN_OPS:
        return otherwise(module)
    named = _lifted(state, boundary, module)
    parts: Iterator[Part] = chain(named, _examples(body, _kinds(body)))
    then = partial(later, following=partial(halving, state, boundary))
    return CarvingPlan(state, boundary, module, Once(parts), _EXAMPLE, then, otherwise)


def _windows_of(
    state: SearchState[Module], boundary: BoundaryTypes, module: Module, wider: int = 1
) -> Plan[Module] | None:
    """Windows, and then once more `wider` ones."""
    body = BodyOps.of(module)
    size = max(_MIN_WINDOW, len(body.ops) // _PARTS)
    halves = partial(later, following=partial(halving, state, boundary))
    if len(body.ops) < _MIN_WINDOWS * size:
        return halves(module)
    windows = Once(_windows(body, _kinds(body), size * wider))
    again = partial(_windows_of, state, boundary, wider=_WIDER)
    otherwise = again if wider == 1 else halves
    variant = f"{wider} times as wide"
    return CarvingPlan(state, boundary, module, windows, "sample", halves, otherwise, variant)


def _examples(body: BodyOps, kinds: Sequence[int]) -> Iterator[frozenset[int]]:
    """Sets with a body op of each kind and its producers: rare kinds and small depths first."""
    counts = Counter(kinds)
    first: dict[int, int] = {}
    for body_op, kind in zip(body.ops, kinds, strict=True):
        first.setdefault(kind, body_op)
    ops = [first[kind] for kind in sorted(first, key=lambda k: (counts[k], first[k]))]
    seen: set[frozenset[int]] = set()
    left = _MAX_EXAMPLE_WORK * len(body.ops)
    for depth in _DEPTHS:
        for number in _EXAMPLES:
            around = backward_slice(body.module, ops[:number], depth)
            found = frozenset(around).intersection(body.function_of)
            if found in seen or len(found) > left:
                continue
            seen.add(found)
            left -= len(found)
            yield found


def _lifted(state: SearchState[Module], boundary: BoundaryTypes, module: Module) -> Iterator[Part]:
    """Ops whose dialects the command or the failure names, without what they are in.

    One of each name is tried first, then one of each kind. What is in bodies is left out at first,
    then what is not named there.
    """
    command, target = state.judge.oracle.command, state.judge.target
    said = [*(command.flags if command else ()), target.text if target else ""]
    words = set(_WORD.findall(" ".join(said)))
    names, kinds = _smallest(module, words)
    if 0 < len(kinds) <= _MAX_EXAMPLE_WORK * len(module):
        yield partial(_emptied, module, names, boundary, words, ())
        yield partial(_emptied, module, kinds, boundary, words, words)


def _smallest(module: Module, dialects: Container[str]) -> tuple[list[int], list[int]]:
    """The smallest op of each name in these dialects, and one of each kind that is small as well.

    Those that may have to be in another op are left out.
    """
    t, names, kinds = module.t, dict[str, int](), dict[object, int]()
    parts = _parts(module)
    for op in sorted(range(len(module)), key=lambda op: len(module.subtree(op))):
        name = t.name[op]
        if _dialect(name) not in dialects or name in parts or may_end_block(module, op):
            continue
        if names.setdefault(name, op) == op or len(module.subtree(op)) <= _LARGEST_EXAMPLE:
            kinds.setdefault(fingerprint(module, op), op)
    return list(names.values()), list(kinds.values())


def _parts(module: Module) -> set[str]:
    """The names of ops that only those of one name in their dialect contain, as `scf.reduce`."""
    t, within = module.t, dict[str, set[str]]()
    for name, parent in zip(t.name, t.parent, strict=True):
        within.setdefault(name, set()).add("" if parent == NONE else t.name[parent])
    alone = ((name, *around) for name, around in within.items() if len(around) == 1)
    return {name for name, around in alone if _dialect(name) == _dialect(around)}


def _emptied(
    module: Module,
    ops: Iterable[int],
    boundary: BoundaryTypes,
    words: Container[str],
    kept: Container[str],
) -> str | None:
    """The text with these ops, without those in their bodies but for those of `kept` dialects.

    What only these used goes with them, unless its dialect is named.
    """
    if (text := lift(module, ops, boundary)) is None:
        return None
    lifted, nested, parts = Module.parse(text), DeleteNested(boundary), _parts(module)
    names = [(site, lifted.t.name[site.op]) for site in nested.sites(lifted)]
    gone = [site for site, name in names if _dialect(name) not in kept and name not in parts]
    body = BodyOps.of(Module.parse(nested.apply(lifted, gone) or text))
    named = (op for op in body.ops if _dialect(body.module.t.name[op]) in words)
    return carve(body, named, boundary)


def _dialect(name: str) -> str:
    return name.partition(".")[0]


def _windows(body: BodyOps, kinds: Sequence[int], width: int) -> Iterator[frozenset[int]]:
    """The windows to try; each adds the most new kinds."""
    order = body.ops
    starts = range(0, max(1, len(order) - width // 2), max(1, width // 2))
    news = {start: set(kinds[start : start + width]) for start in starts}
    work = 0
    for _ in range(_MAX_WINDOWS):
        start = max(news, key=lambda s: (len(news[s]), -s))
        new = news[start]
        work += width
        if len(new) < _MIN_NEW_FINGERPRINTS * width or work > _MAX_WORK * len(order):
            return
        yield frozenset(order[start : start + width])
        for others in news.values():
            others -= new if others is not new else set()
        news[start] = set()


def _kinds(body: BodyOps) -> list[int]:
    """For each body op, the number of its kind; equal fingerprints share a number."""
    return body.module.derived(_kinds_of)


def _kinds_of(module: Module) -> list[int]:
    numbers: dict[tuple[object, ...], int] = {}
    ops = BodyOps.of(module).ops
    return [numbers.setdefault(fingerprint(module, body_op), len(numbers)) for body_op in ops]


def fingerprint(module: Module, body_op: int) -> tuple[object, ...]:
    """What tells the kinds of ops apart: name, attributes, types, producers, and ops inside."""
    t = module.t
    rest = module.text[t.operands_end[body_op] : t.header_end[body_op]] + module.tail(body_op)
    producers = (t.def_op[value] if value != NONE else NONE for value in t.operands[body_op])
    sources = tuple(_source(module, op) if op != NONE else "" for op in producers)
    inner = tuple(t.name[op] for op in module.subtree(body_op)[1:])
    return t.name[body_op], _SYMBOL.sub("@", rest), sources, inner


def _source(module: Module, op: int) -> str:
    """The fingerprint of a producer: its name, and the value of a short constant."""
    t = module.t
    start, end = t.operands_end[op], t.header_end[op]
    if t.operands[op] or op in t.regions or end - start > _LONG_CONSTANT:
        return t.name[op]
    return t.name[op] + _SYMBOL.sub("@", module.text[start:end])
