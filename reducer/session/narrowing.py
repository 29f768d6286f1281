"""Check that a result did not lose a second bug of the input that has the same message.

The audit compares a result with the small programs that it was made from. If the first of these was
cut around one failing op of a large input, all of them show the bug of that op, and none shows what
else fails there. A release that compiles the result then tells the two apart, if the input fails
there in the same way. Whoever files the report cares about the bug that is still there.

The input itself is asked only if its run costs little beside the reduction. Where its errors name
several ops, a program of just these answers first, at the cost of a small run.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from reducer.health import (
    Condition,
    Health,
    HealthCheck,
    HealthGuard,
    HealthProfile,
    Place,
    PlaceKind,
)
from reducer.health.asking import nearest_first
from reducer.health.elsewhere import Cancelled
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.flow import backward_slice
from reducer.locate import ops_of_diagnostics
from reducer.search.evaluator import Stopped
from reducer.session.context import Context, Milestone
from reducer.session.conversions import key_of
from reducer.transformations import BodyOps, BoundaryTypes, carve

_DEPTHS = (0, 1, 2, 4)  # steps from the ops that the errors name to their producers
_MAX_SEEDS = 8
_LARGEST = 150  # ops of a program that is made of them

_SHARE = 0.05
"""The input is asked if its first run took at most this part of the CPU time spent so far."""
_SHARE_IN_DOUBT = 0.5
"""The same, if there is a sign that the result has lost a bug."""

_SLOWDOWN_FACTOR = 2  # another release may take so many times as long for the input


def widen(context: Context, check: HealthCheck) -> Condition | None:
    """Go back to where a bug was lost that is in more releases than that of the result.

    Returns:
        What every further candidate must do; None if the result is as good as can be told.

    Raises:
        Stopped: the user interrupted the run, or the budget is spent.
    """
    original = context.original
    if original is None or context.above is not None:
        return None
    places = list(_beside(check))
    if not places:
        return None
    together = _together(context, original)
    if together is not None:
        return _widen_to_part(context, check, together, places)
    return _widen_to_input(context, check, original, places[0])


def _widen_to_part(
    context: Context, check: HealthCheck, together: Milestone, places: Sequence[Place]
) -> Condition | None:
    """Go back to a part of the input with all ops that its errors name."""
    for place in places:
        fails = _asked(context, check, together, place) is Health.SAME
        if fails and _agrees(context, check, place):
            condition = Condition(place, Health.SAME)
            return condition if _return_to(context, check, together, condition) else None
    return None


def _widen_to_input(
    context: Context, check: HealthCheck, original: Module, place: Place
) -> Condition | None:
    """Go back to the input itself, and locate the failure anew."""
    if not _takes_at_most(context, check, place, _SHARE):
        return None
    if _ask_input(context, check, place) is not Health.SAME:
        return None
    condition = Condition(place, Health.SAME)
    whole = Milestone(original, context.full, BoundaryTypes.of(original))
    if not _return_to(context, check, whole, condition):
        return None
    context.is_located = False
    return condition


def _beside(check: HealthCheck) -> Iterator[Place]:
    """The nearest release on each side that compiles the result, the newer one first.

    A bug that is farther away from the command's own release is there, too.
    """
    compiling = check.result.places(Health.COMPILES)
    releases = nearest_first([one for one in compiling if one.kind is PlaceKind.RELEASE])
    for side in (1, -1):
        yield from [place for place in releases if place.position * side > 0][:1]


def _together(context: Context, original: Module) -> Milestone | None:
    """A program of all ops that the errors of the input name, if they are several."""
    named = _named(context, original)
    if len(named) < 2:
        return None
    body, boundary = BodyOps.of(original), BoundaryTypes.of(original)
    seeds = sorted({body.body_op_of(op) for op in named}.intersection(body.function_of))
    if not 1 < len(seeds) <= _MAX_SEEDS:
        return None
    for part in _with_producers(body, seeds):
        program = _carved(body, part, boundary)
        if program is not None and context.full.fails(program):
            return Milestone(program, context.full, boundary)
    return None


def _named(context: Context, original: Module) -> list[int]:
    """The ops that the errors of the input name."""
    errors = [one for one in context.first.diagnostics if one.severity == "error"]
    if len({(one.file, one.line, one.column) for one in errors if one.line}) < 2:
        return []  # printing a large input with locations takes seconds
    locations = context.conversions.locations(context.settings.text, original)
    return ops_of_diagnostics(errors, locations, original)


def _carved(body: BodyOps, part: frozenset[int], boundary: BoundaryTypes) -> Module | None:
    with suppress(GenericSyntaxError):
        text = carve(body, part, boundary)
        program = None if text is None else Module.parse(text)
        if program is not None and program.op_count <= _LARGEST:
            return program
    return None


def _with_producers(body: BodyOps, seeds: Sequence[int]) -> Iterator[frozenset[int]]:
    parts = (frozenset(backward_slice(body.module, [*seeds], depth)) for depth in _DEPTHS)
    yield from dict.fromkeys(part.intersection(body.function_of) for part in parts)


def _agrees(context: Context, check: HealthCheck, place: Place) -> bool:
    """Whether the input does not compile at a place, as far as it is asked."""
    if not _takes_at_most(context, check, place, _SHARE_IN_DOUBT):
        return True
    return _ask_input(context, check, place) is not Health.COMPILES


def _takes_at_most(context: Context, check: HealthCheck, place: Place, share: float) -> bool:
    """Whether the input is worth asking about; a resumed reduction, which spends less, agrees."""
    key = key_of(f"ask {place.name} within {share}", context.settings.text)
    decided = context.journal.get_text(key)
    if decided is None:
        spent = context.full.costs.compiler_seconds + check.elsewhere.seconds
        decided = "yes" if context.first.cpu_seconds <= share * spent else "no"
        context.journal.put_text(key, decided)
    return decided == "yes"


def _ask_input(context: Context, check: HealthCheck, place: Place) -> Health:
    seconds = _SLOWDOWN_FACTOR * context.first.seconds
    try:
        return check.elsewhere.health_of_input(
            place, context.settings.text, seconds, cancel=context.full.stop
        )
    except Cancelled:
        raise Stopped("interrupted") from None


def _asked(context: Context, check: HealthCheck, step: Milestone, place: Place) -> Health:
    try:
        return check.elsewhere.health(place, step.document.text, cancel=context.full.stop)
    except Cancelled:
        raise Stopped("interrupted") from None


def _return_to(context: Context, check: HealthCheck, step: Milestone, condition: Condition) -> bool:
    """Go on from a program with one more condition, if it meets all of them.

    What was known of programs around another failing op says nothing about those to come.
    """
    check.before = HealthProfile({condition.place: condition.health})
    check.lost = (condition,)
    conditions = (*check.conditions, condition)
    asked = context.full.with_(review=HealthGuard(check.elsewhere, conditions))
    if not asked.fails(step.document):
        return False
    check.repairs += 1
    check.conditions = conditions
    context.return_to(step, asked)
    return True
