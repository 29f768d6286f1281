"""Drop an operand that an op passes to all of its regions."""

from collections.abc import Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import is_function
from reducer.transformations.base import Site


class DropPassedOperands:
    """Drops one of the last operands, and the block argument in its place in every region.

    Which operands an op passes on is read from its shape: the last ones, as many as each region has
    arguments, with the types of these. Another argument of its type takes the place of a used one.
    """

    name = "drop operands passed to regions"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number)
            for op in module.t.regions
            for number in range(_passed(module, op))
            if all(_replacement(module, block, number) for block in module.blocks_of(op))
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        done: set[int] = set()
        for site in sites:
            if site.op in done:
                continue  # one at a time: an argument may be the stand-in of another
            done.add(site.op)
            operands = len(module.t.operands[site.op])
            passed = _passed(module, site.op)
            rewrite.drop_operand(site.op, operands - passed + site.number)
            for block in module.blocks_of(site.op):
                token = _replacement(module, block, site.number)
                rewrite.substitute(module.block_args(block)[site.number], token)
                rewrite.drop_block_argument(block, site.number)
        return rewrite.render()


def _passed(module: Module, op: int) -> int:
    """How many of its last operands an op passes to each of its regions."""
    operands = module.t.operands[op]
    blocks = list(module.blocks_of(op))
    if not blocks or len(blocks) != len(module.t.regions[op]) or module.hidden[op]:
        return 0  # regions without a block, or with several
    kinds = {module.block_arg_types(block) for block in blocks}
    if len(kinds) != 1 or is_function(module, op) or NONE in operands:
        return 0
    (arguments,) = kinds
    passed = operands[len(operands) - len(arguments) :] if arguments else ()
    return len(passed) if tuple(map(module.type_of, passed)) == arguments else 0


def _replacement(module: Module, block: int, number: int) -> str:
    """The token of another argument of the same type; any text for an unused argument, else ''."""
    values = module.block_args(block)
    if not module.uses[values[number]]:
        return module.tokens[values[number]]
    kind = module.type_of(values[number])
    others = [v for n, v in enumerate(values) if n != number and module.type_of(v) == kind]
    return module.tokens[others[0]] if others else ""
