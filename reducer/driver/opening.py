"""The first stages: read the input, and run it to learn what failure to preserve.

Nothing can be done without them, so an error in them ends the reduction.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from oracles import Limits, Oracle, Outcome
from reducer.conversions import GENERIC, key_of
from reducer.driver import auditing
from reducer.driver.best import Best
from reducer.driver.first_run import first_run
from reducer.driver.history import KEY, History, HistoryRecorder, read_history
from reducer.driver.internal_errors import costs_only
from reducer.driver.narrator import Narrator
from reducer.driver.prefetch import foresee_input, prepare_input
from reducer.driver.resources import Resources
from reducer.driver.settings import Settings, Size
from reducer.driver.state import Context, Judging, Program
from reducer.identity.builds import HealthCheck
from reducer.identity.conditions import SameOnOtherBuilds
from reducer.identity.harmless import HarmlessMessage
from reducer.identity.short_limits import ShortLimits, sample_hang
from reducer.identity.unstable_crash import Steadied
from reducer.identity.validity import VerifierScreen, screen_for
from reducer.ir import Module, PlainText
from reducer.search.conditions import Condition, SameFailure, Verifier
from reducer.search.query import RunLimits
from reducer.storage.files import has_only_comments


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
    def compiler_seconds(self) -> float:
        """CPU seconds of the oracle's runs, the validity checks before them, and other places."""
        checks = self.screen.seconds if self.screen else 0.0
        elsewhere = self.health.elsewhere.seconds if self.health else 0.0
        return self.resources.evaluator.costs.compiler_seconds + checks + elsewhere


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
    prepare_input(opening.resources.evaluator, settings)
    with costs_only("generic form", narrator.note):
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
    foresee_input(opening.resources.evaluator, settings, opening.module)
    context = opening.context = _context(opening)
    auditing.require_health(context)
    opening.recorder = _recorder(opening, context.best, context.judging.first)
    context.program.origins = opening.recorder.origins
    narrator.harmless = HarmlessMessage(context.judging.first.signature, narrator.note)
    narrator.say(f"failure to preserve: {context.judging.first.signature.text}")


def _context(opening: Opening) -> Context:
    """The shared state for the stages, derived from the first run."""
    settings, narrator, oracle = opening.settings, opening.narrator, opening.oracle
    journal, conversions = opening.resources.journal, opening.resources.conversions
    begun = first_run(
        opening.resources.evaluator,
        settings,
        narrator.say,
        ops=opening.size.ops,
        conversions=conversions,
        steadied=opening.steadied,
    )
    first, evaluator = begun.outcome, begun.evaluator
    limits = RunLimits(
        oracle.limits,
        adapts=not first.kind.traits.out_of_time,  # the limit defines the failure
    )
    limits.tighten(first)
    opening.screen = screen_for(oracle, first.signature, journal, limits.current, opening.stop)
    text = PlainText(settings.text)
    short = None
    if first.kind.traits.costly and begun.flaky is None:
        hang = sample_hang(evaluator.with_(limits=limits), text, first)
        short = ShortLimits.of(hang, limits.current)
        first = replace(first, signature=hang.target)
        evaluator = evaluator.under(SameFailure(hang.target))
    narrator.best = Best(settings.output, journal, text, opening.size, settings.folder)
    opening.health = auditing.health_check(
        settings, oracle, first, journal, conversions, lambda: opening.enough
    )
    conditions: list[Condition] = [*SameOnOtherBuilds.of(opening.health)]
    if opening.screen is not None:
        conditions.append(Verifier(opening.screen))
    return Context(
        program=Program(text if opening.module is None else opening.module, opening.module),
        judging=Judging(
            first,
            evaluator.with_(limits=limits).under(*conditions),
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
        screen=opening.screen,
    )


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
