"""One module, compiled and compared with its reference.

Against a reference compiled from the same module, whatever differs (and passes the guards) is a
defect of one of the two compilers, so little needs to stay: whether the numbers are wrong, whether
there are NaNs where numbers should be, whether the shape is wrong, or the program fails to run.

A function in Python does not change with the module, so a module that computes something else
would pass for a wrong one. There each result must stay as right, or as wrong, as it was.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from oracles.diagnostics import Diagnostic
from oracles.kind import Kind
from oracles.limits import End
from oracles.outcome import Outcome, Signature
from oracles.values.compare import Sort, gravest
from oracles.values.guards import (
    FIRST_GARBAGE,
    SECOND_GARBAGE,
    Audit,
    Hearing,
    Question,
    Testimony,
    is_stable,
)
from oracles.values.inputs import SEEDS, SIZES, STYLES, Given, Trial, trials
from oracles.values.programs import Function, read_functions
from oracles.values.python import PythonReference
from oracles.values.run import Answer, Compiled, Configuration, Costs, Poisoned, Program, Side


def signature_of(answer: Answer, question: Question, *, fine: bool) -> Signature:
    """The signature of an answer that is not the expected one."""
    if answer.failure:
        return Signature(Kind.MISCOMPILE, f"the program fails: {answer.failure}")
    found = question.differences(answer)
    if not fine or len(answer.results) != len(question.expected.results):
        sort = gravest(found).sort
        return Signature(Kind.MISCOMPILE, str(Sort.VALUES if sort is Sort.ORDER else sort))
    wrong = {difference.result: str(difference.sort) for difference in found}
    told = [
        f"{value.type.element}: {wrong.get(number, 'right')}"
        for number, value in enumerate(answer.results)
        if value.type is not None and question.expected.results[number].elements is not None
    ]
    return Signature(Kind.MISCOMPILE, ", ".join(told))


_PROMISES = re.compile(r"fastmath<[^>]*\b(?:fast|nnan|ninf)\b")
_NOT_HERE = ("INCOMPATIBLE", "UNAVAILABLE", "NOT_FOUND", "UNIMPLEMENTED", "PERMISSION_DENIED")
"""What the runtime says where it lacks the device: nothing about the program."""

_ENDS = {End.TIMEOUT: Kind.TIMEOUT, End.MEMORY: Kind.MEMORY, End.CANCELLED: Kind.CANCELLED}


@dataclass(frozen=True)
class Plan:
    """What was settled on the input: how inputs are chosen, and which guards hold.

    `trial` is None where no difference was found on the input; `sizes` are other dynamic sizes for
    which the reference's results are defined. `audited` is whether the input passes the audit.
    """

    trial: Trial | None
    witnesses: tuple[Side, ...] = ()
    sizes: tuple[int, ...] = ()
    audited: bool = False


@dataclass(frozen=True)
class Comparison:
    """What is compared with what.

    `witnesses` may be asked if they agree with the reference on the input; `required` ones must
    agree there (the user named them as references too). Without `function`, every exported one is
    called. `given` are inputs that the user chose, `tolerance` replaces those by type.
    """

    candidate: Configuration
    reference: Side
    required: tuple[Side, ...] = ()
    witnesses: tuple[Side, ...] = ()
    function: str | None = None
    given: tuple[Given, ...] = ()
    tolerance: float | None = None
    audit: Audit | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Finding:
    """A function with inputs on which the candidate is wrong."""

    function: Function
    inputs: tuple[str, ...]
    signature: Signature
    text: str


class Look:
    """One module, compiled and compared in a private folder."""

    def __init__(self, comparison: Comparison, text: str, folder: Path, costs: Costs) -> None:
        self.comparison = comparison
        self.text = text
        self.folder = folder
        self.costs = costs
        self.hearing = Hearing(text, folder, costs)
        self.notes: list[str] = []
        self.finding: Finding | None = None
        """What `first` found."""
        self._ended: End = End.EXITED
        self._runs_here = True
        self._tried: set[tuple[str, tuple[str, ...]]] = set()

    def first(self) -> tuple[Plan, Outcome]:
        """Looks for inputs that show a difference, and settles what guards there are."""
        programs = self._build()
        if isinstance(programs, Outcome):
            return Plan(None), programs
        for trial in trials(self.comparison.given):
            for question, answer in self._differing(trial, *programs):
                plan = self._guarded(question, trial, programs[1])
                if plan is None:  # undefined once, undefined at all
                    return Plan(None), self._outcome(None)
                finding = self._finding(question, answer, programs)
                if finding is not None:
                    self.finding = finding
                    return plan, self._outcome(finding)
            if not self._runs_here:
                break
        return Plan(None), self._outcome(None)

    def with_plan(self, plan: Plan) -> tuple[Plan, Outcome]:
        """Looks as the plan says."""
        if plan.trial is None:
            return plan, self._outcome(None)
        programs = self._build()
        if isinstance(programs, Outcome):
            return plan, programs
        for seed in range(SEEDS):
            trial = plan.trial.with_seed(seed)
            for question, answer in self._differing(trial, *programs):
                why = self._doubt(question, trial, plan, programs[1])
                if why:
                    self.notes.append(why)
                    continue
                finding = self._finding(question, answer, programs)
                if finding is not None:
                    return plan, self._outcome(finding)
        return plan, self._outcome(None)

    def _build(self) -> tuple[Compiled, Program] | Outcome:
        outcome, candidate = self.comparison.candidate.compile(
            self.text, self.folder / "candidate.vmfb", self.costs
        )
        if outcome.kind is not Kind.SUCCESS:
            return outcome
        if not candidate.path.is_file():
            self.notes.append("the command makes no program")
            return self._outcome(None)
        reference = self.comparison.reference.build(self.text, self.folder, self.costs)
        if reference is None:
            self.notes.append(f"{self.comparison.reference.name} does not compile it")
            return self._outcome(None)
        return candidate, reference

    def _differing(
        self, trial: Trial, candidate: Compiled, reference: Program
    ) -> Iterator[tuple[Question, Answer]]:
        """The functions on which the two differ, with what the reference says."""
        finite_only = bool(_PROMISES.search(self.text))
        for function in self._functions(candidate):
            inputs = trial.inputs(function)
            if inputs is None or not function.results:
                self.notes.append(f"@{function.name} has inputs or results that cannot be handled")
                continue
            call = (function.name, tuple(inputs))
            if call in self._tried:  # nothing in it depends on what the trial varies
                continue
            self._tried.add(call)
            expected = self._call(reference, function, inputs)
            if expected.failure:
                self.notes.append(f"the reference fails on {trial}: {expected.failure}")
                continue
            answer = self._call(candidate, function, inputs)
            if answer.failure in _NOT_HERE:
                self._runs_here = False
                self.notes.append(
                    f"the program cannot run on --device={candidate.device} here "
                    f"({answer.failure}); what its code looks like can be asked with --ir-after"
                )
                return
            tolerance = self.comparison.tolerance
            question = Question(self.text, function, inputs, expected, tolerance, finite_only)
            if not question.agrees(answer):
                yield question, answer

    def _functions(self, candidate: Compiled) -> list[Function]:
        wanted = self.comparison.function
        found = read_functions(candidate.path)
        if wanted is not None:
            found = [function for function in found if function.name == wanted]
        if not found:
            self.notes.append(f"there is no function {wanted or ''} to call".replace("  ", " "))
        return found

    def _call(self, program: Program, function: Function, inputs: Sequence[str]) -> Answer:
        answer = program.call(function, inputs, self.costs, garbage=FIRST_GARBAGE)
        if answer.end is not End.EXITED:
            self._ended = answer.end
        return answer

    # ---- guards ----------------------------------------------------------------------------

    def _guarded(self, question: Question, trial: Trial, reference: Program) -> Plan | None:
        """The guards that hold on the input; None if its results are not defined."""
        if not is_stable(question, reference, self.costs):
            self.notes.append("the reference gives different results from run to run")
            return None
        calm = self._calm(question, trial, trial.size, reference)
        others = [calm] if calm and calm is not question else []
        kept: list[Side] = []
        for witness in (*self.comparison.required, *self.comparison.witnesses):
            said = self.hearing.ask(witness, _for(witness, question, others, trial))
            if said is Testimony.AGREES:
                kept.append(witness)
            elif isinstance(witness, Poisoned) and said is Testimony.DISAGREES:
                self.notes.append("the results depend on what uninitialised tensors hold")
                return None
            elif witness in self.comparison.required:
                self.notes.append(f"the references do not agree: {witness.name} {said}")
                return None
        sizes = tuple(self._sizes(question, trial, kept, reference))
        audited = not self._unsound(question, trial, sizes)
        return Plan(trial, tuple(kept), sizes, audited)

    def _sizes(
        self, question: Question, trial: Trial, witnesses: Sequence[Side], reference: Program
    ) -> Iterator[int]:
        """Other dynamic sizes for which nothing speaks against the reference."""
        for size in SIZES:
            other = self._calm(question, trial, size, reference) if size != trial.size else None
            if other and not any(
                self.hearing.ask(witness, [other]) is not Testimony.AGREES for witness in witnesses
            ):
                yield size

    def _doubt(self, question: Question, trial: Trial, plan: Plan, reference: Program) -> str:
        """Why the expected results may not be the only right ones; '' if nothing says so."""
        unsound = self._unsound(question, trial, plan.sizes) if plan.audited else ""
        if unsound:
            return unsound
        if not is_stable(question, reference, self.costs):
            return "the reference gives different results from run to run"
        others = []
        for size in (trial.size, *plan.sizes):
            other = self._calm(question, trial, size, reference)
            if other is None and size != trial.size:
                return f"the reference fails for dynamic sizes of {size}"
            others += [other] if other and other is not question else []
        for witness in plan.witnesses:
            said = self.hearing.ask(witness, _for(witness, question, others, trial))
            if said is not Testimony.AGREES:
                return f"{witness.name} {said}"
        return ""

    def _unsound(self, question: Question, trial: Trial, sizes: Sequence[int]) -> str:
        """What the audit says of the module with these inputs, and with other dynamic sizes."""
        audit, function = self.comparison.audit, question.function
        if audit is None:
            return ""
        others = (_calm_inputs(function, trial, size) for size in sizes)
        told = (audit(self.text, function.name, inputs) for inputs in (question.inputs, *others))
        return next(filter(None, told), "")

    def _calm(
        self, question: Question, trial: Trial, size: int, reference: Program
    ) -> Question | None:
        """The same with small inputs of some size, unless the reference fails on them."""
        inputs = _calm_inputs(question.function, trial, size)
        if inputs == question.inputs:
            return question
        expected = self._call(reference, question.function, inputs)
        return None if expected.failure else replace(question, inputs=inputs, expected=expected)

    # ---- verdicts --------------------------------------------------------------------------

    def _finding(
        self, question: Question, answer: Answer, programs: tuple[Compiled, Program]
    ) -> Finding | None:
        """The wrong results, if they are wrong in the same way whenever the program runs."""
        again = programs[0].call(
            question.function, question.inputs, self.costs, garbage=SECOND_GARBAGE
        )
        fine = isinstance(self.comparison.reference, PythonReference)
        signature = signature_of(answer, question, fine=fine)
        if question.agrees(again):
            self.notes.append("the results are wrong only now and then")
            return None
        return Finding(
            question.function, tuple(question.inputs), signature, _told(answer, question)
        )

    def _outcome(self, finding: Finding | None) -> Outcome:
        signature = finding.signature if finding else Signature(Kind.SUCCESS)
        if self._ended is not End.EXITED or (self.costs.cancel and self.costs.cancel.is_set()):
            ended = End.CANCELLED if self._ended is End.EXITED else self._ended
            signature = Signature(_ENDS[ended])
            finding = None
        severity, notes = "remark", list(dict.fromkeys(self.notes))
        if finding is not None:
            severity, notes = "error", [finding.text]
        return Outcome(
            kind=signature.kind,
            signature=signature,
            exit_code=0,
            seconds=self.costs.seconds,
            cpu_seconds=self.costs.cpu_seconds,
            peak_memory=self.costs.peak_memory,
            diagnostics=tuple(Diagnostic("", 0, 0, severity, note) for note in notes),
            stderr="\n".join(notes),
        )


def _calm_inputs(function: Function, trial: Trial, size: int) -> list[str]:
    given = trial.given if size == trial.size else ()
    inputs = Trial(STYLES[0], size, trial.seed, given).inputs(function)
    assert inputs is not None
    return inputs


def _for(
    witness: Side, question: Question, others: Sequence[Question], trial: Trial
) -> list[Question]:
    """What to ask a witness: among large inputs an odd value does not stand out."""
    if isinstance(witness, Poisoned) and trial.style != STYLES[0] and others:
        return list(others)
    return [question, *others]


def _told(answer: Answer, question: Question) -> str:
    """The defect in words: the call, and what is wrong."""
    call = f"@{question.function.name}({', '.join(_short(word) for word in question.inputs)})"
    if answer.failure:
        return f"{call} fails: {answer.failure}"
    return f"{call}: {gravest(question.differences(answer)).text}"


def _short(word: str) -> str:
    return word if len(word) <= 60 else f"{word[:57]}..."
