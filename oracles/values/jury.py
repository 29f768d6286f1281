"""Decide whether the results of one call are right, wrong, undefined, or cannot be judged.

Who may say what is right:

1. *The evaluator* computes what the program means, element by element, and shares no code with the
   compiler. What it calls undefined is never wrong, and what it agrees with is right. It judges
   only programs whose ops it knows.
2. *Witnesses* are other ways to compile the program: another backend, another release, another
   optimization level.
3. *Fixed references*, a function in Python or results that the user knows, are right for the input
   and say nothing about a candidate.

A difference from the evaluator is a wrong result if one witness computes what the evaluator does:
two implementations without common code do not make the same mistake. It is one, too, if nobody else
can run the program. If there are witnesses, and none of them sides with the evaluator, that is a
conflict: it is reported, and decides nothing. A fixed reference that sides with the evaluator on
the input takes the place of a witness.

Without the evaluator, a compiled reference is the judge, and its results must pass the guards of
`oracles.values.guards`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from oracles.values.comparison import Bench, Comparison
from oracles.values.execution import CompilerConfig, ExecutionResult, Implementation, Poisoned
from oracles.values.guards import Guards, Undefined
from oracles.values.inputs import Trial
from oracles.values.workbench import ComparisonCase, Question, Workbench


class Judgement(Enum):
    """What is known about the results of a call."""

    RIGHT = auto()
    WRONG = auto()
    UNDEFINED = auto()
    """There are no right results."""
    UNDECIDED = auto()
    """Nobody can tell, or those who can disagree."""


@dataclass(frozen=True)
class Finding:
    """A judgement, why, and for a wrong result what is right."""

    judgement: Judgement
    remark: str = ""
    case: ComparisonCase | None = None
    bench: Bench = field(default_factory=Bench)
    """Who judges candidates, if this is a wrong result of the input."""
    is_final: bool = False
    """Whether this holds for all inputs of the program."""


RIGHT = Finding(Judgement.RIGHT)


class Jury:
    """Judges calls of one module."""

    def __init__(self, comparison: Comparison, bench: Workbench) -> None:
        self.comparison = comparison
        self.bench = bench

    # ---- the input ---------------------------------------------------------------------------

    def on_input(self, question: Question, actual: ExecutionResult, trial: Trial) -> Finding:
        """Judge a call of the input. A wrong result comes with those who can judge candidates."""
        if self.comparison.fixed or self.comparison.expected is not None:
            return self._with_fixed(question, actual, trial)
        evaluator = self.comparison.evaluator
        if evaluator is None:
            return self._compiled(question, actual, trial)
        meant = self.bench.ask(evaluator, question)
        obstacle = self._obstacle(evaluator, meant)
        if meant is None or obstacle:
            if self.comparison.reference == evaluator:
                return Finding(Judgement.UNDECIDED, obstacle)
            found = self._compiled(question, actual, trial)
            return found if found.judgement is Judgement.RIGHT else _also(found, obstacle)
        if meant.undefined:
            return Finding(Judgement.UNDEFINED, f"the program is undefined: {meant.undefined}")
        return self._evaluated(question, actual, meant)

    def _evaluated(
        self, question: Question, actual: ExecutionResult, meant: ExecutionResult
    ) -> Finding:
        """Judge a call of the input whose meaning is known."""
        what = self.comparison
        assert what.evaluator is not None
        case = question.expecting(meant)
        named = (what.reference, *what.required) if what.named else ()
        others = [side for side in named if side != what.evaluator]
        opposed = [self._against(side, case) for side in others]
        if any(opposed):
            return Finding(Judgement.UNDECIDED, next(filter(None, opposed)))
        if case.agrees(actual):
            return RIGHT
        if what.named:
            return self._wrong(case, what.evaluator, tuple(others))
        return self._confirmed(case, actual, what.evaluator)

    def _against(self, side: Implementation, case: ComparisonCase) -> str:
        """In which way a reference that the user named opposes the evaluator; '' if it agrees."""
        given = self.bench.ask(side, case)
        if given is None:
            return self.bench.why_not(side)
        if not case.agrees(given):
            said = given.failure or self._shown(case, given)
            return f"the evaluator and {side.name} disagree: {side.name} gives {said}"
        return ""

    def _confirmed(
        self, case: ComparisonCase, actual: ExecutionResult, evaluator: Implementation
    ) -> Finding:
        """Settle a difference from the evaluator with the help of witnesses."""
        opposed: list[str] = []
        for witness, given in self._testimonies(case):
            if case.agrees(given):
                return self._wrong(case, evaluator, (witness,))
            side = "gives the same" if case.agree(given, actual) else "gives something else again"
            opposed.append(f"{witness.name} {side}")
        if opposed:
            said = actual.failure or self._shown(case, actual)
            return Finding(
                Judgement.UNDECIDED,
                f"the evaluator and the compilers disagree: the program gives {said}; "
                f"{', '.join(opposed)}",
            )
        return self._wrong(case, evaluator, ())

    def _testimonies(self, question: Question) -> Iterator[tuple[Implementation, ExecutionResult]]:
        """The answers of all compilers that can run the program, from the cheapest on."""
        for side in self.compilers:
            given = self.bench.ask(side, question)
            if given is not None and given.failure != "UNIMPLEMENTED":
                yield side, given

    @property
    def compilers(self) -> list[Implementation]:
        """The other ways to compile the module."""
        what = self.comparison
        sides = (what.reference, *what.required, *what.witnesses, *what.releases)
        return [side for side in sides if isinstance(side, CompilerConfig)]

    def _wrong(
        self, case: ComparisonCase, judge: Implementation, confirmers: Sequence[Implementation]
    ) -> Finding:
        by = " and ".join([judge.name, *(one.name for one in confirmers)])
        alone = "" if confirmers or self.comparison.named else "; no other compiler can run it"
        bench = Bench(judge, tuple(confirmers), whole=_is_whole(case.expected))
        return Finding(Judgement.WRONG, f"expected values: {by}{alone}", case, bench)

    # ---- the input, with a compiled reference ------------------------------------------------

    def _compiled(self, question: Question, actual: ExecutionResult, trial: Trial) -> Finding:
        """Judge a call of the input by a compiled reference."""
        reference = self.comparison.reference
        expected = self.bench.ask(reference, question)
        if expected is None:
            return Finding(Judgement.UNDECIDED, self.bench.why_not(reference))
        if expected.failure:
            return Finding(Judgement.UNDECIDED, f"{reference.name} fails: {_failure(expected)}")
        case = question.expecting(expected)
        if case.agrees(actual):
            return RIGHT
        guards = self._guards(reference, self.comparison.witnesses)
        try:
            plan = guards.plan(case, trial)
        except Undefined as error:  # undefined for one trial means undefined
            return Finding(Judgement.UNDECIDED, str(error), is_final=True)
        bench = Bench(reference, guards=plan)
        return Finding(Judgement.WRONG, f"expected values: {reference.name}", case, bench)

    def _guards(self, reference: Implementation, witnesses: Sequence[Implementation]) -> Guards:
        what = self.comparison
        required = tuple(side for side in what.required if side != reference)
        return Guards(reference, required, tuple(witnesses), what.audit, self.bench)

    # ---- the input, with results that are known ----------------------------------------------

    def _with_fixed(self, question: Question, actual: ExecutionResult, trial: Trial) -> Finding:
        """Judge a call of the input by references that are right for the input only."""
        expected: ExecutionResult | None = None
        for name, given in self._fixed(question):
            if given.failure:
                return Finding(Judgement.UNDECIDED, f"{name} fails: {given.failure}")
            if expected is not None and not question.agree(expected, given):
                return Finding(Judgement.UNDECIDED, f"the references disagree: {name} is different")
            expected = expected or given
        assert expected is not None
        case = question.expecting(expected)
        if case.agrees(actual):
            return RIGHT
        bench = self._bench_beside(case, actual, trial)
        return Finding(Judgement.WRONG, bench.objection or f"judge: {_named(bench)}", case, bench)

    def _fixed(self, question: Question) -> Iterator[tuple[str, ExecutionResult]]:
        if self.comparison.expected is not None:
            yield "the expected output", ExecutionResult(self.comparison.expected)
        for side in self.comparison.fixed:
            given = self.bench.ask(side, question)
            yield side.name, given or ExecutionResult(failure="it cannot run")

    def _bench_beside(self, case: ComparisonCase, actual: ExecutionResult, trial: Trial) -> Bench:
        """Who can judge candidates: the first to compute the known results."""
        refused: list[str] = []
        evaluator = self.comparison.evaluator
        trusted = True
        if evaluator is not None:
            meant = self.bench.ask(evaluator, case)
            obstacle = self._obstacle(evaluator, meant)
            if meant is not None and not obstacle:
                if meant.undefined:
                    obstacle = f"for the evaluator the program is undefined: {meant.undefined}"
                elif case.agrees(meant):
                    return Bench(evaluator, whole=_is_whole(meant))
                else:
                    trusted = False
                    obstacle = self._wrong_already(case, actual, meant)
            refused.append(obstacle)
        for side, given in self._testimonies(case):
            if case.agrees(given):
                others = [each for each in self.compilers if each != side]
                assert isinstance(side, CompilerConfig)
                guards = self._guards(side, [Poisoned(side), *others])
                try:
                    plan = guards.plan(case.expecting(given), trial)
                except Undefined as error:
                    refused.append(f"{side.name}: {error}")
                else:
                    return Bench(side, guards=plan, is_evaluator_right=trusted)
            elif case.agree(given, actual):
                refused.append(f"{side.name} gives the same wrong results")
            else:
                refused.append(f"{side.name} gives other wrong results")
        return Bench(objection="; ".join(refused))

    def _wrong_already(
        self, case: ComparisonCase, actual: ExecutionResult, meant: ExecutionResult
    ) -> str:
        """What it means that the evaluator does not compute what is known to be right."""
        if not case.agree(meant, actual):
            return "the evaluator computes other values than are expected"
        return "the evaluator computes the same values as the compiled program"

    # ---- candidates --------------------------------------------------------------------------

    def on_candidate(
        self, question: Question, actual: ExecutionResult, trial: Trial, bench: Bench
    ) -> Finding:
        """Judge a call of a candidate, as was decided on the input."""
        if bench.judge is None:
            return Finding(Judgement.UNDECIDED, bench.objection)
        expected = self.bench.ask(bench.judge, question)
        obstacle = self._obstacle(bench.judge, expected)
        if expected is None or obstacle:
            return Finding(Judgement.UNDECIDED, obstacle)
        if expected.undefined:
            return Finding(Judgement.UNDEFINED, f"the program is undefined: {expected.undefined}")
        case = question.expecting(expected)
        if case.agrees(actual):
            return RIGHT
        if bench.whole and not _is_whole(expected):
            return Finding(Judgement.UNDEFINED, "some elements of the results are undefined")
        doubt = (
            self._unconfirmed(case, bench.confirmers)
            if bench.guards is None
            else self._doubt(case, trial, bench)
        )
        return Finding(Judgement.UNDECIDED, doubt) if doubt else Finding(Judgement.WRONG, "", case)

    def _unconfirmed(self, case: ComparisonCase, confirmers: Sequence[Implementation]) -> str:
        """Which confirmer does not compute what the evaluator does; '' if all do."""
        return next(filter(None, (self._against(side, case) for side in confirmers)), "")

    def _doubt(self, case: ComparisonCase, trial: Trial, bench: Bench) -> str:
        """Why the results of a compiled judge are not beyond doubt; '' if they are."""
        assert bench.judge is not None and bench.guards is not None
        evaluator = self.comparison.evaluator
        if evaluator is not None and bench.is_evaluator_right:
            meant = self.bench.ask(evaluator, case)
            if meant is not None and not self._obstacle(evaluator, meant):
                if meant.undefined:
                    return f"the program is undefined: {meant.undefined}"
                return "" if case.agrees(meant) else "the evaluator disagrees with the reference"
        guards = self._guards(bench.judge, ())
        return guards.failure(case, trial, bench.guards)

    # ---- what was said -----------------------------------------------------------------------

    def _obstacle(self, side: Implementation, given: ExecutionResult | None) -> str:
        """Why a side is no judge of a call; '' if it is one."""
        if given is None:
            return self.bench.why_not(side)
        if given.unsupported:
            return f"{side.name} does not know {', '.join(given.unsupported)}"
        if given.failure and not given.undefined:
            return f"{side.name} fails: {_failure(given)}"
        return ""

    def _shown(self, case: ComparisonCase, given: ExecutionResult) -> str:
        differences = case.mismatches(given)
        return differences[0].text if differences else "the same"


def _failure(given: ExecutionResult) -> str:
    return given.failed.message if given.failed else given.failure


def _also(finding: Finding, remark: str) -> Finding:
    told = "; ".join(filter(None, (finding.remark, remark)))
    return Finding(finding.judgement, told, finding.case, finding.bench, finding.is_final)


def _named(bench: Bench) -> str:
    return bench.judge.name if bench.judge else "nobody"


def _is_whole(expected: ExecutionResult) -> bool:
    """Whether all elements of the results are defined."""
    return all(value.defined is None or all(value.defined) for value in expected.results)
