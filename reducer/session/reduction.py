"""One reduction, from the failing input to the verified reproducer."""

import threading
from dataclasses import replace
from functools import partial

from oracles import Limits, Oracle, Outcome
from oracles.base import suffix_of
from reducer.conversions import GENERIC, LOCATED, key_of
from reducer.errors import FlakyOracle, OutputNotWritable
from reducer.health import HealthCheck
from reducer.ir import Module, PlainText
from reducer.search.budget import Budget
from reducer.search.conditions import Condition, SameFailure, Verifier
from reducer.search.evaluator import Stopped
from reducer.search.observers import OtherFailure
from reducer.search.query import RunLimits
from reducer.search.sequential import MAX_RUNS
from reducer.session import auditing, strategy
from reducer.session.also_found import AlsoFoundStore
from reducer.session.bare_signal import remark_on
from reducer.session.best import Best, OnDisk
from reducer.session.conditions import SameOnOtherBuilds
from reducer.session.context import Context
from reducer.session.earlier_result import check_place
from reducer.session.figures import Candidates, Checks, Costs, Failure
from reducer.session.first_run import first_run
from reducer.session.foreseen import foresee_input, foresee_search, prepare_input
from reducer.session.further import keep_further
from reducer.session.harmless import HarmlessMessage
from reducer.session.health_record import HealthRecord
from reducer.session.history import (
    KEY,
    History,
    HistoryRecorder,
    Lineage,
    read_history,
)
from reducer.session.internal_errors import costs_only
from reducer.session.locating import failing_ops
from reducer.session.narrator import HISTORY, Narrator
from reducer.session.own_failure import CuttingDamage
from reducer.session.printing import command_line
from reducer.session.record import Report
from reducer.session.replaced import REPLACED, is_replaced, reading
from reducer.session.resources import opened
from reducer.session.sanity import SanityChecks, empty_module
from reducer.session.settings import Listener, Settings, Size
from reducer.session.short_limits import ShortLimits, sample_hang
from reducer.session.validity import VerifierScreen, screen_for
from reducer.session.varying import Steadied, VaryingCrash, steady
from reducer.storage.files import has_only_comments
from reducer.storage.journal import Journal


class Reduction:
    """A reduction with its journal, its best result on disk and its costs.

    If `journal` is given, it is already open and used instead of the file named in the settings.
    Set `stop` to end the reduction early; `run` then returns the best result so far.
    """

    def __init__(
        self,
        settings: Settings,
        oracle: Oracle,
        listener: Listener,
        journal: Journal | None = None,
    ) -> None:
        self.settings = self._given = settings
        self.oracle = oracle
        self.listener = listener
        self._shared = journal
        self._health: HealthCheck | None = None
        self.stop = threading.Event()
        self._input_size = Size.of(PlainText(settings.text))
        self._narrator = Narrator(
            listener, self._input_size, self._compiler_seconds, self._on_other_failure
        )
        self._live: Context | None = None
        self._screen: VerifierScreen | None = None
        self._others: AlsoFoundStore | None = None
        self._steadied: Steadied | None = None
        self._first_asked: Oracle | None = None

    # ---- entry point -----------------------------------------------------------------------

    def run(self) -> Report:
        """Reduce, verify and report. A crash that varies is reduced as what its runs share.

        A failure that does not occur in every run is reduced as if the settings had said so.

        Raises:
            ReducerError: the input is not interesting, the oracle is too flaky, a file cannot be
                written…; each has its own exit code.
            Stopped: the user interrupted the run before the input's own failure was known.
        """
        if self._shared is None:
            self.oracle = reading(self.oracle)
        while True:
            try:
                return self._attempt()
            except FlakyOracle as error:
                if self._shared is not None or not self._adapts(error) or self.stop.is_set():
                    raise

    def _adapts(self, error: FlakyOracle) -> bool:
        """Whether there is another way to judge a failure that varies, for the next attempt."""
        if self._steadied is None and isinstance(error, VaryingCrash):
            steadied = steady(self.oracle, error, self.settings.text, self.stop)
            if steadied is not None:
                self.oracle, self._steadied = steadied.oracle, steadied
                self._restart(steadied.message, repeats=steadied.passes)
                return True
        if self.settings.flaky is not None or not error.is_steady_enough:
            return False
        self._restart(str(error), repeats=True)
        return True

    def _restart(self, message: str, *, repeats: bool) -> None:
        """Forget everything about the failure, and whether one run is enough for a verdict.

        The runs so far stay in the journal, each under its number, unless the failure to look for
        is another one now.
        """
        self._live = self._screen = self._others = self._health = None
        self._narrator.forget()
        if repeats and self.settings.flaky is None:
            self.settings = replace(self.settings, flaky=MAX_RUNS)
            message += f"; each verdict takes up to {MAX_RUNS} runs from now on"
        self._narrator.note(message)

    def _attempt(self) -> Report:
        """Reduce the failure as it is known so far."""
        if self._shared is None:
            check_place(self.settings.output, self.settings.folder, self.settings.journal)
        with opened(
            self._given,  # so that the same command continues the journal, whatever it came to
            self.oracle,
            self.listener,
            self._narrator,
            self.stop,
            shared=self._shared,
            varies=None if self._steadied is None else self._steadied.signature,
        ) as resources:
            self.journal = resources.journal
            self._evaluator = resources.evaluator
            self._conversions = resources.conversions
            return self._run()

    def _run(self) -> Report:
        self._narrator.show("normalize")
        prepare_input(self._evaluator, self.settings)
        module = None
        with costs_only("generic form", self._narrator.note):
            module = self._conversions.module(self.settings.text)
        # An empty module must not fail in the same way, so comments alone are reduced as lines.
        as_lines = has_only_comments(self.settings.text.encode(errors="surrogateescape"))
        if module is not None and not as_lines:
            self._input_size = replace(self._input_size, ops=module.op_count)
            self._narrator.size = self._input_size
        self._narrator.show("run the input")
        foresee_input(self._evaluator, self.settings, module)
        context = self._context(module)
        recorder = self._record(context.best, module, context.first)
        context.origins = recorder.origins
        self._narrator.harmless = HarmlessMessage(context.first.signature, self._narrator.note)
        self.listener.message(f"failure to preserve: {context.first.signature.text}")
        self._first_asked = self.oracle
        status = self._search(context)
        self._take_over_command(context)
        status = self._print(context, status)
        if self.is_replaced:
            self._narrator.note(REPLACED)
            self.journal.doubt(True)
            context.is_verified = False  # it may have been, with a compiler that is gone
        return self._report(context, status, recorder)

    @property
    def is_replaced(self) -> bool:
        """Whether the compiler is another one now than when it was asked first."""
        return self._first_asked is not None and is_replaced(self._first_asked)

    # ---- setup -----------------------------------------------------------------------------

    def _context(self, module: Module | None) -> Context:
        """The shared state for the stages, derived from the first run."""
        begun = first_run(
            self._evaluator,
            self.settings,
            self.listener,
            ops=self._input_size.ops,
            conversions=self._conversions,
            steadied=self._steadied,
        )
        first, flaky, evaluator = begun.outcome, begun.flaky, begun.evaluator
        limits = RunLimits(
            self.oracle.limits,
            adapts=not first.kind.traits.out_of_time,  # the limit defines the failure
        )
        limits.tighten(first)
        self._screen = screen_for(
            self.oracle, first.signature, self.journal, limits.current, self.stop
        )
        text = PlainText(self.settings.text)
        short = None
        if first.kind.traits.costly and flaky is None:
            hang = sample_hang(evaluator.with_(limits=limits), text, first)
            short = ShortLimits.of(hang, limits.current)
            first = replace(first, signature=hang.target)
            evaluator = evaluator.under(SameFailure(hang.target))
        best = self._narrator.best = Best(
            self.settings.output, self.journal, text, self._input_size, self.settings.folder
        )
        self._health = auditing.health_check(
            self.settings, self.oracle, first, self.journal, self._conversions, self._enough
        )
        conditions: list[Condition] = [*SameOnOtherBuilds.of(self._health)]
        if self._screen is not None:
            conditions.append(Verifier(self._screen))
        context = Context(
            settings=self.settings,
            first=first,
            document=text if module is None else module,
            full=evaluator.with_(limits=limits).under(*conditions),
            best=best,
            conversions=self._conversions,
            journal=self.journal,
            show=self._narrator.show,
            note=self._narrator.note,
            short=short,
            noted_phase=begun.phase,
            flaky=flaky,
            health=self._health,
            original=module,
        )
        self._live = context
        auditing.require_health(context)
        return context

    def _enough(self) -> Limits | None:
        """Limits that tell a hang from a slow run, if lower ones than the user's do."""
        short = self._live.short if self._live is not None else None
        return None if short is None else short.enough

    def _record(self, best: Best, module: Module | None, first: Outcome) -> HistoryRecorder:
        """Start recording the history of the reduction in the journal."""
        history = History(self.settings.input.name, self._input_size, first.signature)
        if module is not None:
            history.generic = key_of(GENERIC, self.settings.text)
        earlier = read_history(self.journal.get_text(KEY))

        def save(text: str) -> None:
            self.journal.put_text(KEY, text)

        recorder = HistoryRecorder(history, module, lambda: self._narrator.spent, save, earlier)
        self._narrator.record(recorder, best)
        return recorder

    # ---- search and finish ------------------------------------------------------------------

    def _search(self, context: Context) -> str:
        """Run the search stages and return `reduced`, or the reason they stopped."""
        sanity = SanityChecks(context.full, self.settings.text, self._input_size.ops)
        try:
            with costs_only("working ahead", context.go_on_without):
                foresee_search(context)
            with costs_only("the check with an empty module", context.go_on_without):
                if when_empty := sanity.refuse_empty_module():
                    self._narrator.note(when_empty)
            self.journal.settle()
            if remark := remark_on(context.first.signature):
                self._narrator.note(remark)
            with costs_only("other failures", context.go_on_without):
                self._collect_also_found(context)
            with costs_only("the search", context.go_on_without):
                strategy.search(context)
        except Stopped as stopped:
            self.journal.settle()
            return stopped.reason
        except (OSError, OutputNotWritable):
            context.best.keep()
            raise
        return "reduced"

    def _collect_also_found(self, context: Context) -> None:
        """Start to collect other failures, except those that an empty module has as well."""
        if not self.settings.also_found:
            return
        self._others = AlsoFoundStore(
            self.settings.folder.also_found,
            self.journal,
            self._narrator.note,
            ignored=frozenset({empty_module(context.full).signature.bucket}),
            explained=CuttingDamage(context, self._screen).explains,
            suffix=suffix_of(self.oracle),
        )
        context.best.on_save = partial(
            self._narrator.apart, "other failures", self._others.take_over
        )
        keep_further(context, partial(self._others.add, is_whole=True))

    def _take_over_command(self, context: Context) -> None:
        """Use the shortened command for everything from here on."""
        if context.full.oracle is not self.oracle:
            self.oracle = context.full.oracle
            shown = command_line(self.oracle.display(str(self.settings.program)))
            self.listener.message(f"reduced command: {shown.removeprefix('//').strip()}")

    def _print(self, context: Context, status: str) -> str:
        """Run the finishing stages and return the final status of the reduction."""
        context.best.roll_back()
        context.best.flush()
        if status == "interrupted":
            context.best.keep()
            return status
        context.is_complete = status == "reduced"
        nothing = context.best.on_disk in (OnDisk.OTHER, OnDisk.NOTHING)
        if nothing and not context.is_complete and not context.best.is_held_back:
            return status  # there is no result to print
        context.readable = context.best.confirmed.text
        context.full = context.full.with_(budget=Budget(self.settings.max_calls))
        try:
            strategy.finish(context)
            self.oracle = context.full.oracle  # with a limit that the failure needs
            self.journal.doubt(not context.is_verified)
        except Stopped as stopped:  # keep the best as the search left it
            return stopped.reason
        finally:
            if context.result is None or not context.is_complete:
                context.best.keep()
        return status

    def _report(self, context: Context, status: str, recorder: HistoryRecorder) -> Report:
        best, costs, others = context.best, context.full.costs, self._others
        best.flush()
        text = best.confirmed.text if context.result is None else context.result
        verified = context.result is not None and context.is_verified
        final = replace(Size.of(PlainText(text)), ops=best.size.ops)
        command = self.oracle.display(self.settings.program.name)
        output, inputs = str(self.settings.program), str(self.settings.folder.inputs)
        steps = context.pinned.steps(output, inputs) if context.pinned else []
        compiling, running = map(tuple, steps) if steps else (None, None)
        one_minimal = status == "reduced" and context.is_whole
        history = recorder.history
        with costs_only(HISTORY, context.go_on_without):
            history = recorder.finished(
                best.confirmed,
                final,
                status=status,
                verified=verified,
                one_minimal=one_minimal,
                command=command,
                notes=self._narrator.notes,
                failing=failing_ops(context),
                health=self._health_record(),
            )
        return Report(
            status=status,
            verified=verified,
            failure=Failure.of(context.first.signature),
            input_path=self.settings.input,
            input=self._input_size,
            output_path=self.settings.output,
            output=final,
            on_disk=best.on_disk,
            costs=Costs(costs.calls, self._compiler_seconds() + self._conversions.seconds),
            candidates=Candidates(
                dict(sorted(costs.by_verdict.items())),
                costs.candidate_ops / max(1, self._input_size.ops),
            ),
            checks=self._checks(),
            wall_seconds=self._narrator.wall_seconds,
            command=tuple(self.oracle.display(str(self.settings.program))),
            compile=compiling,
            run=running,
            one_minimal=one_minimal,
            notes=tuple(self._narrator.notes),
            flaky=context.flaky,
            also_found=others.records if others else (),
            also_left_out=others.left_out if others else 0,
            also_from_cutting=others.dismissed if others else 0,
            levels=context.levels,
            degenerate=context.degenerate,
            signature=context.first.signature,
            text=text,
            reported=context.reported,
            charged=costs.charged,
            cached=costs.cached,
            enough=self._enough(),
            also_found_folder=others.folder if others and others.on_disk else None,
            health=self._health_record(),
            lineage=self._lineage(history, recorder.module),
        )

    def _health_record(self) -> HealthRecord | None:
        check = self._health
        return None if check is None or not check.result.at else HealthRecord.of(check)

    def _checks(self) -> Checks:
        screen = self._screen
        return Checks(screen.runs, screen.rejected, screen.seconds) if screen else Checks()

    def _lineage(self, history: History, original: Module | None) -> Lineage:
        source = self.settings.text
        located = self.journal.get_text(key_of(LOCATED, source)) or ""
        return Lineage(history, original, source, located)

    def _compiler_seconds(self) -> float:
        """CPU seconds of the oracle's runs, the validity checks before them, and other places."""
        checks = self._screen.seconds if self._screen else 0.0
        elsewhere = self._health.elsewhere.seconds if self._health else 0.0
        return self._evaluator.costs.compiler_seconds + checks + elsewhere

    def _on_other_failure(self, failure: OtherFailure) -> None:
        if self._others is not None:
            self._others.add(failure)
