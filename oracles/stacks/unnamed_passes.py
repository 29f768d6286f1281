"""Tell passes apart whose functions have no name, as in a tool without local symbols.

MLIR's own passes are in unnamed namespaces, and so a release build that is stripped names none of
them on a stack. But what the pass manager calls is a pass, and where its function begins in the
library is as good as a name, within one build.
"""

from collections.abc import Sequence
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
