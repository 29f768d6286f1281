"""Apply one transformation throughout a document: to all sites, to ever smaller chunks, to singles.

This is the complement stage of delta debugging (Zeller & Hildebrandt, TSE 2002) without restarts:
after a success, the sweep keeps its granularity and continues at the same position, so one sweep
costs O(sites) oracle calls (the observation behind OPDD, Gharachorlu & Sumner, QRS 2018).
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from reducer.ir import NONE, D, Module
from reducer.ir.functions import is_function
from reducer.search.candidate import Candidate
from reducer.search.plan import Ahead, Plan
from reducer.search.schedule import Edit, Schedule, at_signature, edit_of
from reducer.search.state import SearchState
from reducer.transformations import Site, Transformation

_FEW = 8  # up to this many sites are tried one by one right away
_COARSEST = 4  # a chunk has at most 1/_COARSEST of the sites, since halves were tried before


_SAME_AGAIN = 0.03  # the chance that an edit works that has failed in the same neighborhood


@dataclass
class SweepResult:
    """The result of a sweep: whether it made progress, and how many edits it deferred."""

    progress: bool = False
    deferred: int = 0


def sweep(
    state: SearchState[D],
    transformation: Transformation[D],
    *,
    fine: bool = False,
    schedule: Schedule | None = None,
    again: bool = False,
    finest: int | None = None,
    following: "Following[D] | None" = None,
) -> SweepResult:
    """Apply a transformation wherever that keeps the failure.

    Args:
        fine: start with single sites, because an earlier sweep has tried larger chunks.
        schedule: remembers failed edits; a new one if None.
        again: also try edits that have failed in the same neighborhood before.
        finest: try no chunks smaller than this fraction of the sites (8 for an eighth).
        following: what will be tried after this sweep, for workers that are ahead.
    """
    schedule = schedule or Schedule()
    swept = SweepResult()
    start = SweepPlan.whole(state, state.document, transformation, schedule, again, fine, following)
    if finest is not None:
        least = len(_sites(transformation, state.document)) // finest
        start = replace(start, sizes=tuple(size for size in start.sizes if size >= least))
    for level in range(len(start.sizes)):
        _sweep_over(state, replace(start, level=level), swept)
    return swept


def _sweep_over(state: SearchState[D], plan: "SweepPlan[D]", swept: SweepResult) -> None:
    """Try chunks of one size, from the last site to the first."""
    name, schedule = plan.transformation.name, plan.schedule
    position = len(_sites(plan.transformation, state.document))
    while position > 0:
        before = state.document
        plan = replace(
            plan, document=before, position=position, progress=swept.progress, offered=Offered()
        )
        ahead = replace(plan, offered=Offered())  # workers are further than the search
        hit = state.evaluator.first_interesting(
            (each.candidate for each in plan.candidates()), before, plan=ahead
        )
        offered = plan.offered
        swept.deferred += offered.deferred
        if hit is None:
            schedule.learn(name, offered.edits, None)
            return
        index, candidate = hit
        schedule.learn(name, offered.edits[:index], len(before.text) - len(candidate.text))
        state.accept(candidate)
        swept.progress = True
        position = min(offered.starts[index], len(_sites(plan.transformation, state.document)))


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


# ---- what a sweep asks, and in which order ---------------------------------------------------


@dataclass
class Offered:
    """The candidates offered in one go: the first site and the edit of each, in order.

    `deferred` counts the edits between them that were left out.
    """

    starts: list[int] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    deferred: int = 0


Following = Callable[[D, bool], Plan[D] | None]
"""What follows a sweep that ends with a document; the flag says whether it made progress."""


@dataclass(frozen=True)
class SweepPlan(Generic[D]):
    """The rest of a sweep over a document: chunks of the size `sizes[level]` before `position`."""

    state: SearchState[D]
    document: D
    transformation: Transformation[D]
    schedule: Schedule
    again: bool
    sizes: tuple[int, ...]
    level: int
    position: int
    progress: bool = field(default=False, compare=False)
    following: Following[D] | None = field(default=None, compare=False)
    offered: Offered = field(default_factory=Offered, compare=False)

    @staticmethod
    def whole(
        state: SearchState[D],
        document: D,
        transformation: Transformation[D],
        schedule: Schedule,
        again: bool,
        fine: bool,
        following: Following[D] | None,
    ) -> "SweepPlan[D]":
        """A sweep from its beginning."""
        sites = len(_sites(transformation, document))
        sizes = _sizes(sites, transformation.all_at_once, fine)
        return SweepPlan(
            state, document, transformation, schedule, again, sizes, 0, sites, following=following
        )

    def candidates(self) -> Iterator[Ahead[D]]:
        if not self.sizes:
            return
        sites = _sites(self.transformation, self.document)
        position, size = self.position, self.sizes[self.level]
        while position > 0:
            low = max(0, position - size)
            chunk = sites[low:position]
            position = low
            edit = edit_of(self.transformation, self.document, chunk)
            failed = self.schedule.has_failed(edit)
            if failed and not self.again:
                self.offered.deferred += 1
                continue
            candidate = self._candidate(chunk)
            if candidate is not None:
                self.offered.starts.append(low)
                self.offered.edits.append(edit)
                yield Ahead(candidate, _SAME_AGAIN if failed else None, self._identity(chunk))

    def if_accepted(self, index: int, candidate: Candidate[D]) -> Plan[D] | None:
        document = candidate.document
        position = min(self.offered.starts[index], len(_sites(self.transformation, document)))
        return replace(self, document=document, position=position, progress=True, offered=Offered())

    def if_rejected(self) -> Plan[D] | None:
        if self.level + 1 < len(self.sizes):
            position = len(_sites(self.transformation, self.document))
            return replace(self, level=self.level + 1, position=position, offered=Offered())
        return self.following(self.document, self.progress) if self.following else None

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

    def _candidate(self, chunk: Sequence[Site]) -> Candidate[D] | None:
        return self.state.candidate(
            lambda: self.transformation.apply(self.document, chunk),
            self.transformation.name,
            self.document,
        )


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
