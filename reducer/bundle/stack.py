"""The stack of a crash as people want to read it: what every crash has is folded."""

from oracles.frames import Resolver, meaningful_frames, name_frames, parse_stack

_SHOWN = 24  # frames; deeper ones never tell


def folded_stack(stderr: str, resolver: Resolver) -> tuple[str, ...]:
    """A line for each function that tells something, innermost first, others only counted.

    `resolver` gives the symbols of a library by its file name.
    """
    names = name_frames(parse_stack(stderr), resolver)
    lines: list[str] = []
    hidden = 0
    seen: set[str] = set()
    for number, name in enumerate(names):
        if not meaningful_frames([name]) or name in seen:
            hidden += 1
            continue
        if len(seen) == _SHOWN:
            hidden += len(names) - number
            break
        if hidden and lines:
            lines.append(_folded(hidden))
        hidden = 0
        seen.add(name)
        lines.append(f"#{number:<2} {name}")
    if hidden and lines:
        lines.append(_folded(hidden))
    return tuple(lines)


def _folded(count: int) -> str:
    return f"    … {count} frame{'s' * (count > 1)} of pass managers, threads and the like"
