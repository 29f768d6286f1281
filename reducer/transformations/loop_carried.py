"""Drop loop-carried values (`iter_args`)."""

from collections.abc import Sequence
from dataclasses import dataclass

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import is_function
from reducer.transformations.base import Site


class DropLoopCarried:
    """Drops a loop-carried value: initial operand, block argument, yielded operand and result.

    Uses inside and after the loop are replaced by the initial value. Loops are recognized by their
    structure rather than their name: the types of the last operands, the last block arguments, the
    yielded operands and the results must match. If the values are no block arguments, but the body
    has one op for each that combines two of its type (`scf.reduce`), that op goes.
    """

    name = "drop carried values"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number)
            for op in module.t.regions
            if (loop := _loop(module, op)) is not None
            for number in range(loop.count)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        dropped = {(site.op, site.number) for site in sites}
        for site in sorted(sites, key=lambda site: site.op):  # definitions of initial values first
            loop = _loop(module, site.op)
            if loop is None or _starts_from_renamed_result(module, loop, site.number, dropped):
                return None
            _drop(rewrite, loop, site.number)
        return rewrite.render()


@dataclass(frozen=True, slots=True)
class _Loop:
    """An op that carries `count` values, which come last in its operands and block arguments."""

    op: int
    count: int
    blocks: tuple[int, ...]
    yields: tuple[tuple[int, int], ...]  # terminator, number of its first carried operand
    combined: tuple[int, ...] = ()  # the ops that combine values, if these are no block arguments


def _loop(module: Module, op: int) -> _Loop | None:
    count = module.t.num_results[op]
    regions = [module.t.region_blocks[region] for region in module.t.regions[op]]
    if not count or module.hidden[op] or is_function(module, op):
        return None
    if len(regions) > 2 or any(len(blocks) != 1 for blocks in regions):
        return None
    blocks = tuple(blocks[0] for blocks in regions)
    kinds = [module.type_of(value) for value in module.results(op)]
    if len(blocks) == 1 and (combining := _combining(module, blocks[0], kinds)):
        given = module.t.operands[op][-count:]
        return _Loop(op, count, (), (), combining) if _types(module, given) == kinds else None
    carried = [module.t.operands[op], *(tuple(module.block_args(block)) for block in blocks)]
    yields: list[tuple[int, int]] = []
    for block in blocks:
        if not module.t.block_ops[block]:
            return None
        last = module.t.block_ops[block][-1]
        if last in module.t.regions:
            continue  # it passes the values on in its own body
        given = module.t.operands[last]
        if len(blocks) == 2 and not yields and len(given) == 1 and _types(module, given) != kinds:
            continue  # it yields a condition only
        before = len(given) - count  # it may yield a condition before the values
        if before not in (0, 1):
            return None
        yields.append((last, before))
        carried.append(given)
    if not all(_types(module, values[-count:]) == kinds for values in carried):
        return None
    return _Loop(op, count, blocks, tuple(yields))


def _combining(module: Module, block: int, kinds: Sequence[str]) -> tuple[int, ...]:
    """For each of these types, in their order, the op of a block that combines two of it, if any.

    It has no results, and a region with two arguments of the type.
    """
    ops = [
        op
        for op in module.t.block_ops[block][:-1]
        if op in module.t.regions and not module.t.num_results[op]
    ]
    pairs = [[module.block_arg_types(inner) for inner in module.blocks_of(op)] for op in ops]
    return tuple(ops) if pairs == [[(kind, kind)] for kind in kinds] else ()


def _types(module: Module, values: Sequence[int]) -> list[str]:
    return [module.type_of(value) for value in values if value != NONE]


def _starts_from_renamed_result(
    module: Module, loop: _Loop, number: int, dropped: set[tuple[int, int]]
) -> bool:
    """Whether the initial value is a result that stays while its loop loses another one.

    The loop's remaining results get new names, so nothing can be replaced by the old one.
    """
    initial = module.t.operands[loop.op][len(module.t.operands[loop.op]) - loop.count + number]
    return any(
        initial in module.results(op) and (op, module.results(op).index(initial)) not in dropped
        for op, _ in dropped
    )


def _drop(rewrite: Rewrite, loop: _Loop, number: int) -> None:
    module, t = rewrite.module, rewrite.module.t
    operand = len(t.operands[loop.op]) - loop.count + number
    initial = rewrite.token(t.operands[loop.op][operand])
    rewrite.drop_operand(loop.op, operand)
    rewrite.drop_result(loop.op, number)
    rewrite.substitute(module.results(loop.op)[number], initial)
    for op in loop.combined[number : number + 1]:
        rewrite.remove(op)
    for block in loop.blocks:
        values = module.block_args(block)
        argument = len(values) - loop.count + number
        rewrite.drop_block_argument(block, argument)
        rewrite.substitute(values[argument], initial)
        last = t.block_ops[block][-1]
        if last in t.regions:
            for inner, _ in module.uses[values[argument]]:
                if t.parent[inner] == last:
                    rewrite.remove(inner)
    for last, before in loop.yields:
        rewrite.drop_operand(last, before + number)
