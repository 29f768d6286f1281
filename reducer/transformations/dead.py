"""Find the ops that become dead when some uses of values are removed."""

from collections.abc import Iterable

from reducer.ir import NONE, Module

Use = tuple[int, int]
"""An op and the number of one of its operands."""


def newly_dead_ops(module: Module, lost: Iterable[Use], inside: int) -> set[int]:
    """Ops nested in `inside` that have no uses left once the `lost` uses are removed.

    The operands of such ops lose those uses in turn. Ops without users before are not included:
    being unused may be what triggers the failure.
    """
    gone = set(lost)
    waiting = [module.t.operands[op][number] for op, number in gone]
    dead: set[int] = set()
    while waiting:
        value = waiting.pop()
        producer = module.t.def_op[value] if value != NONE else NONE
        if producer == NONE or producer in dead or module.t.parent[producer] == NONE:
            continue
        if producer == inside or not module.is_inside(producer, inside):
            continue
        if any(
            use not in gone for result in module.results(producer) for use in module.uses[result]
        ):
            continue
        dead.add(producer)
        for op in module.subtree(producer):
            for number, operand in enumerate(module.t.operands[op]):
                gone.add((op, number))
                waiting.append(operand)
    return dead
