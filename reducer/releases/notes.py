"""How a command was adapted to the releases: each change once, with the range that has it."""

from collections.abc import Sequence

from reducer.releases.query import ReleaseResult


def adaptations(results: Sequence[ReleaseResult]) -> list[tuple[str, str]]:
    """Each note about several releases, and the releases that it holds for, in words.

    `results` are in the order of the line. Releases that could not be run say nothing, so they do
    not interrupt a range.
    """
    ran = [result for result in results if result.flags]
    notes = dict.fromkeys(note for result in ran for note in result.notes if note)
    return [(note, _range([note in result.notes for result in ran], ran)) for note in notes]


def _range(holds: Sequence[bool], ran: Sequence[ReleaseResult]) -> str:
    versions = [result.version for result, held in zip(ran, holds, strict=True) if held]
    first = holds.index(True)
    last = len(holds) - 1 - holds[::-1].index(True)
    from_start, to_end = first == 0, last == len(holds) - 1
    if not all(holds[first : last + 1]):
        return ", ".join(versions)
    if from_start and to_end:
        return "in every release"
    if from_start:
        return f"up to {versions[-1]}"
    if to_end:
        return f"from {versions[0]} on"
    return versions[0] if first == last else f"{versions[0]} to {versions[-1]}"
