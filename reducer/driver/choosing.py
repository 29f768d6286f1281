"""Choose between several failing ops with one message before anything is cut around one of them.

The errors of a large input may name several ops that fail for different reasons. A reduction is cut
around one of them, and then no smaller program shows the others. Whoever files the report cares
about a bug that is still there, so a program of just these ops is asked on a neighboring release
first. It costs a small run or two; a wrong choice costs a second reduction.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from oracles import Outcome
from oracles.run.limits import Cancelled
from reducer.driver.state import Context
from reducer.identity.builds import BuildConfig, Health, HealthCheck, HealthProfile, Requirement
from reducer.identity.builds.check import neighbors
from reducer.identity.conditions import SameOnOtherBuilds
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.flow import backward_slice
from reducer.locate import ops_on_lines
from reducer.search.candidate import Candidate
from reducer.search.evaluator import Stopped
from reducer.transformations import BodyOps, BoundaryTypes, carve

_DEPTHS = (0, 1, 2, 4)  # steps from the ops that the errors name to their producers
_MAX_SEEDS = 8
_LARGEST = 150  # ops of a program that is made of them

_LARGEST_INPUT = 500
"""The ops of an input that is asked elsewhere although it is not small.

This is no share of the time spent so far, which differs from one machine to the next.
"""

_SLOWDOWN_FACTOR = 2  # another release may take so many times as long for the input


def choose_lasting(context: Context, seeds: Sequence[int]) -> Sequence[int]:
    """Choose the op that a neighboring release rejects as well, of those that the errors name.

    If it is another than the first, the document becomes a program of all these ops, and every
    candidate must fail on that release, too: one op may lose the bug that lasts and keep another.

    Returns:
        The ops of the document to start from; `seeds` if there is nothing to choose.

    Raises:
        Stopped: the user interrupted the run, or the budget is spent.
    """
    check = context.judging.health
    if check is None or context.judging.early is not None:
        return seeds
    if context.program.module.op_count <= _LARGEST:  # the audit asks about all of it
        return seeds
    places = neighbors(check.places)
    together = _together(context, seeds) if places else None
    if together is None:
        return seeds
    check.compared_ops = True
    own = context.judging.full.known(together.text)
    for place in places:
        outcome = _failure(context, check, together, place)
        if outcome is None:
            continue
        first, lasting = (_blamed(check, one, together) for one in (own, outcome))
        same = not lasting or not set(lasting).isdisjoint(first)
        if same or input_there(context, check, place) is Health.COMPILES:
            return seeds
        _require(context, check, Requirement(place, Health.SAME))
        context.accept(Candidate(together, "carve all diagnosed ops"))
        return lasting
    return seeds


def _require(context: Context, check: HealthCheck, lasting: Requirement) -> None:
    check.required = (*check.required, lasting)
    check.before = HealthProfile({lasting.place: lasting.health})
    context.judging.full = context.judging.full.under(*SameOnOtherBuilds.of(check))


def input_there(context: Context, check: HealthCheck, place: BuildConfig) -> Health:
    """What the input does at a release; unknown if it is too large to ask.

    Raises:
        Stopped: the user interrupted the run.
    """
    original = context.program.original
    if original is None or original.op_count > _LARGEST_INPUT:
        return Health.UNKNOWN
    seconds = _SLOWDOWN_FACTOR * context.judging.first.cpu_seconds
    try:
        return check.elsewhere.health_of_input(
            place, context.settings.text, seconds, cancel=context.judging.full.stop
        )
    except Cancelled:
        raise Stopped("interrupted") from None


def _together(context: Context, named: Sequence[int]) -> Module | None:
    """A small program of all ops that the errors name, if they are several and it fails."""
    module, boundary = context.program.module, context.program.module_boundary
    body = BodyOps.of(module)
    seeds = sorted({body.body_op_of(op) for op in named}.intersection(body.function_of))
    if not 1 < len(seeds) <= _MAX_SEEDS:
        return None
    programs = programs_around(body, seeds, boundary)
    return next((one for one in programs if context.judging.asked.fails(one)), None)


def programs_around(body: BodyOps, ops: Sequence[int], boundary: BoundaryTypes) -> Iterator[Module]:
    """Small programs of body ops and their nearest producers, the smallest first."""
    parts = (frozenset(backward_slice(body.module, [*ops], depth)) for depth in _DEPTHS)
    for part in dict.fromkeys(part.intersection(body.function_of) for part in parts):
        with suppress(GenericSyntaxError):
            program = Module.parse(carve(body, part, boundary)) if part else None
            if program is not None and program.op_count <= _LARGEST:
                yield program


def _failure(
    context: Context, check: HealthCheck, program: Module, place: BuildConfig
) -> Outcome | None:
    """The outcome of a program at a release that has the same failure."""
    try:
        stop = context.judging.full.stop
        return check.elsewhere.same_failure_on(place, program.text, cancel=stop)
    except Cancelled:
        raise Stopped("interrupted") from None


def _blamed(check: HealthCheck, outcome: Outcome | None, program: Module) -> list[int]:
    """The op named by the error that identifies the failure."""
    if outcome is None:
        return []
    return ops_on_lines(outcome.diagnostics, check.elsewhere.failing.name, program)
