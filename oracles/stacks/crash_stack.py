"""Extract from a crash stack the functions that identify a bug, or offsets of unnamed ones.

A recursion that has used up the stack is known by the functions that call each other. Where it ends
is chance: any function that one of them calls may be the one for which no room is left. Of such a
stack, LLVM prints the innermost functions only, as many as it keeps.

Without local symbols, functions are told apart by where they begin. MLIR's own passes are in
unnamed namespaces, and so a release build that is stripped names none of them on a stack. But what
the pass manager calls is a pass, and where its function begins in the library is as good as a name,
within one build. The address of the innermost frame is that of the instruction that failed. A
program that follows a wild pointer fails at this one or the next, by chance, and a smaller program
may fail at another use of the same pointer. With names, all of these are in one function; so they
are here.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from oracles.rows import row_of
from oracles.stacks.core_ir import is_accessor
from oracles.stacks.dispatching import (
    distinctive,
    ends_stack,
    is_core_driver,
    is_dispatching,
    is_driver,
    starts_thread,
    verifies,
)
from oracles.stacks.dispatching_functions import PASS_ADAPTOR
from oracles.stacks.frames import MAX_STACK_FRAMES, Resolver, StackFrame, is_offset, place_of
from oracles.stacks.function_names import demangle

SIGNATURE_FRAMES = 3
"""The frames in a signature; lower ones depend more on how the bug was reached than on the bug."""

_HANDLER_DEPTH = 12  # the signal handler, its trampoline and the raising function come first
_OFFSETS = 8
_PAGE = 0xFFF
_SOURCE_FILE = 1 << 16
"""The bytes of code within which functions are in one source file, roughly."""

_PASS_BODY = "::runOnOperation"
_ANNOUNCED = row_of(r"^Stack dump:$", "mlir/stack-is-full", flags=re.M)


@dataclass(frozen=True)
class CrashStack:
    """What distinguishes a crash, innermost first: functions, or offsets in libraries.

    `origin` is the last of them before the first driver: the pattern, hook or pass that crashed.
    It is known in a stripped build only, by its offset; where all functions have names, the
    innermost ones say enough. If the crash is `after_pass`, it is in the check of what a pass left:
    the functions describe the op that the check met, and only the pass is at fault. A stack is
    `lost` if the handler of the crash began to print it and could not: endless recursion has used
    it up. It is `cut` if not all of it was printed, or nothing: a thread that has used up its own
    stack prints none, and a handler is killed if another thread crashes meanwhile.
    """

    frames: tuple[str, ...] = ()
    origin: str = ""
    after_pass: bool = False
    lost: bool = False
    cut: bool = False

    @property
    def top(self) -> tuple[str, ...]:
        """The frames in a signature."""
        top = self.frames[:SIGNATURE_FRAMES]
        return top if not self.origin or self.origin in top else (*top, self.origin)


NO_CRASH = CrashStack()
LOST = CrashStack(lost=True)


def is_cut(frames: Sequence[StackFrame]) -> bool:
    """Whether a stack ends before the function that started the program or thread.

    A program that is interrupted at any moment may be between two functions, in a jump from one
    library to the other, from where nobody knows the way back.
    """
    after = [frame.is_system for frame in frames]
    handled = after.index(True) if True in after else len(after)
    inside = after.index(False, handled) if False in after[handled:] else len(after)
    return 0 < len(frames) < MAX_STACK_FRAMES and True not in after[inside:]


def announces_stack(stderr: str) -> bool:
    """Whether the handler of a crash says that a stack follows."""
    return _ANNOUNCED.search(stderr) is not None


def crash_stack(
    frames: Sequence[StackFrame],
    names: Sequence[str],
    *,
    says_why: bool,
    says_where: bool = False,
    handled: bool = True,
) -> CrashStack:
    """The frames of a crash that distinguish bugs.

    A function without a name is as good as one with a name, within one build. But nobody knows
    whether it is a driver, so it counts only as long as no driver has called what is above it, and
    never if it is in the source file of one. If nothing is left, all offsets count. If no driver
    has a name, the innermost offsets count: the outermost are those of a thread, which depends on
    how many functions there are.

    Args:
        names: the names of the frames' functions.
        says_why: whether the output has a message as well. Without one, a pass in which only a
            driver crashes is not distinctive either.
        says_where: whether the message is source text of the compiler, which any build prints
            alike. Then named functions are enough, so that builds can be compared.
        handled: whether the handler of a signal prints the stack, so that it is on top. A sanitizer
            begins with the function at fault, and so does Windows.
    """
    handled = handled and not (frames and frames[0].module.endswith((".exe", ".dll")))
    after = _is_after_pass(names)
    named, origin = [*names], ""
    crashed = _crashed(frames, names, handled)
    known_end = crashed.stop < len(frames) and not starts_thread(names[crashed.stop])
    drivers = [
        one for one in frames if one.offset is not None and is_core_driver(demangle(one.name))
    ]
    for index in () if says_where else crashed:
        if is_driver(names[index]) and origin:
            known_end = True
            break
        if not names[index] and any(map(partial(_is_near, frames[index]), drivers)):
            continue  # it has no name, and is in the source file of a driver
        named[index] = names[index] or place_of(frames[index])
        if says_something(named[index]) and not is_dispatching(named[index]):
            origin = named[index]
    functions = distinctive(named)
    if not known_end and any(map(is_offset, functions)):
        functions, origin = functions[:_OFFSETS], ""
    if any(map(says_something, functions)) and (says_why or not _only_drives(names, functions)):
        return CrashStack(functions, origin if any(map(is_offset, functions)) else "", after)
    return CrashStack(_offsets(frames, names, crashed) or functions, after_pass=after)


def _is_near(frame: StackFrame, other: StackFrame) -> bool:
    """Whether two functions of a library are probably in one source file."""
    if frame.offset is None or other.offset is None or frame.module != other.module:
        return False
    return abs(frame.offset - other.offset) < _SOURCE_FILE


def _is_after_pass(names: Sequence[str]) -> bool:
    """Whether the adaptor that runs passes called the verifier, and no pass was running.

    With several functions, the verifier checks each on a worker, whose stack does not say who
    called the verifier.
    """
    called = [name for name in names if name]
    end = next((index for index, name in enumerate(called) if ends_stack(name)), 0)
    if end == 0 or not verifies(called[end - 1]):
        return False
    return called[end].startswith(PASS_ADAPTOR) or starts_thread(called[end])


def _crashed(frames: Sequence[StackFrame], names: Sequence[str], handled: bool) -> range:
    """The frames below the signal handler, as far as they say something about the crash."""
    first = 0
    if handled:
        first = next((index for index, one in enumerate(frames) if one.is_system), len(frames))
    if first >= _HANDLER_DEPTH:
        return range(0)
    start = next(
        (index for index in range(first, len(frames)) if not frames[index].is_system), len(frames)
    )
    end = next((index for index in range(start, len(frames)) if ends_stack(names[index])), None)
    return range(start, len(frames) if end is None else end)


def _only_drives(names: Sequence[str], functions: Sequence[str]) -> bool:
    """Whether the only function is that of a pass, and the crash is in a driver that it calls."""
    if len(functions) > 1 or not functions[0].endswith(_PASS_BODY):
        return False
    called = names[: names.index(functions[0])]
    return any(map(is_driver, called))


def says_something(function: str) -> bool:
    """Whether a function that is not dispatching is at fault, given its short name or offset.

    >>> says_something("mlir::Type::getContext"), says_something("libMLIR.so+0x1a2b")
    (False, True)
    """
    return bool(function) and not is_accessor(function)


def names_culprit(frame: str) -> bool:
    """Whether a frame of a signature is a function that is at fault in any build.

    >>> names_culprit("mlir::Type::getContext"), names_culprit("libFoo.so+0x1a2b")
    (False, False)
    """
    return says_something(frame) and not is_offset(frame)


def _offsets(
    frames: Sequence[StackFrame], names: Sequence[str], crashed: Iterable[int]
) -> tuple[str, ...]:
    """The location of a crash that no function describes: libraries and offsets in them.

    Addresses change from run to run. If no offset is printed, distances within one library do not,
    nor does the offset in a page. So an offset is then relative to the stack printer in its
    library, and in other libraries to the page of their first frame. Frames without a name come
    first: what has a name dispatches.
    """
    own = [
        (frames[index], names[index])
        for index in crashed
        if frames[index].module and not frames[index].is_system
    ]
    origins = {frames[0].module: frames[0].address} if frames else {}
    offsets: list[str] = []
    for frame, _ in [pair for pair in own if not pair[1]] or own:
        origin = origins.setdefault(frame.module, frame.address & ~_PAGE)
        offset = place_of(frame) or f"{frame.module}{frame.address - origin:+#x}"
        if offset not in offsets:
            offsets.append(offset)
    return tuple(offsets[:_OFFSETS])


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
    frames: Sequence[StackFrame], names: Sequence[str], least: int = MAX_STACK_FRAMES
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


def _function(frame: StackFrame, name: str) -> str | StackFrame:
    return name or place_of(frame) or StackFrame(frame.address, frame.module)


def _known(function: str | StackFrame, cycle: Iterable[str | StackFrame]) -> str:
    """The name or place of a function; if neither is known, its distance to the first of them."""
    if isinstance(function, str):
        return function
    others = (one for one in cycle if isinstance(one, StackFrame) and one.module == function.module)
    first = min(one.address for one in others)
    return f"{function.module}+{function.address - first:#x}"


_CALLER = f"{PASS_ADAPTOR}::run"


def places_of_passes(
    frames: Sequence[StackFrame], names: Sequence[str], resolver: Resolver
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


def _place(frame: StackFrame, resolver: Resolver) -> str:
    """Where the function begins, since the frame only says which of its calls is running."""
    offset = frame.offset or 0
    symbols = resolver(frame.module)
    start = symbols.start_of(offset - 1) if symbols else None
    return f"{frame.module}+{offset if start is None else start:#x}"


def at_its_function(
    frames: Sequence[StackFrame], names: Sequence[str], resolver: Resolver, *, handled: bool = True
) -> list[StackFrame]:
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


def _after_signal(frames: Sequence[StackFrame]) -> int | None:
    """The index of the frame below that of the signal, if there may be one."""
    signal = next((index for index, frame in enumerate(frames) if frame.is_system), len(frames))
    return signal + 1 if signal else None
