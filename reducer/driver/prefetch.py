"""Ask ahead, on idle workers, what a reduction will ask first and last.

The first questions do not depend on each other, but each is asked by another stage: whether the
input fails, and an empty module; whether it does in generic form, and every time; and which part of
it does. The last ones are whether the result fails when it is printed, and when it is confirmed.
"""

from functools import partial

from oracles import Oracle, Outcome
from oracles.base import capabilities_of
from reducer.driver.comments import with_comments
from reducer.driver.settings import Settings
from reducer.driver.stages.locating import fails_in_dispatch
from reducer.driver.state import Context
from reducer.identity.advice import EMPTY_MODULE
from reducer.identity.pretty_form import ReadablePrinter
from reducer.identity.unstable_crash import CHEAP_SECONDS
from reducer.ir import Module, PlainText
from reducer.search.candidate import Candidate
from reducer.search.judge import Judge
from reducer.search.plan import Certain, Errand, Next, Proposal
from reducer.search.sampling import sampling
from reducer.search.state import SearchState
from reducer.transformations import BoundaryTypes

_REPETITIONS = 3  # runs of a program, to see whether it always fails
_SMALL = 2_500  # ops; a larger input may need too much memory to be run several times at once
_SMALL_RESULT = 200  # ops; what is larger will hardly be the result


def prepare_input(judge: Judge, settings: Settings) -> None:
    """Have an idle worker run the input before it is parsed."""
    if _may_begin(judge.oracle, settings):
        judge.prepare(PlainText(settings.text))


def prefetch_input(judge: Judge, settings: Settings, module: Module | None) -> None:
    """Have idle workers run what follows the first run, before that has ended."""
    if module is None or module.op_count > _SMALL:
        return
    if _may_begin(judge.oracle, settings):
        _foresee(judge, module)


def _may_begin(oracle: Oracle, settings: Settings) -> bool:
    """Whether the first runs are known before it is known how the input fails.

    A compiler may be asked for more then, and a flaky failure takes several runs to tell.
    """
    can = capabilities_of(oracle)
    return settings.flaky is None and not (can.failures or can.results)


def prefetch_search(context: Context) -> None:
    """Have idle workers run what the first stages ask about, unless the input takes long."""
    if context.judging.exhausts or context.judging.flaky is not None:
        return
    context.judging.full.prepare(PlainText(EMPTY_MODULE))
    is_quick = context.judging.first.cpu_seconds < CHEAP_SECONDS
    if isinstance(context.program.document, Module) and is_quick and not _is_located(context):
        is_sampled = not fails_in_dispatch(context)  # its dispatch comes first
        _foresee(context.judging.full, context.program.document, is_sampled=is_sampled)


def _foresee(judge: Judge, module: Module, *, is_sampled: bool = True) -> None:
    judge.prepare(PlainText(EMPTY_MODULE))
    if module.op_count <= _SMALL:  # a larger one is hardly ever run as a whole
        judge.prepare(module, range(_REPETITIONS))
    if not (judge.works_ahead and is_sampled):
        return
    state = SearchState(module, Module.parse, judge, lambda _: None)
    plan = sampling(state, BoundaryTypes.of(module))
    if plan is not None:
        judge.foresee(plan)


def _is_located(context: Context) -> bool:
    """Whether an error says where the failure is, so that little else will be run."""
    return any(d.severity == "error" and d.line for d in context.judging.first.diagnostics)


def prefetch_polishing(context: Context, polishing: Next[Module]) -> None:
    """Have idle workers start polishing, if nothing else is done before that."""
    if _is_polished_next(context):
        plan = polishing(context.program.module)
        if plan is not None:
            context.judging.probing.foresee(plan)


def after_halving(context: Context, polishing: Next[Module]) -> Next[Module]:
    """What is asked about a module after halving: whether it always fails, and polishing."""
    if not _is_polished_next(context):
        return lambda module: None
    asked = context.judging.probing

    def repetitions(module: Module) -> list[Proposal[Module]]:
        return [
            Proposal(
                Candidate(module, "repeat"), chance=1.0, errand=asked.repetition(module, number)
            )
            for number in range(1, _REPETITIONS)
        ]

    return lambda module: Certain(module, repetitions, polishing)


def _is_polished_next(context: Context) -> bool:
    """Not for a compiler, whose command changes first."""
    asked = context.judging.probing
    can = capabilities_of(asked.oracle)
    return asked.works_ahead and not (can.failures or can.results)


def prefetch_result(context: Context, module: Module) -> None:
    """Have idle workers print, confirm and report the program that is the result, as it seems."""
    if not _is_foreseeable(context, module) or context.judging.full.known(module.text) is None:
        return
    if questions := _questions(context, module):
        printed, errands = questions
        context.judging.full.prepare(printed)
        for errand in errands:
            context.judging.full.prepare_errand(errand)


def plan_result(context: Context, module: Module) -> Certain[Module] | None:
    """What is asked about a program if it turns out to be the result."""
    if not _is_foreseeable(context, module):
        return None
    return Certain(module, partial(_questions_ahead, context))


def _questions_ahead(context: Context, module: Module) -> list[Proposal[PlainText]]:
    if (questions := _questions(context, module)) is None:
        return []
    text, errands = questions
    printed = Candidate(text, "print")
    return [Proposal(printed, chance=1.0, errand=errand) for errand in (None, *errands)]


def _questions(context: Context, module: Module) -> tuple[PlainText, list[Errand]] | None:
    """What is asked about a result: whether it fails as printed, every time, and in the end.

    None if the compiler cannot print it.
    """
    full, settings = context.judging.full, context.settings
    text = ReadablePrinter(full, context.conversions, context.note).first_form(module)
    if text is None:
        return None
    outcome = full.known(module.text) or context.judging.first  # they say the same
    asked = context.judging.probing
    again = () if context.found.is_repeated else range(1, _REPETITIONS)
    errands = [asked.repetition(module, number) for number in again]
    if settings.comments:
        name = settings.program.name
        limit = full.oracle.limits.seconds
        commented = with_comments(text, [full.oracle.display(name)], outcome, limit)
        errands.append(full.confirmation(commented, name, module.op_count))
    if settings.reported is not None:
        if _says_nothing(full.oracle, outcome):
            errands.append(settings.reported.script(full.oracle, text, outcome))
        else:
            program, name = settings.reported.program(full.oracle, text)
            errands.append(full.confirmation(program, name, module.op_count))
    return PlainText(text), errands


def _is_foreseeable(context: Context, module: Module) -> bool:
    judging, full = context.judging, context.judging.full
    if judging.exhausts or judging.provisional is not None or context.settings.keep_generic:
        return False
    is_small = module.op_count <= _SMALL_RESULT
    return full.works_ahead and is_small and _is_plain(full.oracle)


def reported_ahead(context: Context) -> Outcome | None:
    """The outcome of the result as its bug report runs it, if that is known.

    An idle worker may have run it. A user's test that prints nothing says all that the report needs
    by its exit status, and the script of the report runs it once more.
    """
    full, reported = context.judging.full, context.settings.reported
    result = context.found.printed.result
    if reported is None or result is None or not _is_plain(full.oracle):
        return None
    known = full.known(context.program.confirmed.text)
    if known is not None and _says_nothing(full.oracle, known):
        if full.works_ahead:
            full.finish_ahead(reported.script(full.oracle, result, known))
        return known
    if not full.works_ahead:
        return None
    return full.confirmed_ahead(*reported.program(full.oracle, result))


def _says_nothing(oracle: Oracle, outcome: Outcome) -> bool:
    """Whether this is the outcome of a user's test that prints nothing."""
    return capabilities_of(oracle).script is not None and not outcome.stderr.strip()


def _is_plain(oracle: Oracle) -> bool:
    """Whether the command shown is that of a run, not one with inputs that are chosen last."""
    return capabilities_of(oracle).results is None
