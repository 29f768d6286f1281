"""Apply one transformation throughout a document: to all sites, to ever smaller chunks, to singles.

This is the complement stage of delta debugging (Zeller & Hildebrandt, TSE 2002) without restarts:
after a success, the sweep keeps its granularity and continues at the same position, so one sweep
costs O(sites) oracle calls (the observation behind OPDD, Gharachorlu & Sumner, QRS 2018).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic

from reducer.ir import D
from reducer.search.candidate import Candidate, is_nothing
from reducer.search.schedule import Edit, Schedule, edit_of
from reducer.search.state import SearchState
from reducer.transformations import Site, Transformation

_FEW = 8  # up to this many sites are tried one by one right away
_COARSEST = 4  # a chunk has at most 1/_COARSEST of the sites, since halves were tried before


@dataclass
class SweepResult:
    """The result of a sweep: whether it made progress, and how many edits it deferred."""

    progress: bool = False
    deferred: int = 0


@dataclass
class _Chunks:
    """The candidates offered in one go: the first site and the edit of each, in order."""

    starts: list[int] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)


def sweep(
    state: SearchState[D],
    transformation: Transformation[D],
    *,
    fine: bool = False,
    schedule: Schedule | None = None,
    again: bool = False,
    finest: int | None = None,
) -> SweepResult:
    """Apply a transformation wherever that keeps the failure.

    Args:
        fine: start with single sites, because an earlier sweep has tried larger chunks.
        schedule: remembers failed edits; a new one if None.
        again: also try edits that have failed in the same neighborhood before.
        finest: try no chunks smaller than this fraction of the sites (8 for an eighth).
    """
    run = _Sweep(state, transformation, schedule or Schedule(), again)
    sites = len(transformation.sites(state.document))
    for size in _sizes(sites, transformation.all_at_once, fine):
        if finest is None or size >= sites // finest:
            run.over(size)
    return run.swept


def _sizes(sites: int, all_at_once: bool, fine: bool) -> list[int]:
    """The chunk sizes to try, in decreasing order down to 1."""
    if sites == 0:
        return []
    sizes = [sites] if all_at_once and sites > 1 else []
    size = sites // _COARSEST
    while not fine and size > 1 and sites > _FEW:
        sizes.append(size)
        size //= 2
    return [*sizes, 1]


class _Sweep(Generic[D]):
    def __init__(
        self,
        state: SearchState[D],
        transformation: Transformation[D],
        schedule: Schedule,
        again: bool,
    ) -> None:
        self.state = state
        self.transformation = transformation
        self.schedule = schedule
        self.again = again
        self.swept = SweepResult()

    def over(self, size: int) -> None:
        """Try chunks of one size, from the last site to the first."""
        state = self.state
        position = len(self.transformation.sites(state.document))
        while position > 0:
            offered = _Chunks()
            before = state.document
            hit = state.evaluator.first_interesting(
                self._candidates(size, position, offered), before
            )
            if hit is None:
                self._learn(offered.edits, None)
                return
            index, candidate = hit
            self._learn(offered.edits[:index], len(before.text) - len(candidate.text))
            state.accept(candidate)
            self.swept.progress = True
            position = min(offered.starts[index], len(self.transformation.sites(state.document)))

    def _learn(self, failed: list[Edit], gained: int | None) -> None:
        self.schedule.learn(self.transformation.name, failed, gained)

    def _candidates(self, size: int, position: int, offered: _Chunks) -> Iterator[Candidate[D]]:
        """The candidates for the chunks before `position`; records them in `offered`."""
        document = self.state.document
        sites = self.transformation.sites(document)
        while position > 0:
            low = max(0, position - size)
            chunk = sites[low:position]
            position = low
            edit = edit_of(self.transformation, document, chunk)
            if not self.again and self.schedule.has_failed(edit):
                self.swept.deferred += 1
                continue
            candidate = self._candidate(document, chunk)
            if candidate is not None and not is_nothing(candidate.document):
                offered.starts.append(low)
                offered.edits.append(edit)
                yield candidate

    def _candidate(self, document: D, chunk: Sequence[Site]) -> Candidate[D] | None:
        return self.state.candidate(
            lambda: self.transformation.apply(document, chunk), self.transformation.name
        )
