"""Decide whether the results of one call are right, wrong, undefined, or cannot be judged.

Who may say what is right:

1. *The evaluator* computes what the program means, element by element, and shares no code with the
   compiler. What it calls undefined is never wrong, and what it agrees with is right. It judges
   only programs whose ops it knows.
2. *Witnesses* are other ways to compile the program: another backend, another release, another
   optimization level.
3. *Fixed references*, a function in Python or results that the user knows, are right for the input
   and say nothing about a candidate.

A difference from the evaluator is a wrong result. If one witness computes what the evaluator does,
that is beyond doubt: two implementations without common code do not make the same mistake. This
witness must do so for all that is kept. A fixed reference that sides with the evaluator on the
input takes the place of a witness. If there are witnesses, and none of them sides with the
evaluator, that is a conflict. All witnesses are versions of one compiler, which may share the
defect, so it does not acquit the program. A witness from *outside* the project (MLIR's own tools)
settles it if it sides with either; else the conflict is reported with the result. In both cases a
difference that may come from rounding does not count. Such a witness is not asked about candidates,
so that in the end somebody is left who took no part.

Without the evaluator, a compiled reference is the judge, and its results must pass the guards of
`guards.py`.

A wrong result is also told from one that rounding explains: two correct programs that add in
another order differ as much as one program does for inputs that differ in their last digits. So the
inputs are changed there, and an element that the program under test gives anywhere near the values
found in this way is not wrong.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import chain, islice

import numpy as np

from reducer.miscompile.oracle.comparison import Comparison, Judges
from reducer.miscompile.oracle.execution import (
    CANNOT,
    ExecutionResult,
    Implementation,
    Poisoned,
)
from reducer.miscompile.oracle.guards import Guards
from reducer.miscompile.oracle.program_pool import ComparisonCase, ProgramPool, Question
from reducer.miscompile.values.inputs import Trial
from reducer.miscompile.values.programs import Value, ValueType, complex_word, numbers_of

PRESERVED = (
    "the passes preserve its meaning, says the evaluator; the tools that run it may be wrong"
)
"""Said of a program that is wrong after passes, but not because of them."""

MAX_RELEASES = 3
"""Other releases that are asked about one program, beyond those that cannot run it."""


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
    judges: Judges = field(default_factory=Judges)
    """Who judges candidates, if this is a wrong result of the input."""
    is_final: bool = False
    """Whether this holds for all inputs of the program."""


RIGHT = Finding(Judgement.RIGHT)


class ResultJudge:
    """Judges calls of one module."""

    def __init__(self, comparison: Comparison, pool: ProgramPool) -> None:
        self.comparison = comparison
        self.pool = pool

    # ---- candidates --------------------------------------------------------------------------

    def judge_candidate(
        self, question: Question, actual: ExecutionResult, trial: Trial, judges: Judges
    ) -> Finding:
        """Judge a call of a candidate, as was decided on the input."""
        if judges.judge is None:
            return Finding(Judgement.UNDECIDED, judges.objection)
        expected = self.pool.ask_beside(judges.judge, question, actual)
        obstacle = self._obstacle(judges.judge, expected)
        if expected is None or obstacle:
            return Finding(Judgement.UNDECIDED, obstacle)
        why = why_undefined(expected, actual)
        if why:
            return Finding(Judgement.UNDEFINED, f"the program {why}")
        case = replace(question.expecting(expected), signs=judges.signs)
        if case.agrees(actual):
            return right(case)
        if judges.whole and not is_whole(expected):
            return Finding(Judgement.UNDEFINED, "some elements of the results are undefined")
        if judges.is_disputed:
            doubt = self._shaky(judges.judge, case, actual) or self._passes_cleared(case, actual)
        elif judges.guards is None:
            doubt = self.unconfirmed(case, actual, judges)
        else:
            doubt = self._doubt(case, actual, trial, judges)
        return Finding(Judgement.UNDECIDED, doubt) if doubt else Finding(Judgement.WRONG, "", case)

    def why_meaningless(self, question: Question) -> str:
        """Why a call has no results whatever compiles it, says the evaluator; '' if it has some.

        Completes a sentence about the program.
        """
        evaluator = self.comparison.evaluator
        meant = self.pool.ask(evaluator, question, once=True) if evaluator is not None else None
        return f"is undefined: {meant.undefined}" if meant is not None and meant.undefined else ""

    def unconfirmed(self, case: ComparisonCase, actual: ExecutionResult, judges: Judges) -> str:
        """Which confirmer does not compute what the evaluator does, or why the passes are not at
        fault; '' if all do and they are.
        """
        against = (self._against(side, case) for side in judges.confirmers)
        return next(filter(None, against), "") or self._preserved(case, actual)

    def _shaky(
        self, evaluator: Implementation, case: ComparisonCase, actual: ExecutionResult
    ) -> str:
        """Why a difference from the evaluator may be due to rounding; '' if it is not."""
        if actual.failure:
            return ""
        others = []
        for factor in NUDGES:
            beside = replace(case, inputs=nudged(case.inputs, factor))
            other = self.pool.ask(evaluator, beside, once=True)
            if other is None or other.unsupported or why_undefined(other, actual):
                return ""
            others.append(other)
        if case.agree(actual, nearest(actual, case.expected, others)):
            return "rounding may explain it: the results change with the last digits of the inputs"
        return ""

    def _passes_cleared(self, case: ComparisonCase, actual: ExecutionResult) -> str:
        """Why passes under test may not be what makes the results wrong.

        The evaluator says what the module means after them. '' if that is something else than
        before, or if no passes are under test. If what is wrong is undefined after them, they have
        made it so, unless the evaluator is too strict.
        """
        meant = self._after_passes(case)
        if meant is None:
            return ""
        if why := why_unknown(meant):
            return f"whether the passes change what it means is unknown ({why})"
        if not case.agrees(meant):
            return ""
        if replace(case, expected=meant).agrees(actual):
            return "whether the passes change what it means is unknown (it is undefined after them)"
        return PRESERVED

    def _preserved(self, case: ComparisonCase, actual: ExecutionResult) -> str:
        """What to say of a wrong result if the passes leave the meaning as it is; '' if not."""
        if self._passes_cleared(case, actual) != PRESERVED:
            return ""
        return f"the program gives {self._shown(case, actual)}, but {PRESERVED}"

    def _after_passes(self, case: ComparisonCase) -> ExecutionResult | None:
        """What the module means after the passes under test; None if there are none."""
        evaluator = self.comparison.evaluator
        side = self.comparison.candidate.read_by(evaluator) if evaluator is not None else None
        return None if side is None else self.pool.ask(side, case)

    def _doubt(
        self, case: ComparisonCase, actual: ExecutionResult, trial: Trial, judges: Judges
    ) -> str:
        """Why the results of a compiled judge are not beyond doubt; '' if they are."""
        assert judges.judge is not None and judges.guards is not None
        evaluator = self.comparison.evaluator
        if evaluator is not None and judges.is_evaluator_right:
            meant = self.pool.ask(evaluator, case)
            if meant is not None and not self._obstacle(evaluator, meant):
                why = why_undefined(meant, actual)
                if why:
                    return f"the program {why}"
                return "" if case.agrees(meant) else "the evaluator disagrees with the reference"
        guards = self._guards(judges.judge, ())
        return guards.failure(case, trial, judges.guards)

    # ---- results -----------------------------------------------------------------------------

    def second_opinion(
        self, case: ComparisonCase, actual: ExecutionResult, involved: Collection[Implementation]
    ) -> str:
        """What those say of a wrong result who were not asked in finding it."""
        statements: dict[tuple[str, str], list[str]] = {}
        for side, given in chain(self._from_outside(case), self._testimonies(case)):
            if side in involved:
                continue
            if case.agrees(given):
                but = f"; but {_statements(statements)}" if statements else ""
                return f"independently confirmed by {side.name}{but}"
            said = "the same" if case.agree(given, actual) else self._shown(case, given)
            verb = "fail" if given.failure and said != "the same" else "give"
            statements.setdefault((verb, said), []).append(side.name)
        sibling = self._sibling(case, actual)
        if sibling is not None and sibling not in involved:
            but = f"; but {_statements(statements)}" if statements else ""
            return f"independently confirmed by {sibling.name}{but}"
        if not statements:
            return f"not independently confirmed: {self._nobody_else()}"
        return f"not independently confirmed: {_statements(statements)}"

    def _nobody_else(self) -> str:
        """Why no other compiler says anything: which ones were tried, and which were not."""
        what = self.comparison
        others = [one for one in what.sides if one not in (what.evaluator, *what.front_ends)]
        tried = ", ".join(self.pool.refused_by(others))
        if what.untried:
            failed = f"{tried} cannot run it; " if tried else ""
            return f"{failed}not tried: {what.untried}"
        if tried:
            return f"no other compiler can run it (tried: {tried})"
        return "there is no other compiler to ask"

    # ---- what is asked and said ----------------------------------------------------------------

    def _from_outside(self, question: Question) -> Iterator[tuple[Implementation, ExecutionResult]]:
        """The answers of those who share no passes with the compiler."""
        yield from self._answers(self.comparison.outside, question)

    def _testimonies(self, question: Question) -> Iterator[tuple[Implementation, ExecutionResult]]:
        """The answers of all compilers that can run the program, from the cheapest on."""
        what = self.comparison
        near = (what.reference, *what.required, *what.witnesses)
        yield from self._answers(near, question)
        yield from islice(self._answers(what.releases, question), MAX_RELEASES)

    def _answers(
        self, sides: Sequence[Implementation], question: Question
    ) -> Iterator[tuple[Implementation, ExecutionResult]]:
        for side in sides:
            if side == self.comparison.evaluator or isinstance(side, Poisoned):
                continue
            given = self.pool.ask(side, question)
            if given is not None and given.failure != CANNOT:
                yield side, given

    def _sibling(self, case: ComparisonCase, actual: ExecutionResult) -> Implementation | None:
        """A release that gives what is expected under the same command.

        It shares most defects with the release under test, so if it gives what that does, this says
        nothing.
        """
        asked = islice(self._answers(self.comparison.siblings, case), MAX_RELEASES)
        found = (side for side, given in asked if case.agrees(given))
        return None if case.agrees(actual) else next(found, None)

    def _guards(self, reference: Implementation, witnesses: Sequence[Implementation]) -> Guards:
        what = self.comparison
        required = tuple(side for side in what.required if side != reference)
        return Guards(reference, required, tuple(witnesses), what.audit, self.pool)

    def _against(self, side: Implementation, case: ComparisonCase) -> str:
        """In which way a reference that the user named opposes the evaluator; '' if it agrees."""
        given = self.pool.ask(side, case)
        if given is None or given.failure == CANNOT:
            return self.pool.why_not(side)
        if not case.agrees(given):
            said = self._shown(case, given)
            return f"the evaluator and {side.name} disagree: {side.name} gives {said}"
        return ""

    def _obstacle(self, side: Implementation, given: ExecutionResult | None) -> str:
        """Why a side is no judge of a call; '' if it is one."""
        if given is None:
            return self.pool.why_not(side)
        if given.unsupported:
            return f"{side.name} does not know {', '.join(given.unsupported)}"
        if given.failure and side != self.comparison.evaluator:
            return f"{side.name} fails: {given.failure_text}"
        return ""

    def _shown(self, case: ComparisonCase, given: ExecutionResult) -> str:
        if given.failure:
            return given.failure_text
        differences = case.mismatches(given)
        return differences[0].text if differences else "the same"


def _statements(told: Mapping[tuple[str, str], Sequence[str]]) -> str:
    """Who gives what, or fails how, each result once."""
    return "; ".join(
        f"{', '.join(names)} {verb}{'s' if len(names) == 1 else ''}"
        f"{' with' if verb == 'fail' else ''} {said}"
        for (verb, said), names in told.items()
    )


def right(case: ComparisonCase) -> Finding:
    """The finding for a call that gives what is expected, as far as anything is."""
    if not any(value.elements is not None for value in case.expected.results):
        return Finding(Judgement.UNDECIDED, "the results are of types that cannot be compared")
    return RIGHT


def why_undefined(meant: ExecutionResult, actual: ExecutionResult) -> str:
    """Why a program need not do better than it did, according to the evaluator; '' if it must.

    Completes a sentence about the program.
    """
    if actual.failure and meant.hazards:
        return f"may fail: {meant.hazards[0]}"
    if meant.undefined:
        return f"is undefined: {meant.undefined}"
    if meant.failure:
        return f"has no results: {meant.failure}"
    known = [value for value in meant.results if value.count]
    if known and all(value.defined is not None and not value.defined.any() for value in known):
        return "gives no results that are defined"
    return ""


def why_unknown(meant: ExecutionResult) -> str:
    """Why the evaluator does not know what a program means, or it means nothing; '' if it does."""
    return "; ".join(meant.unsupported) or meant.undefined or meant.failure


def is_whole(expected: ExecutionResult) -> bool:
    """Whether all elements of the results are defined."""
    return all(value.defined is None or value.defined.all() for value in expected.results)


NUDGES = 1 + 1e-6, 1 - 1e-6
"""Factors on floats: about eight units in the last place of f32, nothing for smaller types."""

_SLACK = 4.0
"""How far beyond the range of values an element may be, in multiples of that range."""


def nudged(inputs: Sequence[str], factor: float) -> list[str]:
    """The inputs with all finite floats multiplied by a factor.

    >>> nudged(["2xf32=1 -inf", "2xi32=1 2", "7"], 1.5)
    ['2xf32=1.5 -inf', '2xi32=1 2', '7']
    """
    return [_nudged(word, factor) for word in inputs]


def nearest(
    actual: ExecutionResult, expected: ExecutionResult, others: Sequence[ExecutionResult]
) -> ExecutionResult:
    """The results closest to the actual ones among those that rounding may have made.

    `others` are the expected ones for nudged inputs.
    """
    found = []
    for number, value in enumerate(expected.results):
        beside = [other.results[number] for other in others if number < len(other.results)]
        ours = actual.results[number] if number < len(actual.results) else value
        found.append(_nearest(ours, value, beside))
    return replace(expected, results=tuple(found))


def _nudged(word: str, factor: float) -> str:
    type_, equals, values = word.partition("=")
    parsed = ValueType.parse(f"tensor<{type_}>") if equals else None
    if parsed is None or not (parsed.is_float or parsed.is_complex):
        return word
    plain = values.replace("[", " ").replace("]", " ").replace(",", " ").split()
    try:
        numbers = numbers_of(plain, parsed).tolist()
    except ValueError:
        return word
    if parsed.is_complex:
        parts = iter([one * factor for one in numbers])
        return f"{type_}=" + " ".join(complex_word(real, next(parts), parsed) for real in parts)
    return f"{type_}=" + " ".join(
        repr(one * factor) if math.isfinite(one) else old
        for one, old in zip(numbers, plain, strict=True)
    )


def _nearest(actual: Value, expected: Value, others: Sequence[Value]) -> Value:
    """A value with each number the closest to the actual one in the range of the others."""
    columns = [one.elements for one in (actual, expected, *others)]
    if any(one is None or len(one) != actual.count for one in columns):
        return expected
    rows = np.stack([one.astype(np.longdouble) for one in columns])
    with np.errstate(invalid="ignore"):
        least, most = rows[1:].min(axis=0), rows[1:].max(axis=0)
        slack = _SLACK * (most - least)
        nearest = np.clip(rows[0], least - slack, most + slack)
    is_range = np.isfinite(rows).all(axis=0) & (least != most)
    return replace(expected, elements=np.where(is_range, nearest, rows[1]))
