"""The driver: carries out the table of stages and makes the record of what they found."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from oracles import Oracle
from reducer.asking import Budget
from reducer.conversions import LOCATED, key_of
from reducer.driver import table
from reducer.driver.also_found import AlsoFoundStore
from reducer.driver.best import OnDisk
from reducer.driver.comments import command_line
from reducer.driver.narrator import HISTORY, Narrator
from reducer.driver.records.figures import Candidates, Checks, Costs, Failure
from reducer.driver.records.history import History, Lineage
from reducer.driver.records.record import Report
from reducer.driver.resources import opened
from reducer.driver.settings import Listener, LogTellsLess, Settings, Size, Stands
from reducer.driver.stage import Attempts, carry_out, costs_only
from reducer.driver.stages import finishing
from reducer.driver.stages.following import Ended, Following
from reducer.driver.stages.locating import failing_ops
from reducer.driver.stages.opening import Opening
from reducer.driver.stages.shrinking import name_command
from reducer.driver.state import Context
from reducer.errors import FlakyOracle, InternalError, OutputNotWritable
from reducer.identity.builds import HealthCheck
from reducer.identity.builds.record import HealthRecord
from reducer.identity.compiler_changed import REPLACED, is_replaced, reading
from reducer.identity.unstable_crash import Steadied, VaryingCrash, steady
from reducer.identity.validity import VerifierScreen
from reducer.ir import PlainText
from reducer.search.judge import Stopped
from reducer.search.query import OtherFailure
from reducer.search.sequential import MAX_RUNS
from reducer.storage.journal import Journal


class Reduction:
    """A reduction with its journal, its best result on disk and its costs.

    Attributes:
        settings: as given, or for an intermittent failure if it turns out to be one.
        oracle: judges programs, with the command that is left.

    Args:
        stop: set it to end the reduction early; `run` then returns the best result so far.
        journal: one that is already open, used instead of the file named in the settings.
        then: stages to append to the table.
        internal_errors: those of the reduction that this one belongs to; more are added.
    """

    def __init__(
        self,
        settings: Settings,
        oracle: Oracle,
        listener: Listener,
        *,
        stop: threading.Event | None = None,
        journal: Journal | None = None,
        then: Sequence[Following] = (),
        internal_errors: list[InternalError] | None = None,
    ) -> None:
        self.settings = self._given = settings
        self.oracle = oracle
        self.stop = stop or threading.Event()
        self._listener = listener
        self._shared = journal
        self._then = then
        self._narrator = Narrator(
            listener,
            Size.of(PlainText(settings.text)),
            self._cpu_seconds,
            self._on_other_failure,
            [] if internal_errors is None else internal_errors,
        )
        self._opening: Opening | None = None
        self._steadied: Steadied | None = None
        self._first_asked: Oracle | None = None
        self._shown: Oracle | None = None  # with the command that was told of what is on disk

    # ---- entry point -----------------------------------------------------------------------

    def run(self) -> Report:
        """Reduce, verify and report. A crash that varies is reduced as what its runs share.

        A failure that does not occur in every run is reduced as if the settings had said so.

        Raises:
            ReducerError: the input is not interesting, the oracle is too flaky, a file cannot be
                written…; each has its own exit code.
            Stopped: the user interrupted the run before the input's own failure was known.
        """
        if self._shared is not None:
            return self._attempt()
        self.oracle = reading(self.oracle)
        try:
            return self._followed(self._reduced())
        finally:
            self.settings.folder.remove_if_empty()

    def _reduced(self) -> Report:
        while True:
            self.settings.folder.written.check(self.settings.output)
            try:
                return self._attempt()
            except LogTellsLess as error:
                self._opening, self.settings = None, replace(self.settings, logged=error.instead)
                self._narrator.forget()
                self._narrator.note(str(error))
            except FlakyOracle as error:
                if not self._adapts(error) or self.stop.is_set():
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
        self._opening = None
        self._narrator.forget()
        if repeats and self.settings.flaky is None:
            self.settings = replace(self.settings, flaky=MAX_RUNS)
            message += f"; each verdict takes up to {MAX_RUNS} runs from now on"
        self._narrator.note(message)

    def _attempt(self) -> Report:
        """Reduce the failure as it is known so far."""
        with opened(
            self._given,  # so that the same command continues the journal, whatever it came to
            self.oracle,
            self._narrator,
            self.stop,
            shared=self._shared,
            varies=None if self._steadied is None else self._steadied.signature,
        ) as resources:
            size = Size.of(PlainText(self.settings.text))
            self._opening = opening = Opening(
                self.settings,
                self.oracle,
                resources,
                self._narrator,
                self._steadied,
                self.stop,
                size,
            )
            for stage in table.READ:
                stage.carry_out(opening)
            assert opening.context is not None
            self._first_asked = self.oracle
            context = opening.context
            self._shown = None
            name_command(context)
            context.best.on_save = partial(self._on_save, context)
            status = self._search(context)
            self._take_over_command(context)
            status = self._finish(context, status)
            if self._is_replaced:
                self._narrator.note(REPLACED)
                resources.journal.doubt(True)
                # It may have been, with a compiler that is gone.
                context.found.printed.is_verified = False
            return self._report(opening, context, status)

    @property
    def _is_replaced(self) -> bool:
        """Whether the compiler is another one now than when it was asked first."""
        return self._first_asked is not None and is_replaced(self._first_asked)

    # ---- the table --------------------------------------------------------------------------

    def _search(self, context: Context) -> str:
        """Run the search stages and return `reduced`, or the reason they stopped."""
        try:
            with costs_only("the search", context.go_on_without):
                carry_out((*table.PREPARE, *table.SEARCH), context)
        except Stopped as stopped:
            context.journal.settle()
            return stopped.reason
        except (OSError, OutputNotWritable):
            context.best.keep()
            raise
        return "reduced"

    def _take_over_command(self, context: Context) -> None:
        """Use the shortened command for everything from here on."""
        if context.judging.oracle is not self.oracle:
            self.oracle = context.judging.oracle
            shown = command_line(self.oracle.display(str(self.settings.program)))
            self._narrator.say(f"reduced command: {shown.removeprefix('//').strip()}")

    def _finish(self, context: Context, status: str) -> str:
        """Run the finishing stages and return the final status of the reduction."""
        context.best.roll_back()
        context.best.flush()
        interrupted = status == "interrupted"
        if interrupted:
            context.best.keep()  # another signal ends the program at once
        context.found.is_complete = status == "reduced"
        nothing = context.best.on_disk in (OnDisk.OTHER, OnDisk.NOTHING)
        if nothing and not context.found.is_complete and not context.best.is_held_back:
            return status  # there is no result to print
        context.found.printed.readable = context.program.confirmed.text
        if interrupted and not finishing.is_soon_printed(context):
            return status
        context.judging.full = context.judging.full.with_(budget=Budget(self.settings.max_calls))
        if interrupted:
            context.judging.full = context.judging.full.unstoppable()
            context.conversions.go_on()
            context.settings = replace(context.settings, reported=None)
        try:
            carry_out(table.PRINT if interrupted else table.FINISH, context)
            self.oracle = context.judging.oracle  # with a limit that the failure needs
            context.journal.doubt(not context.found.printed.is_verified)
        except Stopped as stopped:  # keep the best as the search left it
            return stopped.reason
        finally:
            if context.found.printed.result is None or not context.found.is_complete:
                context.best.keep()
        return status

    def _followed(self, report: Report) -> Report:
        """The report with what the last stages add to it."""
        attempts = Attempts(self._narrator.internal_errors)
        if report.verified:
            complete = report.status == "reduced"
            self._narrator.tell(
                Stands(
                    report.output_path,
                    report.output.ops,
                    self.oracle,
                    report.failure.text,
                    complete,
                )
            )
        for stage in (*table.FOLLOW, *self._then):
            if not self.stop.is_set():
                report = stage.carry_out(
                    Ended(
                        report,
                        self.settings,
                        self.oracle,
                        self._listener,
                        self.stop,
                        attempts,
                        partial(reduce_in, internal_errors=attempts.internal_errors),
                    )
                )
        if report.verified and self._is_replaced:  # meanwhile
            report = replace(report, verified=False, notes=(*report.notes, REPLACED))
        problems, errors = tuple(attempts.problems), tuple(attempts.internal_errors)
        return replace(report, problems=problems, internal_errors=errors)

    # ---- the record -------------------------------------------------------------------------

    def _report(self, opening: Opening, context: Context, status: str) -> Report:
        best, costs, others = context.best, context.judging.full.costs, context.also_found
        recorder, resources = opening.recorder, opening.resources
        assert recorder is not None
        best.flush()
        printed = context.found.printed
        text = context.program.confirmed.text if printed.result is None else printed.result
        verified = printed.result is not None and printed.is_verified
        final = replace(Size.of(PlainText(text)), ops=best.size.ops)
        command = self.oracle.display(self.settings.program.name)
        output, inputs = str(self.settings.program), str(self.settings.folder.inputs)
        steps = printed.pinned.steps(output, inputs) if printed.pinned else []
        compiling, running = map(tuple, steps) if steps else (None, None)
        one_minimal = status == "reduced" and context.found.is_whole
        history = recorder.history
        with costs_only(HISTORY, context.go_on_without):
            history = recorder.finished(
                context.program.confirmed,
                final,
                status=status,
                verified=verified,
                one_minimal=one_minimal,
                command=command,
                notes=self._narrator.notes,
                failing=failing_ops(context),
                health=_health_record(opening.health),
            )
        return Report(
            status=status,
            verified=verified,
            failure=Failure.of(context.judging.first.signature),
            input_path=self.settings.input,
            input=opening.size,
            output_path=self.settings.output,
            output=final,
            on_disk=best.on_disk,
            costs=Costs(costs.calls, self._cpu_seconds() + resources.conversions.cost.cpu_seconds),
            candidates=Candidates(
                dict(sorted(costs.by_verdict.items())),
                costs.candidate_ops / max(1, opening.size.ops),
            ),
            refused={name: found.candidates for name, found in history.refused_most_first()},
            checks=_checks(opening.screen),
            wall_seconds=self._narrator.wall_seconds,
            command=tuple(self.oracle.display(str(self.settings.program))),
            compile=compiling,
            run=running,
            one_minimal=one_minimal,
            notes=tuple(self._narrator.notes),
            flaky=context.judging.flaky,
            also_found=others.records if others else (),
            also_left_out=others.left_out if others else 0,
            also_from_cutting=others.dismissed if others else 0,
            levels=printed.levels,
            degenerate=context.found.degenerate,
            signature=context.judging.first.signature,
            text=text,
            reported=printed.reported,
            charged=costs.charged,
            cached=costs.cached,
            enough=opening.enough,
            also_found_folder=others.folder if others and others.on_disk else None,
            health=_health_record(opening.health),
            lineage=self._lineage(opening, history),
            oracle=self.oracle,
            lacks_room=resources.journal.lacks_room,
        )

    def _lineage(self, opening: Opening, history: History) -> Lineage:
        source = self.settings.text
        located = opening.resources.journal.get_text(key_of(LOCATED, source)) or ""
        return Lineage(history, opening.module, source, located)

    # ---- watching ---------------------------------------------------------------------------

    def _cpu_seconds(self) -> float:
        return 0.0 if self._opening is None else self._opening.cpu_seconds

    def _on_other_failure(self, failure: OtherFailure) -> None:
        if others := self._others:
            others.add(failure)

    def _on_save(self, context: Context) -> None:
        oracle, failure = context.judging.oracle, context.judging.first.signature.text
        if oracle is not self._shown:
            self._shown, ops = oracle, context.best.size.ops
            self._narrator.tell(Stands(self.settings.output, ops, oracle, failure, False))
        if others := self._others:
            self._narrator.apart("other failures", others.take_over)

    @property
    def _others(self) -> AlsoFoundStore | None:
        context = None if self._opening is None else self._opening.context
        return None if context is None else context.also_found


def reduce_in(
    settings: Settings,
    oracle: Oracle,
    listener: Listener,
    stop: threading.Event,
    journal: Journal,
    *,
    internal_errors: list[InternalError] | None = None,
) -> Report:
    """Reduce another program, with what is cached in this journal: see `Reduce`."""
    return Reduction(
        settings, oracle, listener, stop=stop, journal=journal, internal_errors=internal_errors
    ).run()


def _health_record(check: HealthCheck | None) -> HealthRecord | None:
    return None if check is None or not check.result else HealthRecord.of(check)


def _checks(screen: VerifierScreen | None) -> Checks:
    return Checks(screen.runs, screen.rejected, screen.seconds) if screen else Checks()
