"""Runs a program: functions, blocks, branches, and regions that ops ask for."""

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import DYNAMIC
from reducer.miscompile.interpreter.errors import (
    Divergent,
    ProgramError,
    UndefinedBehavior,
    Unsupported,
)
from reducer.miscompile.interpreter.program import Block, EvaluatedProgram, Op, Region
from reducer.miscompile.interpreter.registry import (
    TERMINATORS,
    Handler,
    is_aware,
    is_batched,
    is_known,
)
from reducer.miscompile.interpreter.values import Array, Buffer

MAX_CALLS = 100
"""The depth of nested calls at which a recursion is taken for endless."""

MAX_STEPS = 1 << 17
"""The number of iterations at which a loop is taken for endless: ten seconds or so."""

MAX_ELEMENTS = 1 << 28
"""The number of elements at which a tensor is too large."""

ExternalFunction = Callable[["Frame", Op, Sequence[Any]], tuple[Any, ...]]

EXTERNAL: dict[str, ExternalFunction] = {}
"""Functions of the support library that programs declare: called with the frame, the call, and its
arguments."""

sys.setrecursionlimit(20_000)  # a few Python frames for each nested region and call


def steps(numbers: Iterable[int] | None = None) -> Iterator[int]:
    """The iterations of a loop, which ends by itself if there are no `numbers`.

    Raises:
        ProgramError: there are too many.
    """
    for count, number in enumerate(itertools.count() if numbers is None else numbers):
        if count == MAX_STEPS:
            raise ProgramError(f"a loop of more than {MAX_STEPS:,} steps")
        yield number


class Interpreter:
    """Calls functions of one program. Globals keep their values from call to call.

    `trace` is told each op that was evaluated, with its results. `stable_sorts` is whether sorts
    keep the order of equal elements, which some dialects promise and lowering forgets.
    """

    def __init__(
        self,
        program: EvaluatedProgram,
        *,
        trace: Callable[[Op, Sequence[Any]], None] | None = None,
        stable_sorts: bool = False,
    ) -> None:
        self.program = program
        self.stable_sorts = stable_sorts
        self.globals: dict[str, Any] = {}
        self.poison_sources: dict[str, None] = {}
        """Where poison came from, in order."""
        self.hazards: dict[str, None] = {}
        """On what a compiled program may crash even if no result depends on it."""
        self.printed: list[str] = []
        """What the program has printed, in pieces."""
        self.trace = trace
        self.depth = 0
        self._initialized = False

    def call(self, function: str, arguments: Sequence[Any]) -> list[Any]:
        """The results of a function.

        Raises:
            KeyError: there is no such function.
            Unsupported: the evaluator does not know something that the function needs.
            UndefinedBehavior: the function has no meaning for these arguments.
            ProgramError: the program ends with an error, such as a failed assertion.
        """
        unknown = {op.name for op in self.program.reachable(function) if not is_known(op.name)}
        if unknown:
            raise Unsupported(unknown)
        with np.errstate(all="ignore"):
            if not self._initialized:
                self._initialized = True
                for initializer in self.program.initializers:
                    Frame(self).run(initializer.regions[0], ())
            return self.invoke(function, arguments)

    def invoke(self, function: str, arguments: Sequence[Any]) -> list[Any]:
        """Call a function from inside the program."""
        callee = self.program.symbols[function]
        if is_external(callee):
            raise Unsupported([f"external function @{function}"])
        if self.depth >= MAX_CALLS:
            raise ProgramError(f"more than {MAX_CALLS} nested calls")
        self.depth += 1
        try:
            return Frame(self).run(callee.regions[0], arguments)
        finally:
            self.depth -= 1


def is_external(function: Op) -> bool:
    """Whether a function is only declared."""
    return not function.regions or not function.regions[0].blocks


class Frame:
    """The values of one call of a function.

    Inside a body that is evaluated for all points of an iteration space at once, `batch` is the
    shape of that space and `indices` has, for each loop, its index at each point (as arrays that
    broadcast to that shape).
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.values: dict[int, Any] = {}
        self.indices: list[Any] = []
        self.batch: tuple[int, ...] | None = None
        self.lanes: Any = None
        """Which elements of vectors take part, inside of `vector.mask`."""

    # ---- regions ---------------------------------------------------------------------------

    def run(self, region: Region, arguments: Sequence[Any]) -> list[Any]:
        """The operands of the terminator that ends a region."""
        return self.run_to_terminator(region, arguments)[1]

    def run_to_terminator(
        self, region: Region, arguments: Sequence[Any]
    ) -> tuple[Op | None, list[Any]]:
        """The op that ends a region, and its operands; branches between blocks are followed."""
        block = region.block
        for _ in steps():
            last, values = self.run_block(block, arguments)
            if last is None or last.name not in BRANCHES:
                break
            block, arguments = BRANCHES[last.name](self, last, values)
        return last, values

    def run_block(self, block: Block, arguments: Sequence[Any]) -> tuple[Op | None, list[Any]]:
        """The terminator of a block and its operands."""
        values = self.values
        values.update(zip(block.arguments, arguments, strict=True))
        for position, op in enumerate(block.ops):
            if op.name in TERMINATORS:
                return op, [values[number] for number in op.operands]
            self.step(op)
            for number in block.ended[position]:
                values.pop(number, None)
        return None, []

    def step(self, op: Op) -> None:
        """Evaluate one op that is not a terminator."""
        if op.handler is None:
            raise Unsupported([op.name])
        operands: Sequence[Any] = [self.values[number] for number in op.operands]
        try:
            if any(type(one) is Buffer for one in operands) and not is_aware(op.name):
                _in_memory(self, op, op.handler, operands)
                return
            out = op.handler(self, op, *operands)
        except UndefinedBehavior as behavior:
            behavior.place = behavior.place or op.place
            raise
        results = op.results
        if out is None:
            return
        if type(out) is not tuple:
            out = (out,)
        self.values.update(zip(results, out, strict=True))
        if self.interpreter.trace is not None and self.batch is None:
            self.interpreter.trace(op, out)

    # ---- what ops ask for ------------------------------------------------------------------

    def saw_poison(self, op: Op) -> None:
        """Remember that an op made poison."""
        if len(self.interpreter.poison_sources) < 8:
            self.interpreter.poison_sources[op.place] = None

    def saw_hazard(self, op: Op, what: str) -> None:
        """Remember that an op reads what is not there."""
        self.saw_poison(op)
        if len(self.interpreter.hazards) < 8:
            self.interpreter.hazards[f"{what} ({op.place})"] = None

    def known(self, value: Array, what: str) -> Any:
        """The numbers of a value on which control flow or an address depends.

        Raises:
            UndefinedBehavior: one of them is poison.
        """
        if value.poison is not None:
            raise UndefinedBehavior(f"{what} depends on an uninitialized or poison value")
        return value.data

    def index(self, value: Array, what: str = "an index") -> int:
        """A single integer."""
        data = self.known(value, what)
        if data.ndim:
            return uniform(data)
        return int(data)

    def sizes(self, op: Op, name: str, dynamic: Sequence[Array]) -> list[int]:
        """Static and dynamic sizes, offsets or strides, merged."""
        left = iter(dynamic)
        return [self.index(next(left)) if n == DYNAMIC else n for n in op.integers(name)]

    def in_batch(
        self, batch: tuple[int, ...], indices: Sequence[Any], run: Callable[[], list[Any]]
    ) -> list[Any]:
        """Evaluate something for all points of an iteration space at once."""
        outer = self.batch, self.indices
        self.batch, self.indices = batch, list(indices)
        try:
            return run()
        finally:
            self.batch, self.indices = outer


def _in_memory(frame: Frame, op: Op, handler: Handler, operands: Sequence[Any]) -> None:
    """Evaluate a structured op whose outputs are memory: as on tensors, then overwrite these."""
    if not op.name.startswith("linalg.") or op.results:
        raise Unsupported([f"{op.name} on memory"])
    out = handler(frame, op, *(one.array() if type(one) is Buffer else one for one in operands))
    made = out if type(out) is tuple else (out,)
    for target, value in zip(operands[len(operands) - len(made) :], made, strict=True):
        target.fill(value)


def uniform(data: Any) -> int:
    """The only number in an array.

    Raises:
        Divergent: there are several.
    """
    first = data.flat[0] if data.size else 0
    if data.size and not (data == first).all():
        raise Divergent
    return int(first)


def can_batch(op: Op) -> bool:
    """Whether all ops in the regions of an op can be evaluated for all points at once."""
    module = op.program.module
    return all(is_batched(module.t.name[n]) for n in module.subtree(op.number) if n != op.number)


def check_size(shape: Sequence[int]) -> None:
    """Refuse a tensor that no test needs.

    Raises:
        UndefinedBehavior: a size is negative.
        ProgramError: the tensor is too large.
    """
    count = 1
    for size in shape:
        if size < 0:
            raise UndefinedBehavior(f"a size of {size}")
        count *= size
    if count > MAX_ELEMENTS:
        raise Unsupported([f"tensor of {count} elements"])


BRANCHES: dict[str, Callable[[Frame, Op, list[Any]], tuple[Block, list[Any]]]] = {}
"""Terminators that go on in another block, which `dialects/control.py` fills in."""
