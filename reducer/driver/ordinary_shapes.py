"""Reduce anew without small shapes, if the result may only fail because of them.

A shape that loses its last dimension, or a size that becomes 0 or 1, may be refused for that alone,
in the same words: a conversion has one message for every type that it has no pattern for. All else
that mattered is then cut away. So the search is repeated from before the first such shape without
any, and what it needs tells whether the smaller program is still the same one.
"""

from collections import Counter

from reducer.driver.going_back import try_again, until_lost
from reducer.driver.stages.shrinking import polish_module
from reducer.driver.state import Context
from reducer.identity.conditions import NotMoreDegenerate
from reducer.ir import Module
from reducer.ir.dialects import rank_family
from reducer.ir.shapes import parse_shaped
from reducer.transformations.degenerate import SMALLEST_ORDINARY, Counts


def keep_ordinary_shapes(context: Context) -> bool:
    """Replace the best by what a search without small shapes makes of an earlier program.

    The best stays if that program is no other one: it differs from the best in sizes of 2 only.
    The condition that no shape becomes small holds from then on, if it is replaced.

    Returns:
        Whether the best was replaced.

    Raises:
        Stopped: see `Evaluator.run`; the best stays.
    """
    steps = until_lost(context.program.milestones, _has_smaller_shapes)
    if not steps:
        return False
    small = context.program.module
    floor = NotMoreDegenerate.than(Counts.of_shapes(steps[-1].document))
    restore = try_again(context, steps[-1], floor, polish_module)
    if _needs_more(context.program.module, small):
        return True
    restore()
    return False


def _has_smaller_shapes(before: Module, after: Module) -> bool:
    return after.derived(Counts.of_shapes).has_smaller_shapes_than(before.derived(Counts.of_shapes))


# ---- comparing ---------------------------------------------------------------------------------


def _needs_more(ordinary: Module, small: Module) -> bool:
    """Whether the program with ordinary shapes has anything but these that the small one lacks.

    What computes or provides indices does not count, since a shape without dimensions needs none.
    """
    if _ops(ordinary) != _ops(small) or _types(ordinary) != _types(small):
        return True
    return bool(_large_sizes(ordinary) - _large_sizes(small))


def _ops(module: Module) -> Counter[str]:
    return Counter(
        rank_family(name)
        for op, name in enumerate(module.t.name)
        if {module.type_of(value) for value in module.results(op)} != {"index"}
    )


def _types(module: Module) -> set[str]:
    """The types of all values, without the sizes of shapes."""
    found: set[str] = set()
    for value in range(len(module.tokens)):
        kind = module.type_of(value)
        shape = parse_shaped(kind)
        found.add(kind if shape is None else shape.with_dims(()).text)
    return found - {"index"}


def _large_sizes(module: Module) -> Counter[int | None]:
    shapes = (parse_shaped(module.type_of(value)) for value in range(len(module.tokens)))
    sizes = (size for shape in shapes if shape is not None for size in shape.dims)
    return Counter(size for size in sizes if size is None or size > SMALLEST_ORDINARY)
