"""The order of things in a reduction: jump to the failure, halve, then polish to a fixpoint."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from oracles import Oracle, Outcome
from oracles.stage import INPUT
from reducer.ir import D, Document, Module, PlainText
from reducer.locate import ops_at, ops_of_diagnostics
from reducer.search.budget import Budget
from reducer.search.candidate import Candidate, Verdict
from reducer.search.evaluator import Evaluator, Stopped
from reducer.search.polish import polish, reduce_to_fixpoint
from reducer.search.sampling import sample
from reducer.search.state import SearchState
from reducer.search.windows import grow_around, grow_set, halve
from reducer.session.before_pass import cut_before_pass
from reducer.session.best import PRINTED, Best
from reducer.session.conversions import CompilerPasses, Conversions
from reducer.session.early_stop import EarlyStopDiverged, find_shortest
from reducer.session.flags import FlagReducer
from reducer.session.isolate import failing_dispatch
from reducer.session.sanity import SanityChecks
from reducer.transformations import (
    BoundaryTypes,
    Tuning,
    control_flow_transformations,
    last_transformations,
    standard_transformations,
    standard_tunings,
    text_transformations,
)

_HANG_LIMIT_FACTOR = 4  # times the limit; what ends within that is slow and does not hang
_WORTH_STOPPING_EARLY = 12  # ops; with fewer left, finding the phase costs more than it saves
_WORTH_ISOLATING = 500  # ops; compiling each dispatch of less costs more than halving it
_WORTH_GOING_THROUGH_PASS = 60  # ops; less is cut in as many runs as it takes to find the pass
_SMALL_ENOUGH_FOR_FLAGS = 300  # ops; each flag costs a run of what is left
_TOO_LARGE_TO_REPEAT = 2_500  # ops; finding the phase takes a few runs of the whole


class ReductionStrategy:
    """Carries out the stages on one input. What is accepted goes to `best`."""

    def __init__(
        self,
        text: str,
        evaluator: Evaluator,
        best: Best,
        conversions: Conversions,
        sanity: SanityChecks,
        show: Callable[[str], None],
        note: Callable[[str], None],
        flags: FlagReducer | None = None,
    ) -> None:
        self.text = text
        self.evaluator = evaluator
        self.best = best
        self.conversions = conversions
        self.sanity = sanity
        self.show = show
        self.note = note
        self.flags = flags
        self._shortened = False
        self._halved = ""  # the text that halving left: no part of it alone fails

    def reduce(self, module: Module | None, first: Outcome) -> None:
        """Reduces as far as possible; what is left is 1-minimal.

        Raises:
            Stopped: the budget is spent, or the user wants to stop.
            FlakyOracle: a candidate does not fail in the same way every time.
        """
        if module is None:
            self.note(
                "the compiler's opt tool cannot parse the input; reducing it by lines and brackets"
            )
            self._reduce_text()
            return
        state = SearchState(module, Module.parse, self.evaluator, self._accept)
        boundary = BoundaryTypes.of(module)
        with self.evaluator.scaling_limits(_HANG_LIMIT_FACTOR if self._hangs else 1):
            found = self._localize(state, boundary, first)
            if not found:
                self.show("run the input in generic form")
                found = self.sanity.survives_printing(module)
                if found:
                    self._accept(Candidate(module, PRINTED))
        if not found:
            self.note("the failure disappears in generic form; reducing by lines and brackets")
            self._reduce_text()
            return
        self.sanity.repeat(state.document)
        if state.document.op_count > _TOO_LARGE_TO_REPEAT:
            self._halve(state, boundary, self.show)
        if state.document.op_count > _SMALL_ENOUGH_FOR_FLAGS:
            self._with_early_stop(state, lambda show: self._halve(state, boundary, show))
        self._fewer_flags(state.document)
        if self._cut_before_pass(state):
            boundary = BoundaryTypes.of(state.document)
        self._polish(state, boundary)
        while self._fewer_flags(state.document):
            self._polish(state, boundary)

    def _fewer_flags(self, document: Document) -> bool:
        """Whether the command lost a flag, after which the document may shrink further."""
        if self.flags is None:
            return False
        self.show("drop flags")
        return self.flags.shorten(document)

    def _localize(
        self, state: SearchState[Module], boundary: BoundaryTypes, first: Outcome
    ) -> bool:
        """Tries to get at the failure without another run of anything large."""
        self.show("follow the diagnostics")
        seeds = self._seeds(state.document, first)
        if seeds and grow_around(state, boundary, seeds):
            return True
        self.show("sample each kind of op")
        if sample(state, boundary):
            return True
        if state.document.op_count < _WORTH_ISOLATING:
            return False
        self.show("find the failing dispatch")
        return self._isolate(state, boundary)

    def _seeds(self, module: Module, first: Outcome) -> list[int]:
        if not any(d.severity == "error" and d.line for d in first.diagnostics):
            return []
        return ops_of_diagnostics(
            first.diagnostics, self.conversions.locations(self.text, module), module
        )

    def _isolate(self, state: SearchState[Module], boundary: BoundaryTypes) -> bool:
        """Follows the dispatch that code generation fails on back to the ops it was made of."""
        module = state.document
        dispatch = failing_dispatch(self.evaluator, self.conversions, self.text, module.op_count)
        if dispatch is None:
            return False
        seeds = ops_at(dispatch.places, self.conversions.locations(self.text, module), module)
        return bool(seeds) and grow_set(state, boundary, seeds)

    def _cut_before_pass(self, state: SearchState[Module]) -> bool:
        """Cuts what the failing pass gets, where there is still much to cut."""
        if state.document.op_count < _WORTH_GOING_THROUGH_PASS:
            return False
        self.show("cut before the failing pass")
        return cut_before_pass(state, self.conversions)

    # ---- polishing -------------------------------------------------------------------------

    def _polish(self, state: SearchState[Module], boundary: BoundaryTypes) -> None:
        helper = CompilerPasses(self.conversions.after_passes)
        transformations = [
            *standard_transformations(boundary),
            helper,
            *control_flow_transformations(),
        ]

        def reduce(show: Callable[[str], None]) -> None:
            self._halve(state, boundary, show)
            polish(state, transformations, self._tunings(), show, last_transformations())

        self._with_early_stop(state, reduce)

    def _halve(
        self, state: SearchState[Module], boundary: BoundaryTypes, show: Callable[[str], None]
    ) -> None:
        if state.document.text != self._halved:
            show("halve")
            halve(state, boundary)
            self._halved = state.document.text

    def _with_early_stop(
        self, state: SearchState[Module], reduce: Callable[[Callable[[str], None]], None]
    ) -> None:
        """Carries out a stage under the command that stops earliest, if that is sound."""
        short = self._shortest(state.document)
        if short is not None:
            try:
                self._run_shortened(short, reduce)
                return
            except EarlyStopDiverged:
                if self._hangs:
                    self.evaluator.limit_factor = _HANG_LIMIT_FACTOR
                    self.note(
                        "slow runs were mistaken for hangs; raising the time limit by a factor of "
                        f"{_HANG_LIMIT_FACTOR}"
                    )
                else:
                    self.note(
                        "stopping the compiler early led to another failure; running it in full"
                    )
                self.best.roll_back()
                assert isinstance(self.best.confirmed, Module)
                state.document = self.best.confirmed
        reduce(self.show)

    def _tunings(self) -> list[Tuning[Module, Any]]:
        """All of them, unless invalid IR is the point: ranks and types may be what is wrong."""
        target = self.evaluator.target
        if target is None:
            return standard_tunings()
        illegal = target.op if target.kind.traits.illegal_op else ""
        return standard_tunings(shapes_only=target.stage == INPUT, illegal=illegal)

    @property
    def _hangs(self) -> bool:
        """Whether a run that goes beyond the limit is the failure: it may only be slow."""
        target = self.evaluator.target
        return target is not None and target.kind.traits.out_of_time

    def _shortest(self, document: Document) -> Oracle | None:
        """What sees the failure sooner than the full command, run for as long as it may take."""
        sooner = self.evaluator.oracle if self._hangs and self.evaluator.limit_factor == 1 else None
        if document.op_count < _WORTH_STOPPING_EARLY:
            return sooner
        self.show("find the failing phase")
        found = find_shortest(self.evaluator, document, self.conversions.cached)
        return found or sooner

    def _run_shortened(
        self, short: Oracle, reduce: Callable[[Callable[[str], None]], None]
    ) -> None:
        """Polishes under a command that stops early; the full one confirms each milestone.

        Raises:
            Drift: it does not.
        """
        self._shortened = True
        try:
            with self.evaluator.using_oracle(short):
                reduce(self._milestone)
            self._confirm()
        except Stopped as stopped:
            if stopped.reason == "budget":
                self._confirm_at_last()
            raise
        finally:
            self._shortened = False

    def _milestone(self, phase: str) -> None:
        """Has the full command confirm the best whenever it has lost half of its ops."""
        if 2 * self.best.unconfirmed.op_count <= self.best.confirmed.op_count:
            self._confirm()
        self.show(phase)

    def _confirm_at_last(self) -> None:
        """One more run than the budget allows, or all since the last milestone would be lost."""
        self.evaluator.budget = Budget()
        with suppress(EarlyStopDiverged):
            self._confirm()

    def _confirm(self) -> None:
        if not self.best.is_provisional:
            return
        document = self.best.unconfirmed
        limit_factor = _HANG_LIMIT_FACTOR if self._hangs else 1
        with (
            self.evaluator.using_oracle(self.evaluator.oracle),
            self.evaluator.scaling_limits(limit_factor),
        ):
            outcome = self.evaluator.run(document.text, document.op_count)
        if self.evaluator.judge(outcome) is not Verdict.SAME:
            raise EarlyStopDiverged
        self.best.confirm()

    def _reduce_text(self) -> None:
        text = PlainText(self.text)
        self.sanity.repeat(text)
        state: SearchState[PlainText] = SearchState(
            text, lambda edited: state.document.edited(edited), self.evaluator, self._accept
        )
        reduce_to_fixpoint(state, text_transformations(), self.show)
        while self._fewer_flags(state.document):
            reduce_to_fixpoint(state, text_transformations(), self.show)

    def _accept(self, candidate: Candidate[D]) -> None:
        self.best.accept(candidate.document, candidate.origin, provisional=self._shortened)
