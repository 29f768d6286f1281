"""Keep the failure in readable form: go back to the last program that shows it when printed.

Some programs fail only in generic form: the parser of the pretty form folds, renames or reorders
what the failure depends on, such as the dims and symbols of an affine map. A reduction may shrink a
program into one of these. People file, read and run the pretty form, so that a slightly larger
program that fails in it is worth more.
"""

from reducer.driver.going_back import go_back, last_that
from reducer.driver.prefetch import foresee_result
from reducer.driver.printing import ReadablePrinter
from reducer.driver.stage import Stage, is_module
from reducer.driver.stages.shrinking import fails_every_time
from reducer.driver.state import Context
from reducer.identity.conditions import FailsAsPrinted
from reducer.ir import Module
from reducer.search.conditions import ConditionName

_SMALL_ENOUGH = 200  # ops; printing and running a larger program for each step costs too much
_WHY = "a smaller program fails only in generic form; the result fails in pretty form"


def keep_readable(context: Context) -> bool:
    """Go back if the result fails only in generic form; return whether that happened.

    From there on, each candidate must also fail in its pretty form.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    if context.judging.has(ConditionName.PRETTY_FORM) or not _is_small(context.program.module):
        return False
    foresee_result(context, context.program.module)
    printer = ReadablePrinter(context.judging.full, context.conversions, context.note)
    if printer.survives(context.program.module):
        return False
    steps = [step for step in context.program.milestones if _is_small(step.document)]
    if not steps or not printer.survives(steps[0].document):
        return False
    last = last_that(steps, lambda step: printer.survives(step.document), known=0)
    conversions = context.conversions
    if not go_back(
        context,
        steps[last : last + 1],
        lambda asked: asked.under(FailsAsPrinted(asked, conversions)),
        _WHY,
    ):
        return False
    if not context.judging.has(ConditionName.ORDINARY):
        context.found.degenerate = None  # that was said of the smaller program
    return True


def _is_small(module: Module) -> bool:
    return module.op_count <= _SMALL_ENOUGH


def _is_to_be_printed(context: Context) -> bool:
    """Whether the result will be in pretty form, and its failure can be asked for in few runs."""
    wanted = context.conversions.opt is not None and not context.settings.keep_generic
    asked = is_module(context) and not context.judging.exhausts and fails_every_time(context)
    return wanted and asked


KEEP_READABLE = Stage("print and run it", _is_to_be_printed, keep_readable)
