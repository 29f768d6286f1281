"""Print the result for people, and keep the failure in that form: go back to where it survives.

Some programs fail only in generic form: the parser of the pretty form folds, renames or reorders
what the failure depends on, such as the dims and symbols of an affine map. A reduction may shrink a
program into one of these. People file, read and run the pretty form, so that a slightly larger
program that fails in it is worth more.

All printing steps are first tried together, in one run; only if the failure does not survive that
are they tried one by one, each on top of those that worked.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from oracles import Outcome
from oracles.signature.comparison import shows
from reducer.asking import Stopped
from reducer.conversions import Conversions
from reducer.identity.conditions import Loss, last_that
from reducer.identity.program import Judging, Program
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.pretty import inline_aliases, shorten_value_names, unwrap
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import ConditionName, Refusal, Run
from reducer.search.judge import Judge
from reducer.transformations.rename_symbols import RenameSymbols

_PRETTY, _UNWRAP, _ALIASES = "pretty form", "no wrapper", "no aliases"
_SYMBOLS, _VALUES = "short symbols", "short values"
_STEPS = (_PRETTY, _UNWRAP, _ALIASES, _SYMBOLS, _VALUES)
_VERIFYING_CALLS = 1
_BLANKS = re.compile(r"[ \t]+$", re.M)


class ReadablePrinter:
    """Makes generic text as readable as possible without losing the failure."""

    def __init__(self, judge: Judge, conversions: Conversions, note: Callable[[str], None]) -> None:
        # The program was reviewed in generic form, which other releases can read. The pretty form
        # of one release may be a syntax error for the next.
        self.judge = judge.by_failure()
        self.conversions = conversions
        self.note = note

    def readable(self, module: Module) -> str:
        """The module in readable form; its generic text if no other form has the same failure.

        One run of the budget is left, to verify the result.

        Raises:
            Stopped: the user interrupted the run.
        """
        best = module.text
        tried = {best}
        taken: frozenset[str] = frozenset()
        for steps in (_STEPS, *((step,) for step in _STEPS)):
            wanted = taken | set(steps)
            text = self._form(module, wanted)
            if text is None or text in tried:
                continue
            if not self._may_run:
                self.note("the budget is spent, so the result is less readable than it could be")
                return best
            tried.add(text)
            if self._fails(text, module.op_count):
                best, taken = text, wanted
                if steps == _STEPS:
                    break
        if _PRETTY not in taken:
            self.note("the pretty form does not fail the same way; the result is in generic form")
        return best

    def first_form(self, module: Module) -> str | None:
        """The form that is tried first; None if the compiler cannot print it."""
        return self._form(module, frozenset(_STEPS))

    def survives(self, module: Module) -> bool:
        """Whether the failure survives printing: in the form that is tried first, or the next.

        A crash that is elsewhere in that form, or is a hang there, is where memory has it, which is
        chance in any form and any program, so nothing is lost.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        forms = (self._form(module, frozenset(steps)) for steps in (_STEPS, (_PRETTY,)))
        runs = (self.judge.run(text, module.op_count) for text in forms if text is not None)
        return any(self.judge.verdict_of(run) is Verdict.SAME or self._varies(run) for run in runs)

    def _varies(self, printed: Outcome) -> bool:
        """Whether a program that crashes in generic form dies as printed, but elsewhere."""
        target, traits = self.judge.target, printed.kind.traits
        by_stack = target is not None and target.kind.traits.known_by_stack
        return by_stack and (traits.known_by_stack or traits.costly)

    def _form(self, module: Module, steps: frozenset[str]) -> str | None:
        """The text after these steps; None if the compiler cannot print it."""
        text = module.text
        if _SYMBOLS in steps:
            text = _with_short_symbols(module)
        if _PRETTY not in steps:
            return text
        pretty = self.conversions.pretty(text)
        if pretty is None:
            return None
        if _UNWRAP in steps:
            pretty = unwrap(pretty) or pretty
        if _ALIASES in steps:
            pretty = inline_aliases(pretty)
        if _VALUES in steps:
            pretty = shorten_value_names(pretty)
        return _BLANKS.sub("", pretty)

    @property
    def _may_run(self) -> bool:
        judge = self.judge
        return judge.query.budget.calls_left(judge.costs) > _VERIFYING_CALLS

    def _fails(self, text: str, ops: int) -> bool:
        return self.judge.verdict_of(self.judge.run(text, ops)) is Verdict.SAME


def _with_short_symbols(module: Module) -> str:
    renaming = RenameSymbols()
    text = renaming.apply(module, renaming.sites(module)) or module.text
    try:
        Module.parse(text)
    except GenericSyntaxError:
        return module.text
    return text


# ---- going back ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class FailsAsPrinted:
    """What fails in generic form also fails in its pretty form, which `judge` runs."""

    judge: Judge
    conversions: Conversions
    name: ClassVar = ConditionName.PRETTY_FORM

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        assert run is not None
        pretty, target = self.conversions.pretty(candidate.text), self.judge.target
        if pretty is None or target is None:
            return Refusal(self.name, "cannot be printed")
        asked = self.judge.by_failure().with_(is_observed=False)
        printed = asked.run(pretty, pretty.count("\n"), run.cancel)
        if printed.cancelled:
            raise Stopped("interrupted")
        return None if shows(target, printed) else Refusal(self.name, printed.signature.text)


_SMALL_ENOUGH = 200  # ops; printing and running a larger program for each step costs too much
_WHY = "a smaller program fails only in generic form; the result fails in pretty form"


def lost_pretty_form(
    program: Program,
    judging: Judging,
    printer: ReadablePrinter,
    foresee: Callable[[Module], None],
) -> Loss | None:
    """The pretty form, if the result fails only in generic form; each candidate is printed then.

    Args:
        foresee: is called with the result before it is printed.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    if judging.has(ConditionName.PRETTY_FORM) or not _is_small(program.module):
        return None
    foresee(program.module)
    if printer.survives(program.module):
        return None
    steps = [step for step in program.milestones if _is_small(step.document)]
    if not steps or not printer.survives(steps[0].document):
        return None
    last = last_that(steps, lambda step: printer.survives(step.document), known=0)
    conversions = printer.conversions
    return Loss(
        _WHY,
        steps[last : last + 1],
        lambda asked: asked.under(FailsAsPrinted(asked, conversions)),
    )


def _is_small(module: Module) -> bool:
    return module.op_count <= _SMALL_ENOUGH
