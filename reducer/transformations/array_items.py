"""Single items of lists in attributes."""

from reducer.ir import Module
from reducer.ir.attribute_tree import items_of
from reducer.ir.dialects import is_op_set_attribute
from reducer.ir.sizes import SizeSystem
from reducer.ir.sizes.slots import ArrayItem
from reducer.transformations.attributes import ESSENTIAL, ops_with_attributes
from reducer.transformations.base import Site
from reducer.transformations.ties import Position, Role, Tie

_OTHERS = ESSENTIAL | {"arg_attrs", "res_attrs", "indexing_maps", "iterator_types"}


def list_items(module: Module) -> list[Tie]:
    """An item of `array<…>` or `[…]`: alone, or with those of all lists of this length of the op.

    Several lists of one op often describe the same things: tile sizes, and which of them scale.
    Lists that repeat the sizes of a shape are left to `DropDims`, and data to `SimplifyData`.
    """
    ties: list[Tie] = []
    for op in ops_with_attributes(module):
        lists = _lists(module, op)
        for name, length in lists.items():
            alike = [other for other, its in lists.items() if its == length]
            # The search tries later sites first: all lists of a length.
            choices = [[name], alike] if len(alike) > 1 and name == alike[0] else [[name]]
            for place in range(length):
                for choice, names in enumerate(choices):
                    items = tuple(Position(Role.ITEM, op, place, each) for each in names)
                    ties.append(Tie(Site(op, 2 * place + choice, name), items))
    return ties


def _lists(module: Module, op: int) -> dict[str, int]:
    """The lists of several items that are no sizes, and their lengths."""
    found = {
        entry.name: len(items)
        for entry in module.syntax(op).entries
        if entry.name not in _OTHERS and not is_op_set_attribute(entry.name)
        if not entry.value.startswith("dense") and (items := items_of(entry.value))
    }
    system = module.derived(SizeSystem)
    slots = [ArrayItem(op, name, place) for name, its in found.items() for place in range(its)]
    tied = {1, *(found[slot.name] for slot in slots if system.is_size(slot))}
    return {name: length for name, length in found.items() if length not in tied}
