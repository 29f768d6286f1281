"""One reduction from the failing input to the verified reproducer."""

import shlex
import threading
import time
from dataclasses import replace
from hashlib import sha256
from typing import Any

from oracles import Command, CompilerOracle, Limits, Oracle, Outcome
from oracles.regression import RegressionGuard
from reducer import __version__
from reducer.errors import DoesNotTerminate, FlakyOracle
from reducer.ir import Module, PlainText
from reducer.search.budget import Budget
from reducer.search.candidate import Candidate, Verdict
from reducer.search.evaluator import Evaluator, OtherFailure, Stopped
from reducer.session.also_found import AlsoFoundStore, also_found_folder
from reducer.session.best import Best
from reducer.session.conversions import GENERIC, LOCATED, Conversions, OptPrinter, key_of
from reducer.session.early_stop import TimeLimit
from reducer.session.figures import Candidates, Checks, Costs, Failure
from reducer.session.flags import FlagReducer
from reducer.session.history import (
    KEY,
    History,
    HistoryRecorder,
    Lineage,
    Spent,
    read_history,
)
from reducer.session.printing import ReadablePrinter, command_line, one_line, with_comments
from reducer.session.record import Report
from reducer.session.sanity import Flakiness, SanityChecks, measure_with
from reducer.session.settings import Listener, Progress, Settings, Size
from reducer.session.strategy import ReductionStrategy
from reducer.session.validity import VerifierScreen, screen_for
from reducer.storage.journal import Journal
from reducer.units import plural

_FIRST_RUN_TIMEOUT = 3600.0  # seconds that the input may take where the user set no limit
_CONVERSION = 600.0  # seconds that printing a module in another form may take


class Reduction:
    """A reduction with its journal, its best result on disk and its costs.

    A `journal` that is open already is used as it is, in place of the file that the settings name.
    With a `regression`, only what another compiler has nothing against is interesting.
    Set `stop` to end it early; `run` then returns with the best result so far.
    """

    def __init__(
        self,
        settings: Settings,
        oracle: Oracle,
        listener: Listener,
        journal: Journal | None = None,
        regression: RegressionGuard | None = None,
    ) -> None:
        self.settings = settings
        self.oracle = oracle
        self.listener = listener
        self._shared = journal
        self._regression = regression
        self.stop = threading.Event()
        self.notes: list[str] = []
        self._started = time.monotonic()
        self._phase = ""
        self._size = Size.of(PlainText(settings.text))
        self._best: Best | None = None
        self._screen: VerifierScreen | None = None
        self._others: AlsoFoundStore | None = None
        self._flaky: Flakiness | None = None
        self._recorder: HistoryRecorder | None = None

    # ---- the whole -------------------------------------------------------------------------

    def run(self) -> Report:
        """Reduces, verifies and reports.

        Raises:
            ReducerError: the input is not interesting, the oracle is flaky, a file cannot be
                written… each with its exit code.
            Stopped: before the input's own failure was known.
        """
        self.journal = self._shared or Journal.open(
            self.settings.journal,
            identity=self._identity(),
            resume=self.settings.resume,
            fresh=self.settings.fresh,
            log=self.listener.message,
        )
        if self.journal.reused:
            known = plural(self.journal.reused, "verdict")
            self.listener.message(
                f"reusing {known} from an earlier run; pass --fresh to start over"
            )
        self.evaluator = Evaluator(
            self.oracle,
            self.journal,
            jobs=self.settings.jobs,
            budget=Budget(self.settings.max_calls, self.settings.max_seconds),
            stop=self.stop,
            on_verdict=self._on_verdict,
            on_other_failure=self._on_other_failure,
            on_judged=self._on_judged,
            names_matter=not isinstance(self.oracle, CompilerOracle),
            review=self._regression,
        )
        try:
            return self._run()
        except FlakyOracle:
            self.journal.doubt(True)
            raise
        finally:
            self.evaluator.close()
            if self._shared is None:
                self.journal.close()

    def _run(self) -> Report:
        self._show("normalise")
        self.conversions = Conversions(self._printer(), self.journal, self._note)
        module = self.conversions.module(self.settings.text)
        if module is not None:
            self._size = replace(self._size, ops=module.op_count)
        self.input_size = self._size
        sanity = SanityChecks(self.evaluator, self.settings.text, self.input_size.ops)
        self._sanity = sanity
        self._show("run the input")
        first = self._first_run(sanity)
        sanity.compare(self._regression)
        time_limit = TimeLimit(self.evaluator, self.oracle.limits, first)
        self._screen = self.evaluator.screen = screen_for(
            self.oracle, first.signature, self.journal, self.evaluator.limits, self.stop
        )
        best = Best(
            self.settings.output, self.journal, PlainText(self.settings.text), self.input_size
        )
        best.on_confirm = time_limit.adapt
        self._best = best
        recorder = self._record(best, module, first)
        self.listener.message(f"failure to preserve: {first.signature.text}")
        plan = ReductionStrategy(
            self.settings.text,
            self.evaluator,
            best,
            self.conversions,
            sanity,
            self._show,
            self._note,
            self._flags(sanity, best),
        )
        status = self._search(plan, sanity, module, first)
        self._take_over_command()
        return self._finish(status, best, first, recorder)

    def _record(self, best: Best, module: Module | None, first: Outcome) -> HistoryRecorder:
        """From here on the journal holds the history of the reduction."""
        history = History(self.settings.input.name, self.input_size, first.signature)
        if module is not None:
            history.generic = key_of(GENERIC, self.settings.text)
        earlier = read_history(self.journal.get_text(KEY))

        def save(text: str) -> None:
            self.journal.put_text(KEY, text)

        self._recorder = recorder = HistoryRecorder(history, module, self._spent, save, earlier)
        recorder.phase(self._phase)
        best.on_accept = recorder.accepted
        best.on_roll_back = recorder.rolled_back
        return recorder

    def _flags(self, sanity: SanityChecks, best: Best) -> FlagReducer | None:
        """What shortens the command; from then on the file says which one fails on it."""
        if self.settings.keep_flags:
            return None

        def on_change(command: Command) -> None:
            shown = command.words(self.settings.output.name)
            if self.settings.comments and isinstance(best.confirmed, Module):
                best.head = command_line(shown)

        return FlagReducer(self.evaluator, sanity, self.journal, on_change)

    def _take_over_command(self) -> None:
        """From here on the shortened command is the reduction's own."""
        if self.evaluator.oracle is not self.oracle:
            self.oracle = self.evaluator.oracle
            shown = shlex.join(self.oracle.display(self.settings.output.name))
            self.listener.message(f"reduced command: {one_line(shown)}")

    def _identity(self) -> dict[str, str]:
        """What a journal belongs to. Verdicts of a run that was cut short hold for its limits."""
        text = self.settings.text.encode(errors="surrogateescape")
        limits = self.oracle.limits
        flaky = self.settings.flaky
        return {
            "input": sha256(text).hexdigest(),
            "oracle": self.oracle.key,
            "limits": f"{limits.seconds} s, {limits.memory} bytes",
            "version": __version__,
            **({} if flaky is None else {"flaky": str(flaky)}),
            **({} if self._regression is None else {"regression": self._regression.key}),
        }

    def _printer(self) -> OptPrinter | None:
        if self.settings.opt is None:
            return None
        return OptPrinter(self.settings.opt, Limits(_CONVERSION, self.oracle.limits.memory))

    def _first_run(self, sanity: SanityChecks) -> Outcome:
        """Runs the input. A run that does not end is a failure to keep only if a limit was set.

        Raises:
            NoEnd: it took longer than a compiler should, and nobody said how long it may take.
        """
        limits = self.oracle.limits
        unlimited = limits.seconds is None
        seconds = _FIRST_RUN_TIMEOUT if limits.seconds is None else limits.seconds
        self.evaluator.limits = replace(limits, seconds=seconds)
        if self.settings.flaky is None:
            first = sanity.run_input()
        else:
            first, rate = sanity.measure_input(self.settings.flaky)
            self._flaky = Flakiness(rate)
            self.listener.message(f"the input fails in {rate}")
        if unlimited and first.kind.traits.out_of_time:
            raise DoesNotTerminate(
                f"the command did not finish within {_FIRST_RUN_TIMEOUT:.0f} s; if the hang is the "
                "failure, set the time after which a run counts as hanging: --timeout SECONDS"
            )
        return first

    def _search(
        self, plan: ReductionStrategy, sanity: SanityChecks, module: Module | None, first: Outcome
    ) -> str:
        """Carries out the plan; `reduced`, or what stopped it."""
        try:
            sanity.refuse_empty_module()
            sanity.repeat_if_cheap(first)
            self.journal.settle()
            self._collect_also_found(sanity, plan.best)
            plan.reduce(module, first)
        except Stopped as stopped:
            self.journal.settle()
            return stopped.reason
        return "reduced"

    def _collect_also_found(self, sanity: SanityChecks, best: Best) -> None:
        """From here on what fails differently is kept, unless an empty module fails like that."""
        if not self.settings.also_found:
            return
        self._others = AlsoFoundStore(
            also_found_folder(self.settings.output),
            self.journal,
            self._note,
            ignored=frozenset({sanity.empty_module().signature.bucket}),
        )
        best.on_save = self._others.take_over

    # ---- the end ---------------------------------------------------------------------------

    def _finish(self, status: str, best: Best, first: Outcome, recorder: HistoryRecorder) -> Report:
        best.roll_back()
        text = best.confirmed.text
        verified = False
        if status != "interrupted":
            self.evaluator.budget = Budget()  # what is left to do is little, and owed
            try:
                text, verified = self._printed(best, first, complete=status == "reduced")
                self.journal.doubt(not verified)
            except Stopped as stopped:  # the best stays as it was searched
                status = stopped.reason
        costs = self.evaluator.costs
        final = replace(Size.of(PlainText(text)), ops=best.size.ops)
        command = self.oracle.display(self.settings.output.name)
        history = recorder.finished(
            best.confirmed,
            final,
            status=status,
            verified=verified,
            one_minimal=status == "reduced",
            command=command,
            notes=self.notes,
        )
        return Report(
            status=status,
            verified=verified,
            failure=Failure.of(first.signature),
            input_path=self.settings.input,
            input=self.input_size,
            output_path=self.settings.output,
            output=final,
            on_disk=best.on_disk,
            costs=Costs(costs.calls, self._compiler_seconds + self.conversions.seconds),
            candidates=Candidates(
                dict(sorted(costs.by_verdict.items())),
                costs.candidate_ops / max(1, self.input_size.ops),
            ),
            checks=self._checks(),
            wall_seconds=time.monotonic() - self._started,
            command=tuple(command),
            one_minimal=status == "reduced",
            notes=tuple(self.notes),
            flaky=self._flaky,
            also_found=self._others.records if self._others else (),
            also_left_out=self._others.left_out if self._others else 0,
            signature=first.signature,
            text=text,
            charged=costs.charged,
            cached=costs.cached,
            also_found_folder=self._others.folder
            if self._others and self._others.on_disk
            else None,
            lineage=self._lineage(history, recorder.module),
        )

    def _checks(self) -> Checks:
        screen = self._screen
        return Checks(screen.runs, screen.rejected, screen.seconds) if screen else Checks()

    def _lineage(self, history: History, original: Module | None) -> Lineage:
        source = self.settings.text
        located = self.journal.get_text(key_of(LOCATED, source)) or ""
        return Lineage(history, original, source, located)

    @property
    def _compiler_seconds(self) -> float:
        """CPU seconds of the oracle's runs and of the checks before them."""
        return self.evaluator.costs.compiler_seconds + (self._screen.seconds if self._screen else 0)

    def _printed(self, best: Best, first: Outcome, *, complete: bool) -> tuple[str, bool]:
        """The result as people read it, and whether the printed command fails on it.

        It is saved, unless an earlier run has left a better one or there is none (see `Best`).
        """
        self._show("print")
        text = self._readable(best)
        self._show("verify")
        printed, verified = self._verified(text, best, first)
        best.head = ""
        best.finish(printed, verified=verified, complete=complete)
        return text, verified

    def _readable(self, best: Best) -> str:
        """The best result as people write it, if the failure survives that."""
        if self.settings.keep_generic or not isinstance(best.confirmed, Module):
            return best.confirmed.text
        return ReadablePrinter(self.evaluator, self.conversions, self._note).readable(
            best.confirmed
        )

    def _verified(self, text: str, best: Best, first: Outcome) -> tuple[str, bool]:
        """Runs the printed command on the result, without comments if need be.

        What it was run on last, and whether it failed.
        """
        if self.settings.comments:
            outcome = self.evaluator.run(text, best.size.ops)
            shown = self.oracle.display(self.settings.output.name)
            commented = with_comments(text, shown, outcome)
            if self._verify(commented, best, first):
                return commented, True
            self._note("the result does not fail the same way with comments, so it has none")
        if self._verify(text, best, first):
            return text, True
        if self._flaky is None:
            self._note(self._sanity.flakiness_message(text, best.size.ops, "the result"))
        return text, False

    def _verify(self, text: str, best: Best, first: Outcome) -> bool:
        """Runs the printed command once more, past every cache, in a folder of its own.

        For a flaky failure that is as many runs as decide, and as it takes to know how often.
        """

        def confirm() -> bool:
            outcome = self.oracle.confirm(
                text, self.settings.output.name, limits=self.evaluator.limits, cancel=self.stop
            )
            verdict = self.evaluator.judge(outcome)
            self.evaluator.costs.add(verdict, outcome.cpu_seconds, best.size.ops)
            self.evaluator.costs.charged += 1
            if verdict is Verdict.CANCELLED:
                raise Stopped("interrupted")
            return outcome.signature == first.signature

        if self._flaky is None or self.evaluator.test is None:
            return confirm()
        rate, taken = measure_with(self.evaluator.test, confirm)
        self._flaky = replace(self._flaky, result=rate)
        return taken

    # ---- telling ---------------------------------------------------------------------------

    def _show(self, phase: str) -> None:
        if phase != self._phase:
            self._phase = phase
            if self._recorder is not None:
                self._recorder.phase(phase)
            self.listener.phase(phase)
            self._tell()

    def _on_verdict(self, verdict: Verdict, outcome: Outcome) -> None:
        self._tell()

    def _on_judged(self, candidate: Candidate[Any], verdict: Verdict) -> None:
        if self._recorder is not None:
            self._recorder.judged(candidate, verdict)

    def _spent(self) -> Spent:
        costs = self.evaluator.costs
        return Spent(costs.calls, self._compiler_seconds, time.monotonic() - self._started)

    def _on_other_failure(self, failure: OtherFailure) -> None:
        if self._others is not None:
            self._others.add(failure)

    def _tell(self) -> None:
        costs = self.evaluator.costs
        self.listener.progress(
            Progress(
                self._phase,
                self._best.size if self._best else self._size,
                costs.calls,
                costs.cached,
                self._compiler_seconds,
                time.monotonic() - self._started,
                costs.charged,
            )
        )

    def _note(self, text: str) -> None:
        self.notes.append(text)
        self.listener.message(text)
