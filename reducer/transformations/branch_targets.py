"""Drop single targets of branches that choose between several."""

from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.attribute_tree import items_of, without_items
from reducer.ir.retype import SEGMENT_SIZES, segment_sizes
from reducer.ir.syntax import Entry
from reducer.transformations.base import Site

_COUNTS = ("segment", "offset")  # what lists of numbers of operands are called


class DropBranchTargets:
    """Drops a target with its item in each list that has one per target, and with its operands.

    Lists have an item per target (`case_tags` of `fir.select_type`), or per target but the first,
    which is then the default (`case_values` of `cf.switch`) and stays. Where no list tells how many
    operands belong to each target, each may have a segment of its own, and all targets stay
    (`cf.cond_br`, whose only list holds the weights). The number of a site is that of the target.
    The blocks that become unreachable are left to `DropUnreachableBlocks`.
    """

    name = "drop branch targets"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number)
            for op, targets in sorted(module.t.successors.items())
            if len(targets) > 1 and not module.hidden[op] and (lists := _lists(module, op))
            if len(targets) > _fewest(lists) and _knows_operands(module, op, lists)
            for number in range(_fewest(lists) - 1, len(targets))
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        gone: dict[int, set[int]] = {}
        for site in sites:
            places = gone.setdefault(site.op, set())
            fewest = _fewest(_lists(module, site.op))
            if len(module.t.successors[site.op]) - len(places) > fewest:
                places.add(site.number)
        rewrite = Rewrite(module)
        for op, places in gone.items():
            _drop(module, rewrite, op, places)
        return rewrite.render()


def _drop(module: Module, rewrite: Rewrite, op: int, places: set[int]) -> None:
    t = module.t
    for number in _passed(module, op, places):
        rewrite.drop_operand(op, number)
    for entry, first in _lists(module, op):
        gone = {number - first for number in places}
        rewrite.set_entry(op, entry.name, without_items(entry.value, gone))
    start = module.text.index("[", t.operands_end[op])
    kept = [target for n, target in enumerate(t.successors[op]) if n not in places]
    rewrite.replace(start, module.text.index("]", start) + 1, f"[{', '.join(kept)}]")


def _lists(module: Module, op: int) -> list[tuple[Entry, int]]:
    """The lists with an item per target, each with the number of the target of its first item."""
    count = len(module.t.successors[op])
    found = [
        (entry, count - len(items))
        for entry in module.syntax(op).entries
        if entry.name not in SEGMENT_SIZES and (items := items_of(entry.value)) is not None
    ]
    return [(entry, first) for entry, first in found if first in (0, 1)]


def _knows_operands(module: Module, op: int, lists: Sequence[tuple[Entry, int]]) -> bool:
    """Whether it is known which operands belong to which target."""
    return segment_sizes(module, op) is None or any(_is_counts(entry) for entry, _ in lists)


def _is_counts(entry: Entry) -> bool:
    """Whether a list seems to consist of numbers of operands."""
    items = items_of(entry.value) or []
    return any(word in entry.name for word in _COUNTS) and all(map(str.isdigit, items))


def _fewest(lists: Sequence[tuple[Entry, int]]) -> int:
    """How many targets stay: one, and the default. No list becomes empty."""
    return 1 + max(first for _, first in lists)


def _passed(module: Module, op: int, places: set[int]) -> Iterator[int]:
    """The numbers of the operands that belong to some targets.

    Each list of numbers of operands divides one segment. Which one is not written; segments and
    lists are in the same order, though, and the last operands are those passed to blocks.
    """
    _, sizes = segment_sizes(module, op) or (None, [])
    left = len(sizes)
    for entry, first in reversed(_lists(module, op)):
        if not _is_counts(entry):
            continue
        counts = [int(item) for item in items_of(entry.value) or []]
        fits = [n for n in range(left) if counts and sizes[n] == sum(counts) > 0]
        if not fits:
            continue
        left = fits[-1]
        for place in places:
            start = sum(sizes[:left]) + sum(counts[: place - first])
            yield from range(start, start + counts[place - first])
