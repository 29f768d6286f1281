"""Check that the sizes in a module agree when one of its functions is called: a guard.

Dynamic sizes are computed by the program, and no verifier checks that sizes which must be equal
are: a `linalg` op may get operands with 5 and 25 elements, or a store may write 25 elements to a
shape with 5. The behavior of such a program is undefined. Given the arguments of a function, most
sizes can be computed and compared.

This is a walk over the ops in text order, so operands are known before results. Unsupported ops
yield unknown sizes, which are consistent with everything.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import prod

from reducer.ir import GenericSyntaxError
from reducer.ir.affine import indexing_maps
from reducer.ir.functions import entry_block, is_function
from reducer.ir.module import NONE, Module
from reducer.ir.retype import segment_sizes
from reducer.ir.shapes import Dims, parse_shaped
from reducer.ir.sizes.repeats import DYNAMIC, constant_of, integer_array, reassociation
from reducer.miscompile.values.user_inputs import InputSpec

Argument = int | tuple[int, ...] | None
"""A scalar, the sizes of a shape, or None if unknown."""

_SAME = ("util.optimization_barrier", "iree_tensor_ext.dispatch.workload.ordinal")
"""Ops of IREE's dialects whose result equals their operand."""


class KnownSizes:
    """The sizes in a function for given arguments, and the first `disagreement` among them."""

    def __init__(self, module: Module, function: int, arguments: Sequence[Argument]) -> None:
        self.module = module
        self._numbers: dict[int, int] = {}
        self._dims: dict[int, Dims] = {}
        self._counts: dict[int, int] = {}  # number of elements of values with unknown dims
        self._bad: list[str] = []
        block = entry_block(module, function)
        if block is None:
            return
        for value, argument in zip(module.block_args(block), arguments, strict=False):
            if isinstance(argument, int):
                self._numbers[value] = argument
            elif argument is not None:
                self._dims[value] = argument
        for op in module.subtree(function):
            if op != function:
                self._visit(op)

    @property
    def disagreement(self) -> str:
        """A description of the first op with inconsistent sizes; '' if there is none."""
        return self._bad[0] if self._bad else ""

    # ---- known sizes -----------------------------------------------------------------------

    def number(self, value: int) -> int | None:
        """The value of a scalar integer; None if unknown."""
        return self._numbers.get(value)

    def dims(self, value: int) -> Dims | None:
        """The sizes of a shaped value, None for unknown ones; None if it has no shape."""
        if value not in self._dims:
            shape = parse_shaped(self.module.type_of(value))
            if shape is None:
                return None
            self._dims[value] = shape.dims
        return self._dims[value]

    def _count(self, value: int) -> int | None:
        """The number of elements of a shaped value; None if unknown."""
        return self._counts.get(value, _product(self.dims(value)))

    # ---- op by op --------------------------------------------------------------------------

    def _visit(self, op: int) -> None:
        module = self.module
        name, results = module.t.name[op], module.results(op)
        operands = [value for value in module.t.operands[op] if value != NONE]
        constant = constant_of(module, op)
        if len(results) == 1:
            number = constant
            if number is None:
                number = result_of(name, [self.number(value) for value in operands])
            if number is None and operands and name in _SAME:
                number = self.number(operands[0])
            if number is None and name.endswith(".dim") and len(operands) == 2:
                number = self._dim(operands[0], operands[1])
            if number is not None:
                self._numbers[results[0]] = number
        if indexing_maps(module, op):
            self._structured(op, operands)
        elif reassociation(module, op) is not None:
            self._regrouped(op, operands)
        elif self._array(op, "static_sizes") is not None:
            self._slice(op, operands)
        elif name in _SAME or name.endswith((".cast", ".tie_shape")):
            self._same(op, operands)
        elif segment_sizes(module, op):
            groups = list(self._groups(op, operands))
            self._written(op, groups[-1])
            self._enter(op, groups)
        elif results and operands and all(self._is_index(value) for value in operands):
            self._made(results[0], operands)

    def _dim(self, shaped: int, place: int) -> int | None:
        dims, number = self.dims(shaped), self.number(place)
        return dims[number] if dims and number is not None and number < len(dims) else None

    def _made(self, result: int, sizes: Sequence[int]) -> None:
        """Visit an op that creates a tensor: its operands are the dynamic sizes."""
        self._claim(result, sizes)

    def _structured(self, op: int, operands: Sequence[int]) -> None:
        loops: dict[int, int] = {}
        for value, affine in zip(operands, indexing_maps(self.module, op), strict=False):
            dims = self.dims(value) or ()
            for place, size in enumerate(dims if len(dims) == len(affine.results) else ()):
                loop = affine.loop(place)
                if loop is not None and size is not None:
                    self._agree(op, loops.setdefault(loop, size), size)
        results = self.module.results(op)
        for result, initial in zip(reversed(results), reversed(operands), strict=False):
            self._learn(op, result, self.dims(initial))

    def _regrouped(self, op: int, operands: Sequence[int]) -> None:
        """Visit a collapse, whose sizes are products, or an expansion, which keeps the total."""
        groups = reassociation(self.module, op) or []
        results = self.module.results(op)
        before = self.dims(operands[0]) if operands and len(results) == 1 else None
        if before is None:
            return
        if sum(map(len, groups)) == len(before):
            self._learn(op, results[0], tuple(_product([before[n] for n in g]) for g in groups))
        else:
            self._claim(results[0], [value for value in operands if self._is_index(value)])
        self._agree(op, _product(before), _product(self.dims(results[0])))

    def _same(self, op: int, operands: Sequence[int]) -> None:
        """Visit an op that returns its operand with a more precise shape."""
        results = self.module.results(op)
        if not operands or len(results) != 1 or self.dims(operands[0]) is None:
            return
        self._claim(results[0], operands[1:])
        if operands[0] in self._counts:
            self._agree(op, self._counts[operands[0]], _product(self.dims(results[0])))
        else:
            self._learn(op, results[0], self.dims(operands[0]))

    def _slice(self, op: int, operands: list[int]) -> None:
        """Visit an op that reads or writes a slice; a written slice is the first operand."""
        arrays = [self._array(op, f"static_{name}") for name in ("offsets", "sizes", "strides")]
        if not all(arrays):
            return
        left = list(operands)
        read: list[list[int | None]] = []
        for array in reversed(arrays):
            numbers, left = self._read(array or [], left)
            read.insert(0, numbers)
        offsets, sizes, strides = read
        shaped = [value for value in left if self.dims(value) is not None]
        part = shaped[0] if len(shaped) == 2 else next(iter(self.module.results(op)), None)
        if not shaped or part is None:
            return
        whole = shaped[-1]
        self._claim_whole(op, whole, [value for value in left if value not in shaped])
        if len(shaped) == 1:
            self._learn(op, part, _dropping_units(sizes, self.dims(part) or ()))
        else:
            for result in self.module.results(op):
                self._learn(op, result, self.dims(whole))
        self._agree(op, self._count(part), _product(sizes))
        for offset, size, stride, dim in zip(
            offsets, sizes, strides, self.dims(whole) or (), strict=False
        ):
            if None not in (offset, size, stride, dim) and size:
                last = (offset or 0) + (size - 1) * (stride or 0)
                if last >= (dim or 0):
                    self._bad.append(f"{self._name(op)} accesses index {last} of {dim}")

    def _read(self, array: list[int], left: list[int]) -> tuple[list[int | None], list[int]]:
        """The numbers of an array, dynamic ones taken from the end of `left`, and the rest."""
        count = array.count(DYNAMIC)
        given = iter(left[len(left) - count :])
        numbers = [self.number(next(given)) if n == DYNAMIC else n for n in array]
        return numbers, left[: len(left) - count]

    def _claim_whole(self, op: int, whole: int, sizes: Sequence[int]) -> None:
        """Record the dynamic sizes that an op states for a shape it reads from or writes to."""
        shape = parse_shaped(self.module.type_of(whole))
        if shape is None or shape.dims.count(None) != len(sizes) or not sizes:
            return
        given = iter(sizes)
        dims = tuple(self.number(next(given)) if d is None else d for d in shape.dims)
        self._agree(op, self._counts.get(whole), _product(dims))
        self._learn(op, whole, dims)

    def _written(self, op: int, outputs: Sequence[int]) -> None:
        """Propagate sizes to results that are the updated values of the last operands."""
        results = self.module.results(op)
        if [self.module.type_of(v) for v in outputs] == [self.module.type_of(v) for v in results]:
            for value, result in zip(outputs, results, strict=True):
                self._learn(op, result, self.dims(value))

    def _enter(self, op: int, groups: Sequence[Sequence[int]]) -> None:
        """Visit an op with an isolated body: one operand group becomes the block's arguments.

        The next group holds their dynamic sizes, and the last group holds those of the results.
        """
        module = self.module
        block = entry_block(module, op)
        inner = [] if block is None else list(module.block_args(block))
        for number, group in enumerate(groups):
            if not group or len(group) > len(inner) or not self._pass(op, group, inner):
                continue
            dynamic = [
                size
                for value in group
                if (shape := parse_shaped(module.type_of(value))) is not None
                for size, dim in zip(self.dims(value) or (), shape.dims, strict=True)
                if dim is None
            ]
            told = groups[number + 1] if number + 1 < len(groups) else []
            if len(told) == len(dynamic):
                for size, value in zip(dynamic, told, strict=True):
                    self._agree(op, size, self.number(value))
            results = module.results(op)
            if len(results) == 1 and number + 2 < len(groups):
                self._claim(results[0], groups[-1])
            return

    def _pass(self, op: int, group: Sequence[int], inner: Sequence[int]) -> bool:
        """Bind operands to block arguments, if their types match; False otherwise."""
        shapes = [
            (parse_shaped(self.module.type_of(value)), parse_shaped(self.module.type_of(argument)))
            for value, argument in zip(group, inner, strict=False)
        ]
        if not any(one and other for one, other in shapes):
            return False
        if any((one is None) != (other is None) for one, other in shapes):
            return False
        for value, argument in zip(group, inner, strict=False):
            number, dims, count = self.number(value), self.dims(value), self._count(value)
            if number is not None:
                self._numbers[argument] = number
            own = self.dims(argument)
            if dims is not None and own is not None and len(own) == len(dims):
                self._learn(op, argument, dims)
            elif count is not None:
                self._counts[argument] = count
                self._agree(op, count, _product(own))
        return True

    # ---- bookkeeping -----------------------------------------------------------------------

    def _claim(self, value: int, sizes: Sequence[int]) -> None:
        """Set the dynamic sizes of a value to these scalars, if the counts match."""
        dims = self.dims(value)
        if dims is not None and dims.count(None) == len(sizes):
            given = iter(sizes)
            self._dims[value] = tuple(self.number(next(given)) if d is None else d for d in dims)

    def _learn(self, op: int, value: int, dims: Dims | None) -> None:
        """Merge sizes into those known for a value, and record contradictions."""
        known = self.dims(value)
        if known is None or dims is None or len(known) != len(dims):
            return
        for one, other in zip(known, dims, strict=True):
            self._agree(op, one, other)
        self._dims[value] = tuple(b if a is None else a for a, b in zip(known, dims, strict=True))

    def _agree(self, op: int, one: int | None, other: int | None) -> None:
        if one is not None and other is not None and one != other:
            self._bad.append(f"{self._name(op)} has sizes of {one} and {other} that must be equal")

    def _name(self, op: int) -> str:
        return self.module.t.name[op]

    def _is_index(self, value: int) -> bool:
        return self.module.type_of(value) == "index"

    def _array(self, op: int, name: str) -> list[int] | None:
        entry = self.module.syntax(op).entry(name)
        return integer_array(entry) if entry else None

    def _groups(self, op: int, operands: Sequence[int]) -> Iterator[Sequence[int]]:
        found = segment_sizes(self.module, op)
        first = 0
        for size in found[1] if found else ():
            yield operands[first : first + size]
            first += size


def _product(dims: Sequence[int | None] | None) -> int | None:
    if dims is None:
        return None
    known = [dim for dim in dims if dim is not None]
    return prod(known) if len(known) == len(dims) else None


def _dropping_units(sizes: Sequence[int | None], dims: Dims) -> Dims | None:
    """Sizes of a slice without the unit dims that its result drops; None if they do not match."""
    spare = len(sizes) - len(dims)
    out: list[int | None] = []
    for size in sizes:
        place = len(out)
        fits = place < len(dims) and dims[place] == 1
        if size == 1 and spare > 0 and not fits:
            spare -= 1
        else:
            out.append(size)
    return tuple(out) if len(out) == len(dims) else None


_Binary = Callable[[int, int], int | None]


def _truncated(a: int, b: int) -> int | None:
    """The quotient rounded toward zero, like `arith.divsi`."""
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    quotient = _truncated(a, b)
    return None if quotient is None else a - b * quotient


_OPS: dict[str, _Binary] = {
    "add": lambda a, b: a + b,
    "addi": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "subi": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "muli": lambda a, b: a * b,
    "divs": _truncated,
    "divsi": _truncated,
    "divu": _truncated,
    "divui": _truncated,
    "floordivs": lambda a, b: a // b if b else None,
    "floordivsi": lambda a, b: a // b if b else None,
    "ceildivs": lambda a, b: -(-a // b) if b else None,
    "ceildivsi": lambda a, b: -(-a // b) if b else None,
    "ceildivu": lambda a, b: -(-a // b) if b else None,
    "ceildivui": lambda a, b: -(-a // b) if b else None,
    "rems": _remainder,
    "remsi": _remainder,
    "remu": _remainder,
    "remui": _remainder,
    "maxs": max,
    "maxsi": max,
    "maxu": max,
    "maxui": max,
    "mins": min,
    "minsi": min,
    "minu": min,
    "minui": min,
}
_CASTS = ("index_cast", "index_castui", "casts", "castu", "extsi", "extui", "trunci")
_DIALECTS = ("arith", "index")


def result_of(name: str, operands: Sequence[int | None]) -> int | None:
    """The result of an `arith` or `index` op; None for other ops and unknown operands.

    The op is used on sizes, which are small and nonnegative, so width and signedness do not matter.

    >>> result_of("arith.muli", [3, 4]), result_of("index.ceildivs", [7, 2])
    (12, 4)
    """
    dialect, _, op = name.partition(".")
    known = [operand for operand in operands if operand is not None]
    if dialect not in _DIALECTS or len(known) != len(operands):
        return None
    if len(known) == 1 and op in _CASTS:
        return known[0]
    return _OPS[op](*known) if len(known) == 2 and op in _OPS else None


class SizeAudit:
    """The audit; `generic` converts a text to generic form, or returns None."""

    def __init__(self, generic: Callable[[str], str | None]) -> None:
        self._generic = generic
        self._module = lru_cache(maxsize=2)(self._parsed)

    def __call__(self, text: str, function: str, inputs: Sequence[str]) -> str:
        """What does not agree, in words; '' if no disagreement is known.

        `inputs` are in the syntax of `iree-run-module`: `2x3xf32=1 2 3 4 5 6`, or `7`.
        """
        module = self._module(text)
        if module is None:
            return ""
        for op in range(len(module)):
            if is_function(module, op) and module.symbol_name(op) == function:
                return KnownSizes(module, op, list(map(argument_of, inputs))).disagreement
        return ""

    def _parsed(self, text: str) -> Module | None:
        try:
            return Module.parse(text)
        except GenericSyntaxError:
            generic = self._generic(text)
        try:
            return None if generic is None else Module.parse(generic)
        except GenericSyntaxError:
            return None


def argument_of(value: str) -> Argument:
    """The number, or the sizes, of an input.

    >>> argument_of("2x3xf32=1 2 3 4 5 6"), argument_of("f32=1"), argument_of("7")
    ((2, 3), (), 7)
    """
    given = InputSpec.parse(value)
    if given.type is not None:
        return tuple(size or 0 for size in given.type.shape or ())
    word = given.values or ""
    return int(word) if word.lstrip("-").isdigit() else None
