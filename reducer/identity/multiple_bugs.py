"""Keep the bug that lasts, where an input has several bugs with one message.

The errors of a large input may name several ops that fail for different reasons. A reduction is cut
around one of them, and then no smaller program shows the others. Whoever files the report cares
about a bug that is still there, so before anything is cut around one of them, a program of just
these ops is asked on a neighboring release. It costs a small run or two; a wrong choice costs a
second reduction.

Where the errors do not name the ops, the result is compared: a release that compiles it tells two
bugs apart, if the input fails there in the same way. The input is asked only if it is not large.
What its run costs beside the reduction would be the better measure, but the result must not depend
on times.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from oracles import Outcome
from reducer.identity.builds import BuildConfig, Health, HealthCheck, Requirement
from reducer.identity.builds.check import neighbors
from reducer.identity.conditions import Loss, SameOnOtherBuilds
from reducer.identity.program import Judging, Milestone, Program
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.flow import backward_slice
from reducer.locate import ops_on_lines
from reducer.search.candidate import Candidate
from reducer.transformations import BodyOps, BoundaryTypes, carve

_DEPTHS = (0, 1, 2, 4)  # steps from the ops that the errors name to their producers
_MAX_SEEDS = 8
_LARGEST = 150  # ops of a program that is made of them

_LARGEST_INPUT = 500
"""The ops of an input that is asked elsewhere although it is not small.

This is no share of the time spent so far, which differs from one machine to the next.
"""

_SLOWDOWN_FACTOR = 2  # another release may take so many times as long for the input


def choose_lasting(
    program: Program,
    judging: Judging,
    seeds: Sequence[int],
    accept: Callable[[Candidate[Module]], None],
) -> Sequence[int]:
    """Choose the op that a neighboring release rejects as well, of those that the errors name.

    If it is another than the first, the document becomes a program of all these ops, and every
    candidate must fail on that release, too: one op may lose the bug that lasts and keep another.

    Returns:
        The ops of the document to start from; `seeds` if there is nothing to choose.

    Raises:
        Stopped: the user interrupted the run, or the budget is spent.
    """
    check = judging.health
    if check is None or judging.provisional is not None:
        return seeds
    if program.module.op_count <= _LARGEST:  # the audit asks about all of it
        return seeds
    builds = neighbors(check.builds)
    together = _together(program, judging, seeds) if builds else None
    if together is None:
        return seeds
    check.compared_ops = True
    own = judging.full.known(together.text)
    for build in builds:
        outcome = check.cross_check.same_failure_on(build, together.text)
        if outcome is None:
            continue
        first, lasting = (_blamed(check, one, together) for one in (own, outcome))
        same = not lasting or not set(lasting).isdisjoint(first)
        if same or _input_there(program, judging, check, build) is Health.COMPILES:
            return seeds
        _require(judging, check, Requirement(build, Health.SAME))
        accept(Candidate(together, "carve all diagnosed ops"))
        return lasting
    return seeds


def _require(judging: Judging, check: HealthCheck, lasting: Requirement) -> None:
    check.required = (*check.required, lasting)
    check.before = {lasting.build: lasting.health}
    judging.full = judging.full.under(SameOnOtherBuilds(check.cross_check, check.required))


def _input_there(
    program: Program, judging: Judging, check: HealthCheck, build: BuildConfig
) -> Health:
    """What the input does at a release; unknown if it is too large to ask.

    Raises:
        Stopped: the user interrupted the run.
    """
    original = program.original
    if original is None or original.op_count > _LARGEST_INPUT:
        return Health.UNKNOWN
    seconds = _SLOWDOWN_FACTOR * judging.first.cpu_seconds
    return check.cross_check.health_of_input(build, program.source, seconds)


def _together(program: Program, judging: Judging, named: Sequence[int]) -> Module | None:
    """A small program of all ops that the errors name, if they are several and it fails."""
    module, boundary = program.module, program.module_boundary
    body = BodyOps.of(module)
    seeds = sorted({body.body_op_of(op) for op in named}.intersection(body.function_of))
    if not 1 < len(seeds) <= _MAX_SEEDS:
        return None
    programs = programs_around(body, seeds, boundary)
    return next((one for one in programs if judging.candidates.fails(one)), None)


def programs_around(body: BodyOps, ops: Sequence[int], boundary: BoundaryTypes) -> Iterator[Module]:
    """Small programs of body ops and their nearest producers, the smallest first."""
    parts = (frozenset(backward_slice(body.module, [*ops], depth)) for depth in _DEPTHS)
    for part in dict.fromkeys(part.intersection(body.function_of) for part in parts):
        with suppress(GenericSyntaxError):
            program = Module.parse(carve(body, part, boundary)) if part else None
            if program is not None and program.op_count <= _LARGEST:
                yield program


def _blamed(check: HealthCheck, outcome: Outcome | None, program: Module) -> list[int]:
    """The op named by the error that identifies the failure."""
    if outcome is None:
        return []
    return ops_on_lines(outcome.diagnostics, check.cross_check.failing.name, program)


def lost_bug(program: Program, judging: Judging, check: HealthCheck) -> Loss | None:
    """A bug of the input that is in more releases than that of the result.

    What was known of programs around another failing op says nothing about those to come.

    Raises:
        Stopped: the user interrupted the run.
    """
    original = program.original
    if original is None or program.input_level is not None or check.compared_ops:
        return None
    # A bug that is farther away from the command's own release is there, too.
    healthy = [build for build, found in check.result.items() if found is Health.COMPILES]
    build = next(iter(neighbors(healthy)), None)
    if build is None or _input_there(program, judging, check, build) is not Health.SAME:
        return None
    lost = Requirement(build, Health.SAME)
    check.before = {lost.build: lost.health}
    check.lost = (lost,)
    required = (*check.required, lost)
    condition = SameOnOtherBuilds(check.cross_check, required)
    whole = Milestone(original, judging.full, BoundaryTypes.of(original))

    def restored() -> None:
        check.repairs += 1
        check.required = required
        program.is_located = False

    return Loss(check.another_bug, [whole], lambda asked: asked.under(condition), restored)
