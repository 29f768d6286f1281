"""Which ops of a body nothing needs any more once some uses of values are gone."""

from collections.abc import Container, Iterable

from reducer.ir import NONE, Module

Use = tuple[int, int]
"""An op and the number of one of its operands."""


def newly_dead_ops(
    module: Module, lost: Iterable[Use], inside: int, kept: Container[int] = ()
) -> set[int]:
    """Ops inside an op (`inside`) whose results are only used where uses were lost.

    What such ops use is lost in turn. Ops that had no users before stay: they may be the point.
    So do those in `kept`, whose results get other users.
    """
    gone = set(lost)
    waiting = [module.t.operands[op][number] for op, number in gone]
    dead: set[int] = set()
    while waiting:
        value = waiting.pop()
        producer = module.t.def_op[value] if value != NONE else NONE
        if producer == NONE or producer in dead or module.t.parent[producer] == NONE:
            continue
        if producer in kept:
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
