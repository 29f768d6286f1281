"""Compile one module and compare it with its reference.

Against a reference compiled from the same module, any difference (that passes the guards) is a
defect of one of the two compilers, so a coarse signature is enough: whether the numbers are wrong,
whether there are NaNs instead of numbers, whether the shape is wrong, or whether the program fails
to run.

A reference in Python does not change with the module, so a module that computes something else
would pass for a wrong one. With such a reference each result must stay as right, or as wrong, as it
was.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from oracles.diagnostics import Diagnostic
from oracles.kind import Kind
from oracles.limits import End
from oracles.outcome import Outcome, Signature
from oracles.profiles import RUNTIME
from oracles.values.compare import MismatchKind, gravest
from oracles.values.execution import (
    Compiled,
    CompilerConfig,
    ExecutionResult,
    Implementation,
    Poisoned,
    Program,
    RunContext,
)
from oracles.values.given import InputSpec
from oracles.values.guards import (
    FIRST_GARBAGE,
    SECOND_GARBAGE,
    Audit,
    ComparisonCase,
    CrossCheck,
    WitnessVerdict,
    is_stable,
)
from oracles.values.inputs import SEEDS, SIZES, STYLES, Trial, trials
from oracles.values.programs import Function, Value, exported_functions
from oracles.values.python import PythonReference


def signature_of(result: ExecutionResult, case: ComparisonCase, *, fine: bool) -> Signature:
    """The signature of a result that is not the expected one."""
    if result.failure:
        return Signature(Kind.MISCOMPILE, f"the program fails: {result.failure}")
    found = case.differences(result)
    if not fine or len(result.results) != len(case.expected.results):
        kind = gravest(found).kind
        return Signature(
            Kind.MISCOMPILE, str(MismatchKind.VALUES if kind is MismatchKind.ORDER else kind)
        )
    wrong = {difference.result: str(difference.kind) for difference in found}
    told = [
        f"{value.type.element}: {wrong.get(number, 'right')}"
        for number, value in enumerate(result.results)
        if value.type is not None and case.expected.results[number].elements is not None
    ]
    return Signature(Kind.MISCOMPILE, ", ".join(told))


_FINITE_MATH = re.compile(r"fastmath<[^>]*\b(?:fast|nnan|ninf)\b")
_ENDS = {End.TIMEOUT: Kind.TIMEOUT, End.MEMORY: Kind.MEMORY, End.CANCELLED: Kind.CANCELLED}


@dataclass(frozen=True)
class ComparisonPlan:
    """What is decided once, on the input: how inputs are chosen, and which guards hold.

    `trial` is None if no difference was found on the input; `sizes` are other dynamic sizes for
    which the reference's results are defined. `audited` is whether the input passes the audit.
    """

    trial: Trial | None
    witnesses: tuple[Implementation, ...] = ()
    sizes: tuple[int, ...] = ()
    audited: bool = False


@dataclass(frozen=True)
class Comparison:
    """The implementations to compare, and how.

    `witnesses` are used if they agree with the reference on the input; `required` ones must agree
    there (the user named them as references too). Without `function`, every exported function is
    called. `given` are inputs chosen by the user; `expected` are the results that the user knows to
    be right, for the input with these inputs only; `tolerance` replaces the tolerances by type.
    """

    candidate: CompilerConfig
    reference: Implementation
    required: tuple[Implementation, ...] = ()
    witnesses: tuple[Implementation, ...] = ()
    function: str | None = None
    given: tuple[InputSpec, ...] = ()
    expected: tuple[Value, ...] | None = None
    tolerance: float | None = None
    audit: Audit | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Mismatch:
    """A call for which the candidate is wrong: what it gives, and what `case` expects."""

    case: ComparisonCase
    result: ExecutionResult
    signature: Signature
    text: str

    @property
    def function(self) -> Function:
        return self.case.function

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(self.case.inputs)


class DifferentialRun:
    """One module, compiled and compared in a private folder."""

    def __init__(
        self, comparison: Comparison, text: str, folder: Path, context: RunContext
    ) -> None:
        self.comparison = comparison
        self.text = text
        self.folder = folder
        self.context = context
        self.cross_check = CrossCheck(text, folder, context)
        self.notes: list[str] = []
        self.mismatch: Mismatch | None = None
        """The mismatch that `first` found."""
        self._ended: End = End.EXITED
        self._device_available = True
        self._tried: set[tuple[str, tuple[str, ...]]] = set()

    def make_plan(self) -> tuple[ComparisonPlan, Outcome]:
        """Search for inputs that show a difference, and determine which guards hold."""
        programs = self._build()
        if isinstance(programs, Outcome):
            return ComparisonPlan(None), programs
        for trial in trials(self.comparison.given):
            for case, result in self._differing(trial, *programs):
                plan = self._guarded(case, trial, programs[1])
                if plan is None:  # undefined for one trial means undefined
                    return ComparisonPlan(None), self._outcome(None)
                mismatch = self._mismatch(case, result, programs)
                if mismatch is not None:
                    self.mismatch = mismatch
                    return plan, self._outcome(mismatch)
            if not self._device_available:
                break
        return ComparisonPlan(None), self._outcome(None)

    def run_with_plan(self, plan: ComparisonPlan) -> tuple[ComparisonPlan, Outcome]:
        """Compare as the plan specifies."""
        if plan.trial is None:
            return plan, self._outcome(None)
        programs = self._build()
        if isinstance(programs, Outcome):
            return plan, programs
        for seed in range(SEEDS):
            trial = plan.trial.with_seed(seed)
            for case, result in self._differing(trial, *programs):
                why = self._guard_failure(case, trial, plan, programs[1])
                if why:
                    self.notes.append(why)
                    continue
                mismatch = self._mismatch(case, result, programs)
                if mismatch is not None:
                    return plan, self._outcome(mismatch)
        return plan, self._outcome(None)

    def _build(self) -> tuple[Compiled, Program] | Outcome:
        outcome, candidate = self.comparison.candidate.compile(
            self.text, self.folder / f"candidate{RUNTIME.suffix}", self.context
        )
        if not outcome.succeeded:
            return outcome
        if not candidate.path.is_file():
            self.notes.append("the command writes no compiled program")
            return self._outcome(None)
        reference = self.comparison.reference.build(self.text, self.folder, self.context)
        if reference is None:
            self.notes.append(f"{self.comparison.reference.name} does not compile it")
            return self._outcome(None)
        return candidate, reference

    def _differing(
        self, trial: Trial, candidate: Compiled, reference: Program
    ) -> Iterator[tuple[ComparisonCase, ExecutionResult]]:
        """The functions for which the two differ, with the reference's result."""
        finite_only = bool(_FINITE_MATH.search(self.text))
        for function in self._functions(candidate):
            inputs = trial.inputs(function)
            if inputs is None or not function.results:
                self.notes.append(f"@{function.name} has inputs or results of unsupported types")
                continue
            call = (function.name, tuple(inputs))
            if call in self._tried:  # it does not depend on the trial
                continue
            self._tried.add(call)
            expected = self._call(reference, function, inputs)
            if expected.failure:
                self.notes.append(f"the reference fails on {trial}: {expected.failure}")
                continue
            result = self._call(candidate, function, inputs)
            if result.failure in RUNTIME.device_missing:
                self._device_available = False
                self.notes.append(
                    f"the program cannot run on --device={candidate.device} on this machine "
                    f"({result.failure}); to look for a pattern in its IR instead, use --ir-after"
                )
                return
            tolerance = self.comparison.tolerance
            case = ComparisonCase(self.text, function, inputs, expected, tolerance, finite_only)
            if not case.agrees(result):
                yield case, result

    def _functions(self, candidate: Compiled) -> list[Function]:
        wanted = self.comparison.function
        found = exported_functions(candidate.path)
        if wanted is not None:
            found = [function for function in found if function.name == wanted]
        if not found:
            self.notes.append(f"no such function: {wanted}" if wanted else "no function to call")
        return found

    def _call(self, program: Program, function: Function, inputs: Sequence[str]) -> ExecutionResult:
        result = program.call(function, inputs, self.context, garbage=FIRST_GARBAGE)
        if result.end is not End.EXITED:
            self._ended = result.end
        return result

    # ---- guards ----------------------------------------------------------------------------

    def _guarded(
        self, case: ComparisonCase, trial: Trial, reference: Program
    ) -> ComparisonPlan | None:
        """The plan with the guards that hold on the input; None if its results are not defined."""
        if not is_stable(case, reference, self.context):
            self.notes.append("the reference gives different results from run to run")
            return None
        small = self._with_small_inputs(case, trial, trial.size, reference)
        others = [small] if small and small is not case else []
        kept: list[Implementation] = []
        for witness in (*self.comparison.required, *self.comparison.witnesses):
            said = self.cross_check.check(witness, _cases_for(witness, case, others, trial))
            if said is WitnessVerdict.AGREES:
                kept.append(witness)
            elif isinstance(witness, Poisoned) and said is WitnessVerdict.DISAGREES:
                self.notes.append("the results depend on the contents of uninitialized tensors")
                return None
            elif witness in self.comparison.required:
                self.notes.append(f"the references disagree: {witness.name} {said}")
                return None
        sizes = tuple(self._sizes(case, trial, kept, reference))
        audited = not self._unsound(case, trial, sizes)
        return ComparisonPlan(trial, tuple(kept), sizes, audited)

    def _sizes(
        self,
        case: ComparisonCase,
        trial: Trial,
        witnesses: Sequence[Implementation],
        reference: Program,
    ) -> Iterator[int]:
        """Other dynamic sizes for which no guard rejects the reference's results."""
        for size in SIZES:
            other = (
                self._with_small_inputs(case, trial, size, reference)
                if size != trial.size
                else None
            )
            if other and not any(
                self.cross_check.check(witness, [other]) is not WitnessVerdict.AGREES
                for witness in witnesses
            ):
                yield size

    def _guard_failure(
        self, case: ComparisonCase, trial: Trial, plan: ComparisonPlan, reference: Program
    ) -> str:
        """Why the expected results may not be the only correct ones; '' if all guards hold."""
        unsound = self._unsound(case, trial, plan.sizes) if plan.audited else ""
        if unsound:
            return unsound
        if not is_stable(case, reference, self.context):
            return "the reference gives different results from run to run"
        others = []
        for size in (trial.size, *plan.sizes):
            other = self._with_small_inputs(case, trial, size, reference)
            if other is None and size != trial.size:
                return f"the reference fails for dynamic sizes of {size}"
            others += [other] if other and other is not case else []
        for witness in plan.witnesses:
            said = self.cross_check.check(witness, _cases_for(witness, case, others, trial))
            if said is not WitnessVerdict.AGREES:
                return f"{witness.name} {said}"
        return ""

    def _unsound(self, case: ComparisonCase, trial: Trial, sizes: Sequence[int]) -> str:
        """What the audit reports for the module with these inputs and with other dynamic sizes."""
        audit, function = self.comparison.audit, case.function
        if audit is None:
            return ""
        others = (_small_inputs(function, trial, size) for size in sizes)
        told = (audit(self.text, function.name, inputs) for inputs in (case.inputs, *others))
        return next(filter(None, told), "")

    def _with_small_inputs(
        self, case: ComparisonCase, trial: Trial, size: int, reference: Program
    ) -> ComparisonCase | None:
        """The same case with small inputs of some size, unless the reference fails on them."""
        inputs = _small_inputs(case.function, trial, size)
        if inputs == case.inputs:
            return case
        expected = self._call(reference, case.function, inputs)
        return None if expected.failure else replace(case, inputs=inputs, expected=expected)

    # ---- verdicts --------------------------------------------------------------------------

    def _mismatch(
        self, case: ComparisonCase, result: ExecutionResult, programs: tuple[Compiled, Program]
    ) -> Mismatch | None:
        """The wrong results, if they are wrong in the same way each time the program runs."""
        again = programs[0].call(case.function, case.inputs, self.context, garbage=SECOND_GARBAGE)
        fine = isinstance(self.comparison.reference, PythonReference)
        signature = signature_of(result, case, fine=fine)
        if case.agrees(again):
            self.notes.append("the results are wrong only in some runs")
            return None
        return Mismatch(case, result, signature, _describe_mismatch(result, case))

    def _outcome(self, mismatch: Mismatch | None) -> Outcome:
        signature = mismatch.signature if mismatch else Signature(Kind.SUCCESS)
        if self._ended is not End.EXITED or (self.context.cancel and self.context.cancel.is_set()):
            ended = End.CANCELLED if self._ended is End.EXITED else self._ended
            signature = Signature(_ENDS[ended])
            mismatch = None
        severity, notes = "remark", list(dict.fromkeys(self.notes))
        if mismatch is not None:
            severity, notes = "error", [mismatch.text]
        return Outcome(
            kind=signature.kind,
            signature=signature,
            exit_code=0,
            seconds=self.context.seconds,
            cpu_seconds=self.context.cpu_seconds,
            peak_memory=self.context.peak_memory,
            diagnostics=tuple(Diagnostic("", 0, 0, severity, note) for note in notes),
            stderr="\n".join(notes),
        )


def _small_inputs(function: Function, trial: Trial, size: int) -> list[str]:
    given = trial.given if size == trial.size else ()
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


def _describe_mismatch(result: ExecutionResult, case: ComparisonCase) -> str:
    """The defect in words: the call, and what is wrong with its result."""
    call = f"@{case.function.name}({', '.join(_short(word) for word in case.inputs)})"
    if result.failure:
        return f"{call} fails: {result.failure}"
    return f"{call}: {gravest(case.differences(result)).text}"


def _short(word: str) -> str:
    return word if len(word) <= 60 else f"{word[:57]}..."
