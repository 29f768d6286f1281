"""Descent: give each parameter of a document the simplest value with which it still fails.

All parameters are lowered together first, then one by one: the simplest value that still fails is
accepted, then bisection looks for a simpler one. Lowering one parameter may allow others to follow,
so the rounds repeat until none changes.

If a value causes another failure, that failure says nothing about the bug, and most other values
will probably cause it too. Therefore the simplest value, the last of its ladder and the nearest are
tried; if all of them cause the same other failure, those between are skipped. Values that the
compiler rejects do not count: whether they are run at all depends on the checks (see `screening`),
which must not affect the result.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Generic

from reducer.ir import D
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import Refused
from reducer.search.plan import Answer, Plan, Proposal, Then
from reducer.search.schedule import SAME_AGAIN, FailedValues
from reducer.search.state import SearchState
from reducer.transformations.tuning import Parameters, Tuning, V

_MANY = 3  # with fewer options, all are tried regardless of other failures
_TOGETHER = 3  # steps to try for all parameters at once, before lowering them one by one

_Options = Sequence[Mapping[int, V]]
"""Values for one parameter or more, of which one choice is to be made."""

_Found = frozenset[tuple[Verdict | None, str]]
"""Verdicts and buckets of candidates that the compiler did not reject as invalid."""

_Outcomes = Mapping[int, _Found]
"""What was found of the options, by their index."""


@dataclass(frozen=True)
class _Question(Generic[V]):
    """Options to try in order; the first that keeps the failure is accepted.

    Attributes:
        stops: whether none but the first is tried if that causes another failure.
        is_probe: whether the option that keeps the failure only tells how to go on.
        useless: what is remembered as failed if none is accepted.
    """

    options: _Options[V]
    stops: bool = False
    is_probe: bool = False
    useless: _Options[V] = ()


@dataclass(frozen=True)
class _Result:
    """The index of the option that keeps the failure, if one does, and the outcomes of others."""

    hit: int | None
    outcomes: _Outcomes


# ---- what is tried for a parameter -----------------------------------------------------------

_Lower = Generator[_Question[V], _Result, None]
_Try = Generator[_Question[V], _Result, int | None]


class _Lowering(Generic[V]):
    """Lowers one parameter, or all together, given the answers to its questions.

    It has no effects, and asks the same again if it is given the same answers, so that any point of
    it is known by the answers up to there.
    """

    def __init__(self, space: Parameters[V], values: Mapping[int, V]) -> None:
        self.space = space
        self.values = dict(values)
        self.changes = 0
        self._outcomes: dict[int, _Found] = {}  # of the latest

    def together(self) -> _Lower[V]:
        """Try the first few steps of all parameters at once."""
        simpler = self.space.simpler
        ladders = {number: simpler(number, value) for number, value in self.values.items()}
        steps = [
            {number: ladder[step] for number, ladder in ladders.items() if step < len(ladder)}
            for step in range(_TOGETHER)
        ]
        yield from self._climb([step for step in steps if len(step) > 1])

    def lower(self, number: int) -> _Lower[V]:
        """Find the simplest value of one parameter with which the document still fails.

        If neither a step of the ladder nor the next value down keeps the failure, the present value
        is considered necessary: values in between would hardly ever work.
        """
        while True:
            before = self.values[number]
            ladder, nearest = self.space.simpler(number, before), self.next_down(before)
            hit = yield from self._climb(_options(number, ladder), _options(number, nearest))
            if hit is None:
                was_invalid = self._was_invalid(len(ladder) - 1)
                useless = _options(number, [*ladder[:1], *nearest])
                hit = yield from self._accept_first(_options(number, nearest), useless=useless)
                if hit is not None and ladder:
                    yield from self._bisect(number, ladder[-1], invalid=was_invalid)
                return
            if hit > 0:
                invalid = self._was_invalid(hit - 1)
                yield from self._bisect(number, ladder[hit - 1], invalid=invalid)
            if self.space.between(ladder[0], before) is not None:
                return

    def lower_nearby(self, number: int, due: Sequence[V]) -> _Lower[V]:
        """Try these of the simplest value and the next one down; others only if one works."""
        options = _options(number, due)
        if (yield from self._accept_first(options, useless=options)) is not None:
            yield from self.lower(number)

    def nearby(self, number: int) -> list[V]:
        """The simplest value of a parameter, and the next one down."""
        value = self.values[number]
        simplest = self.space.simpler(number, value)[:1]
        return list(dict.fromkeys([*simplest, *self.next_down(value)]))

    def next_down(self, value: V) -> list[V]:
        """The next value down, if there is one."""
        next_down = self.space.next_down(value)
        return [] if next_down is None else [next_down]

    def _bisect(self, number: int, passing: V, *, invalid: bool) -> _Lower[V]:
        """Bisect between a value that does not fail and the present one, which does.

        If that value is invalid, the boundary is drawn by the verifier, and the search goes up from
        there, since rejected candidates cost no run.
        """
        while steps := self._steps(passing, self.values[number], invalid=invalid):
            hit = yield from self._accept_first(_options(number, steps))
            last = len(steps) - 1 if hit is None else hit - 1
            if last >= 0:
                passing, invalid = steps[last], self._was_invalid(last)

    def _steps(self, passing: V, failing: V, *, invalid: bool) -> list[V]:
        """Values to try between two: the midpoint or, if `invalid`, ever closer to `passing`."""
        steps: list[V] = []
        middle = self.space.between(passing, failing)
        while middle is not None and (invalid or not steps):
            steps.append(middle)
            middle = self.space.between(passing, middle)
        return steps[::-1]

    def _was_invalid(self, place: int) -> bool:
        """Whether one of the latest options, given by index, was rejected by the compiler."""
        return place not in self._outcomes

    def _climb(self, options: _Options[V], nearest: _Options[V] = ()) -> _Try[V]:
        """Like `_accept_first`, but give up early if all options seem to cause the same failure.

        Args:
            nearest: the options with the smallest changes.
        """
        if len(options) < _MANY:
            return (yield from self._accept_first(options))
        hit = yield from self._accept_first(options, stops=True)
        if (
            hit is not None
            or len(self._outcomes) > 1
            or not _is_other_failure(self._outcomes.get(0))
        ):
            return hit
        if (yield from self._fail_alike([options[-1], *nearest])):
            return None
        return (yield from self._accept_first(options, start=1))

    def _fail_alike(self, options: _Options[V]) -> Generator[_Question[V], _Result, bool]:
        """Whether all valid options have the outcomes of the first, and at least one is valid."""
        taken = False
        for option in options:
            answer = yield _Question([option], is_probe=True)
            found = answer.outcomes.get(0, _Found())
            if answer.hit is not None or not found <= self._outcomes[0]:
                return False
            taken |= bool(found)
        return taken

    def _accept_first(
        self,
        options: _Options[V],
        *,
        start: int = 0,
        stops: bool = False,
        useless: _Options[V] = (),
    ) -> _Try[V]:
        """Accept the first option that keeps the failure; return its index, or None.

        Args:
            start: the index of the first option to try.
        """
        if not options and not useless:
            self._outcomes = {}
            return None
        answer = yield _Question(options[start:], stops, useless=useless)
        before = self._outcomes if start else {}
        after = {start + place: found for place, found in answer.outcomes.items()}
        self._outcomes = {**before, **after}
        if answer.hit is None:
            return None
        self.values.update(options[start + answer.hit])
        self.changes += 1
        return start + answer.hit


def _options(number: int, values: Sequence[V]) -> list[dict[int, V]]:
    return [{number: value} for value in values]


def _is_other_failure(outcomes: _Found | None) -> bool:
    """Whether the only outcome is another failure than the target."""
    if outcomes is None or len(outcomes) != 1:
        return False
    ((verdict, _),) = outcomes
    return verdict is Verdict.OTHER_FAILURE


# ---- as a plan -------------------------------------------------------------------------------


def descent(
    state: SearchState[D],
    tuning: Tuning[D, V],
    document: D,
    failed: FailedValues,
    *,
    again: bool = False,
    everything: bool = False,
    then: Then[D] = lambda document, progress, deferred: None,
) -> Plan[D] | None:
    """A descent from its beginning.

    Args:
        failed: remembers values that did not work.
        again: the parameters were tuned before, so only the simplest and the nearest value of each
            are tried; the others follow only if one of these keeps the failure.
        everything: those that have failed in the same surroundings are tried, too.
        then: what follows.
    """
    space = tuning.of(document)
    task = _Task(state, tuning.name, space, failed, again, everything, then)
    return _plan(task, document, _Turn(dict(space.values)), ())


@dataclass(frozen=True)
class _Task(Generic[D, V]):
    """What stays the same throughout a descent."""

    state: SearchState[D]
    name: str
    space: Parameters[V]
    failed: FailedValues
    again: bool
    everything: bool
    then: Then[D]

    def has_failed(self, number: int, value: V, values: Mapping[int, V]) -> bool:
        """Whether a value has failed in the same surroundings."""
        return self.failed.has_failed(self.name, self.space.around(number, values), value)


@dataclass(frozen=True)
class _Turn(Generic[V]):
    """The turn of a parameter, and how far the descent had come by then.

    Attributes:
        values: the values accepted so far.
        number: the parameter; None for all together.
        due: what is tried of the simplest value and the nearest; None if others are tried, too.
        changes: how often a value was accepted.
        lowered: for each parameter that was lowered, the value of `changes` after that.
        left: the parameters whose turn is yet to come in this round.
        deferred: whether a value was put off since it has failed before.
    """

    values: Mapping[int, V]
    number: int | None = None
    due: Sequence[V] | None = None
    changes: int = 0
    lowered: Mapping[int, int] = field(default_factory=dict)
    left: tuple[int, ...] = ()
    deferred: bool = False

    def questions(self, lowering: _Lowering[V]) -> _Lower[V]:
        if self.number is None:
            return lowering.together()
        if self.due is None:
            return lowering.lower(self.number)
        return lowering.lower_nearby(self.number, self.due)

    def after(self, lowering: _Lowering[V]) -> "_Turn[V]":
        """How far the descent has come after this turn."""
        changes, lowered = self.changes + lowering.changes, self.lowered
        if self.number is not None:
            lowered = {**lowered, self.number: changes}
        return replace(self, values=lowering.values, changes=changes, lowered=lowered)

    def next(self, task: _Task[D, V]) -> "_Turn[V] | None":
        """The next turn, in this round or another one; None once no parameter changes."""
        left = self.left or [n for n in self.values if self.lowered.get(n) != self.changes]
        if not left:
            return None
        [number, *others] = left
        turn = replace(self, number=number, due=None, left=tuple(others))
        if not task.again and number not in self.lowered:
            return turn
        nearby = _Lowering(task.space, self.values).nearby(number)
        due = [v for v in nearby if task.everything or not task.has_failed(number, v, self.values)]
        return replace(turn, due=due, deferred=self.deferred or len(due) < len(nearby))


def _plan(
    task: _Task[D, V], document: D, turn: _Turn[V], answers: tuple[_Result, ...]
) -> Plan[D] | None:
    """What a descent asks after these answers of a turn, or in the turns after it."""
    now: _Turn[V] | None = turn
    if task.again and turn.number is None:
        now = turn.next(task)
    while now is not None:
        turn, lowering = now, _Lowering(task.space, now.values)
        questions = turn.questions(lowering)
        try:
            question = next(questions)
            for answer in answers:
                question = questions.send(answer)
        except StopIteration:
            turn, answers = turn.after(lowering), ()
            now = turn.next(task)
        else:
            return _Descent(task, task.name, document, turn, answers, question, lowering.values)
    return task.then(document, turn.changes > 0, turn.deferred)


@dataclass(frozen=True)
class _Descent(Plan[D], Generic[D, V]):
    """A point of a descent: the turn of a parameter, and the answers in this turn.

    Attributes:
        values: those accepted so far.
    """

    is_screened: ClassVar[bool] = True
    minds_refusals: ClassVar[bool] = True

    task: _Task[D, V] = field(compare=False)
    name: str
    document: D
    turn: _Turn[V]
    answers: tuple[_Result, ...] = field(compare=False)
    question: _Question[V]
    values: Mapping[int, V]

    @property
    def is_probe(self) -> bool:
        return self.question.is_probe

    def candidates(self) -> Iterator[Proposal[D] | Refused]:
        for number, option in enumerate(self.question.options):
            texts = self.task.space.texts({**self.values, **option})
            made = [self._made(text) for text in texts]
            last = max((i for i, each in enumerate(made) if isinstance(each, Candidate)), default=0)
            edit = (self.name, *((parameter, str(value)) for parameter, value in option.items()))
            chance = self._chance(option)
            for index, each in enumerate(made):
                if isinstance(each, Candidate):
                    yield Proposal(each, (number, index == last), chance, edit)
                elif each is not None:
                    yield each

    def _made(self, text: str) -> Candidate[D] | Refused | None:
        return self.task.state.made(partial(str, text), self.name, self.document)

    def _chance(self, option: Mapping[int, V]) -> float | None:
        values = self.values
        failed = (self.task.has_failed(number, value, values) for number, value in option.items())
        return SAME_AGAIN if len(option) == 1 and any(failed) else None

    def is_decided(self, refused: Sequence[Answer]) -> bool:
        """Whether the first option, in all its variants, has caused another failure."""
        number, is_last = refused[-1].place if refused else (0, False)
        if number > 0 or not is_last or refused[-1].verdict is Verdict.INVALID:
            return False
        return self.question.stops and _is_other_failure(_outcomes(refused)[0])

    def learn(self, failed: Sequence[object], accepted: Candidate[D] | None) -> None:
        if accepted is None:
            for option in self.question.useless:
                for number, value in option.items():
                    where = self.task.space.around(number, self.values)
                    self.task.failed.record_failure(self.name, where, value)

    def if_accepted(
        self, place: tuple[int, bool], candidate: Candidate[D], refused: Sequence[Answer]
    ) -> Plan[D] | None:
        document = self.document if self.is_probe else candidate.document
        return self._after(_Result(place[0], _outcomes(refused)), document)

    def if_refused(self, refused: Sequence[Answer]) -> Plan[D] | None:
        return self._after(_Result(None, _outcomes(refused)), self.document)

    def _after(self, answer: _Result, document: D) -> Plan[D] | None:
        return _plan(self.task, document, self.turn, (*self.answers, answer))


def _outcomes(refused: Sequence[Answer]) -> _Outcomes:
    found: dict[int, _Found] = {}
    for refusal in refused:
        if refusal.verdict is not Verdict.INVALID:
            place = refusal.place[0]
            found[place] = found.get(place, frozenset()) | {(refusal.verdict, refusal.bucket)}
    return found
