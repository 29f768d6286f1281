"""Map each op of a reduced program to the op of the input that it came from.

Edits keep the names of values, so an op is identified by its function, its results and its name, or
that of a variant of another rank. If an edit renames an op's results, its operands identify it. If
the compiler printed the program anew, all names differ; then ops are aligned in order, as a diff
aligns the lines of two files.
"""

from collections.abc import Container, Hashable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from weakref import WeakKeyDictionary

from reducer.ir import NONE, Module
from reducer.ir.dialects import rank_family

_CHEAP = 50  # ops; programs of so many are compared after each edit
_MOST_NOT_COMPARED = 8  # edits
_MAX_ALIGNED = 5_000  # ops; the compiler's passes only run on small programs


class Origins:
    """Tracks one program through its edits. `known` maps its ops to those of the input.

    Large programs are compared only after several edits, since that takes as long as some edits.
    """

    def __init__(self, module: Module) -> None:
        self._input = module
        self._compared = _Compared(module, None)
        self._now = module
        self._not_compared = 0
        self._from: WeakKeyDictionary[Module, _Compared] = WeakKeyDictionary()

    @property
    def known(self) -> dict[int, int]:
        """Maps the ops of the program to those of the input, as far as known."""
        self._compare()
        pairs = self._compared.pairs
        return {op: op for op in range(len(self._now))} if pairs is None else pairs

    def follow(self, module: Module, *, renumbered: bool = False) -> None:
        """Update the map for an edit; `renumbered` if the compiler printed the program anew."""
        if renumbered:
            self._compare()
            self._compared = self._compared.then(module, _aligned(self._now, module))
        self._now = module
        self._not_compared += 1
        if len(module) <= _CHEAP or self._not_compared == _MOST_NOT_COMPARED:
            self._compare()
        self._from[module] = self._compared

    def restart(self, module: Module) -> None:
        """Return to `module`, an earlier state of the program or one made from the input."""
        self._compared = self._from.get(module) or _Compared(self._input, None)
        self._now = module
        self._compare()

    def _compare(self) -> None:
        last = self._compared.module
        if last is not self._now:
            self._compared = self._compared.then(self._now, _same_names(last, self._now))
        self._not_compared = 0


@dataclass(frozen=True)
class _Compared:
    """A state of the program, and which ops of the input its ops are; None if all are the same."""

    module: Module
    pairs: dict[int, int] | None

    def then(self, module: Module, pairs: dict[int, int]) -> "_Compared":
        """The next state, whose ops are these of this state."""
        known = self.pairs
        if known is not None:
            pairs = {after: known[b] for after, b in pairs.items() if b in known}
        return _Compared(module, pairs)


def _same_names(before: Module, after: Module) -> dict[int, int]:
    """Map ops of `after` to those of `before` by names of functions, values and ops."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for keys in (_by_results, _by_operands, _by_results_anywhere, _by_end):
        rest = [op for op in range(len(after)) if op not in pairs]
        if not rest:
            break
        # All keys have the op's family, and `before` may have a million ops of others.
        alike = _of_families({_family(after, op) for op in rest}, before)
        left = [op for op in reversed(alike) if op not in taken]
        places: dict[Hashable, list[int]] = {}
        for op, key in zip(left, keys(before, left), strict=True):
            if key is not None:
                places.setdefault(key, []).append(op)
        for op, key in zip(rest, keys(after, rest), strict=True):
            if places.get(key):
                pairs[op] = places[key].pop()
                taken.add(pairs[op])
    return pairs


def _of_families(families: Container[str], module: Module) -> list[int]:
    """The ops of these families, in text order."""
    names = {name for name in set(module.t.name) if rank_family(name) in families}
    return [op for op, name in enumerate(module.t.name) if name in names]


def _by_results(module: Module, ops: Iterable[int]) -> list[Hashable]:
    scopes = module.derived(_scopes)
    return [
        (scopes[op], _family(module, op), tokens[0]) if (tokens := _results(module, op)) else None
        for op in ops
    ]


def _by_operands(module: Module, ops: Iterable[int]) -> list[Hashable]:
    scopes, t = module.derived(_scopes), module.t
    return [
        (scopes[op], _family(module, op), _operands(module, op), t.num_results[op]) for op in ops
    ]


def _by_results_anywhere(module: Module, ops: Iterable[int]) -> list[Hashable]:
    """Keys for ops that were inlined into another function, or whose function was renamed."""
    return [
        (_family(module, op), *tokens) if (tokens := _results(module, op)) else None for op in ops
    ]


def _by_end(module: Module, ops: Iterable[int]) -> list[Hashable]:
    """Keys for ops that end a function or a body, which may return something else than before."""
    scopes, t = module.derived(_scopes), module.t
    return [
        (scopes[op], t.name[op], t.name[t.parent[op]])
        if t.block[op] != NONE and t.block_ops[t.block[op]][-1] == op and not t.num_results[op]
        else None
        for op in ops
    ]


def _aligned(before: Module, after: Module) -> dict[int, int]:
    """Map ops of `after` to those of `before`, in text order."""
    if max(len(before), len(after)) > _MAX_ALIGNED:
        return {}
    pairs: dict[int, int] = {}
    for with_types in (True, False):
        olds = [op for op in range(len(before)) if op not in set(pairs.values())]
        news = [op for op in range(len(after)) if op not in pairs]
        old_kinds = [_kind(before, op, with_types) for op in olds]
        new_kinds = [_kind(after, op, with_types) for op in news]
        matcher = SequenceMatcher(None, old_kinds, new_kinds, autojunk=False)
        for block in matcher.get_matching_blocks():
            for offset in range(block.size):
                pairs[news[block.b + offset]] = olds[block.a + offset]
    return pairs


def _kind(module: Module, op: int, with_types: bool) -> Hashable:
    t = module.t
    if not with_types:
        return t.name[op]
    rest = module.text[t.operands_end[op] : t.header_end[op]] + module.tail(op)
    return t.name[op], " ".join(rest.split())


def _family(module: Module, op: int) -> str:
    """The name of an op, whatever its rank: it may have lost dims."""
    return rank_family(module.t.name[op])


def _scopes(module: Module) -> list[str]:
    """For each op, the name of the nearest symbol around it."""
    scopes: list[str] = []
    for op, parent in enumerate(module.t.parent):
        outer = "" if parent == NONE else scopes[parent]
        own = module.symbol_name(op) if op in module.t.regions else None
        scopes.append(outer if own is None else own)
    return scopes


def _results(module: Module, op: int) -> list[str]:
    return [module.tokens[value] for value in module.results(op)]


def _operands(module: Module, op: int) -> tuple[str, ...]:
    return tuple("" if v == NONE else module.tokens[v] for v in module.t.operands[op])
