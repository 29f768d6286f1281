"""Apply one transformation throughout a document: to all sites, to ever smaller chunks, to singles.

This is the complement stage of delta debugging (Zeller & Hildebrandt, TSE 2002) without restarts:
after a success, the sweep keeps its granularity and continues at the same position, so one sweep
costs O(sites) oracle calls (the observation behind OPDD, Gharachorlu & Sumner, QRS 2018).
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

from reducer.ir import NONE, D, Module
from reducer.ir.functions import is_function
from reducer.search.candidate import Candidate
from reducer.search.conditions import FAILED_BEFORE, Refused
from reducer.search.plan import Answer, Once, Plan, Proposal, Then
from reducer.search.schedule import SAME_AGAIN, Edit, Schedule, at_signature, edit_of
from reducer.search.state import SearchState
from reducer.search.walk import walk
from reducer.transformations import Site, Transformation

_FEW = 8  # up to this many sites are tried one by one right away
_COARSEST = 4  # a chunk has at most 1/_COARSEST of the sites, since halves were tried before


def sweep(
    state: SearchState[D], transformation: Transformation[D], *, finest: int | None = None
) -> bool:
    """Apply a transformation wherever that keeps the failure.

    Args:
        finest: try no chunks smaller than this fraction of the sites (8 for an eighth).

    Returns:
        Whether that made progress.
    """
    plan = SweepPlan.whole(state, state.document, transformation, Schedule())
    if finest is not None:
        least = len(_sites(transformation, state.document)) // finest
        plan = replace(plan, sizes=tuple(size for size in plan.sizes if size >= least))
    return walk(plan, state)


def _sites(transformation: Transformation[D], document: D) -> list[Site]:
    """All sites of a transformation, found once: a sweep asks for them again and again."""
    find: Callable[[Any], list[Site]] = transformation.sites
    return document.derived(find) if isinstance(document, Module) else find(document)


def _sizes(sites: int, all_at_once: bool, fine: bool) -> tuple[int, ...]:
    """The chunk sizes to try, in decreasing order down to 1."""
    if sites == 0:
        return ()
    sizes = [sites] if all_at_once and sites > 1 else []
    size = sites // _COARSEST
    while not fine and size > 1 and sites > _FEW:
        sizes.append(size)
        size //= 2
    return (*sizes, 1)


@dataclass(frozen=True)
class _Chunk:
    """Sites to edit together, from the one with the number `start` on."""

    start: int
    sites: Sequence[Site]
    edit: Edit
    has_failed: bool


def _chunks(
    transformation: Transformation[D], document: D, schedule: Schedule, position: int, size: int
) -> Iterator[_Chunk]:
    """The chunks of one size before a position. It refers to no plan that refers to it."""
    sites = _sites(transformation, document)
    while position > 0:
        low = max(0, position - size)
        chunk = sites[low:position]
        edit = edit_of(transformation, document, chunk)
        yield _Chunk(low, chunk, edit, schedule.has_failed(edit))
        position = low


@dataclass(frozen=True)
class SweepPlan(Plan[D]):
    """The rest of a sweep: chunks of the size `sizes[level]` before `position`, from the last on.

    Attributes:
        again: whether edits that have failed in the same neighborhood are tried, too.
        deferred: whether some were not.
    """

    is_screened: ClassVar[bool] = True

    state: SearchState[D]
    document: D
    transformation: Transformation[D]
    schedule: Schedule
    again: bool
    sizes: tuple[int, ...]
    level: int
    position: int
    progress: bool = field(default=False, compare=False)
    deferred: bool = field(default=False, compare=False)
    then: Then[D] = field(default=lambda document, progress, deferred: None, compare=False)

    @staticmethod
    def whole(
        state: SearchState[D],
        document: D,
        transformation: Transformation[D],
        schedule: Schedule,
        *,
        again: bool = False,
        fine: bool = False,
        then: Then[D] = lambda document, progress, deferred: None,
    ) -> "SweepPlan[D]":
        """A sweep from its beginning.

        Args:
            fine: start with single sites, because an earlier sweep has tried larger chunks.
        """
        sites = len(_sites(transformation, document))
        sizes = _sizes(sites, transformation.all_at_once, fine)
        return SweepPlan(
            state, document, transformation, schedule, again, sizes, 0, sites, then=then
        )

    def candidates(self) -> Iterator[Proposal[D] | Refused]:
        for chunk in self._chunks:
            made = self._made(chunk)
            if isinstance(made, Candidate):
                chance = SAME_AGAIN if chunk.has_failed else None
                place = chunk.start, chunk.edit
                yield Proposal(made, place, chance, self._identity(chunk.sites))
            elif made is not None:
                yield made

    def learn(self, failed: Sequence[tuple[int, Edit]], accepted: Candidate[D] | None) -> None:
        gained = None if accepted is None else len(self.document.text) - len(accepted.text)
        self.schedule.learn(self.transformation.name, [edit for _, edit in failed], gained)

    def if_accepted(
        self, place: tuple[int, Edit], candidate: Candidate[D], refused: Sequence[Answer]
    ) -> Plan[D] | None:
        document = candidate.document
        position = min(place[0], len(_sites(self.transformation, document)))
        return replace(self, document=document, position=position, progress=True)

    def if_refused(self, refused: Sequence[Answer]) -> Plan[D] | None:
        left_out = not self.again and any(chunk.has_failed for chunk in self._chunks)
        deferred = self.deferred or left_out
        if self.level + 1 < len(self.sizes):
            position = len(_sites(self.transformation, self.document))
            return replace(self, level=self.level + 1, position=position, deferred=deferred)
        return self.then(self.document, self.progress, deferred)

    @cached_property
    def _chunks(self) -> Once[_Chunk]:
        """What is edited, as far as it was asked for, and what was known about it then."""
        size = self.sizes[self.level] if self.sizes else 0
        return Once(_chunks(self.transformation, self.document, self.schedule, self.position, size))

    def _identity(self, chunk: Sequence[Site]) -> Hashable:
        """What is edited, in words that stay the same when the program changes elsewhere."""
        document = self.document
        if not isinstance(document, Module):
            return None
        if len(chunk) > 1 and len(chunk) == len(_sites(self.transformation, document)):
            return (self.transformation.name, "everywhere")
        if len(chunk) > _FEW:
            return None
        return (self.transformation.name, *(_name(document, site) for site in chunk))

    def _made(self, chunk: _Chunk) -> Candidate[D] | Refused | None:
        name = self.transformation.name
        if chunk.has_failed and not self.again:
            return Refused(name, FAILED_BEFORE)
        edit = partial(self.transformation.apply, self.document, chunk.sites)
        return self.state.made(edit, name, self.document)


def _name(module: Module, site: Site) -> tuple[Hashable, ...]:
    """What a site is known by, also after edits of operands, attributes, and types elsewhere."""
    t, op = module.t, site.op
    if op == NONE:
        return (site.name, site.number)
    if is_function(module, op):
        return (site.name, *at_signature(module, site))
    if t.num_results[op]:
        return t.name[op], module.tokens[t.first_result[op]], site.number, site.name
    return module.header(op), site.number, site.name
