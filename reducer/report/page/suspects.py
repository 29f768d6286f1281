"""Which ops of a result fail, and where they are in its text."""

from collections.abc import Iterable, Sequence

from reducer.driver.records.history import History
from reducer.ir import NONE, Module


def failing_ops(module: Module, history: History) -> list[int]:
    """The ops of a result, in generic form, that fail; empty if nothing tells.

    Those to which the compiler's errors point, or else those that the message names. A crash that
    says neither is the fault of the only op that computes something, if there is just one.
    """
    pointed = [op for op in history.failing if op < len(module)]
    if pointed:
        return pointed
    named = [op for op, name in enumerate(module.t.name) if name == history.signature.op]
    if named:
        return named
    computing = [op for op in range(len(module)) if _computes(module, op)]
    return computing if len(computing) == 1 else []


def _computes(module: Module, op: int) -> bool:
    """Whether an op is neither a constant nor the end of a block nor hidden in another one."""
    t = module.t
    block = t.block[op]
    ends = block != NONE and t.block_ops[block][-1] == op and not t.num_results[op]
    return bool(t.operands[op]) and not ends and not module.hidden[op]


def rows_of(
    ops: Iterable[int], module: Module, rows: Sequence[Sequence[tuple[str, str]]]
) -> frozenset[int]:
    """The rows of a highlighted text, counted from 0, in which some ops of its module begin.

    The text may be in pretty form: the third op of a name there is the third of it in `module`.
    """
    places: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        for kind, piece in row:
            if kind == "op":
                places.setdefault(piece.strip('"'), []).append(number)
    numbers: dict[str, list[int]] = {}
    for op, name in enumerate(module.t.name):
        if not module.hidden[op]:
            numbers.setdefault(name, []).append(op)
    marked = set()
    for op in ops:
        name = module.t.name[op]
        same, there = numbers.get(name, []), places.get(name, [])
        if len(same) == len(there) and op in same:
            marked.add(there[same.index(op)])
    return frozenset(marked)
