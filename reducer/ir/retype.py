"""Edits that give values other types, everywhere a type is written.

In generic form a value's type stands at its definition and at each use: in the types of ops, in
block labels and in function types.
"""

import re
from collections.abc import Container, Iterable, Mapping, Sequence

from reducer.ir.functions import is_function, signature
from reducer.ir.module import NONE, Module
from reducer.ir.parser import label_arguments
from reducer.ir.syntax import Entry

Edit = tuple[int, int, str]

SEGMENT_SIZES = ("operandSegmentSizes", "operand_segment_sizes")
"""How ops with several groups of operands say how many each has."""
RESULT_SEGMENT_SIZES = ("resultSegmentSizes", "result_segment_sizes")
"""The same of results."""

_INTEGERS = re.compile(r"(array<i\d+: )([\d, ]+)>")


def function_type(inputs: Iterable[str], results: Iterable[str]) -> str:
    """A function type as the printer writes it."""
    outs = tuple(results)
    right = outs[0] if len(outs) == 1 and "->" not in outs[0] else f"({', '.join(outs)})"
    return f"({', '.join(inputs)}) -> {right}"


def retype_op(
    module: Module,
    op: int,
    types: Mapping[int, str],
    gone: Container[int] = (),
    gone_results: Container[int] = (),
) -> Edit | None:
    """The new `(operand types) -> result types` of an op; None if its text has no such part.

    Operands and results whose numbers are in `gone` and `gone_results` are left out.
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
    """The new label of a block, without the arguments of these numbers; None if it has none."""
    t = module.t
    start, end = t.block_start[block], t.block_label_end[block]
    if end == NONE:
        return None
    label = module.text[start:end]
    arguments = enumerate(zip(module.block_args(block), label_arguments(label), strict=True))
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
    """The property that counts an op's groups of operands, and its numbers, if it has one."""
    entry = module.syntax(op).entry(*names)
    match = _INTEGERS.fullmatch(entry.value) if entry else None
    return (entry, [int(size) for size in match[2].split(",")]) if entry and match else None


def segment_sizes_without(
    module: Module, op: int, gone: Container[int], names: Sequence[str] = SEGMENT_SIZES
) -> tuple[str, str] | None:
    """Name and new value of the property that counts an op's groups of operands, if it has one."""
    found = segment_sizes(module, op, names)
    if found is None:
        return None
    entry, sizes = found
    first, kept = 0, []
    for size in sizes:
        kept.append(sum(n not in gone for n in range(first, first + size)))
        first += size
    head = entry.value.partition(": ")[0]
    return entry.name, f"{head}: {', '.join(map(str, kept))}>"


def ops_mentioning(module: Module, values: Iterable[int]) -> set[int]:
    """The ops that make or use values, and so write their types."""
    out: set[int] = set()
    for value in values:
        if module.t.def_op[value] != NONE:
            out.add(module.t.def_op[value])
        out.update(op for op, _ in module.uses[value])
    return out


def function_returning(module: Module, op: int) -> int | None:
    """The function whose results are an op's operands, as for `func.return`; None if none is."""
    function, block = module.t.parent[op], module.t.block[op]
    if function == NONE or module.t.block_ops[block][-1] != op or not is_function(module, function):
        return None
    types = signature(module, function)
    if types is None or types[1] != module.syntax(op).operand_types:
        return None
    return function
