"""Values that have one element for each dim of a shape, as what `tensor.reshape` is given.

Such a length is no size of anything. When the shape loses a dim, its verifier wants the value to
lose the element of that dim.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from reducer.ir.module import NONE, Module
from reducer.ir.rewrite import Rewrite
from reducer.ir.shapes import Shaped, parse_shaped
from reducer.ir.sizes.slots import Dim, Ties
from reducer.ir.syntax import split_array

INTEGER = re.compile(r"index|[su]?i\d+")

_LIST = re.compile(r"dense<(\[[^\[\]]*\])>( : .*)", re.S)


def lost_elements(
    ties: Ties, lost: Mapping[int, Sequence[int]]
) -> Iterator[tuple[Dim, tuple[int, ...]]]:
    """The lengths that count dims which go, each with the places of the elements that go.

    An op says with an operand how many dims its result has (a reshape), or with its result how
    many an operand has (its shape). Of shapes that no verifier looks at nothing is said.

    Args:
        lost: value to the places of the dims that it loses.
    """
    module = ties.module
    ops = {op for value in lost for op in (module.t.def_op[value], *_users(module, value))}
    for op in sorted(ops - {NONE}):
        operands = ties.shaped(value for value in module.t.operands[op] if value != NONE)
        results = ties.shaped(module.results(op))
        for counts, counted in ((operands, results), (results, operands)):
            for (value, shape), (other, its) in product(counts, counted):
                if other not in lost or value in lost or not _may_count(shape, its):
                    continue
                length, dims = Dim(value, 0), range(len(its.dims))
                if not any(ties.are_tied(length, Dim(other, n)) for n in dims):
                    yield length, tuple(lost[other])


def _may_count(shape: Shaped, counted: Shaped) -> bool:
    return (
        shape.dims == (len(counted.dims),)
        and not shape.is_listed
        and not counted.is_listed
        and INTEGER.fullmatch(shape.element) is not None
    )


def counts_dims_of(shape: Shaped, counted: Shaped) -> bool:
    """Whether a length is rather the number of the other's dims than the last of them.

    Without a list of dims in brackets there is no broadcast that would make them the same.
    """
    return _may_count(shape, counted) and len(counted.dims) > 1 and shape.element != counted.element


def _users(module: Module, value: int) -> list[int]:
    return [op for op, _ in module.uses[value]]


def drop_elements(rewrite: Rewrite, module: Module, op: int, places: Sequence[int]) -> None:
    """Drops elements where an op lists them all: as its operands, or in an attribute."""
    results = module.results(op)
    shape = parse_shaped(module.type_of(results[0])) if len(results) == 1 else None
    if shape is None:
        return
    syntax, operands = module.syntax(op), module.t.operands[op]
    if operands and shape.dims == (len(operands),) and set(syntax.operand_types) == {shape.element}:
        for place in places:
            rewrite.drop_operand(op, place)
    for entry in syntax.entries:
        match = _LIST.fullmatch(entry.value)
        listed = split_array(match.group(1)) if match else None
        if match and listed is not None and shape.dims == (len(listed),):
            left = ", ".join(item for place, item in enumerate(listed) if place not in places)
            kind = shape.with_dims([len(listed) - len(places)]).text
            rewrite.set_entry(op, entry.name, f"dense<[{left}]> : {kind}")
