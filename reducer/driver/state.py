"""The state of a reduction in three values: the program, how it is judged, and what was found out.

`Context.program` is the current program and what to go back to. A stage mostly asks no judge: it
searches with `search`, which asks the right one and makes what passes the current program. A stage
that asks by itself takes, of its `judging`,

- `candidates` for what it will hand to `accept`, which makes it the current program;
- `probing` for a question, about any text, whose answer only tells the stage how to go on: it is
  the quickest, and may mistake a slow run for a hang;
- `results` for what people are told: that the current program was confirmed, that its printed text
  fails. This is the full command with a limit that no slow run reaches;
- `full` to change what holds from now on, such as the command or a condition: all others are made
  of it.

Under the wrapper stages `StoppingEarly` and `UnderShortLimits`, `candidates` runs a cheaper
command, or has the short limits of a hang. What it accepts is provisional until `results` confirms
it: at each checkpoint where the program has lost half of its ops, and at the end.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from oracles import Outcome
from oracles.base import ResultOracle
from reducer.asking import Budget
from reducer.conversions import Conversions
from reducer.driver.also_found import AlsoFoundStore
from reducer.driver.best import Best
from reducer.driver.records.figures import LevelRecord
from reducer.driver.settings import Settings, Size
from reducer.errors import InternalError
from reducer.identity.degenerate import DegenerateChoice
from reducer.identity.program import HANG_PATIENCE, InputLevel, Judging, Milestone, Program
from reducer.ir import D, Module, PlainText
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import ConditionName, Refused, other_in_full
from reducer.search.judge import Judge
from reducer.search.state import Recent, SearchState
from reducer.storage.journal import Journal, JournalNamespace
from reducer.transformations import BoundaryTypes

_MAX_MILESTONE_OPS = 500  # larger programs are not kept in memory to return to


class EarlyStopDiverged(Exception):
    """The full command does not fail on what the early-stop command accepted."""


@dataclass(frozen=True)
class OtherFile:
    """Another module that the command reads: where the user has it, and what was removed."""

    source: Path
    before: Size
    after: Size
    number: int


@dataclass
class Printed:
    """The result as people see it.

    Attributes:
        readable: the best result in readable syntax, once printed.
        result: the readable text, once verified and saved.
        is_verified: whether the printed command fails on it.
        reported: the outcome of the program as its bug report will run it, if that was run ahead.
        pinned: for a compiled program at fault, the oracle that makes the call that shows it.
        levels: the smallest known programs at other levels than that of the result.
    """

    readable: str = ""
    result: str | None = None
    is_verified: bool = False
    reported: Outcome | None = None
    pinned: ResultOracle | None = None
    levels: tuple[LevelRecord, ...] = ()


@dataclass
class Found:
    """What was found out about the result.

    Attributes:
        halved: the text that halving ended with; no part of it fails by itself.
        seen_twice: the text on which both the early and the full command were seen to fail.
        is_repeated: whether a small program was run again to see if it always fails.
        is_checked: whether the first bad access to memory was asked for.
        is_complete: whether the search ran to its end.
        is_whole: whether no internal error has cost a stage of it.
        degenerate: the choice made about a degenerate result.
        others: the other modules that were reduced, by what the command reads now.
        printed: the result as people see it.
    """

    halved: str = ""
    seen_twice: str = ""
    is_repeated: bool = False
    is_checked: bool = False
    is_complete: bool = False
    is_whole: bool = True
    degenerate: DegenerateChoice | None = None
    others: Mapping[Path, OtherFile] = field(default_factory=dict)
    printed: Printed = field(default_factory=Printed)


@dataclass
class Context:
    """What the stages of one reduction work on, one after another: three values, and tools.

    Attributes:
        program: the program, which every accepted candidate changes.
        judging: how it is judged, which its command and limits change.
        found: what was found out about the result.
        settings: those of the user.
        best: keeps the current program on disk, once it is confirmed.
        conversions: prints programs in other forms.
        journal: remembers outcomes.
        show: announces the next stage to the user and the history; has no effect on the search.
        note: records a remark about the result for the user.
        internal_errors: those so far, of all reductions that belong to this one.
        also_found: collects other failures, if that is wanted.
    """

    program: Program
    judging: Judging
    settings: Settings
    best: Best
    conversions: Conversions
    journal: Journal
    show: Callable[[str], None]
    note: Callable[[str], None]
    internal_errors: list[InternalError] = field(default_factory=list)
    found: Found = field(default_factory=Found)
    also_found: AlsoFoundStore | None = None

    def __post_init__(self) -> None:
        self._recent = Recent()
        self.program.on_return = self.best.fall_back
        self.mark()

    def go_on_without(self, error: InternalError) -> None:
        """Note that an internal error has cost a part of the search, or of what follows it."""
        self.found.is_whole = self.found.is_whole and self.found.is_complete
        self.internal_errors.append(error)
        self.note(str(error))

    def beside(self, step: Milestone, asked: Judge, output: Path, shown: str) -> "Context":
        """A context in which stages work on another program, to be kept beside the result.

        Args:
            asked: judges it; what it does on other builds does not matter.
            shown: what progress is shown of; its first word is the section of the journal.
        """
        settings, journal = self.settings, JournalNamespace(self.journal, shown.split()[0])
        settings.folder.create()
        original = self.program.original
        program = Program(step.document, settings.text, original, True, step.boundary)
        return Context(
            program=program,
            judging=Judging(
                self.judging.first,
                asked.without(ConditionName.OTHER_BUILDS).with_(is_observed=False),
            ),
            settings=replace(settings, output=output, changes_level=False),
            best=Best(output, journal, program, written=settings.folder.written),
            conversions=self.conversions,
            journal=journal,
            show=lambda phase: self.show(f"{shown}: {phase}"),
            note=self.note,
            internal_errors=self.internal_errors,
        )

    # ---- searching -------------------------------------------------------------------------

    def search(self) -> SearchState[Module]:
        """A search state for the module; candidates that the search accepts become the best."""
        state: SearchState[Module] = self._search(
            self.program.module, lambda edited: self.edited(state.document, edited)
        )
        return state

    def edited(self, module: Module, text: str) -> Module:
        """The module that an edit of another one's text makes (see `Module.edited`)."""
        return self._recent.made(text, module.is_counted_rightly, module.edited)

    def search_text(self) -> SearchState[PlainText]:
        """A search state for a document that is plain text."""
        assert isinstance(self.program.document, PlainText)
        state: SearchState[PlainText] = self._search(
            self.program.document, lambda edited: state.document.edited(edited)
        )
        return state

    def accept(self, candidate: Candidate[D]) -> None:
        """Make a candidate that the judge of `candidates` finds interesting the best."""
        provisional = self.judging.provisional is not None
        self.best.accept(candidate.document, candidate.origin, provisional=provisional)
        self.mark()
        if not provisional:
            self._tighten_limits()

    def _search(self, document: D, parse: Callable[[str], D]) -> SearchState[D]:
        return SearchState(document, parse, self.judging.candidates, self.accept, self._checkpoint)

    # ---- going back ------------------------------------------------------------------------

    def milestone(self) -> Milestone:
        """The present program, as one to return to."""
        return self.program.milestone(self.judging.full)

    def mark(self) -> None:
        """Remember the present program and command, if the program is small."""
        document = self.program.document
        if isinstance(document, Module) and document.op_count <= _MAX_MILESTONE_OPS:
            self.program.milestones.append(self.milestone())

    def go_down(self, above: InputLevel) -> None:
        """Take over what is known of the present program, in other dialects than the last."""
        self.program.input_level = self.program.input_level or above
        self.program.lower.append(self.program.module)
        # Other releases make other IR of the input, so its health says nothing about this one's.
        self.program.boundary = BoundaryTypes.of(self.program.module)
        self.program.milestones.clear()
        self.mark()

    # ---- confirming ------------------------------------------------------------------------

    def confirm(self) -> None:
        """Confirm the provisional best with the full command, as `results` runs it.

        Raises:
            EarlyStopDiverged: the full command does not fail on it.
            Stopped: see `Judge.run`.
        """
        document = self.program.document
        if not self.program.is_provisional:
            return
        found = self.judging.results.judged(document.text, document.op_count)
        if found.verdict is not Verdict.SAME:
            refused = Refused(self.best.origin, other_in_full(found.outcome), document.op_count)
            self.judging.full.refuse(refused)
            raise EarlyStopDiverged
        self.best.confirm()
        if not self.judging.exhausts:
            self.found.seen_twice = self.program.document.text
        self._tighten_limits()

    def confirm_in_the_end(self, *, interrupted: bool) -> None:
        """Confirm with a run beyond the budget or the interrupt, or progress would be lost."""
        if interrupted:
            self.best.keep()  # another signal ends the program at once
            self.judging.full = self.judging.full.unstoppable()
        self.judging.full = self.judging.full.with_(budget=Budget())
        try:
            self.confirm()
        except EarlyStopDiverged:
            self.note(
                "the smallest program so far fails differently when the compiler runs to its end"
            )

    def fall_back(self) -> None:
        """Return to the last confirmed best after the two commands have diverged."""
        if self.judging.short is not None and self.judging.is_short:
            self.judging.short = self.judging.short.raised()
            self.note("slow runs were mistaken for the failure; raising the limits of candidates")
        elif self.judging.hangs:
            self.judging.full = self.judging.results
            self.note(f"slow runs were mistaken for hangs; time limit raised {HANG_PATIENCE} times")
        elif self.judging.is_hasty:
            self.judging.trusts = False
            self.note("what one judge calls wrong is not confirmed; asking all of them")
        else:
            self.note("stopping the compiler early led to another failure; running it in full")
        self.best.roll_back()

    def _checkpoint(self) -> None:
        """Confirm the best whenever it has lost half of its ops."""
        if 2 * self.program.document.op_count <= self.program.confirmed.op_count:
            self.confirm()

    def _tighten_limits(self) -> None:
        """Fit the limits to the best: later candidates are smaller and should run no longer."""
        if self.judging.short is not None:
            self.judging.short.follow(self.judging.full, self.program.confirmed)
        outcome = self.judging.full.known(self.program.confirmed.text)
        if outcome is not None:
            self.judging.full.query.limits.tighten(outcome)
