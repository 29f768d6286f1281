"""Know a recursion that has used up the stack by the functions that call each other.

Where it ends is chance: any function that one of them calls may be the one for which no room is
left. Of such a stack, LLVM prints the innermost functions only, as many as it keeps.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from oracles.stacks.dispatching import is_dispatching
from oracles.stacks.frames import MAX_STACK_FRAMES, Frame, is_offset, place_of

_STACK_USED_UP = {
    "SIGSEGV": MAX_STACK_FRAMES,
    "AddressSanitizer: stack-overflow": 64,
}
"""What ends a program whose stack is used up, and the frames that are printed then at least.

A signal has other causes as well, and a sanitizer keeps fewer frames than LLVM.
"""

_MOST_OF_THE_STACK = 3 / 4


def shortest_recursion(template: str) -> int:
    """The frames of a stack that is used up, at least; 0 if a crash with this template is none."""
    return _STACK_USED_UP.get(template, 0)


def recursion_on_stack(
    frames: Sequence[Frame], names: Sequence[str], least: int = MAX_STACK_FRAMES
) -> tuple[str, ...]:
    """The functions that call each other, in an order that does not depend on where it ended.

    Offsets in libraries stand for functions without a name, and come last. Nothing if the stack was
    printed to its end, or does not consist of calls that repeat.
    """
    if len(frames) < least:
        return ()
    counts = Counter(map(_function, frames, names))
    most = max(counts.values())
    cycle = [function for function, count in counts.items() if count > most / 2]
    if sum(counts[function] for function in cycle) < _MOST_OF_THE_STACK * len(frames):
        return ()
    found = {_known(function, cycle) for function in cycle}
    functions = {function for function in found if not is_dispatching(function)} or found
    return tuple(sorted(functions, key=lambda function: (is_offset(function), function)))


def _function(frame: Frame, name: str) -> str | Frame:
    return name or place_of(frame) or Frame(frame.address, frame.module)


def _known(function: str | Frame, cycle: Iterable[str | Frame]) -> str:
    """The name or place of a function; if neither is known, its distance to the first of them."""
    if isinstance(function, str):
        return function
    others = (one for one in cycle if isinstance(one, Frame) and one.module == function.module)
    first = min(one.address for one in others)
    return f"{function.module}+{function.address - first:#x}"
