"""Extract from a crash stack the functions that identify a bug, or offsets of unnamed ones.

LLVM prints a stack in several ways: with names (if it found a symbolizer), with exported names,
with raw addresses, or as glibc does (builds of old releases). All give the same frames here:
addresses are looked up in the library's own symbol table once its load address is determined.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from oracles.stacks.core_ir import is_accessor
from oracles.stacks.dispatching import (
    PASS_ADAPTOR,
    distinctive,
    ends_stack,
    function_of,
    is_core_driver,
    is_dispatching,
    is_driver,
    starts_thread,
    verifies,
)
from oracles.stacks.function_names import demangle
from oracles.stacks.gdb import INLINED_INTO, function_and_module
from oracles.stacks.symbols import Symbols

SIGNATURE_FRAMES = 3
"""The frames in a signature; lower ones depend more on how the bug was reached than on the bug."""

Resolver = Callable[[str], Symbols | None]
"""Finds the symbols of a library by file name (never by path: the text is not trusted)."""

MAX_STACK_FRAMES = 256
"""The frames that LLVM keeps of a stack."""

_HANDLER_DEPTH = 12  # the signal handler, its trampoline and the raising function come first
_OFFSETS = 8
_PAGE = 0xFFF
_SOURCE_FILE = 1 << 16
"""The bytes of code within which functions are in one source file, roughly."""
_NAMED = re.compile(r"(?:^|\s)#(?P<n>\d+)(?:\.\d+)? +0x(?P<address>[0-9a-fA-F]+) (?P<rest>.*)$")
_RAW = re.compile(
    r"^(?P<n>\d+)\s+(?P<module>\S+)\s+0x(?P<address>[0-9a-fA-F]+)"
    + r"(?:\s+(?P<rest>.*?) \+ (?P<within>\d+))?\s*$"
)
_THREAD_SANITIZER = re.compile(
    r"^ +#(?P<n>\d+) (?!0x)"
    r"(?P<rest>\S.* \([^()\s]+\+0x(?P<address>[0-9a-f]+)\)(?: \(BuildId: [0-9a-f]*\))?)$"
)
"""It prints no address, only the offset in the module."""
_GLIBC = re.compile(
    r"^(?P<path>[^\s()\[]+)(?:\((?P<name>[^()\s+]*)(?:\+0x(?P<within>[0-9a-f]+))?\))?"
    + r"\[0x(?P<address>[0-9a-f]+)\]$"
)
"""`backtrace_symbols_fd`; a program without parentheses has a fixed address."""
_IN_MODULE = re.compile(r"\s*\((?P<path>[^()\s]+)\+0x(?P<offset>[0-9a-fA-F]+)\)\s*$")
_BUILD = re.compile(r"\s*\(BuildId: [0-9a-f]*\)\s*$")
_AT_SOURCE = re.compile(r"\s+(?:(?:\S+|/[^()<>:]*):\d+(?::\d+)?|/\S+\.\w+)\s*$")

_SYSTEM_MODULE = re.compile(
    r"^(?:lib(?:c|pthread|stdc\+\+|c\+\+(?:abi)?|m|gcc_s|system_\w+|dyld)(?![\w+])|ld-|dyld\b"
    r"|linux-vdso)"
)
_PASS_BODY = re.compile(r"::runOnOperation$")
_SYSTEM_SOURCE = re.compile(r"\s\.{1,2}/(?:\S*/)?(?:nptl|csu|sysdeps)/")


@dataclass(frozen=True)
class Frame:
    """One line of a stack dump, innermost first.

    `offset` is the offset in the module and `within` that in the function, if they are known.
    """

    address: int
    module: str = ""
    name: str = ""
    offset: int | None = None
    within: int | None = None

    @property
    def is_system(self) -> bool:
        """Whether the frame belongs to a library of the operating system."""
        return bool(_SYSTEM_MODULE.match(self.module))


def parse_stack(stderr: str) -> list[Frame]:
    """The frames of the first stack dump in the text, one for each function called.

    With debug information, an inlined function has a line of its own with its caller's address; the
    caller's line, the last one of these, is what builds without debug information print.
    """
    frames: list[Frame] = []
    last = -1
    lines = stderr.splitlines()
    for line in lines:
        match = _NAMED.search(line) or _RAW.match(line) or _THREAD_SANITIZER.match(line)
        match = match or (INLINED_INTO.match(line) if frames else None)
        if match is None:
            continue
        number = int(match["n"])
        if number not in (last, last + 1):
            continue  # an interleaved dump of another thread, or a second dump
        if number == 0 and frames:
            continue
        if len(frames) == MAX_STACK_FRAMES:
            break
        last = number
        frame = _frame(match, frames[-1].address if frames else 0)
        if frames and frames[-1].address == frame.address:
            frames.pop()
        frames.append(frame)
    return frames or _glibc_stack(lines)


def _glibc_stack(lines: Iterable[str]) -> list[Frame]:
    """The first run of lines that have glibc's form, which has no numbers."""
    frames: list[Frame] = []
    for line in lines:
        match = _GLIBC.match(line)
        if match is not None and len(frames) < MAX_STACK_FRAMES:
            frames.append(_glibc_frame(match))
        elif frames:
            break
    return frames


def _glibc_frame(match: re.Match[str]) -> Frame:
    """Without a name, what is printed in parentheses is the offset in the module."""
    address, module = int(match["address"], 16), match["path"].rsplit("/", 1)[-1]
    printed = int(match["within"], 16) if match["within"] else None
    if match["name"]:
        return Frame(address, module, match["name"], None, printed)
    fixed = match["name"] is None
    return Frame(address, module, "", address if fixed else printed)


def place_frames(frames: Sequence[Frame], resolver: Resolver) -> list[Frame]:
    """The frames with their offsets in libraries, as far as they are printed or follow from names.

    The first two frames are known functions, and so is every frame with a name: their addresses in
    the symbol table tell where the library was loaded. Without any, the calls before the return
    addresses do.
    """
    bases: dict[str, int | None] = {}
    for module in {frame.module for frame in frames if frame.module and frame.offset is None}:
        symbols = None if _SYSTEM_MODULE.match(module) else resolver(module)
        bases[module] = None if symbols is None else _load_base(frames, module, symbols)
    return [
        replace(frame, offset=frame.address - base)
        if frame.offset is None and (base := bases.get(frame.module)) is not None
        else frame
        for frame in frames
    ]


def _load_base(frames: Sequence[Frame], module: str, symbols: Symbols) -> int | None:
    if len(frames) > 1 and frames[0].module == module:
        base = symbols.load_base(frames[0].address, frames[1].address)
        if base is not None:
            return base
    for frame in frames:
        if frame.module == module and frame.name and frame.within is not None:
            base = symbols.base_of(frame.address - frame.within, frame.name)
            if base is not None:
                return base
    return symbols.base_of_returns(
        [
            frame.address
            for index, frame in enumerate(frames)
            if frame.module == module and not (index > 0 and frames[index - 1].is_system)
        ]
    )


def name_frames(frames: Sequence[Frame], resolver: Resolver) -> list[str]:
    """The short names of the functions that frames stand for, innermost first; '' if unknown."""
    frames = place_frames(frames, resolver)
    names: list[str] = []
    for index, frame in enumerate(frames):
        # A return address may be the first byte of the next function, so look one byte before it.
        before = 0 if _is_fault(frames, index) else 1
        name = frame.name
        home = frames[0].module == frame.module  # what it names comes from its exported names
        if frame.offset is not None and not frame.is_system and (home or not name):
            symbols = resolver(frame.module)
            name = (symbols and _name_at(symbols, frame.offset - before)) or name
        names.append("" if frame.is_system else function_of(demangle(name)))
    return names


def _is_fault(frames: Sequence[Frame], index: int) -> bool:
    """Whether the address of a frame is that of a fault: what is above it is the signal trampoline.

    Below more functions of the system, such as `raise` and `abort`, is the call of the last one.
    """
    above = [frame.is_system for frame in frames[max(0, index - 2) : index]]
    return above[-1:] == [True] and above != [True, True]


def _name_at(symbols: Symbols, address: int) -> str:
    """The name of the function at an address, or '' if it has none.

    What the verifier consists of goes by the name of its only exported function, since on a worker
    nothing else says that it is the verifier that runs.
    """
    name = symbols.name(address)
    before = "" if name else symbols.name_before(address)
    return before if before and verifies(function_of(demangle(before))) else name


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

_ANNOUNCED = re.compile(r"^Stack dump:$", re.M)


def is_cut(frames: Sequence[Frame]) -> bool:
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
    frames: Sequence[Frame], names: Sequence[str], *, says_why: bool, says_where: bool = False
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
    """
    after = _is_after_pass(names)
    known, origin = [*names], ""
    crashed = _crashed(frames, names)
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
        known[index] = names[index] or place_of(frames[index])
        if says_something(known[index]) and not is_dispatching(known[index]):
            origin = known[index]
    functions = distinctive(known)
    if not known_end and any(map(is_offset, functions)):
        functions, origin = functions[:_OFFSETS], ""
    if any(map(says_something, functions)) and (says_why or not _only_drives(names, functions)):
        return CrashStack(functions, origin if any(map(is_offset, functions)) else "", after)
    return CrashStack(_offsets(frames, names) or functions, after_pass=after)


def _is_near(frame: Frame, other: Frame) -> bool:
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


def _crashed(frames: Sequence[Frame], names: Sequence[str]) -> range:
    """The frames below the signal handler, as far as they say something about the crash."""
    handled = next((index for index, one in enumerate(frames) if one.is_system), len(frames))
    if handled >= _HANDLER_DEPTH:
        return range(0)
    start = next(
        (index for index in range(handled, len(frames)) if not frames[index].is_system), len(frames)
    )
    end = next((index for index in range(start, len(frames)) if ends_stack(names[index])), None)
    return range(start, len(frames) if end is None else end)


def place_of(frame: Frame) -> str:
    """The library of a frame, and the offset in it if that was printed; '' otherwise."""
    if frame.offset is None or frame.is_system:
        return ""
    return f"{frame.module}+{frame.offset:#x}"


def _only_drives(names: Sequence[str], functions: Sequence[str]) -> bool:
    """Whether the only function is that of a pass, and the crash is in a driver that it calls."""
    if len(functions) > 1 or not _PASS_BODY.search(functions[0]):
        return False
    called = names[: names.index(functions[0])]
    return any(map(is_driver, called))


def says_something(function: str) -> bool:
    """Whether a function that is not dispatching is at fault, given its short name or offset.

    >>> says_something("mlir::Type::getContext"), says_something("libMLIR.so+0x1a2b")
    (False, True)
    """
    return bool(function) and not is_accessor(function)


_OFFSET = re.compile(r"[+-]0x[0-9a-f]+$")


def is_offset(frame: str) -> bool:
    """Whether a frame of a signature is an offset in a library instead of a function.

    >>> is_offset("libFoo.so+0x1a2b"), is_offset("a::f")
    (True, False)
    """
    return _OFFSET.search(frame) is not None


def names_culprit(frame: str) -> bool:
    """Whether a frame of a signature is a function that is at fault in any build.

    >>> names_culprit("mlir::Type::getContext"), names_culprit("libFoo.so+0x1a2b")
    (False, False)
    """
    return says_something(frame) and not is_offset(frame)


def _offsets(frames: Sequence[Frame], names: Sequence[str]) -> tuple[str, ...]:
    """The location of a crash that no function describes: libraries and offsets in them.

    Addresses change from run to run. If no offset is printed, distances within one library do not,
    nor does the offset in a page. So an offset is then relative to the stack printer in its
    library, and in other libraries to the page of their first frame. Frames without a name come
    first: what has a name dispatches.
    """
    own = [
        (frames[index], names[index])
        for index in _crashed(frames, names)
        if frames[index].module and not frames[index].is_system
    ]
    origins = {frames[0].module: frames[0].address} if frames else {}
    found: list[str] = []
    for frame, _ in [pair for pair in own if not pair[1]] or own:
        origin = origins.setdefault(frame.module, frame.address & ~_PAGE)
        offset = place_of(frame) or f"{frame.module}{frame.address - origin:+#x}"
        if offset not in found:
            found.append(offset)
    return tuple(found[:_OFFSETS])


def _frame(match: re.Match[str], before: int) -> Frame:
    """The frame of a line; `before` is the address of the one before it."""
    groups = match.groupdict()
    rest = _BUILD.sub("", groups["rest"] or "").removeprefix("in ")  # as sanitizers print it
    module = groups.get("module") or ""
    offset = None
    if gdb := function_and_module(rest):
        rest, module = gdb
    elif place := _IN_MODULE.search(rest):
        module = place["path"].rsplit("/", 1)[-1]
        rest = _AT_SOURCE.sub("", rest[: place.start()])
        offset = int(place["offset"], 16)
    else:
        module = module or ("libc" if _SYSTEM_SOURCE.search(rest) else "")
        rest = _AT_SOURCE.sub("", rest)
    within = int(groups["within"]) if groups.get("within") else None
    address = int(groups["address"], 16) if "address" in groups else before
    return Frame(address, module, rest.strip(), offset, within)
