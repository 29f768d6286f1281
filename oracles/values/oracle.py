"""The oracle for wrong results: compiles, runs, and compares with a reference."""

import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from oracles.diagnostics import Diagnostic
from oracles.kind import Kind
from oracles.limits import End, Limits
from oracles.outcome import Outcome
from oracles.signature import Signature
from oracles.values.abi import Function, read_functions
from oracles.values.compare import Difference, compare, gravest
from oracles.values.guards import (
    FIRST_GARBAGE,
    SECOND_GARBAGE,
    Question,
    Testimony,
    doubt,
    is_stable,
    testimony,
)
from oracles.values.inputs import SEEDS, Given, Trial, trials
from oracles.values.python import PythonReference
from oracles.values.run import Answer, Compiled, Configuration, Costs, Poisoned, Program, Side
from oracles.values.verdict import signature_of

_PROMISES = re.compile(r"fastmath<[^>]*\b(?:fast|nnan|ninf)\b")
_ENDS = {End.TIMEOUT: Kind.TIMEOUT, End.MEMORY: Kind.MEMORY, End.CANCELLED: Kind.CANCELLED}


@dataclass(frozen=True)
class Plan:
    """What was settled on the input: how inputs are chosen, and which guards hold.

    `trial` is None where no difference was found on the input.
    """

    trial: Trial | None
    witnesses: tuple[Side, ...] = ()


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


@dataclass(frozen=True)
class Finding:
    """A function with inputs on which the candidate is wrong."""

    function: Function
    inputs: tuple[str, ...]
    signature: Signature
    text: str


class ValuesOracle:
    """Interesting is a module that compiles, and gives wrong results (kind MISCOMPILE).

    `input_text` is the module under reduction: what inputs show the defect, and which guards there
    are, is settled on it once. `display` makes the words that ask this very question of a file.
    """

    def __init__(
        self,
        comparison: Comparison,
        input_text: str,
        *,
        limits: Limits | None = None,
        display: Callable[[str], list[str]] | None = None,
        plan: Plan | None = None,
    ) -> None:
        self.comparison = comparison
        self.input_text = input_text
        self.limits = limits or Limits()
        self._display = display or comparison.candidate.oracle("/dev/null").display
        self._plan = plan
        self._planning = threading.Lock()

    @property
    def key(self) -> str:
        """Every command, program and file that decides."""
        what = self.comparison
        sides = [what.reference, *what.required, *what.witnesses]
        keys = " | ".join([what.candidate.key, *(side.key for side in sides)])
        return f"values {what.function} {what.given} {what.tolerance} {keys}"

    def shortened(self) -> "list[ValuesOracle]":
        """None: only a whole program can run."""
        return []

    def wants(self, outcome: Outcome) -> bool:
        """Only wrong results."""
        return outcome.kind is Kind.MISCOMPILE

    def display(self, input_name: str) -> list[str]:
        """The words that ask the same of the file `input_name`."""
        return self._display(input_name)

    def confirm(self, text: str | bytes, input_name: str, *, limits: Limits) -> Outcome:
        """Asks once more as `display` would: with this text as the input, and nothing known."""
        source = text if isinstance(text, str) else text.decode(errors="surrogateescape")
        fresh = ValuesOracle(self.comparison, source, limits=limits)
        return fresh.run(text, limits=limits)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Compiles and runs both sides of one candidate."""
        source = text if isinstance(text, str) else text.decode(errors="surrogateescape")
        plan, outcome = self._settled(source, cancel, limits)
        if outcome is not None:
            return outcome
        return self._examine(source, plan, Costs(limits or self.limits, cancel))[1]

    def _settled(
        self, text: str, cancel: threading.Event | None, limits: Limits | None
    ) -> tuple[Plan, Outcome | None]:
        """The plan, made on the input at first; with the outcome if `text` is the input."""
        with self._planning:
            if self._plan is not None:
                return self._plan, None
            costs = Costs(limits or self.limits, cancel)
            plan, outcome = self._examine(self.input_text, None, costs)
            if outcome.kind is Kind.CANCELLED:
                return plan, outcome
            self._plan = plan
        return plan, outcome if text == self.input_text else None

    def _examine(self, text: str, plan: Plan | None, costs: Costs) -> tuple[Plan, Outcome]:
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            look = _Look(self.comparison, text, Path(folder), costs)
            return look.with_plan(plan) if plan else look.first()


class _Look:
    """One module, compiled and compared in a private folder."""

    def __init__(self, comparison: Comparison, text: str, folder: Path, costs: Costs) -> None:
        self.comparison = comparison
        self.text = text
        self.folder = folder
        self.costs = costs
        self.notes: list[str] = []
        self._ended: End = End.EXITED
        self._tried: set[tuple[str, tuple[str, ...]]] = set()

    def first(self) -> tuple[Plan, Outcome]:
        """Looks for inputs that show a difference, and settles what guards there are."""
        programs = self._build()
        if isinstance(programs, Outcome):
            return Plan(None), programs
        for trial in trials(self.comparison.given):
            for question, answer in self._differing(trial, *programs):
                witnesses = self._available(question, programs[1])
                if witnesses is None:
                    continue
                plan = Plan(trial, witnesses)
                finding = self._finding(question, answer, programs)
                if finding is not None:
                    return plan, self._outcome(finding)
        return Plan(None), self._outcome(None)

    def with_plan(self, plan: Plan) -> tuple[Plan, Outcome]:
        """Looks as the plan says."""
        if plan.trial is None:
            return plan, self._outcome(None)
        programs = self._build()
        if isinstance(programs, Outcome):
            return plan, programs
        for seed in range(SEEDS):
            for question, answer in self._differing(plan.trial.with_seed(seed), *programs):
                why = doubt(question, programs[1], plan.witnesses, self.folder, self.costs)
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

    def _available(self, question: Question, reference: Program) -> tuple[Side, ...] | None:
        """The guards that hold on the input; None if its results are not defined."""
        if not is_stable(question, reference, self.costs):
            self.notes.append("the reference gives different results from run to run")
            return None
        kept: list[Side] = []
        for witness in (*self.comparison.required, *self.comparison.witnesses):
            said = testimony(witness, question, self.folder, self.costs)
            if said is Testimony.AGREES:
                kept.append(witness)
            elif isinstance(witness, Poisoned) and said is Testimony.DISAGREES:
                self.notes.append("the results depend on what uninitialised tensors hold")
                return None
            elif witness in self.comparison.required:
                self.notes.append(f"the references do not agree: {witness.name} {said}")
                return None
        return tuple(kept)

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


def _told(answer: Answer, question: Question) -> str:
    """The defect in words: the call, and what is wrong."""
    call = f"@{question.function.name}({', '.join(_short(word) for word in question.inputs)})"
    if answer.failure:
        return f"{call} fails: {answer.failure}"
    return f"{call}: {gravest(differences(answer, question)).text}"


def differences(answer: Answer, question: Question) -> list[Difference]:
    """What is wrong with the answer."""
    return compare(
        answer.results,
        question.expected.results,
        tolerance=question.tolerance,
        finite_only=question.finite_only,
    )


def _short(word: str) -> str:
    return word if len(word) <= 60 else f"{word[:57]}..."
