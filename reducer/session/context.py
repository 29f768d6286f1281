"""What the stages of a reduction share: the best so far, who is asked about it, what is known.

Two commands may be asked. The *full* one decides what a result is. While a stage searches with one
that stops *early*, whatever it accepts is provisional until the full command confirms it, at each
checkpoint of the search at which the best has lost half of its ops, and at the end.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from oracles import Outcome
from reducer.ir import D, Module, PlainText
from reducer.search.budget import Budget
from reducer.search.candidate import Candidate
from reducer.search.evaluator import Evaluator
from reducer.search.state import SearchState
from reducer.session.best import Best
from reducer.session.conversions import Conversions
from reducer.session.sanity import Flakiness
from reducer.session.settings import Settings
from reducer.storage.journal import Journal
from reducer.transformations import BoundaryTypes

_HANG_PATIENCE = 4  # times the limit; what ends within that is slow and does not hang


class EarlyStopDiverged(Exception):
    """What the command that stops early accepted does not fail under the full one."""


@dataclass
class Context:
    """The state of one reduction. Only the functions of stages change it, one after another.

    Attributes:
        first: how the input fails.
        document: the best so far, from which the next stage starts.
        boundary: the types that may cross the boundary of what is cut out of the document.
        full: asks the full command.
        early: asks a command that stops early; None while no stage does.
        show: tells people, and the history, what comes next. It has no say in that.
        note: tells people what they should know of the result.
        is_located: whether a candidate near the failure, or our print of the input, fails.
        halved: the text that halving left: no part of it alone fails.
        flaky: how often the failure shows, where it comes and goes.
        is_complete: whether every stage of the search was carried out.
        readable: the best as people write it, once it was printed.
        result: the same, once it was verified and saved.
        is_verified: whether the printed command fails on it.
    """

    settings: Settings
    first: Outcome
    document: Module | PlainText
    full: Evaluator
    best: Best
    conversions: Conversions
    journal: Journal
    show: Callable[[str], None]
    note: Callable[[str], None]
    flaky: Flakiness | None = None
    early: Evaluator | None = None
    is_located: bool = False
    halved: str = ""
    is_complete: bool = False
    readable: str = ""
    result: str | None = None
    is_verified: bool = False
    boundary: BoundaryTypes | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if isinstance(self.document, Module):
            self.boundary = BoundaryTypes.of(self.document)

    # ---- who is asked ----------------------------------------------------------------------

    @property
    def hangs(self) -> bool:
        """Whether a run that goes beyond the limit is the failure: it may only be slow."""
        return self.first.signature.kind.traits.out_of_time

    @property
    def patient(self) -> Evaluator:
        """Asks the full command, and waits long enough to tell what hangs from what is slow."""
        return self.full.with_(patience=_HANG_PATIENCE) if self.hangs else self.full

    @property
    def impatient(self) -> Evaluator | None:
        """Asks the full command, but takes what is slow for hanging; None if it never does."""
        return self.full if self.hangs and self.full.query.patience == 1 else None

    # ---- searching -------------------------------------------------------------------------

    @property
    def module(self) -> Module:
        """The document, which is a module in the stages that ask for it."""
        assert isinstance(self.document, Module)
        return self.document

    @property
    def module_boundary(self) -> BoundaryTypes:
        """The boundary types, which a module has."""
        assert self.boundary is not None
        return self.boundary

    def search(self, evaluator: Evaluator | None = None) -> SearchState[Module]:
        """The state for a search of the module; what it accepts is the best from then on."""
        return self._search(self.module, Module.parse, evaluator)

    def search_text(self) -> SearchState[PlainText]:
        """The same where the document is text."""
        assert isinstance(self.document, PlainText)
        state: SearchState[PlainText] = self._search(
            self.document, lambda edited: state.document.edited(edited), None
        )
        return state

    def accept(self, candidate: Candidate[Module]) -> None:
        """Takes a candidate that the full command fails on as the best."""
        self._accept(candidate, provisional=False)

    def _search(
        self, document: D, parse: Callable[[str], D], evaluator: Evaluator | None
    ) -> SearchState[D]:
        asked = evaluator or self.early or self.full
        accept = partial(self._accept, provisional=self.early is not None)
        return SearchState(document, parse, asked, accept, self._checkpoint)

    def _accept(self, candidate: Candidate[D], *, provisional: bool) -> None:
        assert isinstance(candidate.document, Module | PlainText)
        self.best.accept(candidate.document, candidate.origin, provisional=provisional)
        self.document = candidate.document
        if not provisional:
            self._tighten_limits()

    # ---- confirming ------------------------------------------------------------------------

    def confirm(self) -> None:
        """Has the full command confirm what is provisional.

        Raises:
            EarlyStopDiverged: it does not fail on that.
            Stopped: see `Evaluator.run`.
        """
        if not self.best.is_provisional:
            return
        if not self.patient.fails(self.best.unconfirmed):
            raise EarlyStopDiverged
        self.best.confirm()
        self._tighten_limits()

    def confirm_beyond_budget(self) -> None:
        """One more run than the budget allows, or all since the last confirmation would be lost."""
        self.full = self.full.with_(budget=Budget())
        with suppress(EarlyStopDiverged):
            self.confirm()

    def fall_back(self) -> None:
        """Returns to the best that was confirmed, after the two commands have diverged."""
        if self.hangs:
            self.full = self.patient
            self.note(
                "slow runs were mistaken for hangs; raising the time limit by a factor of "
                f"{_HANG_PATIENCE}"
            )
        else:
            self.note("stopping the compiler early led to another failure; running it in full")
        self.best.roll_back()
        assert isinstance(self.best.confirmed, Module)
        self.document = self.best.confirmed

    def _checkpoint(self) -> None:
        """Confirms the best whenever it has lost half of its ops."""
        if 2 * self.best.unconfirmed.op_count <= self.best.confirmed.op_count:
            self.confirm()

    def _tighten_limits(self) -> None:
        """Whatever is tried from here on is smaller than this and should take no longer."""
        outcome = self.full.known(self.best.confirmed.text)
        if outcome is not None:
            self.full.query.limits.tighten(outcome)
