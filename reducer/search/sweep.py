"""One transformation over a whole document: all its sites, then ever smaller chunks, then singles.

This is the complement stage of delta debugging (Zeller & Hildebrandt, TSE 2002) without its
restarts: after a success the granularity is kept and the sweep goes on where it was, so one sweep
costs O(sites) calls (the observation behind OPDD, Gharachorlu & Sumner, QRS 2018).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic

from reducer.ir import D
from reducer.search.candidate import Candidate, is_nothing
from reducer.search.schedule import Edit, Schedule, edit_of
from reducer.search.state import SearchState
from reducer.transformations import Site, Transformation

_FEW = 8  # so few sites are tried one by one at once
_COARSEST = 4  # a chunk is at most this part of the sites: halves were tried by then


@dataclass
class SweepResult:
    """What a sweep did: whether it made progress, and how many edits it put off."""

    progress: bool = False
    deferred: int = 0


@dataclass
class _Chunks:
    """What was offered in one go, in order: each candidate's first site, and its edit."""

    starts: list[int] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)


def sweep(
    state: SearchState[D],
    transformation: Transformation[D],
    *,
    fine: bool = False,
    schedule: Schedule | None = None,
    again: bool = False,
) -> SweepResult:
    """Applies a transformation wherever the failure survives it.

    Args:
        fine: start at single sites, for a document that an earlier sweep went over in chunks.
        schedule: remembers what fails; a new one if None.
        again: also try what has failed in the same neighbourhood before.
    """
    run = _Sweep(state, transformation, schedule or Schedule(), again)
    for size in _sizes(len(transformation.sites(state.document)), transformation.all_at_once, fine):
        run.over(size)
    return run.swept


def _sizes(sites: int, all_at_once: bool, fine: bool) -> list[int]:
    """Chunk sizes, from coarse to one."""
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
        """Tries chunks of one size from the last site to the first."""
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
        """Candidates for the chunks before `position`, each noted in `offered`."""
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
