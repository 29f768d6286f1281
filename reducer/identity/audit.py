"""Check that a result is still the bug it came from, by where else it compiles; go back if not.

A program that fails where its original compiles has slipped to another bug, although the message is
the same. The accepted steps are then bisected for the first one after which that place failed, and
the reduction goes on from before it, with the place as a condition.
"""

from collections.abc import Callable, Mapping, Sequence

from oracles.run.limits import Cancelled
from reducer.errors import NotInteresting
from reducer.identity.builds import (
    BuildConfig,
    BuildKind,
    Health,
    HealthCheck,
    HealthProfile,
    Requirement,
)
from reducer.identity.builds.check import rounds, worth_comparing
from reducer.identity.conditions import SameOnOtherBuilds, go_back, last_that
from reducer.identity.multiple_bugs import restore_lost_bug
from reducer.identity.program import Judging, Milestone, Program
from reducer.ir import Module
from reducer.search.evaluator import Stopped

MAX_REPAIRS = 8
"""How often a reduction goes back, each time with one more condition."""

_SMALL_ENOUGH = 150  # ops; a larger program is not asked about elsewhere
_QUICK_ENOUGH = 2.0  # CPU seconds of the user's command; the same


def audit(program: Program, judging: Judging) -> str:
    """Ask about the result on other builds, and go back to a healthier one if it shows another bug.

    Returns:
        Why the reduction went back; '' if it did not.

    Raises:
        Stopped: the user interrupted the run, or the time is up.
    """
    check = judging.health
    assert check is not None
    if why := _audit(program, judging, check, check.places):
        return why
    compared = any(step.document is program.original for step in _steps(program, judging))
    if compared or check.lost or check.repairs == MAX_REPAIRS:
        return ""
    try:
        return restore_lost_bug(program, judging, check)
    except Stopped as stopped:
        if stopped.reason != "budget":  # the result itself is complete
            raise
        return ""


def audit_releases(
    program: Program, judging: Judging, start: int, confirm: Callable[[], None]
) -> str:
    """Ask about a program that is nearly minimal, and go back if it shows another bug.

    It does not go back beyond the milestone of the number `start`; that is left to the audit of the
    result. Only releases are asked here: most answers will be those for the result, too. That the
    program fails under the full command is only confirmed if it seems to be another bug.

    Returns:
        Why the reduction went back; '' if it did not.

    Raises:
        EarlyStopDiverged: `confirm` finds that the program does not fail under the full command.
        Stopped: as in `audit`.
    """
    check = judging.health
    assert check is not None
    releases = [place for place in check.places if place.kind is BuildKind.RELEASE]
    return _audit(program, judging, check, releases, start, confirm)


def _audit(
    program: Program,
    judging: Judging,
    check: HealthCheck,
    places: Sequence[BuildConfig],
    start: int = 0,
    confirm: Callable[[], None] = lambda: None,
) -> str:
    """Ask at some places, and go back if something is lost, at most to the milestone `start`.

    `confirm` is called in between: it may find that the program does not fail.
    """
    check.lost = _losses(program, judging, check, places)
    if not check.lost or check.repairs == MAX_REPAIRS:
        return ""
    confirm()
    judging.full.check()
    went = _go_back(program, judging, check, start)
    return check.another_bug if went else ""


def complete(program: Program, judging: Judging) -> None:
    """Ask about the result of a search that ended before the audit, without going back."""
    check = judging.health
    assert check is not None
    check.lost = _losses(program, judging, check, check.places)


def require_health(program: Program, judging: Judging) -> None:
    """Check that the input compiles at all places where the user says so.

    Raises:
        NotInteresting: it does not.
        Stopped: the user interrupted the run.
    """
    check = judging.health
    if check is None:
        return
    for place in (one.place for one in check.required):
        try:
            outcome = check.elsewhere.admit(place, program.source, cancel=judging.full.stop)
        except Cancelled:
            raise Stopped("interrupted") from None
        if not outcome.succeeded:
            raise NotInteresting(
                f"the input also fails with {place.name} ({outcome.signature.text}); choose a "
                "release that compiles it, or leave out --passes-with"
            )


def _losses(
    program: Program, judging: Judging, check: HealthCheck, places: Sequence[BuildConfig]
) -> tuple[Requirement, ...]:
    """What the result does not do any more, although what it was made from does.

    Once something is lost, the other kinds of places are not asked.
    """
    steps = _steps(program, judging)
    check.result = HealthProfile()
    if not steps:
        return ()
    at: dict[BuildConfig, Health] = {}
    for part in _by_kind(places):
        asked = dict[BuildConfig, Health]()
        for some in rounds(part, asked):
            asked |= _profile(judging, check, steps[-1], some).at
        at |= asked
        check.result = HealthProfile(at)
        _ask_before(program, judging, check, steps, worth_comparing(asked))
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
    program: Program,
    judging: Judging,
    check: HealthCheck,
    steps: Sequence[Milestone],
    places: Sequence[BuildConfig],
) -> None:
    """Learn what the programs that the result was made from do at some places.

    Another failure of the first of them may hide what it would do otherwise, so that a later one is
    asked as well.
    """
    doubtful = [place for place in places if not _known(check.before.at, place).tells]
    for step in _references(steps):
        found = _profile(judging, check, step, doubtful)
        check.before = check.before.updated(found.at.items())
        check.of_input.difference_update(doubtful)
        check.of_input.update(doubtful if step.document is program.original else ())
        doubtful = [place for place in doubtful if found.at[place] is Health.OTHER]


def _references(steps: Sequence[Milestone]) -> list[Milestone]:
    """The first step, and a later one in case it says nothing."""
    chosen = sorted({0, 2 * len(steps) // 3})
    return [steps[index] for index in chosen if index < len(steps) - 1]


def _go_back(program: Program, judging: Judging, check: HealthCheck, start: int) -> bool:
    """Return to the last step that does what the result no longer does; False if there is none.

    Places are mostly lost together, so that requiring one brings back all of them.
    """
    lost, steps = check.lost[0], _steps(program, judging)
    last = _last_that_meets(judging, check, steps, lost)
    if last < 0 or steps[last] not in program.milestones[start:]:
        return False
    check.repairs += 1
    check.required = (*check.required, lost)
    condition = SameOnOtherBuilds(check.elsewhere, check.required)
    return go_back(program, judging, steps[: last + 1], lambda asked: asked.under(condition))


def _last_that_meets(
    judging: Judging, check: HealthCheck, steps: Sequence[Milestone], lost: Requirement
) -> int:
    """The number of the last step that meets a requirement, by bisection; -1 if none is known to.

    The program that met it in an earlier audit may be one that the reduction went back beyond.
    """
    references = _references(steps)
    met = next(
        (
            number
            for number, step in enumerate(steps)
            if step in references and _meets(judging, check, step, lost)
        ),
        -1,
    )
    if met < 0:
        return met
    return last_that(steps[:-1], lambda step: _meets(judging, check, step, lost), known=met)


def _meets(judging: Judging, check: HealthCheck, step: Milestone, lost: Requirement) -> bool:
    return _profile(judging, check, step, [lost.place]).at[lost.place] is lost.health


def _profile(
    judging: Judging, check: HealthCheck, step: Milestone, places: Sequence[BuildConfig]
) -> HealthProfile:
    try:
        return check.elsewhere.profile(places, step.document.text, cancel=judging.full.stop)
    except Cancelled:
        raise Stopped("interrupted") from None


def _steps(program: Program, judging: Judging) -> list[Milestone]:
    """The accepted programs that are cheap enough to ask about, the result last."""
    steps = [step for step in program.milestones if _is_cheap(step)]
    if isinstance(program.document, Module):
        present = program.milestone(judging.full)
        if not steps or steps[-1].document.text != present.document.text:
            steps.append(present)
    return steps


def _is_cheap(step: Milestone) -> bool:
    if not is_small(step.document):
        return False
    known = step.asked.known(step.document.text)
    return known is None or known.cpu_seconds <= _QUICK_ENOUGH


def is_small(document: Module) -> bool:
    """Whether a program is small enough to be asked about on other builds."""
    return document.op_count <= _SMALL_ENOUGH


def compiles_nowhere(judging: Judging) -> bool:
    """Whether no other place tells if the program is still the bug of the input."""
    check = judging.health
    return check is None or not check.result.places(Health.COMPILES)
