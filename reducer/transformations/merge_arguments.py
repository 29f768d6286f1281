"""Merge function arguments of the same type."""

from collections.abc import Iterator, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.functions import entry_block
from reducer.transformations.base import Site
from reducer.transformations.body_ops import BodyOps
from reducer.transformations.call_graph import passing_to
from reducer.transformations.signatures import functions_without_calls


class MergeArguments:
    """Drops an argument and replaces its uses by the first argument of the same type."""

    name = "merge arguments"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(function, number)
            for function in _changeable(module)
            for number in _repeated(module, function)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        repeated = {function: _repeated(module, function) for function in {s.op for s in sites}}
        for site in sites:
            block = entry_block(module, site.op)
            if block is None:
                return None
            values = module.block_args(block)
            kept = values[repeated[site.op][site.number]]
            rewrite.substitute(values[site.number], module.tokens[kept])
            rewrite.drop_argument(site.op, site.number)
            for op, first in passing_to(module, site.op) or ():
                rewrite.drop_operand(op, first + site.number)
        return rewrite.render()


def _changeable(module: Module) -> Iterator[int]:
    """Functions without calls, or with calls that are all known."""
    free = set(functions_without_calls(module))
    for function in BodyOps.of(module).functions:
        if function in free or passing_to(module, function):
            yield function


def _repeated(module: Module, function: int) -> dict[int, int]:
    """Maps the number of each used argument to that of the first used one of the same type."""
    block = entry_block(module, function)
    first: dict[str, int] = {}
    out: dict[int, int] = {}
    for number, value in enumerate(module.block_args(block) if block is not None else ()):
        if module.uses[value]:
            kind = module.type_of(value)
            if first.setdefault(kind, number) != number:
                out[number] = first[kind]
    return out
