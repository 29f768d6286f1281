"""Check that a result is still the bug it came from, by where else it compiles; go back if not.

A program that fails where its original compiles has slipped to another bug, although the message is
the same. The accepted steps are then bisected for the first one after which that place failed, and
the reduction goes on from before it, with the place as a condition.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from reducer.errors import NotInteresting
from reducer.health import Condition, Health, HealthCheck, HealthProfile, Place, PlaceKind
from reducer.health.asking import nearest_first, rounds
from reducer.health.elsewhere import Cancelled
from reducer.ir import Module
from reducer.search.evaluator import Stopped
from reducer.search.state import SearchState
from reducer.session.context import Context, Milestone

MAX_REPAIRS = 8
"""How often a reduction goes back, each time with one more condition."""

_NEAREST = 2  # releases that compile the result and are asked about larger programs
_SMALL_ENOUGH = 150  # ops; a larger program is not asked about elsewhere
_QUICK_ENOUGH = 2.0  # CPU seconds of the user's command; the same


def audit(context: Context) -> bool:
    """Ask about the result elsewhere; return whether the reduction went back to a healthier one.

    Raises:
        Stopped: the user interrupted the run, or the time is up.
    """
    assert context.health is not None
    return _audit(context, context.health, context.health.places)


def audit_early(context: Context, state: SearchState[Module], start: int) -> bool:
    """Ask about a program that is nearly minimal, and turn the search back if it shows another bug.

    Going back costs least here, since the search keeps what it has learned. It does not go back
    beyond its own start, the number of the first milestone; that is left to the audit of the
    result, which also asks all places.

    Raises:
        EarlyStopDiverged: the program does not fail under the full command.
        Stopped: as in `audit`.
    """
    check = context.health
    if check is None or not _is_small(context.module):
        return False
    context.confirm()
    context.show("ask elsewhere")
    if not _audit(context, check, _few(check.places), start):
        return False
    if context.early is not None:
        context.early = context.early.with_(review=check.guard)
    state.turn_back(context.module, context.early or context.patient)
    return True


def _few(places: Sequence[Place]) -> list[Place]:
    """The places that are asked about programs on the way."""
    targets = [place for place in places if place.kind is PlaceKind.TARGET]
    releases = [place for place in places if place.kind is PlaceKind.RELEASE]
    return [*targets, *nearest_first(releases)[:_NEAREST]]


def _audit(context: Context, check: HealthCheck, places: Sequence[Place], start: int = 0) -> bool:
    """Ask at some places, and go back if something is lost, at most to the milestone `start`."""
    try:
        check.lost = _losses(context, check, places)
        if not check.lost or check.repairs == MAX_REPAIRS:
            return False
        context.full.check()
        return _go_back(context, check, start)
    except Cancelled:
        raise Stopped("interrupted") from None


def complete(context: Context) -> bool:
    """Ask about the result of a search that ended before the audit, without going back."""
    check = context.health
    assert check is not None
    try:
        check.lost = _losses(context, check, check.places)
    except Cancelled:
        raise Stopped("interrupted") from None
    return False


def require_health(context: Context) -> None:
    """Check that the input compiles at all places where the user says so.

    Raises:
        NotInteresting: it does not.
        Stopped: the user interrupted the run.
    """
    check = context.health
    if check is None:
        return
    for condition in check.conditions:
        place = condition.place
        try:
            outcome = check.elsewhere.admit(place, context.settings.text, cancel=context.full.stop)
        except Cancelled:
            raise Stopped("interrupted") from None
        if not outcome.succeeded:
            raise NotInteresting(
                f"the input also fails with {place.name} ({outcome.signature.text}); choose a "
                "release that compiles it, or leave out --passes-with"
            )


def _losses(context: Context, check: HealthCheck, places: Sequence[Place]) -> tuple[Condition, ...]:
    """What the result does not do any more, although what it was made from does.

    What was lost before the reduction went back is asked first. The rest is not asked about a
    result that is already known to be another bug.
    """
    steps = _steps(context)
    check.result = HealthProfile()
    if not steps:
        return ()
    at: dict[Place, Health] = {}
    for part in chain([[one.place for one in check.lost]], rounds(places, at)):
        found = _profile(context, check, steps[-1], part)
        at |= found.at
        check.result = HealthProfile(at)
        _ask_before(context, check, steps, _worth_comparing(found))
        before = check.before.at
        lost = [place for place in part if _known(before, place).is_lost_in(found.at[place])]
        if lost:
            return tuple(Condition(place, before[place]) for place in lost)
    return ()


def _known(before: Mapping[Place, Health], place: Place) -> Health:
    return before.get(place, Health.UNKNOWN)


def _worth_comparing(found: HealthProfile) -> list[Place]:
    """The places at which the larger programs are asked as well.

    These are all where the result fails. Where it compiles, the larger ones nearly always do; they
    may not where little is different: on the nearest releases, and at other levels.
    """
    compiling = nearest_first(found.places(Health.COMPILES))
    levels = [place for place in compiling if place.kind is PlaceKind.LEVEL]
    releases = [place for place in compiling if place.kind is PlaceKind.RELEASE]
    return [*found.failing, *releases[:_NEAREST], *levels]


def _ask_before(
    context: Context, check: HealthCheck, steps: Sequence[Milestone], places: Sequence[Place]
) -> None:
    """Learn what the programs that the result was made from do at some places.

    Another failure of the first of them may hide what it would do otherwise, so that two later ones
    are asked as well.
    """
    doubtful = [place for place in places if not _known(check.before.at, place).tells]
    for step in _references(steps):
        found = _profile(context, check, step, doubtful)
        check.before = check.before.updated(found.at.items())
        doubtful = [place for place in doubtful if found.at[place] is Health.OTHER]


def _references(steps: Sequence[Milestone]) -> list[Milestone]:
    """The first step, and two later ones in case it says nothing."""
    chosen = sorted({0, len(steps) // 2, 3 * len(steps) // 4})
    return [steps[index] for index in chosen if index < len(steps) - 1]


def _go_back(context: Context, check: HealthCheck, start: int) -> bool:
    """Return to the last step that meets the first lost condition; False if there is none.

    Places are mostly lost together, so that one condition brings back all of them.
    """
    condition = check.lost[0]
    steps = _steps(context)
    last = _last_that_meets(context, check, steps, condition)
    if steps[last] not in context.milestones[start:]:
        return False
    check.repairs += 1
    check.conditions = (*check.conditions, condition)
    for number in range(last, -1, -1):
        asked = steps[number].asked.with_(review=check.guard)
        if asked.fails(steps[number].document):
            context.note(_told(check.lost))
            context.return_to(steps[number], asked)
            return True
    return False


def _told(lost: Sequence[Condition]) -> str:
    """What a smaller program does otherwise than what it was made from."""
    names = ", ".join(one.place.name for one in lost if one.health is lost[0].health)
    if lost[0].health is Health.COMPILES:
        return (
            f"a smaller program also fails with {names}, which compiles what it was made from, so "
            "it shows another bug"
        )
    return (
        f"a smaller program compiles with {names}, where what it was made from fails in the same "
        "way, so it shows another bug"
    )


def _last_that_meets(
    context: Context, check: HealthCheck, steps: Sequence[Milestone], condition: Condition
) -> int:
    """The number of the last step that meets a condition, by bisection."""
    references = _references(steps)
    met = next(
        number
        for number, step in enumerate(steps)
        if step in references and _meets(context, check, step, condition)
    )
    lost = len(steps) - 1
    while lost - met > 1:
        middle = (met + lost) // 2
        if _meets(context, check, steps[middle], condition):
            met = middle
        else:
            lost = middle
    return met


def _meets(context: Context, check: HealthCheck, step: Milestone, condition: Condition) -> bool:
    place = condition.place
    return _profile(context, check, step, [place]).at[place] is condition.health


def _profile(
    context: Context, check: HealthCheck, step: Milestone, places: Sequence[Place]
) -> HealthProfile:
    return check.elsewhere.profile(places, step.document.text, cancel=context.full.stop)


def _steps(context: Context) -> list[Milestone]:
    """The accepted programs that are cheap enough to ask about, the result last."""
    steps = [step for step in context.milestones if _is_cheap(step)]
    if isinstance(context.document, Module):
        present = context.milestone()
        if not steps or steps[-1].document.text != present.document.text:
            steps.append(present)
    return steps


def _is_cheap(step: Milestone) -> bool:
    if not _is_small(step.document):
        return False
    known = step.asked.known(step.document.text)
    return known is None or known.cpu_seconds <= _QUICK_ENOUGH


def _is_small(document: Module) -> bool:
    return document.op_count <= _SMALL_ENOUGH
