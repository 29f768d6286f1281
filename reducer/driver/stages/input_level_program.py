"""The program in the dialects of the input, if the result of a reduction is in others.

Whoever filed the failure knows the ops of the input, so there is always a program in its dialects,
in the folder of the result. It is not reduced to the end, which would cost more runs than the
result itself: if it is still the whole input, the ops that became what fails are taken with ever
more of their producers; if it is large, large parts of it are deleted. How many programs that tries
depends on their verdicts alone, so that the outcome is the same for any number of workers and in a
resumed reduction.
"""

from dataclasses import replace

from reducer.asking import Budget, while_affordable
from reducer.conversions import CompilerPasses
from reducer.driver.records.figures import LevelRecord
from reducer.driver.settings import Size
from reducer.driver.stage import Stage
from reducer.driver.stages import finishing
from reducer.driver.state import Context
from reducer.identity.program import InputLevel
from reducer.ir import PlainText
from reducer.search.sweep import sweep
from reducer.search.windows import SET_DEPTHS, grow_set
from reducer.transformations.delete_ops import DeleteOps

INPUT = "input"
"""The name of the level of the input."""

_DEPTHS = (*SET_DEPTHS, 8, 16, 32, 64)  # steps from the ops that became what fails
_SMALL_ENOUGH = 100  # ops; a larger program is not for people
_FINISHING_CALLS = 2  # to print and verify it
_FINEST = 4  # parts of 1/_FINEST of the ops are deleted


def reduce_input_level(context: Context) -> bool:
    """Make the program above the result small enough to read.

    Raises:
        Stopped: the user interrupted the run.
    """
    assert context.program.input_level is not None
    above = _context_above(context, context.program.input_level)
    with while_affordable():
        if _is_input(context):
            boundary, seeds = above.program.module_boundary, context.program.input_level.seeds
            grow_set(above.search(), boundary, seeds, _DEPTHS)
        if above.program.document is not context.program.original:
            _cut_coarsely(above)
    if above.program.document is context.program.input_level.program.document:
        return False
    context.program.input_level = replace(context.program.input_level, program=above.milestone())
    return True


def _cut_coarsely(above: Context) -> None:
    """Clean up and delete large parts until the program is small enough, or nothing helps."""
    coarse = (
        CompilerPasses(above.conversions.after_passes, above.conversions.prepare),
        DeleteOps(above.program.module_boundary),
    )
    progress = True
    while progress and above.program.document.op_count > _SMALL_ENOUGH:
        progress = False
        for transformation in coarse:
            progress |= sweep(above.search(), transformation, finest=_FINEST)


def print_input_level(context: Context) -> bool:
    """Print the program above the result, verify it with its own command, and record it."""
    level = context.program.input_level
    assert level is not None
    made = f"the result was made from {level.made}"
    if _is_input(context):
        settings, ops = context.settings, level.program.document.op_count
        record = LevelRecord(
            level=INPUT,
            output_path=settings.input,
            output=replace(Size.of(PlainText(settings.text)), ops=ops),
            command=tuple(level.program.asked.oracle.display(str(settings.input))),
            verified=True,
            made=made,
        )
        context.found.printed.levels += (record,)
        return False
    above = _context_above(context, level)
    budget = Budget(context.settings.max_calls)
    if budget.calls_left(context.judging.full.costs) < _FINISHING_CALLS:
        return False
    above.judging.full = above.judging.full.with_(budget=budget)
    above.best.accept(above.program.module, "")
    context.found.printed.levels += (finishing.finish_beside(above, INPUT, made),)
    return True


def _is_input(context: Context) -> bool:
    """Whether the program above is still the whole input."""
    above, original = context.program.input_level, context.program.original
    return above is not None and original is not None and above.program.document is original


def _context_above(context: Context, above: InputLevel) -> Context:
    """A context in which stages work on the program above instead of the result."""
    output = context.settings.folder.input_level
    return context.beside(above.program, above.program.asked, output, f"{INPUT} level")


def _went_down(context: Context) -> bool:
    return context.program.input_level is not None


def _ends_quickly(context: Context) -> bool:
    """Whether a program can be run a few times: no run takes as long as the limit."""
    return not context.judging.exhausts


REDUCE_INPUT_LEVEL = Stage("reduce the program above", _went_down, reduce_input_level).only(
    _ends_quickly
)
PRINT_INPUT_LEVEL = Stage("print the program above", _went_down, print_input_level)
