"""One transformation over a whole document: all its sites, then ever smaller chunks, then singles.

This is the complement stage of delta debugging (Zeller & Hildebrandt, TSE 2002) without its
restarts: after a success the granularity is kept and the sweep goes on where it was, so one sweep
costs O(sites) calls (the observation behind OPDD, Gharachorlu & Sumner, QRS 2018).
"""

from collections.abc import Iterator

from reducer.ir import D, GenericSyntaxError
from reducer.search.candidate import Candidate, weight
from reducer.search.state import State
from reducer.transformations import Transformation

_FEW = 8  # so few sites are tried one by one at once


def sweep(state: State[D], transformation: Transformation[D], *, fine: bool = False) -> bool:
    """Applies a transformation wherever the failure survives it.

    Args:
        fine: start at single sites, for a document that an earlier sweep went over in chunks.

    Returns:
        Whether anything was accepted.
    """
    progress = False
    for size in _sizes(len(transformation.sites(state.document)), transformation.all_at_once, fine):
        progress |= _pass(state, transformation, size)
    return progress


def _sizes(sites: int, all_at_once: bool, fine: bool) -> list[int]:
    """Chunk sizes, from coarse to one."""
    if sites == 0:
        return []
    sizes = [sites] if all_at_once and sites > 1 else []
    size = sites // 2
    while not fine and size > 1 and sites > _FEW:
        sizes.append(size)
        size //= 2
    return [*sizes, 1]


def _pass(state: State[D], transformation: Transformation[D], size: int) -> bool:
    """Tries chunks of one size from the last site to the first."""
    progress = False
    position = len(transformation.sites(state.document))
    while position > 0:
        starts: list[int] = []
        hit = state.evaluator.first_interesting(
            _chunks(state, transformation, size, position, starts), state.document
        )
        if hit is None:
            return progress
        index, candidate = hit
        state.accept(candidate)
        progress = True
        position = min(starts[index], len(transformation.sites(state.document)))
    return progress


def _chunks(
    state: State[D], transformation: Transformation[D], size: int, position: int, starts: list[int]
) -> Iterator[Candidate[D]]:
    """Candidates for the chunks before `position`; notes each one's first site in `starts`."""
    document = state.document
    sites = transformation.sites(document)
    bound = weight(document)
    while position > 0:
        low = max(0, position - size)
        text = transformation.apply(document, sites[low:position])
        position = low
        if text is None:
            continue
        try:
            smaller = state.parse(text)
        except GenericSyntaxError:
            continue
        if weight(smaller) < bound:
            starts.append(low)
            yield Candidate(smaller, transformation.name)
