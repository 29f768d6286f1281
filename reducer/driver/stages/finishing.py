"""The last stages: print the result in readable form, and run the printed command on it again."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace

from oracles import Outcome
from oracles.base import capabilities_of
from oracles.signature.comparison import shows
from reducer.asking import Stopped
from reducer.driver.best import OnDisk
from reducer.driver.comments import with_comments
from reducer.driver.prefetch import reported_ahead
from reducer.driver.records.figures import LevelRecord
from reducer.driver.settings import Size
from reducer.driver.stage import Stage, always
from reducer.driver.stages import flags, other_files
from reducer.driver.stages.memory_check import without_check
from reducer.driver.state import Context
from reducer.identity.pretty_form import ReadablePrinter
from reducer.identity.sanity import empty_module, measure_with, measured_flakiness
from reducer.identity.unstable_crash import in_other_layouts, with_fixed_addresses
from reducer.ir import Module, PlainText
from reducer.search.candidate import Verdict
from reducer.search.judge import Judge
from reducer.search.query import RunLimits
from reducer.search.sequential import Rate
from reducer.units import size

_MOST_RUNS, _SECONDS = 3, 1.0
"""How often a result that crashes is run in the end, and the time that this may take."""
_SOON = 5.0
"""CPU seconds of a run of a result that is still printed after Ctrl-C, which takes a few runs."""


def print_for_people(context: Context) -> bool:
    """Print the best in readable form, if the failure survives that."""
    best = context.program.confirmed
    if context.settings.keep_generic or not isinstance(best, Module):
        context.found.printed.readable = best.text
    else:
        judging = context.judging
        asked = judging.probing
        printer = ReadablePrinter(asked, context.conversions, context.note)
        context.found.printed.readable = printer.readable(best)
    return context.found.printed.readable != best.text


def is_soon_printed(context: Context) -> bool:
    """Whether it takes only a few short runs to print the best, and to verify that."""
    known = context.judging.full.known(context.program.confirmed.text)
    varies = context.judging.flaky is not None or context.judging.exhausts
    return known is not None and known.cpu_seconds <= _SOON and not varies


def verify(context: Context) -> bool:
    """Run the printed command on the result and save it.

    It is not saved if an earlier run has left a better one, or if there is no result (see `Best`).
    """
    text, found = _verified(context), context.found
    context.best.head = ""
    context.best.finish(text, verified=found.printed.is_verified, complete=found.is_complete)
    if context.best.on_disk is OnDisk.RESULT:
        _save_long_inputs(context)
    context.found.printed.result = context.found.printed.readable
    if context.found.printed.is_verified:
        context.found.printed.reported = reported_ahead(context)
    return True


def finish_beside(second: Context, level: str, made: str = "") -> LevelRecord:
    """Print and verify a program that is kept beside the result; its record.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    second.found.is_complete = True  # whatever it is, it is saved
    print_for_people(second)
    verify(second)
    printed, path, document = second.found.printed, second.settings.output, second.program.document
    return LevelRecord(
        level=level,
        output_path=path,
        output=replace(Size.of(PlainText(printed.result or document.text)), ops=document.op_count),
        command=tuple(second.judging.oracle.display(str(path))),
        verified=printed.is_verified,
        made=made,
    )


def say_what_was_kept(context: Context) -> bool:
    """Note what in the command, or beside the input, was not reduced; takes no run."""
    if not context.settings.keep_flags:
        for remark in flags.remarks(context.judging.full, context.program.confirmed):
            context.note(remark)
    for remark in other_files.remarks(context):
        context.note(remark)
    return False


def _verified(context: Context) -> str:
    """The text on which the printed command was run last: the result, possibly without comments.

    If it does not always fail as a user runs it, the command fixes addresses, as all runs so far,
    and moves the stack to where it fails, as far as one shell can tell.
    """
    text, ops = context.found.printed.readable, context.best.size.ops
    _limit_memory(context, text)
    full, judges = context.judging.full, [context.judging.full]
    fixed = None if full.limits.layout is None else with_fixed_addresses(full.oracle)
    judges += [] if fixed is None else [full.with_(oracle=fixed)]
    judges += [full.with_(oracle=moved) for moved in in_other_layouts(judges[-1].oracle)]
    confirmed = None
    if context.settings.comments:
        known = full.known(context.program.confirmed.text) if context.judging.exhausts else None
        outcome = known or full.by_failure().run(text, ops)  # see `printing`
        limit = full.oracle.limits.seconds

        def commented() -> str:
            return with_comments(text, _commands(context, text), outcome, limit)

        confirmed = _confirmed(context, judges, commented)
        if confirmed is None:
            context.note("the result does not fail the same way with comments, so it has none")
    if confirmed is None:
        confirmed = _confirmed(context, judges, lambda: text)
    context.found.printed.is_verified = confirmed is not None
    if confirmed is None and context.judging.flaky is None:
        limits = RunLimits(replace(full.limits, layout=None))
        patient = context.judging.results.by_failure().with_(limits=limits)
        context.note(measured_flakiness(patient, text, ops, "the result"))
    return text if confirmed is None else confirmed


def _confirmed(context: Context, judges: Sequence[Judge], shown: Callable[[], str]) -> str | None:
    """What is `shown` with the command of the first judge that always fails on it, or ever.

    That becomes the command of the result. Returns None if no command fails.
    """
    seldom: list[tuple[Judge, str, str]] = []
    for judge in judges:
        context.judging.full = judge
        text = shown()
        fails, how_often = _is_confirmed(context, text)
        if fails and not how_often:
            return text
        seldom += [(judge, text, how_often)] if fails else []
    context.judging.full, text, how_often = (*seldom, (judges[0], "", ""))[0]
    if how_often:
        context.note(how_often)
    return text if seldom else None


def _limit_memory(context: Context, text: str) -> None:
    """Let the printed command have the memory limit, without which it may well succeed.

    That counts what is resident, also of the compiler's file, and the system's what is allocated.
    """
    first, compiler = context.judging.first, capabilities_of(context.judging.oracle).failures
    ended = first.kind.traits.out_of_memory and first.exit_code is None
    if not ended or compiler is None or (limit := compiler.limits.memory) is None:
        return
    if shutil.which("prlimit") is None:  # as on systems other than Linux
        return
    allowed = limit - empty_module(context.judging.full).peak_memory
    limited = replace(compiler, allowed=(allowed, context.judging.first.signature))
    asked = context.judging.full.with_(oracle=limited)
    outcome = asked.confirm(text, context.settings.program.name, context.best.size.ops)
    if shows(context.judging.first.signature, outcome):
        context.judging.full = asked
    else:
        context.note(
            f"the failure may need a memory limit of {size(limit)}, which the command lacks"
        )


def _commands(context: Context, text: str) -> list[list[str]]:
    """The command lines that show the failure of a program."""
    oracle, name = context.judging.oracle, context.settings.program.name
    if (results := capabilities_of(oracle).results) is not None:
        context.found.printed.pinned = results = results.pinned(text)
        folder = context.settings.folder
        inputs = f"{folder.path.name}/{folder.inputs.name}"  # from the folder of the result
        return results.steps(name, inputs) or [oracle.display(name)]
    plain = without_check(oracle)
    return [*([plain.display(name)] if plain else []), oracle.display(name)]


def _save_long_inputs(context: Context) -> None:
    """Save the inputs that the shown command takes from a file in the folder of the result."""
    inputs = context.found.printed.pinned.long_inputs if context.found.printed.pinned else ""
    if inputs:
        folder = context.settings.folder
        folder.create()
        folder.written.write(folder.inputs, inputs)


def _is_confirmed(context: Context, text: str) -> tuple[bool, str]:
    """Run the printed command once more, uncached, in a folder of its own.

    A flaky failure takes as many runs as are needed to decide, and to estimate its rate. A hang
    must outlast the longer limit.

    Returns:
        Whether it fails, and how often, if that is not every time.
    """
    asked = context.judging.results

    def fails() -> bool:
        outcome = asked.confirm(text, context.settings.program.name, context.best.size.ops)
        if asked.verdict_of(outcome) is Verdict.CANCELLED:
            raise Stopped("interrupted")
        if outcome.kind.traits.wrong_results:
            _note_remarks(context, outcome)
        return shows(context.judging.first.signature, outcome)

    if context.judging.flaky is None or asked.query.test is None:
        return (True, _how_often(context, fails)) if fails() else (False, "")
    rate, taken = measure_with(asked.query.test, fails)
    context.judging.flaky = replace(context.judging.flaky, result=rate)
    return taken, ""


def _how_often(context: Context, fails: Callable[[], bool]) -> str:
    """How often a quick result crashes, if that is not every time; else ''.

    A compiler that reads uninitialized memory crashes or not, depending on all that it did before,
    so printing a program may change that, however often it failed in the search (see `frequency`).
    """
    target = context.judging.first.signature
    if not target.kind.traits.known_by_stack or target.varies:
        return ""
    known = context.judging.full.known(context.program.confirmed.text)
    seconds = max(0.01, known.cpu_seconds if known else context.judging.first.cpu_seconds)
    rate = Rate(1, 1)
    for _ in range(min(_MOST_RUNS, int(_SECONDS / seconds)) - 1):
        rate = rate.after(fails())
    if rate.failed == rate.runs:
        return ""
    return (
        f"the result fails in {rate}, although the input always failed: what happens depends on "
        "the memory that the compiler reads"
    )


def _note_remarks(context: Context, outcome: Outcome) -> None:
    """Note who says that the results are wrong, and who confirms it."""
    for remark in outcome.remarks:
        context.note(remark)


def _has_command(context: Context) -> bool:
    return context.judging.oracle.command is not None


PRINT = Stage("print", always, print_for_people)
VERIFY = Stage("verify", always, verify)
SAY_WHAT_WAS_KEPT = Stage("say what was not reduced", _has_command, say_what_was_kept)
