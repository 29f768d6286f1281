"""Map each op of a reduced program to the op of the input that it came from.

Edits keep the names of values, so an op is identified by its function, its results and its name, or
that of a variant of another rank. If an edit renames an op's results, its operands identify it. If
the compiler printed the program anew, all names differ; then ops are aligned in order, as a diff
aligns the lines of two files.
"""

from collections import Counter
from collections.abc import Container, Hashable, Iterable
from difflib import SequenceMatcher
from weakref import WeakKeyDictionary

from reducer.ir import NONE, Module
from reducer.ir.dialects import rank_family

_MAX_ALIGNED = 5_000  # ops; the compiler's passes only run on small programs
_MAX_REMEMBERED = 20_000  # ops whose keys are kept; those of a million take too much memory


class Origins:
    """Tracks one program through its edits. `known` maps its ops to those of the input."""

    def __init__(self, module: Module) -> None:
        self._input = module
        self._now = module
        self._known: dict[int, int] | None = None  # every op is itself
        self._known_of: WeakKeyDictionary[Module, dict[int, int]] = WeakKeyDictionary()

    @property
    def known(self) -> dict[int, int]:
        """Maps the ops of the program to those of the input, as far as known."""
        return {op: op for op in range(len(self._now))} if self._known is None else self._known

    def follow(self, module: Module, *, renumbered: bool = False) -> None:
        """Update the map for an edit; `renumbered` if the compiler printed the program anew."""
        pairs = _aligned(self._now, module) if renumbered else _same_names(self._now, module)
        known = self._known
        if known is not None:
            pairs = {after: known[b] for after, b in pairs.items() if b in known}
        self._known = self._known_of[module] = pairs
        self._now = module

    def restart(self, module: Module) -> None:
        """Return to `module`, an earlier state of the program or one made from the input."""
        known = self._known_of.get(module)
        self._known = _same_names(self._input, module) if known is None else known
        self._now = module


def _same_names(before: Module, after: Module) -> dict[int, int]:
    """Map ops of `after` to those of `before` by names of functions, values and ops."""
    pairs = _same_results(before, after) if len(before) <= _MAX_REMEMBERED else {}
    taken = set(pairs.values())
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


def _same_results(before: Module, after: Module) -> dict[int, int]:
    """The ops whose results have names that no other ones have: nearly all that have results."""
    olds = before.derived(_by_unique_results)
    return {op: olds[key] for key, op in after.derived(_by_unique_results).items() if key in olds}


def _by_unique_results(module: Module) -> dict[Hashable, int]:
    keys = _by_results(module, range(len(module)))
    found = {key: op for op, key in enumerate(keys) if key is not None}
    if len(found) < len(keys) - keys.count(None):
        times = Counter(keys)
        found = {key: op for key, op in found.items() if times[key] == 1}
    return found


def _of_families(families: Container[str], module: Module) -> list[int]:
    """The ops of these families, in text order."""
    names = {name for name in set(module.t.name) if rank_family(name) in families}
    return [op for op, name in enumerate(module.t.name) if name in names]


def _by_results(module: Module, ops: Iterable[int]) -> list[Hashable]:
    scopes, t, tokens = module.derived(_scopes), module.t, module.tokens
    return [
        (scopes[op], _family(module, op), tokens[t.first_result[op]]) if t.num_results[op] else None
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
