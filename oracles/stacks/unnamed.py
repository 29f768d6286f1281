"""Tell functions without names apart by where they begin, as in a tool without local symbols.

MLIR's own passes are in unnamed namespaces, and so a release build that is stripped names none of
them on a stack. But what the pass manager calls is a pass, and where its function begins in the
library is as good as a name, within one build.

The address of the innermost frame is that of the instruction that failed. A program that follows a
wild pointer fails at this one or the next, by chance, and a smaller program may fail at another use
of the same pointer. With names, all of these are in one function; so they are here.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from oracles.stacks.dispatching_functions import PASS_ADAPTOR
from oracles.stacks.frames import Frame, Resolver

_CALLER = f"{PASS_ADAPTOR}::run"


def places_of_passes(
    frames: Sequence[Frame], names: Sequence[str], resolver: Resolver
) -> dict[int, str]:
    """For each frame that is the body of a pass without a name: the library, and where it begins.

    Args:
        frames: the stack, innermost first, with the offsets of the frames.
        names: the names of the frames' functions.
    """
    return {
        index: _place(frames[index], resolver)
        for index, (name, caller) in enumerate(pairwise(names))
        if not name and caller == _CALLER and frames[index].offset is not None
    }


def _place(frame: Frame, resolver: Resolver) -> str:
    """Where the function begins, since the frame only says which of its calls is running."""
    offset = frame.offset or 0
    symbols = resolver(frame.module)
    start = symbols.start_of(offset - 1) if symbols else None
    return f"{frame.module}+{offset if start is None else start:#x}"


def at_its_function(
    frames: Sequence[Frame], names: Sequence[str], resolver: Resolver, *, handled: bool = True
) -> list[Frame]:
    """The frames, of which that with the fault is where its function begins, if it has no name.

    It follows the only frame of the system, that of the signal. If there are more of them, the
    program stopped itself, and the frame says which call did so.

    Args:
        frames: the stack, innermost first, with the offsets of the frames.
        names: the names of the frames' functions.
        handled: whether the handler of a signal prints the stack. That of a sanitizer begins with
            the fault, or with the function of the system that was called there.
    """
    out = list(frames)
    fault = _after_signal(frames) if handled else 0
    if fault is None or fault >= len(frames) or frames[fault].is_system or names[fault]:
        return out
    frame = frames[fault]
    symbols = resolver(frame.module) if frame.offset is not None else None
    start = symbols.start_of(frame.offset or 0) if symbols else None
    if start is not None:
        out[fault] = replace(frame, offset=start)
    return out


def _after_signal(frames: Sequence[Frame]) -> int | None:
    """The index of the frame below that of the signal, if there may be one."""
    signal = next((index for index, frame in enumerate(frames) if frame.is_system), len(frames))
    return signal + 1 if signal else None
