"""The first stages: read the input, and run it to learn what failure to preserve.

Nothing can be done without them, so an error in them ends the reduction.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from oracles import CompilerOracle, Limits, Oracle, Outcome
from oracles.base import capabilities_of
from oracles.profiles import Dispatches
from reducer.asking import RunText
from reducer.conversions import GENERIC, Conversions, key_of
from reducer.driver.best import Best
from reducer.driver.narrator import Narrator
from reducer.driver.prefetch import prefetch_input, prepare_input
from reducer.driver.records.history import KEY, History, HistoryRecorder, read_history
from reducer.driver.resources import Resources
from reducer.driver.settings import Settings, Size
from reducer.driver.stage import costs_only
from reducer.driver.stages.early_stop import Note, phase_name, phase_note, taking_notes
from reducer.driver.stages.locating import dispatches_note
from reducer.driver.state import Context
from reducer.errors import DoesNotTerminate
from reducer.identity.advice import saying_that_it_runs
from reducer.identity.builds import (
    BuildKind,
    CrossCheck,
    HealthCheck,
    configs_of,
)
from reducer.identity.program import Judging, Program
from reducer.identity.sanity import Flakiness, SanityChecks, on_file, refuse_unparsable
from reducer.identity.short_limits import ShortLimits, sample_hang
from reducer.identity.unstable_crash import Steadied
from reducer.identity.validity import VerifierScreen, screen_for
from reducer.ir import Module, PlainText
from reducer.search.conditions import SameFailure, Verifier
from reducer.search.judge import Judge
from reducer.search.query import RunLimits
from reducer.search.sequential import SequentialTest
from reducer.storage.files import has_only_comments
from reducer.toolchain.flags import flags_of

TIMEOUT = 3600.0  # seconds for the input if the user set no limit
_WORTH_NOTING = 500  # ops; a smaller input is soon cut to what can be asked in a few short runs
_MAX_TEXT = 4 << 20  # characters; a larger input takes much space after every phase
_MAX_LOCATED = 1 << 20  # characters; locations of more than that take long to print
_PHASE = "phase of the input"


@dataclass(frozen=True)
class FirstRun:
    """What the input did, how often it does so if it varies, and what looks for it again."""

    outcome: Outcome
    flaky: Flakiness | None
    judge: Judge
    spread: str
    phase: int | None
    """The number of the compiler's phase in which it failed, if that was noted."""


def first_run(
    judge: Judge,
    settings: Settings,
    say: Callable[[str], None],
    *,
    ops: int,
    conversions: Conversions,
    steadied: Steadied | None,
) -> FirstRun:
    """Run the input. A run that hits the time limit is a failure only if the user set that limit.

    The run of a large input notes in which phase it fails, and its dispatches, so that no other
    needs to find these out.

    Args:
        ops: the size of the input in ops; 0 if it was not parsed.
        conversions: remembers the phase.
        steadied: what the runs of a crash that varies share, if that is what to preserve.

    Raises:
        DoesNotTerminate: the run took longer than a compiler should, and the user set no limit.
    """
    given, flaky = judge.oracle.limits, None
    seconds = TIMEOUT if given.seconds is None else given.seconds
    judge = judge.with_(limits=RunLimits(replace(given, seconds=seconds)))
    own = on_file(judge.oracle, settings.file)
    known = None if steadied is None else steadied.signature
    sanity = SanityChecks(judge, settings.text, ops, None if own is None else own.run, known)
    compiler = capabilities_of(judge.oracle).failures
    if settings.logged is not None and compiler is not None:
        first, is_complete = settings.logged.outcome, settings.logged.complete
        compiler.expect(first)
        said = None if is_complete else partial(compiler.said, code=first.exit_code)
        return FirstRun(first, None, judge.under(SameFailure(first.signature, said)), "", None)
    if settings.flaky is None:
        noting = _noting(own or judge.oracle, settings.text, ops, conversions)
        with saying_that_it_runs(say, seconds, capabilities_of(judge.oracle).results):
            runs = sanity.run_input(noting)
        judge, first = runs.judge, _as_candidate(runs.outcome, own)
    else:
        runs, rate = sanity.measure_input(settings.flaky)
        first, flaky = runs.outcome, Flakiness(rate)
        judge = runs.judge.with_(test=SequentialTest.after(rate, settings.flaky))
        say(f"the input fails in {rate}")
    if settings.parses:
        refuse_unparsable(judge.oracle, first, settings.text, settings.input.name)
    if steadied is not None:
        first = replace(first, signature=steadied.signature)
    if given.seconds is None and first.kind.traits.out_of_time:
        raise DoesNotTerminate(
            f"the command did not finish in {TIMEOUT:.0f} s; if that is the failure, pass --timeout"
        )
    number = conversions.number(_PHASE, settings.text)
    judge = judge.under(SameFailure(first.signature))
    return FirstRun(first, flaky, judge, runs.spread, number)


def _as_candidate(outcome: Outcome, own: CompilerOracle | None) -> Outcome:
    """What ran on the user's file, with the places in it as in a candidate.

    Dispatches that the compiler has written name the file that they come from.
    """
    if own is None or own.file is None:
        return outcome
    moved = (
        replace(one, file=own.name) if one.file == own.file.name else one
        for one in outcome.diagnostics
    )
    return replace(outcome, diagnostics=tuple(moved))


def _noting(oracle: Oracle, text: str, ops: int, conversions: Conversions) -> RunText | None:
    """Runs the input and takes notes, if that is worth it and possible."""
    compiler = capabilities_of(oracle).failures
    if compiler is None or ops < _WORTH_NOTING:
        return None
    notes: list[Note] = []

    def keep_phase(finished: int) -> None:
        conversions.cached(_PHASE, text, lambda: str(finished), int)

    def compiles(dispatches: Dispatches) -> bool:
        phase = conversions.number(_PHASE, text)
        return phase is not None and phase_name(oracle, phase) in dispatches.compiled_in

    if compiler.phases is not None and len(text) <= _MAX_TEXT:
        notes.append(phase_note(compiler.phases, keep_phase))
    if (parts := compiler.dispatches) is not None and len(text) <= _MAX_LOCATED:
        notes.append(dispatches_note(parts, conversions, text, lambda: compiles(parts)))
    known = flags_of(compiler.executable) if notes else {}
    given = {f"--{flag.partition('=')[0].lstrip('-')}" for flag in compiler.command.flags}
    usable = [note for note in notes if note.names <= known.keys() and not note.names & given]
    return taking_notes(compiler, usable) if usable else None


@dataclass
class Opening:
    """What is known of a reduction until its search begins.

    Attributes:
        steadied: what the runs of a crash that varies share, if that is what to preserve.
        stop: ends the reduction early.
        size: that of the input.
        module: the input in generic form, if it has one.
        screen: refuses invalid candidates, if there is a tool that knows them.
        health: where else the programs of the reduction compile; None if that is not asked.
        context: what the later stages work on, once the input was run.
        recorder: keeps the history from then on.
    """

    settings: Settings
    oracle: Oracle
    resources: Resources
    narrator: Narrator
    steadied: Steadied | None
    stop: threading.Event
    size: Size
    module: Module | None = None
    screen: VerifierScreen | None = None
    health: HealthCheck | None = None
    context: Context | None = None
    recorder: HistoryRecorder | None = None

    @property
    def enough(self) -> Limits | None:
        """Limits that tell a hang from a slow run, if lower ones than the user's do."""
        short = None if self.context is None else self.context.judging.short
        return None if short is None else short.enough

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of the oracle's runs, the validity checks before them, and other places."""
        checks = self.screen.seconds if self.screen else 0.0
        elsewhere = self.health.cross_check.cost.cpu_seconds if self.health else 0.0
        return self.resources.judge.costs.cpu_seconds + checks + elsewhere


@dataclass(frozen=True)
class FirstStage:
    """One of the stages that begin a reduction: the name shown to the user, and what it does."""

    name: str
    run: Callable[[Opening], None]

    def carry_out(self, opening: Opening) -> None:
        opening.narrator.show(self.name)
        self.run(opening)


def normalize(opening: Opening) -> None:
    """Parse the input in generic form, if the compiler's own tool can print it."""
    settings, narrator = opening.settings, opening.narrator
    prepare_input(opening.resources.judge, settings)
    with costs_only("generic form", narrator.go_on_without):
        opening.module = opening.resources.conversions.module(settings.text)
    # An empty module must not fail in the same way, so comments alone are reduced as lines.
    as_lines = has_only_comments(settings.text.encode(errors="surrogateescape"))
    if opening.module is not None and not as_lines:
        opening.size = narrator.size = replace(opening.size, ops=opening.module.op_count)


def run_input(opening: Opening) -> None:
    """Run the input, and set up what the later stages work on.

    Raises:
        ReducerError: the input is not interesting.
        Stopped: the user interrupted the run.
    """
    settings, narrator = opening.settings, opening.narrator
    prefetch_input(opening.resources.judge, settings, opening.module)
    context = opening.context = _context(opening)
    opening.recorder = _recorder(opening, context.best, context.judging.first)
    context.program.origins = opening.recorder.origins
    if (logged := context.settings.logged) is None or logged.complete:
        narrator.say(f"failure to preserve: {context.judging.first.signature.text}")


def _context(opening: Opening) -> Context:
    """The shared state for the stages, derived from the first run."""
    settings, narrator = opening.settings, opening.narrator
    is_soon_run = opening.size.ops < _WORTH_NOTING or opening.steadied is not None
    if is_soon_run or settings.flaky is not None:
        settings = replace(settings, logged=None)
    journal, conversions = opening.resources.journal, opening.resources.conversions
    begun = first_run(
        opening.resources.judge,
        settings,
        narrator.say,
        ops=opening.size.ops,
        conversions=conversions,
        steadied=opening.steadied,
    )
    first, judge, oracle = begun.outcome, begun.judge, begun.judge.oracle
    if (logged := settings.logged) is not None and logged.complete:
        narrator.note(f"the input was not run: that it fails is known from {logged.told}")
    if begun.spread:
        narrator.note(begun.spread)
    limits = RunLimits(
        replace(oracle.limits, layout=judge.limits.layout),
        adapts=not first.kind.traits.out_of_time,  # the limit defines the failure
    )
    limits.tighten(first)
    opening.screen = screen_for(oracle, first.signature, journal, limits.current, opening.stop)
    text = PlainText(settings.text)
    short = None
    if first.kind.traits.costly and begun.flaky is None:
        hang = sample_hang(judge.with_(limits=limits), text, first)
        short = ShortLimits.of(hang, limits.current)
        first = replace(first, signature=hang.target)
        judge = judge.under(SameFailure(hang.target))
    document = text if opening.module is None else opening.module
    program = Program(document, settings.text, opening.module, begun=text)
    narrator.best = Best(settings.output, journal, program, opening.size, settings.folder)
    opening.health = _health_check(opening, settings, oracle, first)
    conditions = [] if opening.screen is None else [Verifier(opening.screen)]
    return Context(
        program=program,
        judging=Judging(
            first,
            judge.with_(limits=limits).under(*conditions),
            short,
            begun.flaky,
            opening.health,
            noted_phase=begun.phase,
        ),
        settings=settings,
        best=narrator.best,
        conversions=conversions,
        journal=journal,
        show=narrator.show,
        note=narrator.note,
        internal_errors=narrator.internal_errors,
    )


def _health_check(
    opening: Opening, settings: Settings, oracle: Oracle, first: Outcome
) -> HealthCheck | None:
    """What asks about the programs on other builds; None if there is nothing to ask.

    Args:
        first: what the input does.
    """
    if (compiler := capabilities_of(oracle).failures) is None:
        return None
    builds = configs_of(compiler) if settings.ask_elsewhere and settings.flaky is None else []
    if settings.ask_releases is not None:
        builds = [
            build
            for build in builds
            if build.kind is BuildKind.RELEASE and build.name in settings.ask_releases
        ]
    if not builds:
        return None
    cross_check = CrossCheck(
        compiler,
        first.signature,
        opening.resources.journal,
        jobs=settings.jobs,
        in_other_form=opening.resources.conversions.pretty,
        enough=lambda: opening.enough,
        stop=opening.stop,
    )
    return HealthCheck(cross_check, builds)


def _recorder(opening: Opening, best: Best, first: Outcome) -> HistoryRecorder:
    """What records the history of the reduction in the journal."""
    settings, narrator, journal = opening.settings, opening.narrator, opening.resources.journal
    history = History(settings.input.name, opening.size, first.signature)
    if opening.module is not None:
        history.generic = key_of(GENERIC, settings.text)

    def save(text: str) -> None:
        journal.put_text(KEY, text)

    earlier = read_history(journal.get_text(KEY))
    recorder = HistoryRecorder(history, opening.module, lambda: narrator.spent, save, earlier)
    narrator.record(recorder, best)
    return recorder


NORMALIZE = FirstStage("normalize", normalize)
RUN_INPUT = FirstStage("run the input", run_input)
