"""Keep the failure in readable form: go back to the last program that shows it when printed.

Some programs fail only in generic form: the parser of the pretty form folds, renames or reorders
what the failure depends on, such as the dims and symbols of an affine map. A reduction may shrink a
program into one of these. People file, read and run the pretty form, so that a slightly larger
program that fails in it is worth more.
"""

import threading
from dataclasses import dataclass

from oracles import Outcome
from oracles.signature.comparison import shows
from reducer.conversions import Conversions
from reducer.ir import Module
from reducer.search.budget import CandidateRuns
from reducer.search.evaluator import Evaluator
from reducer.search.query import Review
from reducer.session.context import Context, last_that
from reducer.session.foreseen import foresee_result
from reducer.session.printing import ReadablePrinter

_SMALL_ENOUGH = 200  # ops; printing and running a larger program for each step costs too much


def keep_readable(context: Context) -> bool:
    """Go back if the result fails only in generic form; return whether that happened.

    From there on, each candidate must also fail in its pretty form.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    if isinstance(context.full.query.review, ReadableGuard) or not _is_small(context.module):
        return False
    foresee_result(context, context.module)
    printer = ReadablePrinter(context.full, context.conversions, context.note)
    if printer.survives(context.module):
        return False
    steps = [step for step in context.milestones if _is_small(step.document)]
    if not steps or not printer.survives(steps[0].document):
        return False
    step = steps[last_that(steps, lambda step: printer.survives(step.document), known=0)]
    guard = ReadableGuard(context.full, context.conversions)
    asked = context.full.with_(review=guard)
    if not asked.fails(step.document):
        return False
    context.note("a smaller program fails only in generic form; the result fails in pretty form")
    context.return_to(step, asked)
    if context.floor is None:
        context.degenerate = None  # that was said of the smaller program
    return True


def _is_small(module: Module) -> bool:
    return module.op_count <= _SMALL_ENOUGH


@dataclass(frozen=True)
class ReadableGuard:
    """A review of candidates: what fails must also fail in its pretty form.

    `evaluator` runs that form; what it reviews itself is reviewed before.
    """

    evaluator: Evaluator
    conversions: Conversions

    def review(self, text: str, outcome: Outcome, *, cancel: threading.Event) -> Outcome:
        """The outcome of a failure, or a success if the pretty form does not fail alike."""
        earlier = self._earlier
        if earlier is not None:
            outcome = earlier.review(text, outcome, cancel=cancel)
            if not self._shows(outcome):
                return outcome
        pretty = self.conversions.pretty(text)
        if pretty is not None:
            # Not charged: a worker that is ahead must not spend what the others are due.
            trial = CandidateRuns(0)
            asked = self.evaluator.with_(review=None, is_observed=False)
            printed = asked.run(pretty, pretty.count("\n"), cancel, trial=trial)
            if printed.cancelled:
                return printed
            if self._shows(printed):
                return outcome
        return outcome.turned_down()

    @property
    def _earlier(self) -> Review | None:
        return self.evaluator.query.review

    def _shows(self, outcome: Outcome) -> bool:
        target = self.evaluator.target
        return target is not None and shows(target, outcome)
