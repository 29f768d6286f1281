"""A dispatch as a program: what it computes, from tensors that are arguments, as results.

Code generation sees a function that reads its tensors from buffers, decodes sizes from numbers that
the host hands over, and writes to other buffers. Here the tensors and the sizes are arguments, and
what is written is returned. The ops between are in dialects that the compiler accepts as input, and
it will most likely form the same dispatch of them again. What is known about a size stays, because
it may decide how the dispatch is tiled.

The tensors of a dispatch have the sizes that it is told. As arguments they have sizes of their own,
and as that is enough for most failures, it is tried first. A second form says that they are equal.

This differs from `dispatch_program`, which keeps what a dispatch means: there, a part of a tensor
that is read is still a part. For a failure of the compiler, a tensor of that size will do.
"""

from collections.abc import Iterator
from contextlib import suppress

from oracles.profiles import Dispatches
from reducer.ir import NONE, GenericSyntaxError, Module, Returned, Rewrite
from reducer.ir.functions import entry_block, is_function, terminator_of
from reducer.ir.retype import operand_segments
from reducer.ir.shapes import parse_shaped
from reducer.locate.pipeline import alone
from reducer.transformations import BoundaryTypes

_SIZE = "index"


def dispatch_as_input(module: Module, dispatches: Dispatches) -> list[Module]:
    """Programs that compute what a dispatch does, as far as it shows, the simplest first.

    Args:
        module: the dispatch as it is before code generation.

    Returns:
        None at all if it refers to other symbols, or if what it writes is not computed in it.
    """
    made: dict[str, Module] = {}
    for function in (op for op in module.t.regions if is_function(module, op)):
        for tied in (False, True):
            with suppress(GenericSyntaxError):
                text = alone(module, function)
                program = text and _translated(Module.parse(text), dispatches, tied=tied)
                if program:
                    made.setdefault(program, Module.parse(program))
    return list(made.values())


def _translated(module: Module, dispatches: Dispatches, *, tied: bool) -> str | None:
    function = next((op for op in module.t.regions if is_function(module, op)), NONE)
    own = {module.symbol_name(function)} if function != NONE else set()
    block = None if function == NONE else entry_block(module, function)
    if block is None or not module.symbol_refs(function) <= own:
        return None
    terminator = terminator_of(module, function)
    if terminator is None or list(module.block_args(block)) or module.t.operands[terminator]:
        return None
    return _DispatchTranslation(module, function, block, terminator, dispatches, tied).render()


class _DispatchTranslation:
    """The translation of the only function of a module."""

    def __init__(
        self,
        module: Module,
        function: int,
        block: int,
        terminator: int,
        dispatches: Dispatches,
        tied: bool,
    ) -> None:
        self.module = module
        self.function = function
        self.terminator = terminator
        self.dispatches = dispatches
        self.tied = tied
        self.ops = [op for op in module.t.block_ops[block] if op != terminator]
        self.boundary = BoundaryTypes.of(module)
        self.rewrite = Rewrite(module)

    def render(self) -> str | None:
        """The text of the program; None if a value is lost whose type no argument can have."""
        self._pass_on()
        decoding = set(self._decoding())
        written = list(dict.fromkeys(self._written()))
        kept = self._computing(written, decoding)
        computed = {op for op in kept if not self._is_load(op)}
        if not computed.issuperset(map(self._producer, written)) or not written:
            return None
        for op in self.ops:
            if op not in kept:
                self.rewrite.remove(op)
        if not self._add_arguments(kept):
            return None
        module = self.module
        returned = [Returned(self.rewrite.token(v), module.type_of(v)) for v in written]
        self.rewrite.set_returns(self.function, self.terminator, returned)
        return self.rewrite.render()

    def _pass_on(self) -> None:
        """Replace results that are the same as an operand."""
        for op in self.ops:
            if self._is_same(op):
                source = self.module.t.operands[op][0]
                for result in self.module.results(op):
                    self.rewrite.substitute(result, self.rewrite.token(source))

    def _is_same(self, op: int) -> bool:
        return self.module.t.name[op] in self.dispatches.same

    def _source(self, value: int) -> int:
        """The value that stands for this one."""
        op = self.module.t.def_op[value]
        while op != NONE and self._is_same(op):
            value = self.module.t.operands[op][0]
            op = self.module.t.def_op[value]
        return value

    def _producer(self, value: int) -> int:
        return self.module.t.def_op[self._source(value)]

    def _written(self) -> Iterator[int]:
        for op in self.ops:
            if self.module.t.name[op] in self.dispatches.store:
                yield self._source(self.module.t.operands[op][0])

    def _decoding(self) -> Iterator[int]:
        """Ops that only put together numbers that the host hands over, up to the sizes they are."""
        encoded: set[int] = set()
        for op in self.ops:
            if self._is_interface(op):
                encoded.update(self.module.results(op))
                continue
            operands = {self._source(v) for v in self.module.t.operands[op] if v != NONE}
            if op in self.module.t.regions or not operands & encoded:
                continue
            known = (self._is_constant(self.module.t.def_op[v]) for v in operands - encoded)
            results = self.module.results(op)
            kinds = [self.module.type_of(v) for v in results]
            if not all(known) or any(self.boundary.is_shaped(kind) for kind in kinds):
                continue
            yield op
            sizes = (kind == _SIZE for kind in kinds)
            encoded.update(v for v, size in zip(results, sizes, strict=True) if not size)

    def _is_interface(self, op: int) -> bool:
        return self.module.t.name[op].startswith(self.dispatches.interface)

    def _is_load(self, op: int) -> bool:
        return self.module.t.name[op] in self.dispatches.load

    def _is_constant(self, op: int) -> bool:
        return op != NONE and not self.module.t.operands[op] and op not in self.module.t.regions

    def _computing(self, written: list[int], decoding: set[int]) -> set[int]:
        """The ops behind these values, up to what is read and to what is handed over."""
        kept: set[int] = set()
        waiting = [self._producer(value) for value in written]
        while waiting:
            op = waiting.pop()
            if op == NONE or op in kept or op in decoding or self._is_interface(op):
                continue
            if self._is_load(op):
                if self._sizes_read(op):
                    kept.add(op)
                waiting.extend(self._producer(value) for value in self._sizes_read(op))
            else:
                kept.add(op)
                waiting.extend(self._producer(value) for value in self.module.captured(op))
        return kept

    def _sizes_read(self, op: int) -> list[int]:
        """The dynamic sizes of the tensor that an op reads, if they are to be kept."""
        module = self.module
        if not self.tied or not self._is_load(op):
            return []
        (read,) = module.results(op)
        shaped = parse_shaped(module.type_of(read))
        count = 0 if shaped is None else shaped.dims.count(None)
        *before, sizes, _ = [0, 0, *operand_segments(module, op)]
        first = sum(before)
        return list(module.t.operands[op][first : first + sizes]) if sizes == count else []

    def _add_arguments(self, kept: set[int]) -> bool:
        """Make arguments of all values that kept ops use and no kept op computes."""
        used = {self._source(v) for op in sorted(kept) for v in self._used(op)}
        lost = sorted(v for v in used if self.module.t.def_op[v] not in kept)
        for value in lost:
            kind = self.module.type_of(value)
            if not self.boundary.allows(kind):
                return False
            self.rewrite.substitute(value, self.rewrite.add_argument(self.function, kind))
        self._pass_on()  # what was the same as a lost value is now the same as an argument
        for op in sorted(kept):
            if sizes := self._sizes_read(op):
                self._tie(op, sizes)
        return True

    def _used(self, op: int) -> list[int]:
        return self._sizes_read(op) or self.module.captured(op)

    def _tie(self, op: int, sizes: list[int]) -> None:
        """Read an argument that has these sizes instead."""
        module = self.module
        (read,) = module.results(op)
        kind = module.type_of(read)
        operands = [self.rewrite.add_argument(self.function, kind)]
        operands += [self.rewrite.token(size) for size in sizes]
        types = ", ".join([kind, *([_SIZE] * len(sizes))])
        made = f'"{self.dispatches.tie}"({", ".join(operands)}) : ({types}) -> {kind}\n'
        start, end = module.t.start[op], module.t.end[op]
        self.rewrite.replace(start, end, f"{module.tokens[read]} = {made}")
