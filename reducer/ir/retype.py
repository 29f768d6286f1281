"""Edits that change the types of values wherever those types are written.

In generic form, a value's type is repeated at its definition and at each use: in the types of ops,
in block labels and in function types.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from reducer.ir.attribute_tree import items_of, with_items
from reducer.ir.function_types import function_type
from reducer.ir.functions import is_function, signature
from reducer.ir.module import NONE, Module
from reducer.ir.syntax import Edit, Entry

SEGMENT_SIZES = ("operandSegmentSizes", "operand_segment_sizes")
"""The attribute with the size of each operand group, in ops with several variadic groups."""
RESULT_SEGMENT_SIZES = ("resultSegmentSizes", "result_segment_sizes")
"""The same for groups of results."""


def retype_op(
    module: Module,
    op: int,
    types: Mapping[int, str],
    gone: Container[int] = (),
    gone_results: Container[int] = (),
) -> Edit | None:
    """An edit that rewrites an op's `(operand types) -> result types`; None if it has no such part.

    Operands and results whose numbers are in `gone` and `gone_results` are omitted.
    """
    syntax = module.syntax(op)
    operands, results = module.t.operands[op], module.results(op)
    if (
        syntax.types_span is None
        or len(operands) != len(syntax.operand_types)
        or len(results) != len(syntax.result_types)
    ):
        return None
    pairs = enumerate(zip(operands, syntax.operand_types, strict=True))
    ins = [types.get(value, old) for number, (value, old) in pairs if number not in gone]
    made = enumerate(zip(results, syntax.result_types, strict=True))
    outs = [types.get(v, old) for number, (v, old) in made if number not in gone_results]
    return (*syntax.types_span, function_type(ins, outs))


def retype_label(
    module: Module, block: int, types: Mapping[int, str], gone: Container[int] = ()
) -> Edit | None:
    """An edit that rewrites a block label without the arguments in `gone`; None if unlabeled."""
    t = module.t
    start, end = t.block_start[block], t.block_label_end[block]
    if end == NONE:
        return None
    label = module.text[start:end]
    arguments = enumerate(zip(module.block_args(block), module.block_arguments(block), strict=True))
    shown = ", ".join(
        f"{token}: {types.get(value, kind)}"
        for number, (value, (token, kind)) in arguments
        if number not in gone
    )
    name = label[: label.index("(")]
    return start, start + label.rindex("):") + 2, f"{name}({shown}):" if shown else f"{name}:"


def segment_sizes(
    module: Module, op: int, names: Sequence[str] = SEGMENT_SIZES
) -> tuple[Entry, list[int]] | None:
    """The entry with an op's segment sizes, and these sizes; None if it has none."""
    entry = module.syntax(op).entry(*names)
    sizes = items_of(entry.value) if entry else None
    return (entry, list(map(int, sizes))) if entry and sizes else None


def operand_segments(module: Module, op: int) -> list[int]:
    """The numbers of operands in each group of an op; empty if it has none."""
    found = segment_sizes(module, op)
    return found[1] if found else []


def segment_sizes_without(
    module: Module, op: int, gone: Container[int], names: Sequence[str] = SEGMENT_SIZES
) -> Iterator[tuple[str, str]]:
    """The names and new values of an op's segment sizes without the operands in `gone`."""
    found = segment_sizes(module, op, names)
    if found is None:
        return
    entries = [(*found, 0)]
    if names is SEGMENT_SIZES and (inner := sizes_in_last(module, op)):
        entries.append((*inner, sum(found[1][:-1])))
    for entry, sizes, first in entries:
        kept = []
        for size in sizes:
            kept.append(sum(n not in gone for n in range(first, first + size)))
            first += size
        yield entry.name, with_items(entry.value, map(str, kept))


def sizes_in_last(module: Module, op: int) -> tuple[Entry, list[int]] | None:
    """The entry that divides the last operand group once more, as for cases, and its sizes."""
    for entry in module.syntax(op).entries:
        if entry.name.endswith("_segments"):
            sizes = list(map(int, items_of(entry.value) or ()))
            if [sum(sizes)] == operand_segments(module, op)[-1:]:
                return entry, sizes
    return None


def ops_mentioning(module: Module, values: Iterable[int]) -> set[int]:
    """The ops that define or use some values, and therefore mention their types."""
    out: set[int] = set()
    for value in values:
        if module.t.def_op[value] != NONE:
            out.add(module.t.def_op[value])
        out.update(op for op, _ in module.uses[value])
    return out


def function_returning(module: Module, op: int) -> int | None:
    """The function that an op such as `func.return` returns from; None for other ops."""
    function, block = module.t.parent[op], module.t.block[op]
    if function == NONE or module.t.block_ops[block][-1] != op or not is_function(module, function):
        return None
    types = signature(module, function)
    if types is None or types[1] != module.syntax(op).operand_types:
        return None
    return function
