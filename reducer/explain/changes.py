"""The features of a program that could be different, each with changes to try.

Features are ops, attributes, sizes and element types; their changes are ordered nearest first. The
changes come from the transformations and tunings that the reduction uses, so a change to one
feature also changes whatever is tied to it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.elements import ElementTypes
from reducer.ir.functions import is_function
from reducer.ir.sizes import SizeSystem, Variable
from reducer.ir.sizes.slots import ArrayItem
from reducer.transformations import BoundaryTypes, Site, Transformation
from reducer.transformations.attribute_values import SimplifyAttributes
from reducer.transformations.attributes import DropAttributes, DropProperties
from reducer.transformations.constants_for_ops import ReplaceByConstants
from reducer.transformations.delete_nested import DeleteNested
from reducer.transformations.delete_ops import DeleteOps
from reducer.transformations.delete_users import DeleteWithUsers
from reducer.transformations.forward import ForwardOperand
from reducer.transformations.sizes import ShrinkSizes
from reducer.transformations.ties import DropTied
from reducer.transformations.tuning import Parameters
from reducer.transformations.unwrap import UnwrapBodies
from reducer.units import cut

_VALUE = 40  # characters of an attribute's value to show
_PLACES = 3  # types to show for a size or an element type
_INTEGER = re.compile(r"(dense<|)(-?\d+)(>?(?: : .+)?)")
_NUMBER = re.compile(r"([su]?i|f|bf)(\d+)")
_WIDTHS = {"f": (16, 32, 64), "bf": (16,), "i": (1, 8, 16, 32, 64)}


@dataclass(frozen=True)
class Mutation:
    """A change, and the program texts that realize it, the likeliest to be valid first."""

    label: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class ProgramFeature:
    """A feature of the program, its present value, and changes to it, nearest first.

    `kind` is `op`, `attribute`, `size` or `element type`; `op` is where it occurs, or NONE. For
    numeric features, `at` makes the change to any given value.
    """

    kind: str
    subject: str
    now: str
    changes: tuple[Mutation, ...]
    op: int = NONE
    at: Callable[[int], Mutation] | None = None


def program_features(module: Module, boundary: BoundaryTypes) -> list[ProgramFeature]:
    """All features of a module, grouped by kind, in text order."""
    return [*_ops(module, boundary), *_attributes(module), *sizes_of(module), *_elements(module)]


# ---- ops and attributes ----------------------------------------------------------------------


def _ops(module: Module, boundary: BoundaryTypes) -> Iterator[ProgramFeature]:
    ways: list[tuple[str, Transformation[Module]]] = [
        ("deleted", DeleteOps(boundary)),
        ("deleted", DeleteNested(boundary)),
        ("replaced by an operand", DropTied("forward operands", ForwardOperand(boundary).ties)),
        ("replaced by its body", UnwrapBodies(boundary)),
        ("replaced by a constant", ReplaceByConstants()),
        ("deleted with its users", DeleteWithUsers()),
    ]
    sites_by_op = [(label, way, _by_op(way.sites(module))) for label, way in ways]
    for op, name in enumerate(module.t.name):
        if module.hidden[op] or is_function(module, op):
            continue
        changes = _merged(
            (label, way.apply(module, [site]))
            for label, way, sites in sites_by_op
            for site in sites.get(op, ())
        )
        if changes:
            yield ProgramFeature("op", name, "", changes, op)


def _attributes(module: Module) -> Iterator[ProgramFeature]:
    simpler, dropping = SimplifyAttributes(), (DropAttributes(), DropProperties())
    places: dict[tuple[int, str], list[tuple[str, str | None]]] = {}
    for site in simpler.sites(module):
        texts = places.setdefault((site.op, site.name), [])
        if number := _INTEGER.fullmatch(_value(module, site.op, site.name)):
            texts += [] if texts else _near_numbers(module, site, number)
        else:
            texts.append(("simpler", simpler.apply(module, [site])))
    for way in dropping:
        for site in way.sites(module):
            text = way.apply(module, [site])
            places.setdefault((site.op, site.name), []).append(("dropped", text))
    for (op, name), texts in sorted(places.items()):
        now = _value(module, op, name)
        changes = _merged(
            (_value_after(label, text, op, name), text) for label, text in texts if text
        )
        yield ProgramFeature(
            "attribute", f"{name} of {module.t.name[op]}", cut(now, _VALUE), changes, op
        )


def _near_numbers(
    module: Module, site: Site, number: re.Match[str]
) -> Iterator[tuple[str, str | None]]:
    """The program with other numbers for an attribute, the nearest first.

    A constant of 0 is often a size or a number of iterations, and what does nothing is folded away.
    """
    now = int(number[2])
    around = {now - 1, now + 1, now // 2, 2 * now, 1} - {0, now}
    zero = [] if site.name == "value" else [0]
    for near in [*sorted(around, key=lambda near: (abs(near - now), near)), *zero]:
        rewrite = Rewrite(module)
        rewrite.set_entry(site.op, site.name, f"{number[1]}{near}{number[3]}")
        text = rewrite.render()
        if _loops_without_iterations(Module.parse(text)) <= _loops_without_iterations(module):
            yield "simpler", text


def _loops_without_iterations(module: Module) -> int:
    """How many loops end before they begin, as far as constants tell."""
    ended = 0
    for op, name in enumerate(module.t.name):
        if name.endswith(".for") and len(module.t.operands[op]) > 2:
            made = [module.t.def_op[value] for value in module.t.operands[op][:2]]
            bounds = [_INTEGER.fullmatch(_value(module, one, "value")) for one in made if one >= 0]
            low, high = (int(bound[2]) if bound else None for bound in (*bounds, None, None)[:2])
            ended += low is not None and high is not None and low >= high
    return ended


def _value(module: Module, op: int, name: str) -> str:
    entry = module.syntax(op).entry(name)
    return entry.value if entry else ""


def _value_after(label: str, text: str | None, op: int, name: str) -> str:
    """The new value of the attribute instead of the label, unless it was dropped."""
    if label == "dropped" or text is None:
        return label
    return cut(_value(Module.parse(text), op, name), _VALUE) or label


def _by_op(sites: Sequence[Site]) -> dict[int, list[Site]]:
    out: dict[int, list[Site]] = {}
    for site in sites:
        out.setdefault(site.op, []).append(site)
    return out


# ---- sizes and element types -----------------------------------------------------------------


def sizes_of(module: Module) -> Iterator[ProgramFeature]:
    """The sizes of a program that may be others, each with all places that are tied to it."""
    space = ShrinkSizes().of(module)
    for variable in SizeSystem(module).free:
        at = partial(_with_size, space, variable.number)
        changes = tuple(at(size) for size in near_sizes(variable.size))
        now = "?" if variable.size is None else str(variable.size)
        yield ProgramFeature("size", _places(module, variable), now, changes, at=at)


def equal_sizes(module: Module) -> Iterator[ProgramFeature]:
    """All sizes of one value as one feature: what a program repeats, such as that of a tile."""
    space = ShrinkSizes().of(module)
    alike: dict[int, list[Variable]] = {}
    for variable in SizeSystem(module).variables:
        if variable.size is not None and variable.size > 1:
            alike.setdefault(variable.size, []).append(variable)
    for size, variables in sorted(alike.items(), reverse=True):
        if len(variables) > 1:
            numbers = [one.number for one in variables]
            where = f"every dim that is {size}"
            yield ProgramFeature(
                "size", where, str(size), (), at=partial(_with_all, space, numbers)
            )


def _with_all(space: Parameters[int | None], numbers: Sequence[int], size: int) -> Mutation:
    return Mutation(str(size), tuple(space.texts(dict.fromkeys(numbers, size))))


def _with_size(space: Parameters[int | None], number: int, size: int) -> Mutation:
    return Mutation(str(size), tuple(space.texts({number: size})))


def near_sizes(size: int | None) -> list[int]:
    """Sizes to try instead, nearest first; for a dynamic size, some static ones.

    Never 0: an op on nothing is folded away, which says nothing about the failure.

    >>> near_sizes(40), near_sizes(1), near_sizes(None)
    ([39, 41, 20, 16, 64, 3, 2, 1, 80], [2, 3, 16, 64], [2, 8, 100, 1])
    """
    if size is None:
        return [2, 8, 100, 1]
    around = {size - 1, size + 1, size // 2, 2 * size, 1, 2, 3, 16, 64} - {0, -1, size}
    return sorted(around, key=lambda near: (abs(near - size), near))


def _places(module: Module, variable: Variable) -> str:
    """Where a size occurs: `tensor<4x0xbf16> dim 1, tensor<0x4xbf16> dim 0`."""
    if not variable.dims:
        added = [slot for slot in variable.slots if isinstance(slot, ArrayItem)]
        return _listed(f"{module.t.name[e.op]} {e.name}[{e.number}]" for e in added)
    return _listed(f"{module.type_of(dim.value)} dim {dim.number}" for dim in variable.dims)


def _elements(module: Module) -> Iterator[ProgramFeature]:
    types = ElementTypes(module)
    for number, (element, values) in enumerate(types.classes):
        changes = tuple(Mutation(e, (types.text({number: e}),)) for e in near_elements(element))
        if changes:
            where = _listed(module.type_of(value) for value in values)
            yield ProgramFeature("element type", where, element, changes)


def near_elements(element: str) -> list[str]:
    """Element types of the same kind to try instead, nearest first.

    >>> near_elements("f16"), near_elements("si64"), near_elements("complex<f32>")
    (['bf16', 'f32', 'f64'], ['si32', 'si16', 'si8'], ['f32'])
    """
    if element.startswith("complex<"):
        return [element.removeprefix("complex<").removesuffix(">")]
    match = _NUMBER.fullmatch(element)
    if match is None:  # the many float types of 8 bits or fewer
        return ["f16", "f32"] if element.startswith("f") else []
    kind, width = match[1], int(match[2])
    if kind == "bf":
        return ["f16", "f32", "f64"]
    widths = [w for w in _WIDTHS[kind[-1]] if w != width and (w > 1 or kind == "i")]
    nearest = [f"{kind}{w}" for w in sorted(widths, key=lambda w: (abs(w - width), w))][:3]
    return ["bf16", *nearest] if element == "f16" else nearest


# ---- helpers ---------------------------------------------------------------------------------


def _merged(texts: Iterable[tuple[str, str | None]]) -> tuple[Mutation, ...]:
    """Changes without duplicates; texts with the same label are variants of one change."""
    ways: dict[str, list[str]] = {}
    for label, text in texts:
        if text is not None and text not in ways.setdefault(label, []):
            ways[label].append(text)
    return tuple(Mutation(label, tuple(found)) for label, found in ways.items() if found)


def _listed(items: Iterable[str]) -> str:
    """The first few distinct items, and the number of others."""
    each = list(dict.fromkeys(items))
    more = f" and {len(each) - _PLACES} more" if len(each) > _PLACES else ""
    return ", ".join(each[:_PLACES]) + more
