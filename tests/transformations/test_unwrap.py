"""Replacing ops with their bodies."""

from reducer.ir import Module
from reducer.transformations import BoundaryTypes
from reducer.transformations.unwrap import UnwrapBodies
from tests.support.sides import apply_to, function

ABI = BoundaryTypes(frozenset())


def test_many_levels_go_together() -> None:
    """Arguments come from the outside in, results from the inside out."""
    levels = 20
    lines = [
        f'%r{n} = "t.r"(%{"arg0" if n == 0 else f"s{n - 1}"}) ({{\n^bb0(%b{n}: i32):\n'
        f'%s{n} = "t.s"(%b{n}) : (i32) -> i32'
        for n in range(levels)
    ]
    ends = [
        f'"t.y"(%{f"r{n + 1}" if n + 1 < levels else f"s{n}"}) : (i32) -> ()\n}}) : (i32) -> i32'
        for n in reversed(range(levels))
    ]
    end = '"func.return"(%r0) : (i32) -> ()'
    text = function("\n".join((*lines, *ends, end)), arguments="%arg0: i32", results="i32")
    module = Module.parse(apply_to(UnwrapBodies(ABI), text))
    ops = [op for op, name in enumerate(module.t.name) if name == "t.s"]
    assert len(module) == levels + 3 and len(ops) == levels
    made = [module.t.first_result[op] for op in ops]
    (returned,) = module.t.operands[-1]
    assert [module.t.operands[op][0] for op in ops[1:]] == made[:-1]
    assert returned == made[-1]
