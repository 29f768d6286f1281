"""What a reduction asks about first and last, for workers that would be idle meanwhile.

The first questions do not depend on each other, but each is asked by another stage: whether the
input fails, and an empty module; whether it does in generic form, and every time; and which part of
it does. The last ones are whether the result fails when it is printed, and when it is confirmed.
"""

from collections.abc import Sequence

from oracles import CompilerOracle, Oracle, Outcome
from oracles.values import ValuesOracle
from reducer.ir import Module, PlainText
from reducer.search.evaluator import Evaluator
from reducer.search.polish import first_sweeps
from reducer.search.sampling import sampling
from reducer.search.state import SearchState
from reducer.session.context import Context
from reducer.session.locating import fails_in_dispatch
from reducer.session.printing import ReadablePrinter, with_comments
from reducer.session.sanity import CHEAP_SECONDS, EMPTY_MODULE
from reducer.transformations import BoundaryTypes, Transformation

_REPETITIONS = 3  # of the input in generic form, if nothing smaller fails
_SMALL = 2_500  # ops; a larger input may need too much memory to be run several times at once
_SMALL_RESULT = 200  # ops; what is larger will hardly be the result


def foresee_input(evaluator: Evaluator, module: Module | None) -> None:
    """Have idle workers run what follows the first run, before that has ended.

    Not for a compiler, which may be asked for more once it is known how it fails.
    """
    if isinstance(evaluator.oracle, CompilerOracle | ValuesOracle):
        return
    if module is not None and module.op_count <= _SMALL:
        _foresee(evaluator, module)


def foresee_search(context: Context) -> None:
    """Have idle workers run what the first stages ask about, unless the input takes long."""
    if context.exhausts or context.flaky is not None:
        return
    context.full.prepare(PlainText(EMPTY_MODULE))
    is_quick = context.first.seconds < CHEAP_SECONDS
    if isinstance(context.document, Module) and is_quick and not _is_located(context):
        _foresee(context.full, context.document, rarest=fails_in_dispatch(context))


def _foresee(evaluator: Evaluator, module: Module, *, rarest: bool = False) -> None:
    evaluator.prepare(PlainText(EMPTY_MODULE))
    if module.op_count <= _SMALL:  # a larger one is hardly ever run as a whole
        evaluator.prepare(module, range(_REPETITIONS))
    if not evaluator.works_ahead:
        return
    state = SearchState(module, Module.parse, evaluator, lambda _: None)
    plan = sampling(state, BoundaryTypes.of(module), rarest=rarest)
    if plan is not None:
        evaluator.foresee(plan)


def _is_located(context: Context) -> bool:
    """Whether an error says where the failure is, so that little else will be run."""
    return any(d.severity == "error" and d.line for d in context.first.diagnostics)


def foresee_polishing(context: Context, transformations: Sequence[Transformation[Module]]) -> None:
    """Have idle workers start polishing, if nothing else is done before that: not for a compiler,
    whose command changes first.
    """
    asked = context.impatient or context.full
    if not asked.works_ahead or isinstance(asked.oracle, CompilerOracle | ValuesOracle):
        return
    plan = first_sweeps(context.search(), transformations)
    if plan is not None:
        asked.foresee(plan)


def foresee_result(context: Context, module: Module) -> None:
    """Have idle workers print, confirm and report a program, should it be the result."""
    full, settings = context.full, context.settings
    known = full.known(module.text)
    if known is None or context.exhausts or context.early is not None or settings.keep_generic:
        return
    if not full.works_ahead or module.op_count > _SMALL_RESULT or not _is_plain(full.oracle):
        return
    text = ReadablePrinter(full, context.conversions, context.note).first_form(module)
    if text is None:
        return
    full.prepare(PlainText(text))
    if settings.comments:
        name = settings.output.name
        commented = with_comments(text, [full.oracle.display(name)], known)
        full.prepare_confirmation(commented, name, module.op_count)
    if settings.reported is not None:
        full.prepare_confirmation(*settings.reported(full.oracle, text), module.op_count)


def reported_ahead(context: Context) -> Outcome | None:
    """The outcome of the result as its bug report runs it, if an idle worker has run that."""
    full, reported = context.full, context.settings.reported
    if reported is None or context.result is None:
        return None
    if not full.works_ahead or not _is_plain(full.oracle):
        return None
    return full.confirmed_ahead(*reported(full.oracle, context.result))


def _is_plain(oracle: Oracle) -> bool:
    """Whether the command shown is that of a run, not one with inputs that are chosen last."""
    return not isinstance(oracle, ValuesOracle)
