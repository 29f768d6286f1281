"""Read the frames of a crash stack: libraries, offsets in them, and functions.

LLVM prints a stack in several ways: with names (if it found a symbolizer), with exported names,
with raw addresses, or as glibc does (builds of old releases). All give the same frames here:
addresses are looked up in the library's own symbol table once its load address is determined.

A program that prints no stack of its own may run under gdb:

    #0  0x00007ffff045e908 in a::f(int) const () from /opt/lib/libA.so
    #1  0x00005555555551e3 in ?? () from /opt/lib/libA.so
    #2  0x00007ffff7ba6ce3 in call (object=0x7fff0, args=<optimized out>) at a.c:12
    #3  outer (object=0x7fff0) at a.c:34

The last has no address: what is above it was inlined into it. Nor has the first if the program
stops at the beginning of a line. Julia, which loads MLIR as a library, prints these lines below its
words about a signal; without such a head, they are taken for other text:

    [27590] signal 11 (1): Segmentation fault
    in expression starting at /a/b.jl:53
    _ZNK1a1B1fEv at /opt/lib/libA.so (unknown line)
    inner at /src/a.cpp:12 [inlined]
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from oracles.rows import pattern_of, row_of
from oracles.stacks.dispatching import function_of, run_by_threads, verifies
from oracles.stacks.function_names import demangle
from oracles.stacks.symbols import Symbols

_JULIA_HEAD = row_of(
    r"^(?:\[\d+\] )?signal \d+ \(\d+\): [^\n]*\n", "julia/get-defining-op", flags=re.M
)
_JULIA_LINE = pattern_of(
    (r" \((?P<unknown>unknown line)\)", "julia/get-defining-op"),
    (r":\d+", "julia/arg-attr"),
    within=r"^(?P<name>\S[^\n]*?) at (?P<path>\S[^\n]*?)(?:{rows})$",
)
_JULIA_BEFORE = "in expression starting at "
_JULIA_INLINED = " [inlined]"
_JULIA_UNNAMED = "unknown function "


def functions_of_julia(text: str) -> Iterator[tuple[str, str]]:
    """The function and the library of each line of the first such stack, innermost first.

    Either may be ''. What is inlined does not count, since other builds print no line for it.

    """
    head = _JULIA_HEAD.search(text) if "signal " in text else None
    for line in text[head.end() :].splitlines() if head else ():
        if line.startswith(_JULIA_BEFORE) or line.endswith(_JULIA_INLINED):
            continue
        if line.startswith(_JULIA_UNNAMED):
            yield "", ""
        elif match := _JULIA_LINE.match(line):
            yield match["name"], match["path"].rpartition("/")[2] if match["unknown"] else ""
        else:
            return


INLINED_INTO = row_of(r"^#(?P<n>\d+) +(?!0x)(?P<rest>\S.* \(.*\) at \S+:\d+)$", "sanitizers/gdb")
"""One without an address, such as what contains an inlined function; `rest` is for
`place_of_gdb`."""
_GDB_PLACE = row_of(
    r"(?P<name>\S.*?) \((?:\w+=.*)?\)(?: from (?P<path>\S+)| at \S+:\d+)?(?:, .*)?$",
    "sanitizers/gdb",
)
_GDB_UNKNOWN = "??"


def place_of_gdb(rest: str) -> tuple[str, str] | None:
    """The function and the library in what follows an address; None if it is not gdb's.

    >>> place_of_gdb("a::f(int) const () from /opt/lib/libA.so")
    ('a::f(int) const', 'libA.so')
    >>> place_of_gdb("a::f(int) (/opt/lib/libA.so+0x12)")
    """
    match = _GDB_PLACE.match(rest)
    if match is None:
        return None
    name = "" if match["name"] == _GDB_UNKNOWN else match["name"]
    return name, (match["path"] or "").rpartition("/")[2]


Resolver = Callable[[str], Symbols | None]
"""Finds the symbols of a library by file name (never by path: the text is not trusted)."""

MAX_STACK_FRAMES = 256
"""The frames that LLVM keeps of a stack."""

_LONGEST_FUNCTION = 1 << 20

_NAMED = row_of(
    r"(?:^|\s)#(?P<n>\d+)(?:\.\d+)? +0x(?P<address>[0-9a-fA-F]+) (?P<rest>.*)$",
    "sanitizers/use-after-free",
)
_RAW = row_of(
    r"^(?P<n>\d+)\s+(?P<module>\S+)\s+0x(?P<address>[0-9a-fA-F]+)"
    r"(?:\s+(?P<rest>.*?) \+ (?P<within>\d+))?\s*$",
    "apple/stack",
)
_THREAD_SANITIZER = row_of(
    r"^ +#(?P<n>\d+) (?!0x)"
    r"(?P<rest>\S.* \([^()\s]+\+0x(?P<address>[0-9a-f]+)\)(?: \(BuildId: [0-9a-f]*\))?)$",
    "sanitizers/race",
)
"""It prints no address, only the offset in the module."""
_GLIBC = row_of(
    r"^(?P<path>[^\s()\[]+)(?:\((?P<name>[^()\s+]*)(?:\+0x(?P<within>[0-9a-f]+))?\))?"
    + r"\[0x(?P<address>[0-9a-f]+)\]$",
    "mlir/glibc",
)
"""`backtrace_symbols_fd`; a program without parentheses has a fixed address."""
_LOGGED = row_of(r"^ *@ +0x(?P<address>[0-9a-f]+) +(?P<name>\S.*)$", "xla/shape-tree")
"""glog and Abseil."""
_VALGRIND = row_of(
    r"^==\d+== +(?P<how>at|by) 0x(?P<address>[0-9A-F]+): (?P<name>.+) "
    r"\((?:in (?P<path>\S+)|\S+)\)$",
    "sanitizers/valgrind",
)
"""It prints the address of a call, and others where that returns to: one byte further, or more."""
_IN_MODULE = row_of(
    r"\s*\((?P<path>[A-Za-z]:\\[^\n]*?|[^()\s]+)\+0x(?P<offset>[0-9a-fA-F]+)\)"
    r"(?: \(BuildId: [0-9a-f]*\))?\s*$",
    "sanitizers/segv-stripped",
)
_AT_SOURCE = row_of(
    r"\s+(?:(?:\S+|/[^()<>:]*|[A-Za-z]:\\[^<>:]*):\d+(?::\d+)?|/\S+\.\w+)\s*$", "flang/check"
)

_SYSTEM_MODULE = row_of(
    r"^(?:lib(?:c|pthread|stdc\+\+|c\+\+(?:abi)?|m|gcc_s|system_\w+|dyld)(?![\w+])|ld-|dyld\b"
    r"|linux-vdso|lib(?:hw)?[almtu]b?san(?![\w+])|libclang_rt\."
    r"|(?i:kernel(?:32|base)|ntdll|ucrtbased?|msvcrt|(?:vcruntime|msvcp)\w+)\.dll$)",
    "apple/stack",
)
_SYSTEM_SOURCE = row_of(
    r"\s\.{1,2}/(?:\S*/)?(?:nptl|csu|sysdeps)/", "complex-dot2/symbolised-3.13.0"
)


@dataclass(frozen=True)
class StackFrame:
    """One line of a stack dump, innermost first.

    `offset` is the offset in the module and `within` that in the function, if they are known. One
    `is_at_fault` if its address is known to be that of an instruction, to which no call returns.
    """

    address: int
    module: str = ""
    name: str = ""
    offset: int | None = None
    within: int | None = None
    is_at_fault: bool = False

    @property
    def is_system(self) -> bool:
        """Whether the frame belongs to a library of the operating system."""
        return bool(_SYSTEM_MODULE.match(self.module))


def parse_stack(stderr: str) -> list[StackFrame]:
    """The frames of the first stack dump in the text, one for each function called.

    With debug information, an inlined function has a line of its own with its caller's address; the
    caller's line, the last one of these, is what builds without debug information print.
    """
    frames: list[StackFrame] = []
    last = -1
    lines = stderr.splitlines()
    for line in lines:
        match = _numbered(line)
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
    if frames or (frames := _without_numbers(lines)):
        return frames
    found = (StackFrame(0, module, name) for name, module in functions_of_julia(stderr))
    return list(islice(found, MAX_STACK_FRAMES))


def is_frame(line: str) -> bool:
    """Whether a line is that of a frame, in one of the forms that take a line of their own."""
    return _numbered(line) is not None or _frame_without_number(line) is not None


def _numbered(line: str) -> re.Match[str] | None:
    match = _NAMED.search(line) or _RAW.match(line) or _THREAD_SANITIZER.match(line)
    return match or INLINED_INTO.match(line)


def _without_numbers(lines: Iterable[str]) -> list[StackFrame]:
    """The first run of lines in one of the forms that have no numbers."""
    frames: list[StackFrame] = []
    for line in lines:
        frame = _frame_without_number(line)
        if frame is not None and len(frames) < MAX_STACK_FRAMES:
            frames.append(frame)
        elif frames:
            break
    return frames


def _frame_without_number(line: str) -> StackFrame | None:
    if match := _GLIBC.match(line):
        return _glibc_frame(match)
    if match := _LOGGED.match(line):
        name = match["name"]
        return StackFrame(int(match["address"], 16), "", "" if name == "(unknown)" else name)
    if match := _VALGRIND.match(line):
        name, address = match["name"], int(match["address"], 16) + (match["how"] == "by")
        module = "libc" if name == "(below main)" else file_name(match["path"] or "")
        is_at_fault = match["how"] == "at"
        return StackFrame(address, module, "" if name == "???" else name, is_at_fault=is_at_fault)
    return None


def _glibc_frame(match: re.Match[str]) -> StackFrame:
    """Without a name, what is printed in parentheses is the offset in the module."""
    address, module = int(match["address"], 16), file_name(match["path"])
    printed = int(match["within"], 16) if match["within"] else None
    if match["name"]:
        return StackFrame(address, module, match["name"], None, printed)
    fixed = match["name"] is None
    return StackFrame(address, module, "", address if fixed else printed)


def file_name(path: str) -> str:
    """The last part of a path on any system.

    >>> file_name("/lib/libA.so"), file_name("C:\\\\bin\\\\a.exe")
    ('libA.so', 'a.exe')
    """
    return re.split(r"[/\\]", path)[-1]


def place_frames(frames: Sequence[StackFrame], resolver: Resolver) -> list[StackFrame]:
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


def _load_base(frames: Sequence[StackFrame], module: str, symbols: Symbols) -> int | None:
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
            if not frame.is_at_fault
        ]
    )


def name_frames(frames: Sequence[StackFrame], resolver: Resolver) -> list[str]:
    """The short names of the functions that frames stand for, innermost first; '' if unknown.

    A lambda may be inlined into the function that hands it to threads. That frame then stands for
    the lambda, and the next one for the end of a thread, as if another thread had called it.
    """
    frames = place_frames(frames, resolver)
    names: list[str] = []
    ended = ""
    for index, frame in enumerate(frames):
        # A return address may be the first byte of the next function, so look one byte before it.
        before = 0 if _is_fault(frames, index) else 1
        # The printed name is then that of the next function: a call that never returns comes last.
        name = "" if before and frame.within == 0 else frame.name
        home = frames[0].module == frame.module  # what it names comes from its exported names
        if frame.offset is not None and not frame.is_system and (home or not name):
            symbols = resolver(frame.module)
            name = (symbols and _name_at(symbols, frame.offset - before)) or name
        full = demangle(name)
        function = "" if frame.is_system else function_of(full)
        names.append(ended or run_by_threads(full) or function)
        ended = function if names[-1] != function and not ended else ""
    return names


def _is_fault(frames: Sequence[StackFrame], index: int) -> bool:
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


def place_of(frame: StackFrame) -> str:
    """The library of a frame, and the offset in it if that was printed; '' otherwise."""
    if frame.offset is None or frame.is_system:
        return ""
    return f"{frame.module}+{frame.offset:#x}"


_OFFSET = re.compile(r"[+-]0x[0-9a-f]+$")


def is_offset(frame: str) -> bool:
    """Whether a frame of a signature is an offset in a library instead of a function.

    >>> is_offset("libFoo.so+0x1a2b"), is_offset("a::f")
    (True, False)
    """
    return _OFFSET.search(frame) is not None


def _frame(match: re.Match[str], before: int) -> StackFrame:
    """The frame of a line; `before` is the address of the one before it."""
    groups = match.groupdict()
    rest = (groups["rest"] or "").removeprefix("in ")  # as sanitizers print it
    module = groups.get("module") or ""
    offset = None
    if gdb := place_of_gdb(rest):
        rest, module = gdb
    elif place := _IN_MODULE.search(rest):
        module = file_name(place["path"])
        rest = _AT_SOURCE.sub("", rest[: place.start()])
        offset = int(place["offset"], 16)
    else:
        module = module or ("libc" if _SYSTEM_SOURCE.search(rest) else "")
        rest = _AT_SOURCE.sub("", rest)
    within = int(groups["within"]) if groups.get("within") else None
    address = int(groups["address"], 16) if "address" in groups else before
    if within is not None and within > _LONGEST_FUNCTION:
        rest = ""  # the name of the last function before it that the library exports
    return StackFrame(address, module, rest.strip(), offset, within)
