"""The sizes of a module as variables, and the module's text for new values of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from reducer.ir.dialects import is_opaque
from reducer.ir.module import NONE, Module
from reducer.ir.sizes.change import SizeRewrite
from reducer.ir.sizes.repeats import INTEGER, constants_equal_to, lost_elements
from reducer.ir.sizes.slots import DROPPED, Dim, Product, Size, Slot, Ties
from reducer.ir.sizes.ties import collect


@dataclass(frozen=True)
class Variable:
    """A size and the slots that hold it; `size` is None if it is dynamic.

    One without a dim is a number that a size is a sum of, such as the width of a pad.
    """

    number: int
    size: int | None
    slots: tuple[Slot, ...]

    @property
    def dims(self) -> tuple[Dim, ...]:
        return tuple(slot for slot in self.slots if isinstance(slot, Dim))


class SizeSystem:
    """The size variables of a module, numbered in text order. Products of others are not free."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._ties: Ties = collect(module)
        self._classes = self._collect()
        self._products = [self._by_variable(product) for product in self._ties.products]
        self._sums = {
            self._classes[one.whole]: [self._classes[slot] for slot in (one.part, *one.added)]
            for one in self._ties.sums
        }
        self._added = {
            self._classes[slot]: number
            for one in self._ties.sums
            for slot, number in zip(one.added, one.numbers, strict=True)
        }

    def _collect(self) -> dict[Slot, int]:
        """The class number of each slot. Classes are numbered in the order of their first dim."""
        ties = self._ties
        roots: dict[Slot, int] = {}
        out: dict[Slot, int] = {}
        slots: list[Slot] = [
            Dim(value, number)
            for value in range(len(self.module.tokens))
            if (shape := ties.shape(value)) is not None
            for number in range(len(shape.dims))
        ]
        slots += sorted((s for s in ties.equal if not isinstance(s, Dim)), key=repr)
        for slot in slots:
            number = roots.setdefault(ties.equal[slot], len(roots))
            out[slot] = number
        return out

    def _by_variable(self, product: Product) -> tuple[int, tuple[int, ...]]:
        whole, *parts = (self._classes[slot] for slot in (product.whole, *product.parts))
        return whole, tuple(parts)

    @cached_property
    def variables(self) -> list[Variable]:
        """All sizes that occur in types, including derived ones, and what is added to them."""
        slots: dict[int, list[Slot]] = {}
        for slot, number in self._classes.items():
            slots.setdefault(number, []).append(slot)
        out: list[Variable] = []
        for number in sorted(slots):
            dim = next((s for s in slots[number] if isinstance(s, Dim)), None)
            if dim is not None or number in self._added:
                size = self._added[number] if dim is None else self._size(dim)
                out.append(Variable(number, size, tuple(slots[number])))
        return out

    @cached_property
    def free(self) -> list[Variable]:
        """The variables that are not determined by a product."""
        derived = {whole for whole, parts in self._products if whole not in parts}
        derived |= {whole for whole, parts in self._sums.items() if whole not in parts}
        return [variable for variable in self.variables if variable.number not in derived]

    def _size(self, dim: Dim) -> int | None:
        shape = self._ties.shape(dim.value)
        assert shape is not None
        return shape.dims[dim.number]

    @cached_property
    def _sizes(self) -> dict[int, int | None]:
        return {variable.number: variable.size for variable in self.variables}

    def constants(self, variable: Variable) -> list[int]:
        """Scalar constant ops with a variable's size, near the uses of that size."""
        return [] if variable.size is None else self.constants_of(variable, variable.size)

    def constants_of(self, variable: Variable, number: int) -> list[int]:
        """Scalar constant ops with the value `number`, near the uses of a variable's size."""
        return constants_equal_to(self.module, number, {dim.value for dim in variable.dims})

    def sizes_beside(self, variable: Variable) -> list[int]:
        """The sizes above 1 that shapes of equal rank have in the place of a dynamic size.

        Only those of the op that makes a value with the size, and of its users: a cast, for
        example, is valid for equal sizes only.
        """
        t = self.module.t
        out: dict[int, None] = {}
        for dim in variable.dims:
            shape = self._ties.shape(dim.value)
            assert shape is not None
            for op in dict.fromkeys([t.def_op[dim.value], *self._users(dim.value)]):
                values = (*t.operands[op], *self.module.results(op)) if op != NONE else ()
                for _, other in self._ties.shaped(v for v in values if v != NONE):
                    size = other.dims[dim.number] if len(other.dims) == len(shape.dims) else None
                    if size is not None and size > 1:
                        out[size] = None
        return list(out)

    def is_of_results_only(self, variable: Variable) -> bool:
        """Whether a size occurs in unverified result shapes only, with no visible origin.

        The op derives it from the contents of its operands (`torch.aten.nonzero`) or computes it
        from their sizes (a convolution), so any other value would be wrong.
        """
        t = self.module.t
        values = {dim.value for dim in variable.dims}
        makers = {t.def_op[value] for value in values}
        if NONE in makers or self.constants(variable):
            return False
        shapes = (self._ties.shape(value) for value in values)
        return all(shape is not None and shape.is_listed for shape in shapes) and any(
            values.isdisjoint(self._ties.operands(op)) for op in makers
        )

    def computed(self, sizes: Mapping[int, Size]) -> dict[int, Size]:
        """Sizes that ops probably compute once others have changed: in the same proportion.

        These are static sizes of results only (see above). Left as it is, the shape would no longer
        be one that the op can have; nobody but the compiler knows which is.
        """
        changed = self.derive(sizes) or {}
        whole: dict[int, Size] = {}
        for variable in self.variables:
            if variable.number in changed or variable.size is None or variable.size < 2:
                continue
            if not self.is_of_results_only(variable):
                continue
            share = self._share_kept(variable, {**changed, **whole})
            if share is not None:
                whole[variable.number] = max(1, int(variable.size * share))
        return whole

    def _share_kept(self, variable: Variable, changed: Mapping[int, Size]) -> Fraction | None:
        """How much is left of the dim that stands at the same place of an op's operand."""
        for dim in variable.dims:
            shape, op = self._ties.shape(dim.value), self.module.t.def_op[dim.value]
            assert shape is not None
            for value, other in self._ties.shaped(self._ties.operands(op)):
                number = self._classes.get(Dim(value, dim.number))
                if number is None or len(other.dims) != len(shape.dims):
                    continue
                before, after = self._sizes.get(number), changed.get(number)
                if before and isinstance(after, int):
                    return Fraction(after, before)
        return None

    def is_unverified(self, variable: Variable) -> bool:
        """Whether a size is in shapes only that no verifier checks."""
        shapes = [self._ties.shape(dim.value) for dim in variable.dims]
        return all(shape is not None and shape.is_listed for shape in shapes)

    def is_of_unverified(self, variable: Variable, name: str) -> bool:
        """Whether the size is in an unverified shape of an operand or result of an op `name`."""
        t = self.module.t
        return any(
            t.name[op] == name
            for dim in variable.dims
            if (shape := self._ties.shape(dim.value)) is not None and shape.is_listed
            for op in (*self._users(dim.value), t.def_op[dim.value])
            if op != NONE
        )

    def is_place_of_dims(self, variable: Variable) -> bool:
        """Whether a size is the rank of another shape, like the length of a reshape's target shape.

        Considers opaque ops only; for other ops, the verifier rejects wrong ranks.
        """
        t = self.module.t
        return any(
            is_opaque(t.name[op]) and variable.size in self._ranks(op)
            for dim in variable.dims
            if (shape := self._ties.shape(dim.value)) is not None
            and len(shape.dims) == 1
            and INTEGER.fullmatch(shape.element)
            for op in self._users(dim.value)
        )

    def _users(self, value: int) -> list[int]:
        return [op for op, _ in self.module.uses[value]]

    def _ranks(self, op: int) -> set[int]:
        values = (*self.module.t.operands[op], *self.module.results(op))
        shaped = self._ties.shaped(value for value in values if value != NONE)
        return {len(shape.dims) for _, shape in shaped if len(shape.dims) > 1}

    def around(self, variable: Variable, sizes: Mapping[int, Size], *, exactly: bool = True) -> str:
        """A description of the shapes that contain a variable, with their producers and users.

        Args:
            sizes: new sizes of variables.
            exactly: include exact sizes; otherwise all sizes above 1 are treated as equal.
        """
        changed = self.derive(sizes) or {}
        lines: list[str] = []
        for dim in variable.dims:
            shape, maker = self._ties.shape(dim.value), self.module.t.def_op[dim.value]
            assert shape is not None
            numbers = [self._classes[Dim(dim.value, n)] for n in range(len(shape.dims))]
            now = [changed.get(number, self._sizes[number]) for number in numbers]
            if not exactly:
                now = [2 if isinstance(size, int) and size > 1 else size for size in now]
            uses = [f"{self.module.t.name[op]} {n}" for op, n in self.module.uses[dim.value]]
            made_by = "" if maker == NONE else self.module.t.name[maker]
            lines.append(f"{dim.number} {now} {made_by} {uses}")
        return "\n".join(lines)

    def is_size(self, slot: Slot) -> bool:
        """Whether a slot is tied to a size of some shape."""
        number = self._classes.get(slot)
        return number is not None and number in self._sizes

    def lost_elements(self, sizes: Mapping[int, Size]) -> dict[int, tuple[int, ...]]:
        """Variables that are ranks of shapes which lose dims, and the indices of those dims."""
        changed = self.derive(sizes) or {}
        lost: dict[int, list[int]] = {}
        for slot, number in self._classes.items():
            if isinstance(slot, Dim) and changed.get(number) is DROPPED:
                lost.setdefault(slot.value, []).append(slot.number)
        out: dict[int, tuple[int, ...]] = {}
        for length, places in lost_elements(self._ties, lost):
            if (number := self._classes.get(length, NONE)) not in (*changed, NONE):
                out.setdefault(number, places)
        return out

    def text(
        self,
        sizes: Mapping[int, Size],
        constants: Mapping[int, int] | None = None,
        elements: Mapping[int, tuple[int, ...]] | None = None,
    ) -> str | None:
        """The module with new sizes for some free variables; None if it cannot be expressed.

        Args:
            sizes: maps variable numbers to new sizes, or DROPPED to drop the dim everywhere.
            constants: maps constant ops that hold a size to the new value.
            elements: maps variables that are list lengths to the indices of the dropped elements.
        """
        lengths = {n: (self._sizes[n] or 0) - len(gone) for n, gone in (elements or {}).items()}
        changed = self.derive({**sizes, **lengths})
        if changed is None:
            return None
        per_slot = {
            slot: changed[number] for slot, number in self._classes.items() if number in changed
        }
        places = {
            slot: gone for slot, n in self._classes.items() if (gone := (elements or {}).get(n))
        }
        return SizeRewrite(self._ties, per_slot, constants or {}, places).render()

    def derive(self, sizes: Mapping[int, Size]) -> dict[int, Size] | None:
        """All variables that change, also products and sums; None if these are inconsistent."""
        changed = dict(sizes)
        sums = self._sums.items()
        derived = [*((*one, self._product) for one in self._products), *((*s, _sum) for s in sums)]
        for _ in range(len(derived) + 1):
            progress = False
            for whole, parts, combine in derived:
                if not any(part in changed for part in parts):
                    continue
                size = combine([changed.get(part, self._sizes[part]) for part in parts])
                if whole in changed and changed[whole] != size:
                    return None
                progress |= whole not in changed
                changed[whole] = size
            if not progress:
                return {n: size for n, size in changed.items() if size != self._sizes[n]}
        return None

    @staticmethod
    def _product(parts: list[Size]) -> Size:
        left = [part for part in parts if part is not DROPPED]
        if not left:
            return DROPPED
        out = 1
        for part in left:
            if not isinstance(part, int):
                return None
            out *= part
        return out


def _sum(parts: list[Size]) -> Size:
    numbers = [part for part in parts if isinstance(part, int)]
    if len(numbers) == len(parts):
        return sum(numbers)
    return DROPPED if DROPPED in parts else None
