"""Rewrite a module with new sizes: in types, constants, integer arrays, maps and encodings."""

import re
from collections.abc import Mapping, Sequence

from reducer.ir.affine import AffineMap, indexing_maps, map_of, resolve_alias
from reducer.ir.attribute_tree import items_of, with_items, without_items
from reducer.ir.dialects import WITH_OPTIONAL_MAPS, is_opaque, rank_reduced_name
from reducer.ir.lexer import brackets_at, split_commas
from reducer.ir.module import NONE, Module
from reducer.ir.retype import RESULT_SEGMENT_SIZES, SEGMENT_SIZES, ops_mentioning
from reducer.ir.rewrite import Rewrite
from reducer.ir.shapes import Shaped
from reducer.ir.sizes.declared import Declaration, set_declared_type
from reducer.ir.sizes.repeats import (
    DYNAMIC,
    NUMBERS_DIMS,
    integer_array,
    integer_of,
    reassociation,
    with_constant,
)
from reducer.ir.sizes.size_operands import SizeOperands
from reducer.ir.sizes.slots import (
    DROPPED,
    ArrayItem,
    Dim,
    Dropped,
    Loop,
    NewSizes,
    Size,
    Slot,
    Ties,
)
from reducer.ir.syntax import split_array

_OTHER_LISTS = frozenset(
    {*SEGMENT_SIZES, *RESULT_SEGMENT_SIZES, "reassociation", "indexing_maps", "iterator_types"}
)


class SizeRewrite:
    """A rewrite of a module with new sizes for some of its slots."""

    def __init__(
        self,
        ties: Ties,
        sizes: Mapping[Slot, Size],
        constants: Mapping[int, int],
        gone: Mapping[Slot, Sequence[int]],
    ) -> None:
        self.ties = ties
        self.module = ties.module
        self.sizes = sizes
        self.constants = constants
        self.gone = gone  # elements to drop from explicit lists; by default, the last ones
        self.rewrite = Rewrite(ties.module)
        self.new = NewSizes(ties, sizes)
        self.operands = SizeOperands(self.new, self.rewrite)

    def render(self) -> str | None:
        """The new text; None if a dim cannot be dropped from an op that iterates over it."""
        values = sorted({slot.value for slot in self.sizes if isinstance(slot, Dim)})
        if any(self._is_left_without_dims(value) for value in values):
            return None
        ops = ops_mentioning(self.module, values)
        ops |= {slot.op for slot in self.sizes if not isinstance(slot, Dim)}
        for op in sorted(ops):
            if not self._loops(op) or not self._groups(op) or not self._loses_evenly(op):
                return None
            self._name(op)
            if not self._numbered_dims(op):
                return None
            self._attribute_types(op)
            places = self._places(op)
            self._lists(op, places)
            self._maps(op, places)
            self._arguments(op, places)
            self.operands.drop(op, places)
        every = range(len(self.module.tokens)) if "strided<" in self.module.text else ()
        strided = {value for value, shape in self.ties.shaped(every) if "strided<" in shape.suffix}
        for value in sorted(strided.union(values)):
            self.rewrite.set_type(value, self._type(value))
        for declaration in self.ties.declarations:
            self._declaration(declaration)
        for op, number in self.constants.items():
            entry = self.module.syntax(op).property("value")
            if entry is not None:
                self.rewrite.set_entry(op, "value", with_constant(entry.value, number))
        return self.rewrite.render()

    # ---- types -----------------------------------------------------------------------------

    def _is_left_without_dims(self, value: int) -> bool:
        """Whether an unverified shape loses all its dims, though users refer to the last one."""
        shape = self.ties.shape(value)
        if shape is None or not shape.is_listed:
            return False
        return bool(shape.dims) and all(size is DROPPED for size in self.new.dims(value))

    def _loses_evenly(self, op: int) -> bool:
        """Whether an op with unverified shapes loses one dim of each shape, or no dim at all.

        Elsewhere, verifiers reject inconsistent ranks. Torch ops have no such verifier, so the
        result would be a program that no front end produces.
        """
        results = self.module.results(op)
        if not any(shape.is_listed for _, shape in self.ties.shaped(results)):
            return True  # a return or a list: its operands are unrelated
        lost = {
            sum(size is DROPPED for size in self.new.dims(value))
            for value, shape in self.ties.shaped([*self.ties.operands(op), *results])
            if shape.is_listed and shape.dims
        }
        if is_opaque(self.module.t.name[op]):
            return lost <= {0}
        return lost <= {0} or lost == {1}

    def _type(self, value: int) -> str:
        shape = self.ties.shape(value)
        assert shape is not None
        dims = self.new.dims(value)
        if gone := [number for number, size in enumerate(dims) if size is DROPPED]:
            suffix = encoding_without_dims(self.module, shape.suffix, gone)
            shape = shape.with_suffix(suffix)
        if layout := _STRIDED.search(shape.suffix):
            strides = _restrided(layout, self._strides(value))
            shape = shape.with_suffix(shape.suffix.replace(layout[0], strides))
        return shape.with_dims([s for s in dims if not isinstance(s, Dropped)]).text

    def _strides(self, value: int) -> dict[int, int]:
        """What becomes of the strides of a memref, or of what it is made from; 0 for none."""
        shape, maker = self.ties.shape(value), self.module.t.def_op[value]
        assert shape is not None
        if _STRIDED.search(shape.suffix):
            sources = self.ties.shaped(self.module.t.operands[maker]) if maker != NONE else []
            return self._strides(sources[0][0]) if sources else {}
        before, after, strides = 1, 1, dict[int, int]()
        for old, new in reversed(list(zip(shape.dims, self.new.dims(value), strict=True))):
            if not old or new is None:
                break
            strides[before] = 0 if new is DROPPED else after
            before, after = before * old, after * (new if isinstance(new, int) else 1)
        return strides

    def _attribute_types(self, op: int) -> None:
        """Update the types and data of constants in attributes: `dense<0> : tensor<4xi32>`."""
        syntax = self.module.syntax(op)
        results = {
            self.module.type_of(value): value
            for value in self.module.results(op)
            if self.ties.shape(value) is not None
        }
        for entry in syntax.entries:
            head, colon, kind = entry.value.rpartition(" : ")
            value = results.get(kind) if colon else None
            if value is not None and self._type(value) != kind:
                sizes = [0 if isinstance(s, Dropped) else s for s in self.new.dims(value)]
                data = resized(head, sizes)
                self.rewrite.set_entry(op, entry.name, f"{data} : {self._type(value)}")

    def _declaration(self, declaration: Declaration) -> None:
        """Update the type of a global to match its loads and stores."""
        after = self._type(declaration.values[0]) if self.ties.shape(declaration.values[0]) else ""
        if after and after != declaration.kind:
            set_declared_type(self.rewrite, declaration, after)

    # ---- attributes ------------------------------------------------------------------------

    def _places(self, op: int) -> dict[int, set[int]]:
        """What goes from lists with an item for each dim, or for each leading one, by length."""
        places: dict[int, set[int]] = {}
        shaped = [] if indexing_maps(self.module, op) else self._shaped(op)
        ranks = {len(shape.dims) for _, shape in shaped}
        for value, shape in shaped:
            rank = len(shape.dims)
            gone = {n for n, size in enumerate(self.new.dims(value)) if size is DROPPED}
            for length in (rank, *(rank - other for other in ranks)) if gone else ():
                places.setdefault(length, {n for n in gone if n < length})
        return places

    def _shaped(self, op: int) -> list[tuple[int, Shaped]]:
        values = (*self.module.t.operands[op], *self.module.results(op))
        return self.ties.shaped(value for value in values if value != NONE)

    def _lists(self, op: int, places: Mapping[int, set[int]]) -> None:
        """Update sizes in lists, and lists with an item (or operand) for each dim or element."""
        elements: dict[int, Sequence[int]] = {}
        for value, shape in self._shaped(op):
            match shape.dims, self.new.dims(value):
                case (int(before),), [int(after)]:
                    elements[before] = self.gone.get(Dim(value, 0), range(after, before))
                    listed = self.module.syntax(op).operand_types == (shape.element,) * before
                    for place in elements[before] if listed else ():
                        self.rewrite.drop_operand(op, place)
        for entry in self.module.syntax(op).entries:
            items = items_of(entry.value) or []
            slots = [ArrayItem(op, entry.name, place) for place in range(len(items))]
            is_of_dims = NUMBERS_DIMS.search(entry.name) and self.sizes.keys().isdisjoint(slots)
            if is_of_dims or entry.name in _OTHER_LISTS:
                continue
            gone = places.get(len(items), elements.get(len(items), ()))
            kept = [
                self._item(slot, item)
                for place, (slot, item) in enumerate(zip(slots, items, strict=True))
                if place not in gone and self.sizes.get(slot, 0) is not DROPPED
            ]
            if kept != items:
                self.rewrite.set_entry(op, entry.name, with_items(entry.value, kept))

    def _item(self, slot: ArrayItem, item: str) -> str:
        size = self.sizes.get(slot, item)
        return item if size is item else _numbered(item, size if isinstance(size, int) else DYNAMIC)

    def _maps(self, op: int, places: Mapping[int, set[int]]) -> None:
        """Drop dims from a map from them, or to them: its inputs, or its results."""
        for entry in self.module.syntax(op).entries if places else ():
            affine = map_of(self.module, entry.value)
            if affine is None:
                continue
            dims = places.get(affine.dims, set())
            results = affine.using(dims) or places.get(len(affine.results), set())
            after = affine.without_results(results).without_inputs(dims)
            if after != affine:
                self.rewrite.set_entry(op, entry.name, after.text)

    def _arguments(self, op: int, places: Mapping[int, set[int]]) -> None:
        """Drop the indices of dims from the arguments of a body, as of a pad."""
        if any(shape.element == "index" for _, shape in self._shaped(op)):
            return  # the arguments may be elements
        for block in self.module.blocks_of(op):
            values, kinds = self.module.block_args(block), set(self.module.block_arg_types(block))
            gone = places.get(len(values), ()) if kinds == {"index"} else ()
            left = [value for place, value in enumerate(values) if place not in gone]
            for place in gone:
                self.rewrite.drop_block_argument(block, place)
                self.rewrite.put_in_place(values[place], left[0])

    def _groups(self, op: int) -> bool:
        """Remove dropped dims from reassociations.

        False if a group becomes empty but its own dim stays, or the other way around.
        """
        groups = reassociation(self.module, op)
        shapes = self._shaped(op)
        if groups is None or len(shapes) != 2:
            return True
        (long, long_shape), (short, _) = sorted(shapes, key=lambda s: -len(s[1].dims))
        long_dims, short_dims = self.new.dims(long), self.new.dims(short)
        if sum(map(len, groups)) != len(long_shape.dims) or len(groups) != len(short_dims):
            return True
        after: list[list[int]] = []
        position = 0
        for group, whole in zip(groups, short_dims, strict=True):
            left = sum(long_dims[n] is not DROPPED for n in group)
            if (left == 0) != (whole is DROPPED):
                return False
            if left:
                after.append(list(range(position, position + left)))
                position += left
        if position != len(long_dims) or len(after) != len(groups):
            self.rewrite.set_entry(op, "reassociation", str(after))
        return True

    def _numbered_dims(self, op: int) -> bool:
        """Renumber dims in attributes that refer to dims of the first operand.

        False if a scalar attribute refers to a dropped dim.
        """
        shapes = self._shaped(op)
        if not shapes or indexing_maps(self.module, op):
            return True
        gone = [n for n, size in enumerate(self.new.dims(shapes[0][0])) if size is DROPPED]
        syntax = self.module.syntax(op)
        for entry in syntax.entries:
            if not gone or not NUMBERS_DIMS.search(entry.name):
                continue
            number, array = integer_of(entry.value), integer_array(entry)
            if number in gone:
                return False
            if number is not None:
                after = with_constant(entry.value, _counted_down(number, gone))
                self.rewrite.set_entry(op, entry.name, after)
            elif array is not None:
                items = zip(items_of(entry.value) or (), array, strict=True)
                left = [
                    _numbered(item, _counted_down(n, gone)) for item, n in items if n not in gone
                ]
                self.rewrite.set_entry(op, entry.name, with_items(entry.value, left))
        return True

    def _loops(self, op: int) -> bool:
        """Remove the loops of dropped dims from affine maps and iterators; False if impossible."""
        maps = indexing_maps(self.module, op)
        gone = [n for n in range(maps[0].dims if maps else 0) if self._loop_goes(op, n)]
        if not gone:
            return True
        units = [n for n in gone if self._is_unit(op, maps, n)]
        after: list[AffineMap] = []
        for affine in maps:
            dropped = [n for n in range(len(affine.results)) if affine.loop(n) in gone]
            left = affine.without_results(dropped).at_zero(units)
            if left.using(gone):
                return False
            after.append(left.without_inputs(gone))
        self.rewrite.set_entry(op, "indexing_maps", f"[{', '.join(m.text for m in after)}]")
        self._iterators(op, gone)
        return self._indices(op, gone)

    def _is_unit(self, op: int, maps: Sequence[AffineMap], number: int) -> bool:
        """Whether a loop has a single iteration, so that its index is always 0."""
        return any(
            affine.loop(place) == number and size == 1
            for value, affine in zip(self.module.t.operands[op], maps, strict=True)
            if value != NONE and (shape := self.ties.shape(value)) is not None
            for place, size in enumerate(shape.dims[: len(affine.results)])
        )

    def _loop_goes(self, op: int, number: int) -> bool:
        return self.sizes.get(Loop(op, number), 0) is DROPPED

    def _name(self, op: int) -> None:
        """Rename a named op to its rank-reduced variant, e.g. `batch_matmul` to `matmul`."""
        losing = tuple(
            any(self.sizes.get(Dim(value, n), 0) is DROPPED for n in range(len(shape.dims)))
            for value in self.module.t.operands[op]
            if value != NONE and (shape := self.ties.shape(value)) is not None
        )
        before = self.module.t.name[op]
        after = rank_reduced_name(before, losing)
        if after is None:
            return
        start = self.module.text.index(f'"{before}"', self.module.t.start[op])
        self.rewrite.replace(start, start + len(before) + 2, f'"{after}"')
        if after not in WITH_OPTIONAL_MAPS and self.module.syntax(op).property("indexing_maps"):
            self.rewrite.set_entry(op, "indexing_maps", None)

    def _iterators(self, op: int, gone: list[int]) -> None:
        entry = self.module.syntax(op).property("iterator_types")
        kinds = split_array(entry.value) if entry else None
        if kinds is not None:
            left = [kind for n, kind in enumerate(kinds) if n not in gone]
            self.rewrite.set_entry(op, "iterator_types", f"[{', '.join(left)}]")

    def _indices(self, op: int, gone: list[int]) -> bool:
        """Renumber `….index` ops in the body; False if one refers to a dropped loop."""
        for inner in self.module.subtree(op):
            if not self.module.t.name[inner].endswith(".index"):
                continue
            entry = self.module.syntax(inner).property("dim")
            if entry is None:
                continue
            number = int(entry.value.split()[0])
            if number in gone:
                return False
            after = with_constant(entry.value, _counted_down(number, gone))
            self.rewrite.set_entry(inner, "dim", after)
        return True


def _numbered(item: str, number: int) -> str:
    """The item of a list, `2` or `2 : i64`, with another number."""
    return re.sub(r"^-?\d+", str(number), item)


def _counted_down(number: int, gone: Sequence[int]) -> int:
    """The new number of a dim after earlier dims were dropped."""
    return number - sum(dim < number for dim in gone)


_OPENING = "dense<["


def resized(data: str, sizes: Sequence[int | None]) -> str:
    """The data of a constant cut down to smaller sizes; anything but a list is unchanged.

    Args:
        sizes: one for each dim of the data; 0 drops the dim, and keeps what comes first in it.

    >>> resized("dense<[[1, 2], [3, 4]]>", [2, 1]), resized("dense<[[1, 2], [3, 4]]>", [0, 2])
    ('dense<[[1], [3]]>', 'dense<[1, 2]>')
    """
    if not data.startswith(_OPENING):
        return data
    return f"dense<{_resized(data[len(_OPENING) - 1 : -1], sizes)}>"


def _resized(text: str, sizes: Sequence[int | None]) -> str:
    if not sizes or not text.startswith("["):
        return text
    items = split_commas(text[1:-1])
    if sizes[0] == 0:
        return _resized(items[0], sizes[1:]) if items else text
    return f"[{', '.join(_resized(item, sizes[1:]) for item in items[: sizes[0]])}]"


_ALIAS = re.compile(r"#[\w.$-]+(?![\w.$<-])")
_MAP = re.compile(r"map(?: = |<)\(([^()]*)\)(\[[^\]]*\])? -> (?=\()")
_STRIDES = re.compile(r"(?<=strided<\[)[^\]]+")
_STRIDED = re.compile(r"(?<=strided<)\[([\d, ]+)\](?:, offset: (\d+))?(?=>)")


def _restrided(layout: re.Match[str], strides: Mapping[int, int]) -> str:
    """Strides and an offset with others for those that are known."""
    left, offset = int(layout[2] or 0), 0
    for stride in sorted(strides, reverse=True):
        offset += left // stride * strides[stride]
        left %= stride
    items = ", ".join(str(strides.get(int(item), item)) for item in layout[1].split(", "))
    return f"[{items}]" + (f", offset: {offset + left}" if layout[2] else "")


def encoding_without_dims(module: Module, text: str, gone: Sequence[int]) -> str:
    """What follows the element type of a shape that loses dims.

    A map in it loses these dims, and the levels that depend on them; a list of strides those of
    the dims. Anything else is unchanged.

    Args:
        text: such as `, #csr>`; an alias is only written out if its definition changes.
    """

    def changed(match: re.Match[str]) -> str:
        definition = resolve_alias(module, match[0])
        after = _without_dims(definition, gone)
        return match[0] if after == definition else after

    after = _ALIAS.sub(changed, text)
    return _without_dims(text, gone) if after == text else after


def _without_dims(text: str, gone: Sequence[int]) -> str:
    text = _STRIDES.sub(lambda match: without_items(f"[{match[0]}]", gone)[1:-1], text)
    head = _MAP.search(text)
    results = brackets_at(text, head.end()) if head is not None else None
    if head is None or results is None:
        return text
    shown = tuple(split_commas(text[results.start + 1 : results.end]))
    affine = AffineMap(len(split_commas(head[1])), head[2] or "", shown)
    after = affine.without_results(affine.using(gone)).without_inputs(gone).text
    written = after[len("affine_map<") : -len(")>")]
    return f"{text[: head.start(1) - 1]}{written}{text[results.end :]}"
