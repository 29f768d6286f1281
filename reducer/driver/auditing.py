"""Check that a result is still the bug it came from, by where else it compiles; go back if not.

A program that fails where its original compiles has slipped to another bug, although the message is
the same. The accepted steps are then bisected for the first one after which that place failed, and
the reduction goes on from before it, with the place as a condition.
"""

from collections.abc import Callable, Mapping, Sequence

from oracles import CompilerOracle, Limits, Oracle, Outcome
from oracles.run.limits import Cancelled
from reducer.conversions import Conversions
from reducer.driver.going_back import as_now, go_back, last_that
from reducer.driver.multiple_bugs import widen
from reducer.driver.settings import Settings
from reducer.driver.stage import Stage, is_module
from reducer.driver.state import Context, Milestone
from reducer.errors import NotInteresting
from reducer.identity.builds import (
    BuildConfig,
    BuildKind,
    CrossCheck,
    Health,
    HealthCheck,
    HealthProfile,
    Requirement,
    configs_of,
)
from reducer.identity.builds.check import rounds, worth_comparing
from reducer.identity.conditions import SameOnOtherBuilds
from reducer.ir import Module
from reducer.search.evaluator import Stopped
from reducer.search.state import SearchState
from reducer.storage.journal import Journal

MAX_REPAIRS = 8
"""How often a reduction goes back, each time with one more condition."""

_SMALL_ENOUGH = 150  # ops; a larger program is not asked about elsewhere
_QUICK_ENOUGH = 2.0  # CPU seconds of the user's command; the same


def health_check(
    settings: Settings,
    oracle: Oracle,
    first: Outcome,
    journal: Journal,
    conversions: Conversions,
    enough: Callable[[], Limits | None],
) -> HealthCheck | None:
    """What asks about the programs elsewhere; None if there is nothing to ask.

    Args:
        first: what the input does.
        enough: gives the limits that tell a hang from a slow run, if there are lower ones.
    """
    if not isinstance(oracle, CompilerOracle):
        return None
    places = configs_of(oracle) if settings.ask_elsewhere and settings.flaky is None else []
    if settings.ask_releases is not None:
        places = [
            place
            for place in places
            if place.kind is BuildKind.RELEASE and place.name in settings.ask_releases
        ]
    if not places and not settings.passes_with:
        return None
    elsewhere = CrossCheck(
        oracle,
        first.signature,
        journal,
        jobs=settings.jobs,
        in_other_form=conversions.pretty,
        enough=enough,
    )
    required = [Requirement(place, Health.COMPILES) for place in settings.passes_with]
    return HealthCheck(elsewhere, places, tuple(required))


def audit(context: Context) -> bool:
    """Ask about the result elsewhere; return whether the reduction went back to a healthier one.

    Raises:
        Stopped: the user interrupted the run, or the time is up.
    """
    check = context.judging.health
    assert check is not None
    if _audit(context, check, check.places):
        return True
    compared = any(step.document is context.program.original for step in _steps(context))
    if compared or check.lost or check.repairs == MAX_REPAIRS:
        return False
    try:
        return widen(context, check)
    except Stopped as stopped:
        if stopped.reason != "budget":  # the result itself is complete
            raise
        return False


def audit_early(context: Context, state: SearchState[Module], start: int) -> bool:
    """Ask about a program that is nearly minimal, and turn the search back if it shows another bug.

    Going back costs least here, since the search keeps what it has learned. It does not go back
    beyond its own start, the number of the first milestone; that is left to the audit of the
    result. Only releases are asked here: most answers will be those for the result, too. That the
    program fails under the full command is only confirmed if it seems to be another bug.

    Raises:
        EarlyStopDiverged: the program does not fail under the full command.
        Stopped: as in `audit`.
    """
    check = context.judging.health
    if check is None or not _is_small(context.program.module):
        return False
    context.show("ask elsewhere")
    releases = [place for place in check.places if place.kind is BuildKind.RELEASE]
    if not _audit(context, check, releases, start, context.confirm):
        return False
    if context.judging.early is not None:
        context.judging.early = as_now(context, context.judging.early)
    state.turn_back(context.program.module, context.judging.early or context.judging.patient)
    return True


def _audit(
    context: Context,
    check: HealthCheck,
    places: Sequence[BuildConfig],
    start: int = 0,
    confirm: Callable[[], None] = lambda: None,
) -> bool:
    """Ask at some places, and go back if something is lost, at most to the milestone `start`.

    `confirm` is called in between: it may find that the program does not fail.
    """
    check.lost = _losses(context, check, _steps(context), places)
    if not check.lost or check.repairs == MAX_REPAIRS:
        return False
    confirm()
    context.judging.full.check()
    return _go_back(context, check, _steps(context), start)


def complete(context: Context) -> bool:
    """Ask about the result of a search that ended before the audit, without going back."""
    check = context.judging.health
    assert check is not None
    check.lost = _losses(context, check, _steps(context), check.places)
    return False


def require_health(context: Context) -> None:
    """Check that the input compiles at all places where the user says so.

    Raises:
        NotInteresting: it does not.
        Stopped: the user interrupted the run.
    """
    check = context.judging.health
    if check is None:
        return
    for place in (one.place for one in check.required):
        try:
            stop = context.judging.full.stop
            outcome = check.elsewhere.admit(place, context.settings.text, cancel=stop)
        except Cancelled:
            raise Stopped("interrupted") from None
        if not outcome.succeeded:
            raise NotInteresting(
                f"the input also fails with {place.name} ({outcome.signature.text}); choose a "
                "release that compiles it, or leave out --passes-with"
            )


def _losses(
    context: Context, check: HealthCheck, steps: Sequence[Milestone], places: Sequence[BuildConfig]
) -> tuple[Requirement, ...]:
    """What the result does not do any more, although what it was made from does.

    Once something is lost, the other kinds of places are not asked.
    """
    check.result = HealthProfile()
    if not steps:
        return ()
    at: dict[BuildConfig, Health] = {}
    for part in _by_kind(places):
        asked = dict[BuildConfig, Health]()
        for some in rounds(part, asked):
            asked |= _profile(context, check, steps[-1], some).at
        at |= asked
        check.result = HealthProfile(at)
        _ask_before(context, check, steps, worth_comparing(asked))
        before = check.before.at
        lost = [place for place in asked if _known(before, place).is_lost_in(asked[place])]
        if lost:
            return tuple(Requirement(place, before[place]) for place in lost)
    return ()


def _by_kind(places: Sequence[BuildConfig]) -> list[list[BuildConfig]]:
    """Targets last: they are many, and the others tell more bugs apart."""
    kinds = (BuildKind.RELEASE, BuildKind.LEVEL, BuildKind.TARGET)
    return [[place for place in places if place.kind is kind] for kind in kinds]


def _known(before: Mapping[BuildConfig, Health], place: BuildConfig) -> Health:
    return before.get(place, Health.UNKNOWN)


def _ask_before(
    context: Context, check: HealthCheck, steps: Sequence[Milestone], places: Sequence[BuildConfig]
) -> None:
    """Learn what the programs that the result was made from do at some places.

    Another failure of the first of them may hide what it would do otherwise, so that a later one is
    asked as well.
    """
    doubtful = [place for place in places if not _known(check.before.at, place).tells]
    for step in _references(steps):
        found = _profile(context, check, step, doubtful)
        check.before = check.before.updated(found.at.items())
        check.of_input.difference_update(doubtful)
        check.of_input.update(doubtful if step.document is context.program.original else ())
        doubtful = [place for place in doubtful if found.at[place] is Health.OTHER]


def _references(steps: Sequence[Milestone]) -> list[Milestone]:
    """The first step, and a later one in case it says nothing."""
    chosen = sorted({0, 2 * len(steps) // 3})
    return [steps[index] for index in chosen if index < len(steps) - 1]


def _go_back(context: Context, check: HealthCheck, steps: Sequence[Milestone], start: int) -> bool:
    """Return to the last step that does what the result no longer does; False if there is none.

    Places are mostly lost together, so that requiring one brings back all of them.
    """
    lost = check.lost[0]
    last = _last_that_meets(context, check, steps, lost)
    if last < 0 or steps[last] not in context.program.milestones[start:]:
        return False
    check.repairs += 1
    check.required = (*check.required, lost)
    condition = SameOnOtherBuilds(check.elsewhere, check.required)
    return go_back(
        context, steps[: last + 1], lambda asked: asked.under(condition), check.another_bug
    )


def _last_that_meets(
    context: Context, check: HealthCheck, steps: Sequence[Milestone], lost: Requirement
) -> int:
    """The number of the last step that meets a requirement, by bisection; -1 if none is known to.

    The program that met it in an earlier audit may be one that the reduction went back beyond.
    """
    references = _references(steps)
    met = next(
        (
            number
            for number, step in enumerate(steps)
            if step in references and _meets(context, check, step, lost)
        ),
        -1,
    )
    if met < 0:
        return met
    return last_that(steps[:-1], lambda step: _meets(context, check, step, lost), known=met)


def _meets(context: Context, check: HealthCheck, step: Milestone, lost: Requirement) -> bool:
    return _profile(context, check, step, [lost.place]).at[lost.place] is lost.health


def _profile(
    context: Context, check: HealthCheck, step: Milestone, places: Sequence[BuildConfig]
) -> HealthProfile:
    try:
        return check.elsewhere.profile(places, step.document.text, cancel=context.judging.full.stop)
    except Cancelled:
        raise Stopped("interrupted") from None


def _steps(context: Context) -> list[Milestone]:
    """The accepted programs that are cheap enough to ask about, the result last."""
    steps = [step for step in context.program.milestones if _is_cheap(step)]
    if isinstance(context.program.document, Module):
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


# ---- in the table ------------------------------------------------------------------------------


def _has_other_places(context: Context) -> bool:
    return context.judging.health is not None and is_module(context)


def is_unfinished(context: Context) -> bool:
    """Whether the search has ended before the audit."""
    return not context.found.is_complete


AUDIT = Stage("ask elsewhere", _has_other_places, audit)
COMPLETE = Stage("ask elsewhere", _has_other_places, complete)


def compiles_nowhere(context: Context) -> bool:
    """Whether no other place tells if the program is still the bug of the input."""
    check = context.judging.health
    return check is None or not check.result.places(Health.COMPILES)
