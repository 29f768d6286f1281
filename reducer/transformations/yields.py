"""Make a region yield an existing value instead of a computed one."""

from collections.abc import Iterator, Sequence

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.functions import container_of, entry_block, is_function
from reducer.transformations.base import Site
from reducer.transformations.body_ops import is_referred_to
from reducer.transformations.dead import Use, newly_dead_ops

_ALTERNATIVES = 2


class YieldOthers:
    """Makes a terminator use a block argument of equal type; ops that become dead are dropped.

    As a result, a `linalg.generic` copies an input, a loop passes a value on unchanged, a branch
    yields a value from outside, and a called function returns its argument. Forwarding the ops of
    the body one by one gets there too, but only if every step on the way keeps the failure.
    """

    name = "yield other values"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(terminator, number * _ALTERNATIVES + choice)
            for terminator in _terminators(module)
            for number in range(len(module.t.operands[terminator]))
            for choice in range(len(_alternatives(module, terminator, number)))
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        lost: dict[int, set[Use]] = {}  # op -> uses in its body that are removed
        for site in sites:
            number, choice = divmod(site.number, _ALTERNATIVES)
            inside = lost.setdefault(module.t.parent[site.op], set())
            if (site.op, number) in inside:
                continue  # another site for the same operand was applied
            inside.add((site.op, number))
            value = _alternatives(module, site.op, number)[choice]
            rewrite.set_operand(site.op, number, module.tokens[value])
        for op, uses in lost.items():
            for dead in newly_dead_ops(module, uses, op):
                rewrite.remove(dead)
        return rewrite.render()


def _terminators(module: Module) -> Iterator[int]:
    """Terminators of single-block regions whose operands may be chosen freely."""
    for op in module.t.regions:
        function = is_function(module, op)
        if module.hidden[op] or (function and not is_referred_to(module, op)):
            continue
        for region in module.t.regions[op]:
            blocks = module.t.region_blocks[region]
            if len(blocks) == 1 and (ops := module.t.block_ops[blocks[0]]):
                last = ops[-1]
                if not module.hidden[last] and last not in module.t.regions:
                    yield last


def _alternatives(module: Module, terminator: int, number: int) -> list[int]:
    """Arguments that could replace a value computed in the block: its own, else the function's."""
    value = module.t.operands[terminator][number]
    if value == NONE or module.t.def_op[value] == NONE:
        return []
    if module.t.block[module.t.def_op[value]] != module.t.block[terminator]:
        return []
    kind = module.type_of(value)
    own = [v for v in module.block_args(module.t.block[terminator]) if module.type_of(v) == kind]
    if own:
        return [own[0], own[-1]] if len(own) > 1 else own
    function = container_of(module, terminator)
    block = entry_block(module, function) if function != NONE else None
    around = module.block_args(block) if block is not None else ()
    return [v for v in around if module.type_of(v) == kind][:1]
