"""Degenerate parts of a program, and the program without them.

A size of 0 or 1, an operand that is also the output, a result that nothing uses: compilers treat
all of these apart, so the message may be the same while the bug is not. What the original program
has as well is not degenerate, and neither is what cannot be compared with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from reducer.ir import NONE, GenericSyntaxError, Module, Rewrite
from reducer.ir.functions import container_of, signature, terminator_of
from reducer.ir.retype import segment_sizes
from reducer.ir.rewrite import Returned
from reducer.ir.shapes import Dims, parse_shaped
from reducer.ir.sizes import SizeSystem, Variable
from reducer.ir.sizes.repeats import with_constant
from reducer.transformations.boundary_types import BoundaryTypes
from reducer.transformations.signatures import functions_without_calls, uncalled_functions
from reducer.transformations.sizes import Sizes

SMALLEST_ORDINARY = 2
"""Sizes below this are degenerate."""

_Use = tuple[int, int]  # an op and the number of one of its operands

_MAX_CONSTANTS = 4  # uses of constants that may be a size, to try one by one


class Feature(StrEnum):
    """A way in which a program may be degenerate, in words."""

    SIZE = "sizes below 2"
    OUTPUT = "an output that is also an input"
    UNUSED = "an unused result"


@dataclass(frozen=True)
class Part:
    """A degenerate part: a size variable, an operand of an op, or all results of an op."""

    feature: Feature
    number: int  # of the variable, or of the op
    operand: int = NONE


@dataclass(frozen=True)
class Counts:
    """How many degenerate parts of each kind a module has, whatever it was made from."""

    sizes: int
    outputs: int
    unused: int

    @staticmethod
    def of(module: Module) -> "Counts":
        dims = (size for value in range(len(module.tokens)) for size in _dims(module, value))
        outputs, unused = (sum(1 for _ in found(module)) for found in (_shared_outputs, _unused))
        return Counts(sum(map(_is_small, dims)), outputs, unused)

    def admits(self, module: Module) -> bool:
        """Whether a module has no more degenerate parts than these, of any kind."""
        other = Counts.of(module)
        return (
            other.sizes <= self.sizes
            and other.outputs <= self.outputs
            and other.unused <= self.unused
        )


@dataclass(frozen=True)
class MadeFrom:
    """The program that a module was made from.

    Attributes:
        module: the original program.
        ops: for each op of the reduced module whose origin is known, that op of the original.
    """

    module: Module
    ops: Mapping[int, int] = field(default_factory=dict)


class DegenerateParts:
    """The parts of a module that are degenerate, unlike the parts of the original they came from.

    Args:
        boundary: the types of values that a function may return.
    """

    def __init__(self, module: Module, origin: MadeFrom, boundary: BoundaryTypes) -> None:
        self._module = module
        self._origin = origin
        self._boundary = boundary
        self._system = SizeSystem(module)
        self.found: tuple[Part, ...] = tuple(self._find())

    def without(self, parts: Sequence[Part]) -> list[Module]:
        """The module with these parts made ordinary, the least larger way.

        A size becomes 2, an output a new argument, and an unused result is returned. There are
        several programs if a constant may be such a size or something else.
        """
        out: list[Module] = []
        for text, place in self._with_ordinary_sizes(parts):
            with suppress(GenericSyntaxError):
                # The ops and values have kept their numbers.
                out.append(Module.parse(_with_ordinary_uses(Module.parse(text), parts, place)))
        return out

    def _with_ordinary_sizes(self, parts: Sequence[Part]) -> Iterator[tuple[str, _Use | None]]:
        """Texts with larger sizes, with all constants of that size changed, or none.

        In between, a single use (the op and the number of its operand) that is still to be changed.
        """
        numbers = {part.number for part in parts if part.feature is Feature.SIZE}
        variables = [v for v in self._system.variables if v.number in numbers]
        constants = {op for v in variables for op in self._system.constants(v)}
        sizes = dict.fromkeys(numbers, SMALLEST_ORDINARY)
        alone = self._system.text(sizes) if sizes else self._module.text
        together = self._system.text(sizes, dict.fromkeys(constants, SMALLEST_ORDINARY))
        if constants and together is not None:
            yield together, None
        if alone is None:
            return
        uses = self._module.uses
        places = [use for op in constants for v in self._module.results(op) for use in uses[v]]
        for place in sorted(places)[:_MAX_CONSTANTS] if len(places) > 1 else ():
            yield alone, place
        yield alone, None

    # ---- detection -------------------------------------------------------------------------

    def _find(self) -> Iterator[Part]:
        free = Sizes(self._system).values
        for variable in self._system.variables:
            if not variable.dims or variable.number not in free:
                continue
            if _is_small(variable.size) and self._was_larger(variable):
                yield Part(Feature.SIZE, variable.number)
        can_grow = set(functions_without_calls(self._module))
        for op, number in _shared_outputs(self._module):
            if container_of(self._module, op) in can_grow and self._was_output_of_its_own(op):
                yield Part(Feature.OUTPUT, op, number)
        can_return = set(uncalled_functions(self._module))
        for op in _unused(self._module):
            if container_of(self._module, op) in can_return and self._may_return(op):
                yield Part(Feature.UNUSED, op)

    def _was_larger(self, variable: Variable) -> bool:
        """Whether a size was larger, or dynamic, in some of its places in the original.

        If it has no places there, whether the original has no such size at all.
        """
        module, original = self._module, self._origin.module
        like: list[bool] = []  # by dims in the same place of shapes of equal rank
        unlike: list[bool] = []  # by the number of small dims, where the rank changed
        for dim in variable.dims:
            now = _dims(module, dim.value)
            for value in self._counterparts(dim.value):
                before = _dims(original, value)
                if len(before) == len(now):
                    size = before[dim.number]
                    like.append(size is None or size > (variable.size or 0))
                else:
                    unlike.append(sum(map(_is_small, before)) < sum(map(_is_small, now)))
        if like or unlike:
            return any(like or unlike)
        values = range(len(original.tokens))
        return not any(size == variable.size for v in values for size in _dims(original, v))

    def _counterparts(self, value: int) -> Iterator[int]:
        """The values of the original in the places of this one: results, and operands of users."""
        t, before = self._module.t, self._origin.module
        op = t.def_op[value]
        origin = self._origin.ops.get(op) if op != NONE else None
        if origin is not None and before.t.num_results[origin] == t.num_results[op]:
            yield before.results(origin)[value - t.first_result[op]]
        for user, number in self._module.uses[value]:
            origin = self._origin.ops.get(user)
            if origin is None:
                continue
            operands = before.t.operands[origin]
            if len(operands) == len(t.operands[user]) and operands[number] != NONE:
                yield operands[number]

    def _was_output_of_its_own(self, op: int) -> bool:
        origin = self._origin.ops.get(op)
        before = self._origin.module
        return origin is not None and not any(True for _ in _shared_operands(before, origin))

    def _may_return(self, op: int) -> bool:
        """Whether results that the original used, and this module does not, may be returned."""
        module, before = self._module, self._origin.module
        origin = self._origin.ops.get(op)
        if origin is None or not any(before.uses[value] for value in before.results(origin)):
            return False
        function = container_of(module, op)
        terminator, types = terminator_of(module, function), signature(module, function)
        if terminator is None or types is None or terminator in module.t.regions:
            return False
        return len(types[1]) == len(module.t.operands[terminator]) and all(
            self._boundary.allows(module.type_of(value)) for value in module.results(op)
        )


def _with_ordinary_uses(module: Module, parts: Sequence[Part], place: _Use | None) -> str:
    """The text with new arguments for outputs, and unused results returned.

    The operand at `place` becomes a constant of its own with an ordinary size.
    """
    rewrite = Rewrite(module)
    if place is not None:
        _set_constant_of_its_own(rewrite, *place)
    returned: dict[int, list[Returned]] = {}
    for part in parts:
        function = container_of(module, part.number) if part.feature is not Feature.SIZE else NONE
        if part.feature is Feature.OUTPUT:
            kind = module.type_of(module.t.operands[part.number][part.operand])
            token = rewrite.add_argument(function, kind)
            rewrite.set_operand(part.number, part.operand, token)
        elif part.feature is Feature.UNUSED:
            values = module.results(part.number)
            more = (Returned(module.tokens[v], module.type_of(v)) for v in values)
            returned.setdefault(function, []).extend(more)
    for function, new in returned.items():
        terminator = terminator_of(module, function)
        assert terminator is not None
        old = [
            Returned(module.tokens[value], module.type_of(value), number)
            for number, value in enumerate(module.t.operands[terminator])
            if value != NONE
        ]
        rewrite.set_returns(function, terminator, [*old, *new])
    return rewrite.render()


def _set_constant_of_its_own(rewrite: Rewrite, op: int, number: int) -> None:
    """Make one operand of an op a constant of its own that has an ordinary size."""
    module = rewrite.module
    value = module.t.operands[op][number]
    constant = module.t.def_op[value]
    entry = module.syntax(constant).property("value")
    if entry is None:
        return
    start, (first, last) = module.t.start[constant], entry.value_span
    changed = with_constant(entry.value, SMALLEST_ORDINARY)
    text = module.text[start:first] + changed + module.text[last : module.t.end[constant]]
    token = rewrite.fresh()
    rewrite.replace(start, start, text.replace(f"{module.tokens[value]} = ", f"{token} = ", 1))
    rewrite.set_operand(op, number, token)


# ---- what is degenerate in itself --------------------------------------------------------------


def _dims(module: Module, value: int) -> Dims:
    shape = parse_shaped(module.type_of(value))
    return () if shape is None else shape.dims


def _is_small(size: int | None) -> bool:
    return size is not None and size < SMALLEST_ORDINARY


def _shared_outputs(module: Module) -> Iterator[tuple[int, int]]:
    """Operands that are an output of an op and one of its inputs, as (op, operand number)."""
    for op in range(len(module)):
        if not module.hidden[op]:
            yield from ((op, number) for number in _shared_operands(module, op))


def _shared_operands(module: Module, op: int) -> Iterator[int]:
    """The numbers of the outputs of an op that are also its inputs.

    In destination-passing style, the outputs come last, one per result and of its type.
    """
    segments, count = segment_sizes(module, op), module.t.num_results[op]
    if not count or segments is None or segments[1][-1] != count:
        return
    operands = module.t.operands[op]
    inputs, outputs = operands[:-count], operands[-count:]
    for number, (value, result) in enumerate(zip(outputs, module.results(op), strict=True)):
        if value == NONE or module.type_of(value) != module.type_of(result):
            return
        if value in inputs:
            yield len(inputs) + number


def _unused(module: Module) -> Iterator[int]:
    """Ops directly in a function with one block that have results, none of them used."""
    t = module.t
    for op in range(len(module)):
        parent = t.parent[op]
        results = module.results(op)
        if (
            results
            and parent != NONE
            and not any(module.uses[value] for value in results)
            and parent == container_of(module, op)
            and terminator_of(module, parent) is not None
        ):
            yield op
