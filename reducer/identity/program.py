"""The program of a reduction and how programs are judged: all that identity asks about."""

from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field

from oracles import Oracle, Outcome
from oracles.base import capabilities_of
from reducer.identity.builds import HealthCheck
from reducer.identity.sanity import Flakiness
from reducer.identity.short_limits import ShortLimits
from reducer.ir import Module, PlainText
from reducer.search.conditions import ConditionName
from reducer.search.judge import Judge
from reducer.transformations import BoundaryTypes

HANG_PATIENCE = 4
"""Times the limit; a run that ends within that is slow, not hanging."""


@dataclass(frozen=True, eq=False)
class Milestone:
    """An accepted program, the judge that accepted it, and the types at its boundary."""

    document: Module
    asked: Judge
    boundary: BoundaryTypes


@dataclass(frozen=True, eq=False)
class InputLevel:
    """The last program in the dialects of the input, from which the reduction went down to others.

    Attributes:
        program: the program.
        made: how the program below was made of it, as the end of a sentence.
        seeds: the ops of the program that became what fails, as far as known.
    """

    program: Milestone
    made: str
    seeds: tuple[int, ...] = ()


_Before = tuple[Module | PlainText, BoundaryTypes | None, InputLevel | None, list[Milestone]]
"""What a program goes back to if what was accepted provisionally is not confirmed."""


@dataclass
class Program:
    """The program: what it is now, and what it came from. It alone says which one that is.

    What is accepted provisionally becomes the document, too; if the full command does not fail on
    it, `roll_back` undoes all that has happened since.

    Attributes:
        document: the best result so far, from which the next stage starts.
        source: the text of the input.
        boundary: the types that may cross the boundary of a piece extracted from the document.
        original: the input in generic form, if it has one.
        lower: what the compiler made of it at lower levels, as far as the reduction went down.
        origins: maps the ops of the best to those of the original, as far as known.
        is_located: whether a candidate near the failure, or the input in generic form, fails.
        milestones: the small programs that were accepted so far, oldest first.
        input_level: the last program in the dialects of the input, if the document is in others.
        on_return: is called with an earlier program that has become the best again.
        confirmed: the best on which the full command is known to fail, first what has `begun`.
    """

    document: Module | PlainText
    source: str
    original: Module | None = None
    is_located: bool = False
    boundary: BoundaryTypes | None = None
    lower: list[Module] = field(default_factory=list)
    origins: Callable[[], Mapping[int, int]] = dict
    milestones: list[Milestone] = field(default_factory=list)
    input_level: InputLevel | None = None
    on_return: Callable[[Module], None] = lambda document: None
    begun: InitVar[PlainText | None] = None
    confirmed: Module | PlainText = field(init=False)
    _before: _Before | None = field(default=None, init=False)

    def __post_init__(self, begun: PlainText | None) -> None:
        self.confirmed = self.document if begun is None else begun
        if self.boundary is None and isinstance(self.document, Module):
            self.boundary = BoundaryTypes.of(self.document)

    @property
    def module(self) -> Module:
        """The document, for stages that apply only to modules."""
        assert isinstance(self.document, Module)
        return self.document

    @property
    def module_boundary(self) -> BoundaryTypes:
        """The boundary types, which every module document has."""
        assert self.boundary is not None
        return self.boundary

    @property
    def is_provisional(self) -> bool:
        """Whether the full command must still be seen to fail on the document."""
        return self._before is not None

    @property
    def accepted(self) -> Module | PlainText:
        """The last program that was accepted, if only provisionally."""
        return self.document if self.is_provisional else self.confirmed

    def accept(self, document: Module | PlainText, *, provisional: bool = False) -> None:
        """Make a better document the best."""
        if provisional and not self.is_provisional and document is not self.confirmed:
            milestones = [*self.milestones]
            self._before = self.document, self.boundary, self.input_level, milestones
        self.document = document
        if not provisional:
            self.confirm()

    def confirm(self) -> None:
        """The full command fails on the document."""
        self.confirmed, self._before = self.document, None

    def roll_back(self) -> None:
        """Undo what was accepted, and gone down to, since the last confirmation."""
        if self._before is not None:
            self.document, self.boundary, self.input_level, self.milestones = self._before
            self._before = None

    def milestone(self, asked: Judge) -> Milestone:
        """The present program, which this judge has accepted, as one to return to."""
        return Milestone(self.module, asked, self.module_boundary)

    def return_to(self, step: Milestone) -> None:
        """Make an earlier program, which is known to fail, the best again."""
        self.accept(step.document)
        self.boundary = step.boundary
        self.on_return(step.document)
        if step in self.milestones:
            del self.milestones[self.milestones.index(step) + 1 :]
        else:
            self.milestones = [step]


@dataclass
class Judging:
    """How programs are judged.

    Attributes:
        first: the outcome of the input.
        full: the full command with all that holds for candidates; whatever else judges is a view.
        provisional: judges candidates of a stage whose results are confirmed later; None otherwise.
        noted_phase: the number of the phase in which the input failed, if that was noted.
        phase: the same for the last program that was asked about.
        trusts: whether one judge of results is believed until there is a result.
        short: the short limits for candidates, if the failure is a hang or runaway memory in a
            known pass; what is accepted under them is provisional.
        flaky: how often the failure occurs, if it is intermittent.
        health: where else the programs of this reduction compile; None if that is not asked.
    """

    first: Outcome
    full: Judge
    short: ShortLimits | None = None
    flaky: Flakiness | None = None
    health: HealthCheck | None = None
    provisional: Judge | None = None
    trusts: bool = True
    noted_phase: int | None = None
    phase: int | None = field(init=False)

    def __post_init__(self) -> None:
        self.phase = self.noted_phase

    @property
    def exhausts(self) -> bool:
        """Whether the failure is a run that reaches a limit; such a run may only be slow."""
        return self.first.signature.kind.traits.costly

    @property
    def hangs(self) -> bool:
        """Whether the failure is a run that exceeds the time limit."""
        return self.first.signature.kind.traits.out_of_time

    @property
    def is_short(self) -> bool:
        """Whether candidates are judged under short limits."""
        return self.short is not None and self.short.are_short

    @property
    def oracle(self) -> Oracle:
        """Runs the full command."""
        return self.full.oracle

    @property
    def candidates(self) -> Judge:
        """Judges candidates of the current stage: what it takes may become the best."""
        # What is not confirmed later must not be just slow.
        return self.provisional or self.results

    @property
    def results(self) -> Judge:
        """Judges what must not be just slow: the full command with a limit that tells a hang.

        That is the plain limit if it is many times longer than the short one.
        """
        waits = self.hangs and not self.is_short
        return self.full.with_(patience=HANG_PATIENCE) if waits else self.full

    @property
    def probing(self) -> Judge:
        """Finds out about a program that is known to fail, in as little time as possible."""
        short = self.short if self.is_short else None
        if short is not None:
            return short.view(self.full)
        alone = self._unconfirmed
        return self.full if alone is None else self.full.with_(oracle=alone)

    @property
    def is_hasty(self) -> bool:
        """Whether `probing` takes some slow runs for hangs, or the word of one judge of results, so
        that a result must be confirmed.
        """
        waits = self.is_short or (self.hangs and self.full.query.patience == 1)
        return waits or self._unconfirmed is not None

    @property
    def _unconfirmed(self) -> Oracle | None:
        results = capabilities_of(self.oracle).results if self.trusts else None
        return None if results is None else results.unconfirmed

    def has(self, name: ConditionName) -> bool:
        """Whether a condition holds for the candidates by now."""
        return self.full.query.conditions.get(name) is not None
