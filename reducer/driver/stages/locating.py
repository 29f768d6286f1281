"""Stages that locate the failure without running anything large again, cheapest first.

If no diagnostic names an op, the dispatch on which code generation fails is isolated. Several
dispatches in one text are compiled one after another, so the failing one is found by bisection:
half of them, a quarter… That takes as much work as compiling all of them once, in log2(n) runs. If
there are many, the third with the rarest ops comes first, since a construct that breaks a compiler
which handles the rest is likely rare. If it does not fail, nothing is lost, and otherwise two
thirds of the work.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from oracles import CompilerOracle, Outcome
from oracles.base import capabilities_of
from oracles.profiles import Dispatches
from oracles.stacks.frames import name_frames, parse_stack
from oracles.stored import parsed
from reducer.conversions import Conversions
from reducer.driver.best import PRINTED
from reducer.driver.settings import LogTellsLess
from reducer.driver.stage import Stage, is_module
from reducer.driver.stages.early_stop import Note, phase_name
from reducer.driver.stages.levels import go_down_to_dispatch
from reducer.driver.state import Context
from reducer.identity.advice import unread_by
from reducer.identity.multiple_bugs import choose_lasting
from reducer.identity.sanity import refuse_other_failure
from reducer.ir import NONE, Module, PlainText
from reducer.ir.debug_info import has_locations
from reducer.locate import ops_at, ops_of_diagnostics, ops_on_lines
from reducer.locate.dispatches import Dispatch, at_origin, dispatch_of, read_dispatches
from reducer.search.candidate import Candidate, Verdict
from reducer.search.judge import Judge
from reducer.search.sampling import sample_examples, sample_windows
from reducer.search.windows import SET_DEPTHS, grow_around, grow_set, sets_around, take_apart
from reducer.transformations import BodyOps, BoundaryTypes, with_result

_DISPATCHES = "dispatches"
_MANY = 12  # dispatches; with fewer, halves are as small as thirds
_RAREST = 3  # 1/_RAREST of the dispatches are compiled first
_OP = re.compile(r'(?:^ *|= )"?([a-zA-Z_]\w*(?:\.[\w$-]+)+)', re.M)
_OF_LOG = ("seconds", "cpu_seconds", "peak_memory", "diagnostics", "stderr", "stack", "extra")
"""What of a run is that of a log, which no part of the input tells."""
_AGAIN = (1, 2)
"""The repetitions of a run that has not said where it was."""


def failing_dispatch(
    judge: Judge, conversions: Conversions, text: str, ops: int
) -> Dispatch | None:
    """The first dispatch of a program that has the target failure when compiled alone.

    Costs a few runs of ever smaller parts of its dispatches, and if no run has noted those yet (see
    `dispatches_note`), one of the program up to code generation. If these lead nowhere, each
    dispatch is run by itself, as many at once as there are workers. The judge's limits apply to
    each run, so a dispatch that hangs is found like any other; since a run that hangs takes as long
    as the limit, no parts are run then.

    Returns:
        None if the command does not support this, if the program fails before code generation, or
            if no dispatch fails alone.

    Raises:
        Stopped: see `Judge.run`.
    """
    compiler = capabilities_of(judge.oracle).failures
    if compiler is None or (dispatches := compiler.dispatches) is None:
        return None
    texts = conversions.cached(
        _DISPATCHES,
        text,
        lambda: json.dumps(_dump(judge, compiler, dispatches, text, ops)),
        partial(parsed, hint=list[str]),
    )
    alone = judge.with_(oracle=compiler.with_extra_flags(dispatches.compile_flags))
    found = _bisected(alone, texts) or _first(alone, texts)
    return dispatch_of(found, dispatches.op) if found else None


def dispatches_note(
    dispatches: Dispatches,
    conversions: Conversions,
    text: str,
    is_past: Callable[[], bool] = lambda: False,
) -> Note:
    """Has a run of a program write its dispatches, for `failing_dispatch`.

    Its errors are taken back to the places that the dispatches come from.

    Args:
        is_past: whether the run, now that it has ended, is known to have written all of them. One
            that reached a limit may have been ended before.
    """

    def read(folder: Path, outcome: Outcome) -> Outcome:
        is_whole = not outcome.cancelled and (not outcome.kind.traits.costly or is_past())
        if is_whole and (texts := read_dispatches(folder)):
            conversions.cached(_DISPATCHES, text, lambda: json.dumps(texts), parsed)
        return replace(outcome, diagnostics=at_origin(outcome.diagnostics, folder))

    return Note(dispatches.write_flags, read)


def _bisected(alone: Judge, texts: Sequence[str]) -> str | None:
    """A dispatch that fails; None if bisection does not lead to one.

    A part that has another failure shows nothing about the target, and neither does one without a
    failure if the dispatches do not fail every time. Then the end of the bisection is wrong, too,
    and the run of this last dispatch tells.
    """
    target = alone.target
    if target is None or target.kind.traits.costly or alone.query.test is not None:
        return None
    if len(texts) >= _MANY:
        rare, common = _split_by_rarity(texts)
        texts = rare if _fails_together(alone, rare) else common
    while len(texts) > 1:
        middle = (len(texts) + 1) // 2
        rest = texts[middle:]
        texts = texts[:middle] if _fails_together(alone, texts[:middle]) else rest
    return _first(alone, texts)


def _fails_together(alone: Judge, texts: Sequence[str]) -> bool:
    return _first(alone, ["".join(texts)]) is not None


def _split_by_rarity(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The dispatches with the rarest ops, and the others, both in program order."""
    names = [frozenset(_OP.findall(text)) for text in texts]
    counts = Counter(name for found in names for name in found)
    rarity = [sorted(counts[name] for name in found) for found in names]
    order = sorted(range(len(texts)), key=lambda number: (rarity[number], number))
    rare = frozenset(order[: len(texts) // _RAREST])
    return (
        [text for number, text in enumerate(texts) if number in rare],
        [text for number, text in enumerate(texts) if number not in rare],
    )


def _first(alone: Judge, texts: Sequence[str]) -> str | None:
    """The first of several texts that fails.

    On a busy machine, a process that runs away may be ended before it has said in which pass it
    is. That shows nothing, so it is run again if no other text fails.
    """
    silent: list[Candidate[PlainText]] = []
    candidates = [Candidate(PlainText(text), "dispatch") for text in texts]

    def keep_silent(position: int, verdict: Verdict, outcome: Outcome) -> bool:
        if outcome.kind.traits.costly and not outcome.signature.stage:
            silent.append(candidates[position])
        return False

    hit = alone.first_interesting(candidates, on_rejected=keep_silent)
    if hit:
        return hit[1].text
    again = (one for one in silent for repetition in _AGAIN if _fails_in(alone, one, repetition))
    return next((one.text for one in again), None)


def _fails_in(alone: Judge, candidate: Candidate[PlainText], repetition: int) -> bool:
    ops = candidate.document.op_count
    outcome = alone.run_once(candidate.text, ops, repetition=repetition)
    return alone.verdict_of(outcome) is Verdict.SAME


def _dump(
    judge: Judge, oracle: CompilerOracle, dispatches: Dispatches, text: str, ops: int
) -> list[str]:
    """The texts of all dispatches; none if the failure occurs before they are created.

    This run of the whole program stops early, so it counts as the part of one that it takes.
    """
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        flags = (*dispatches.stop_flags, *dispatches.write_flags(Path(folder)))
        full = judge.known(text)
        outcome = judge.with_(oracle=oracle.with_extra_flags(flags)).run(text, 0)
        whole = full is not None and 0 < outcome.cpu_seconds < full.cpu_seconds
        share = outcome.cpu_seconds / full.cpu_seconds if whole and full is not None else 1.0
        judge.costs.candidate_ops += round(ops * share)
        early = judge.verdict_of(outcome) is Verdict.SAME
        return [] if early else read_dispatches(Path(folder))


_WORTH_ISOLATING = 500  # ops; below this, halving is cheaper than compiling each dispatch


def follow_diagnostics(context: Context) -> bool:
    """Try the surroundings of the ops that errors point to."""
    errors = [d for d in context.judging.first.diagnostics if d.severity == "error" and d.line]
    if not errors:
        return False
    module, text = context.program.module, context.settings.text
    locations = context.conversions.locations(text, module)
    named = ops_of_diagnostics(context.judging.first.diagnostics, locations, module)
    seeds = choose_lasting(context.program, context.judging, named, context.accept)
    if seeds:
        boundary = context.program.module_boundary
        context.program.is_located = grow_around(context.search(), boundary, seeds)
    return context.program.is_located


def follow_result(context: Context) -> bool:
    """Try what makes the wrong result of a program, with ever more of its producers, then all.

    All of them take no inputs but those of the program, so they are as wrong as it is.
    """
    module, (name, number) = context.program.module, _wrong_result(context) or ("", 0)
    body = BodyOps.of(module)
    found = (one for one in body.functions if module.symbol_name(one) == name)
    if seeds := _makers(body, next(found, NONE), number):
        boundary, depths = context.program.module_boundary, (*SET_DEPTHS[1:], 16, len(module))
        origin = "carve the wrong result"
        context.program.is_located = grow_set(context.search(), boundary, seeds, depths, origin)
    return context.program.is_located


def _wrong_result(context: Context) -> tuple[str, int] | None:
    results = capabilities_of(context.judging.full.oracle).results
    return None if results is None else results.wrong_result()


def _makers(body: BodyOps, function: int, number: int) -> list[int]:
    """The op that makes a result of a function, if one does."""
    terminator = None if function == NONE else body.returning(function)
    returned = () if terminator is None else body.module.t.operands[terminator]
    makers = (body.module.t.def_op[value] for value in returned[number : number + 1])
    return [maker for maker in makers if maker != NONE]


def sample_kinds(context: Context) -> bool:
    """Try one op of each kind with its producers."""
    context.program.is_located = sample_examples(context.search(), context.program.module_boundary)
    return context.program.is_located


def sample_parts(context: Context) -> bool:
    """Try a few small windows that together contain every kind of op."""
    context.program.is_located = sample_windows(context.search(), context.program.module_boundary)
    return context.program.is_located


def fails_before_dispatches(context: Context) -> bool:
    """Whether the phase of the failure is known, and one in which there are no dispatches yet."""
    oracle, number = context.judging.oracle, context.judging.noted_phase
    dispatches = capabilities_of(oracle).dispatches
    if number is None or dispatches is None:
        return False
    return phase_name(oracle, number) not in dispatches.compiled_in


def fails_in_dispatch(context: Context) -> bool:
    """Whether the phase, the message or the stack says that the compiler compiled a dispatch."""
    compiler = capabilities_of(context.judging.oracle).failures
    printed = context.judging.first.stderr
    if compiler is None or compiler.dispatches is None:
        return False
    if context.judging.noted_phase is not None:
        return not fails_before_dispatches(context)
    functions = name_frames(parse_stack(printed), compiler.symbols)
    return bool(re.search(compiler.dispatches.mentioned, "\n".join([printed, *functions])))


def follow_dispatch(context: Context) -> bool:
    """Trace the dispatch on which code generation fails back to the ops it was made from.

    Most failures need only one of them, so they are tried apart from each other first. If they do
    not fail together without much of the input, the dispatch itself becomes a program. That is
    tried before them if it is much smaller than any program of these ops.
    """
    module, text = context.program.module, context.settings.text
    conversions = context.conversions
    dispatch = failing_dispatch(context.judging.candidates, conversions, text, module.op_count)
    if dispatch is None:
        return False
    seeds = ops_at(dispatch.places, conversions.locations(text, module), module)
    changes_level = context.settings.changes_level
    boundary = context.program.module_boundary
    if seeds:
        context.program.is_located = take_apart(context.search(), boundary, seeds)
    if changes_level and seeds and not context.program.is_located:
        sets = sets_around(BodyOps.of(module), boundary, seeds, SET_DEPTHS)
        least = min(map(len, sets), default=module.op_count)
        context.program.is_located = go_down_to_dispatch(context, dispatch, seeds, least)
    if seeds and not context.program.is_located:
        context.program.is_located = grow_set(context.search(), boundary, seeds)
    is_above = changes_level and context.program.input_level is None
    if is_above and go_down_to_dispatch(context, dispatch, seeds):
        context.program.is_located = True
    return context.program.is_located


def rest_on_log(context: Context) -> bool:
    """Have it begun again if a log alone says how the input fails, and that is not enough.

    What a log does not tell, such as the signal of a crash, a part tells whose run prints the same.

    Raises:
        LogTellsLess: it does not.
    """
    logged, document = context.settings.logged, context.program.document
    if logged is None or (context.program.is_located and logged.complete):
        return False
    outcome = context.judging.full.known(document.text) if context.program.is_located else None
    if outcome is None:
        message = f"no part of the input fails as in {logged.told}, so all of it is run"
        raise LogTellsLess(message, None)
    shown = replace(outcome, **{name: getattr(logged.outcome, name) for name in _OF_LOG})
    raise LogTellsLess(
        f"what {logged.told}, does not tell is taken from a part of {document.op_count} ops",
        replace(logged, outcome=shown, complete=True),
    )


def run_print(context: Context) -> bool:
    """Continue with the whole input in generic form, if that still has the same failure."""
    module = context.program.module
    if context.judging.candidates.fails(module):
        context.program.is_located = True
        context.accept(Candidate(module, PRINTED))
    return context.program.is_located


def return_nothing(context: Context) -> bool:
    """Have parts return nothing, if the input does not and fails otherwise with a result.

    Parts return what lost its users, lest it be dead code. A pass that looks at what a function
    returns then fails for that, in each of them.
    """
    program, boundary = context.program, context.program.module_boundary
    text = with_result(program.module, boundary)
    if text is None or context.judging.candidates.fails(Module.parse(text)):
        return False
    program.boundary = BoundaryTypes(boundary.dialect_types, returns=False)
    program.is_located = False
    return True


def run_located_print(context: Context) -> bool:
    """Continue with the input in generic form with its locations, if the failure needs any."""
    module = context.conversions.located_module(context.settings.text)
    if module is not None and context.judging.candidates.fails(module):
        context.program.is_located = True
        context.program.milestones.clear()  # the form without locations does not fail
        context.accept(Candidate(module, PRINTED))
        context.note("the failure needs source locations, so they are kept")
    return context.program.is_located


def fall_back_to_text(context: Context) -> bool:
    """Continue with the lines and brackets of the original input text."""
    full, document = context.judging.full, context.program.document
    refuse_other_failure(full, context.settings.file, context.settings.text, document.op_count)
    if isinstance(document, Module):
        context.note("the failure disappears in generic form; reducing by lines and brackets")
    else:
        unread = unread_by(context.conversions.opt, context.judging.first)
        context.note(f"{unread}; reducing it by lines and brackets")
    context.program.document = PlainText(context.settings.text)
    return True


_CANDIDATE = "input.mlir"
"""The name under which a compiler reads a candidate."""


def failing_ops(context: Context) -> list[int]:
    """The ops of the result in generic form to which the compiler's errors point; costs no run."""
    best = context.program.confirmed
    outcome = context.judging.full.known(best.text)
    if outcome is None or not isinstance(best, Module):
        return []
    return ops_on_lines(outcome.diagnostics, _CANDIDATE, best)


# ---- in the table ------------------------------------------------------------------------------


def is_located_module(context: Context) -> bool:
    """Whether a part of the input is known to fail, or the input in generic form."""
    return is_module(context) and context.program.is_located


def is_to_be_sampled_early(context: Context) -> bool:
    """Whether the compiler need not run to its end to see parts of the input fail."""
    return _is_unlocated_module(context) and not fails_late(context)


def fails_late(context: Context) -> bool:
    """Whether it may take all of the compiler to see a program fail."""
    return not fails_before_dispatches(context) or context.judging.is_hasty


def _is_unlocated(context: Context) -> bool:
    return not context.program.is_located


def _is_unlocated_module(context: Context) -> bool:
    return is_module(context) and _is_unlocated(context)


def _has_wrong_result(context: Context) -> bool:
    return _is_unlocated_module(context) and _wrong_result(context) is not None


def _is_to_be_isolated(context: Context) -> bool:
    return _is_unlocated_module(context) and context.program.document.op_count >= _WORTH_ISOLATING


def _is_to_be_isolated_soon(context: Context) -> bool:
    """Whether isolating finds something for sure, since the failure says that it is in a dispatch.

    The ops of one dispatch may be far from each other in the input, where no window has them all.
    """
    return _is_to_be_isolated(context) and fails_in_dispatch(context)


def _is_to_be_isolated_late(context: Context) -> bool:
    is_unknown = not fails_in_dispatch(context)
    return _is_to_be_isolated(context) and is_unknown and fails_late(context)


def _fails_as_a_whole(context: Context) -> bool:
    """Whether no part of a large module fails, all of which may return something."""
    program = context.program
    is_whole = is_located_module(context) and program.document is program.original
    is_large = program.document.op_count >= _WORTH_ISOLATING
    return is_whole and is_large and program.module_boundary.returns


def _has_locations(context: Context) -> bool:
    return has_locations(context.settings.text)


FOLLOW_RESULT = Stage("follow the wrong result", _has_wrong_result, follow_result)
FOLLOW_DIAGNOSTICS = Stage("follow the diagnostics", _is_unlocated_module, follow_diagnostics)
SAMPLE_KINDS = Stage("sample each kind of op", _is_unlocated_module, sample_kinds)
SAMPLE_PARTS = Stage("sample parts of it", _is_unlocated_module, sample_parts)
FOLLOW_DISPATCH = Stage("find the failing dispatch", _is_to_be_isolated_soon, follow_dispatch).only(
    lambda context: context.settings.logged is None  # all of it is run to have its dispatches
)
REST_ON_LOG = Stage("rest on the log", is_module, rest_on_log, shown=False)
FIND_DISPATCH = Stage("find the failing dispatch", _is_to_be_isolated_late, follow_dispatch)
RUN_PRINT = Stage("run the input in generic form", _is_unlocated_module, run_print)
RUN_LOCATED_PRINT = Stage("run it with locations", _is_unlocated_module, run_located_print).only(
    _has_locations
)
RETURN_NOTHING = Stage("return nothing", _fails_as_a_whole, return_nothing, shown=False)
FALL_BACK_TO_TEXT = Stage("fall back to text", _is_unlocated, fall_back_to_text)
