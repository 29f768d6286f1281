"""Drop single items of lists in attributes."""

from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.attribute_tree import items_of, without_items
from reducer.ir.dialects import is_op_set_attribute
from reducer.ir.sizes import SizeSystem
from reducer.ir.sizes.slots import ArrayItem
from reducer.ir.syntax import Entry
from reducer.transformations.attributes import ESSENTIAL, ops_with_attributes
from reducer.transformations.base import Site

_OTHERS = ESSENTIAL | {"arg_attrs", "res_attrs", "indexing_maps", "iterator_types"}
_CHOICES = 2  # this list alone; this one and all others of its length


class DropArrayItems:
    """Drops an item of `array<…>` or `[…]`: alone, or from all lists of this length of the op.

    Several lists of one op often describe the same things: tile sizes, and which of them scale.
    Lists that repeat the sizes of a shape are left to `DropDims`, and data to `SimplifyData`.
    """

    name = "drop items of lists"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        # The search tries later sites first: all lists of a length.
        return [
            Site(op, place * _CHOICES + choice, entry.name)
            for op in ops_with_attributes(module)
            for entry, length, first in _lists(module, op)
            for place in range(length)
            for choice in range(2 if first else 1)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        gone: dict[tuple[int, str], set[int]] = {}
        for site in sites:
            place, choice = divmod(site.number, _CHOICES)
            lists = list(_lists(module, site.op))
            length = next(length for entry, length, _ in lists if entry.name == site.name)
            for entry, its, _ in lists:
                if entry.name == site.name or (choice and its == length):
                    gone.setdefault((site.op, entry.name), set()).add(place)
        rewrite = Rewrite(module)
        for (op, name), places in gone.items():
            entry = next(entry for entry, _, _ in _lists(module, op) if entry.name == name)
            rewrite.set_entry(op, name, without_items(entry.value, places))
        return rewrite.render()


def _lists(module: Module, op: int) -> Iterator[tuple[Entry, int, bool]]:
    """The lists of several items, their lengths, and whether others of this length follow."""
    found = [
        (entry, len(items))
        for entry in module.syntax(op).entries
        if entry.name not in _OTHERS and not is_op_set_attribute(entry.name)
        if not entry.value.startswith("dense") and (items := items_of(entry.value)) is not None
    ]
    tied = {length for entry, length in found if _is_of_sizes(module, op, entry.name, length)}
    for number, (entry, length) in enumerate(found):
        if length > 1 and length not in tied:
            lengths = [n for _, n in found]
            yield entry, length, lengths.index(length) == number and lengths.count(length) > 1


def _is_of_sizes(module: Module, op: int, name: str, length: int) -> bool:
    system = module.derived(SizeSystem)
    return any(system.is_size(ArrayItem(op, name, place)) for place in range(length))
