"""Decide whether a difference between two compilers is a defect, or no result is defined at all.

A reducer changes programs without knowing what they mean. Sooner or later it produces one that
reads uninitialized memory or accesses out of bounds, for which any two compilers may differ and
neither is wrong. An evaluator knows, and needs no guards (see `result_judge.py`). Without one, a
difference from a compiled reference counts only if its results are beyond doubt:

- the reference gives the same results when run again with another fill pattern in fresh memory;
- it gives the same results when every `tensor.empty` is filled with a poison value;
- *witnesses*, other ways to compile the same module, give the same results. If possible, vmvx is
  one of them: its interpreter checks the bounds of every access;
- all of this also holds for other dynamic sizes: a module with inconsistent sizes may happen to
  work for one size, but not for a larger and a smaller one;
- sizes that must be equal are equal, as far as a walk over the module can tell (an *audit*): all
  compilers may read the same harmless value out of bounds.

A guard that holds on the input must hold on every candidate. A guard that is not available for the
input (such as a backend that cannot compile it) is skipped.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reducer.miscompile.oracle.execution import CANNOT, Implementation, Poisoned, poisoned
from reducer.miscompile.oracle.program_pool import SECOND_GARBAGE, ComparisonCase, ProgramPool
from reducer.miscompile.values.compare import compare
from reducer.miscompile.values.inputs import SIZES, STYLES, Trial
from reducer.miscompile.values.programs import Function

Audit = Callable[[str, str, Sequence[str]], str]
"""What is undefined about a module, or ''; given its text, a function's name and its inputs."""


class WitnessVerdict(StrEnum):
    """Whether a witness confirms the reference's results."""

    AGREES = "agrees"
    DISAGREES = "gives different results than the reference"
    UNAVAILABLE = "cannot run it"


@dataclass(frozen=True)
class GuardPlan:
    """The guards that hold on the input.

    `sizes` are other dynamic sizes for which the reference's results are defined. `audited` is
    whether the input passes the audit.
    """

    witnesses: tuple[Implementation, ...] = ()
    sizes: tuple[int, ...] = ()
    audited: bool = False


class Undefined(Exception):
    """The reference's results for the input are not beyond doubt; `str(error)` says why."""


@dataclass(frozen=True)
class Guards:
    """The guards of one reference.

    `required` are the witnesses that must agree with it on the input; the others are used if they
    do.
    """

    reference: Implementation
    required: tuple[Implementation, ...]
    witnesses: tuple[Implementation, ...]
    audit: Audit | None
    pool: ProgramPool

    def plan(self, case: ComparisonCase, trial: Trial) -> GuardPlan:
        """The guards that hold on the input.

        Raises:
            Undefined: its results are not defined, or the required witnesses disagree.
        """
        if not self._is_stable(case):
            raise Undefined("the reference gives different results from run to run")
        small = self._with_small_inputs(case, trial, trial.size)
        others = [small] if small and small is not case else []
        kept: list[Implementation] = []
        for witness in (*self.required, *self.witnesses):
            said = self._check(witness, _cases_for(witness, case, others, trial))
            if said is WitnessVerdict.AGREES:
                kept.append(witness)
            elif isinstance(witness, Poisoned) and said is WitnessVerdict.DISAGREES:
                raise Undefined("the results depend on the contents of uninitialized tensors")
            elif witness in self.required:
                raise Undefined(f"the references disagree: {witness.name} {said}")
        sizes = tuple(self._sizes(case, trial, kept))
        return GuardPlan(tuple(kept), sizes, not self._unsound(case, trial, sizes))

    def failure(self, case: ComparisonCase, trial: Trial, plan: GuardPlan) -> str:
        """Why the expected results may not be the only correct ones; '' if all guards hold."""
        unsound = self._unsound(case, trial, plan.sizes) if plan.audited else ""
        if unsound:
            return unsound
        if not self._is_stable(case):
            return "the reference gives different results from run to run"
        others = []
        for size in (trial.size, *plan.sizes):
            other = self._with_small_inputs(case, trial, size)
            if other is None and size != trial.size:
                return f"the reference fails for dynamic sizes of {size}"
            others += [other] if other and other is not case else []
        for witness in plan.witnesses:
            said = self._check(witness, _cases_for(witness, case, others, trial))
            if said is not WitnessVerdict.AGREES:
                return f"{witness.name} {said}"
        return ""

    def _is_stable(self, case: ComparisonCase) -> bool:
        """Whether the reference gives bit-identical results with another fill pattern."""
        again = self.pool.ask(self.reference, case, garbage=SECOND_GARBAGE)
        if again is None or again.failure:
            return False
        return not compare(again.results, case.expected.results, tolerance=0.0)

    def _check(self, witness: Implementation, cases: Sequence[ComparisonCase]) -> WitnessVerdict:
        """The verdict of a witness on all of the cases."""
        if isinstance(witness, Poisoned) and poisoned(self.pool.text) is None:
            return WitnessVerdict.AGREES  # nothing is uninitialized
        for case in cases:
            result = self.pool.ask(witness, case)
            if result is None or result.failure == CANNOT:
                return WitnessVerdict.UNAVAILABLE
            if not case.agrees(result):
                return WitnessVerdict.DISAGREES
        return WitnessVerdict.AGREES

    def _sizes(
        self, case: ComparisonCase, trial: Trial, witnesses: Sequence[Implementation]
    ) -> Iterator[int]:
        """Other dynamic sizes for which no guard rejects the reference's results."""
        for size in SIZES:
            other = self._with_small_inputs(case, trial, size) if size != trial.size else None
            if other and not any(
                self._check(witness, [other]) is not WitnessVerdict.AGREES for witness in witnesses
            ):
                yield size

    def _unsound(self, case: ComparisonCase, trial: Trial, sizes: Sequence[int]) -> str:
        """What the audit reports for the module with these inputs and with other dynamic sizes."""
        if self.audit is None:
            return ""
        function = case.function
        others = (_small_inputs(function, trial, size) for size in sizes)
        told = (self.audit(case.text, function.name, inputs) for inputs in (case.inputs, *others))
        return next(filter(None, told), "")

    def _with_small_inputs(
        self, case: ComparisonCase, trial: Trial, size: int
    ) -> ComparisonCase | None:
        """The same case with small inputs of some size, unless the reference fails on them."""
        inputs = _small_inputs(case.function, trial, size)
        if inputs == case.inputs:
            return case
        other = replace(case, inputs=inputs)
        expected = self.pool.ask(self.reference, other)
        return None if expected is None or expected.failure else replace(other, expected=expected)


def _small_inputs(function: Function, trial: Trial, size: int) -> list[str]:
    given = trial.user_inputs if size == trial.size else ()
    inputs = Trial(STYLES[0], size, trial.seed, given).inputs(function)
    assert inputs is not None
    return inputs


def _cases_for(
    witness: Implementation, case: ComparisonCase, others: Sequence[ComparisonCase], trial: Trial
) -> list[ComparisonCase]:
    """The cases for a witness: among large inputs, a poison value does not stand out."""
    if isinstance(witness, Poisoned) and trial.style != STYLES[0] and others:
        return list(others)
    return [case, *others]
