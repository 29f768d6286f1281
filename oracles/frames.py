"""Extract from a crash stack the functions that identify a bug, or else offsets in libraries.

LLVM prints a stack in three ways: with names (if it found a symbolizer), with exported names, or
with raw addresses. All three give the same frames here: addresses are looked up in the library's
own symbol table once the load address of the library is determined.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oracles.dispatching import distinctive, ends_stack, function_of, is_driver
from oracles.function_names import demangle
from oracles.symbols import Symbols

SIGNATURE_FRAMES = 3
"""The frames in a signature; lower ones depend more on how the bug was reached than on the bug."""

Resolver = Callable[[str], Symbols | None]
"""Finds the symbols of a library by file name (never by path: the text is not trusted)."""

_MAX_STACK_FRAMES = 256
_HANDLER_DEPTH = 12  # the signal handler, its trampoline and the raising function come first
_OFFSETS = 8
_PAGE = 0xFFF
_NAMED = re.compile(r"(?:^|\s)#(?P<n>\d+)(?:\.\d+)? 0x(?P<address>[0-9a-fA-F]+) (?P<rest>.*)$")
_RAW = re.compile(
    r"^(?P<n>\d+)\s+(?P<module>\S+)\s+0x(?P<address>[0-9a-fA-F]+)(?:\s+(?P<rest>.*?) \+ \d+)?\s*$"
)
_IN_MODULE = re.compile(r"\s*\((?P<path>[^()\s]+)\+0x(?P<offset>[0-9a-fA-F]+)\)\s*$")
_AT_SOURCE = re.compile(r"\s+\S+:\d+(?::\d+)?\s*$")

_SYSTEM_MODULE = re.compile(
    r"^(?:lib(?:c|pthread|stdc\+\+|c\+\+|m|gcc_s|system_\w+|dyld)\b|ld-|dyld\b"
    r"|linux-vdso)"
)
_PASS_BODY = re.compile(r"::runOnOperation$")
_SYSTEM_SOURCE = re.compile(r"\s\.{1,2}/(?:\S*/)?(?:nptl|csu|sysdeps)/")


@dataclass(frozen=True)
class Frame:
    """One line of a stack dump, innermost first.

    `offset` is the offset in the module, if it was printed.
    """

    address: int
    module: str = ""
    name: str = ""
    offset: int | None = None

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
    for line in stderr.splitlines():
        match = _NAMED.search(line) or _RAW.match(line)
        if match is None:
            continue
        number = int(match["n"])
        if number not in (last, last + 1):
            continue  # an interleaved dump of another thread, or a second dump
        if number == 0 and frames:
            continue
        if len(frames) == _MAX_STACK_FRAMES:
            break
        last = number
        frame = _frame(match)
        if frames and frames[-1].address == frame.address:
            frames.pop()
        frames.append(frame)
    return frames


def name_frames(frames: list[Frame], resolver: Resolver) -> list[str]:
    """The short names of the functions that frames stand for, innermost first; '' if unknown."""
    home, base = _load_base(frames, resolver)
    names: list[str] = []
    for index, frame in enumerate(frames):
        name = frame.name
        # A return address may be the first byte of the next function, so look one byte
        # before it; the address below the signal trampoline is the fault itself.
        before = 0 if index > 0 and frames[index - 1].is_system else 1
        if home is not None and base is not None and frame.module == frames[0].module:
            name = home.name(frame.address - base - before) or name
        elif not name and frame.offset is not None and not frame.is_system:
            symbols = resolver(frame.module)
            name = symbols.name(frame.offset - before) if symbols is not None else ""
        names.append("" if frame.is_system else function_of(demangle(name)))
    return names


def crash_frames(
    frames: Sequence[Frame], names: Sequence[str], *, says_why: bool
) -> tuple[str, ...]:
    """The functions of a crash that distinguish bugs, innermost first.

    If there are none, offsets in the libraries (see `is_offset`). `names` are those of the frames;
    `says_why` is whether the output has a message as well. Without one, a pass in which only a
    driver crashes is not distinctive either.
    """
    functions = distinctive(names)
    if functions and (says_why or not _only_drives(names, functions)):
        return functions
    return _offsets(frames, names) or functions


def _only_drives(names: Sequence[str], functions: Sequence[str]) -> bool:
    """Whether the only function is that of a pass, and the crash is in a driver that it calls."""
    if len(functions) > 1 or not _PASS_BODY.search(functions[0]):
        return False
    called = names[: names.index(functions[0])]
    return any(map(is_driver, called))


_OFFSET = re.compile(r"[+-]0x[0-9a-f]+$")


def is_offset(frame: str) -> bool:
    """Whether a frame of a signature is an offset in a library instead of a function.

    >>> is_offset("libFoo.so+0x1a2b"), is_offset("a::f")
    (True, False)
    """
    return _OFFSET.search(frame) is not None


def _offsets(frames: Sequence[Frame], names: Sequence[str]) -> tuple[str, ...]:
    """The location of a crash that no function describes: libraries and offsets in them.

    Addresses change from run to run, but distances within one library do not, nor does the offset
    in a page. So an offset is relative to the stack printer in its library, and in other libraries
    to the page of their first frame. Frames without a name come first: what has a name dispatches.
    """
    system = [index for index, frame in enumerate(frames[:_HANDLER_DEPTH]) if frame.is_system]
    if not system:
        return ()
    origins = {frames[0].module: frames[0].address}
    own = []
    for frame, name in zip(frames[system[-1] + 1 :], names[system[-1] + 1 :], strict=True):
        if ends_stack(name):
            break
        if frame.module and not frame.is_system:
            own.append((frame, name))
    found: list[str] = []
    for frame, _ in [pair for pair in own if not pair[1]] or own:
        origin = origins.setdefault(frame.module, frame.address & ~_PAGE)
        offset = f"{frame.module}{frame.address - origin:+#x}"
        if offset not in found:
            found.append(offset)
    return tuple(found[:_OFFSETS])


def _frame(match: re.Match[str]) -> Frame:
    groups = match.groupdict()
    rest = groups["rest"] or ""
    module = groups.get("module") or ""
    offset = None
    if place := _IN_MODULE.search(rest):
        module = place["path"].rsplit("/", 1)[-1]
        rest = rest[: place.start()]
        offset = int(place["offset"], 16)
    else:
        module = module or ("libc" if _SYSTEM_SOURCE.search(rest) else "")
        rest = _AT_SOURCE.sub("", rest)
    return Frame(int(groups["address"], 16), module, rest.strip(), offset)


def _load_base(frames: list[Frame], resolver: Resolver) -> tuple[Symbols | None, int | None]:
    if len(frames) < 2 or not frames[0].module:
        return None, None
    index = resolver(frames[0].module)
    if index is None:
        return None, None
    return index, index.load_base(frames[0].address, frames[1].address)
