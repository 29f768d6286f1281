"""What to look for in the compiler's output: the message as a pattern, the stack as a crash trace.

Patterns match any text for parts that differ between runs or versions (addresses, numbers, value
names); the words must be present.

LLVM prints function names as far as it knows them, and it always prints addresses, whose last three
digits are the same in all runs of a build, since libraries are loaded at multiples of the page size
(4096 bytes or more). The signal handler on top of the stack has the same address in all crashes of
a build, so its digits identify the build; the digits that follow show where it crashed.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from oracles.signature.comparison import Landmarks
from oracles.signature.templates import HASH
from oracles.stacks.dispatching import function_of
from oracles.stacks.frames import is_offset, parse_stack
from oracles.stacks.function_names import demangle, names_when_renamed, without_implementation

WIDTH = 100
"""Characters of a message to match; the rest of a longer message is more variable."""

_VARIABLE = re.compile(
    rf"(?P<hash>{HASH.pattern})"
    r"""|(?P<folder>(?<![\w./-])(?:/[\w.@+~-]+)+/(?=[\w.-]))
      | (?P<address>\b0x[0-9a-fA-F]+\b)
      | (?P<value>%[\w$.\#:-]*[\w$\#])
      | (?P<number>(?<![\w.$%@-])\d+(?![\w.]*\w))
      | (?P<other>(?:[^\x20-\x7e]|\\[tnr]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})+)""",
    re.X,
)


class Gap(Enum):
    """A placeholder for a variable part, as an extended regular expression."""

    ADDRESS = "0x[0-9a-fA-F]+"
    NUMBER = "[0-9]+"
    VALUE = "%[^ ,:)]*"
    ANY = ".*"


_GAPS = {
    "hash": Gap.ANY,
    "folder": Gap.ANY,
    "address": Gap.ADDRESS,
    "value": Gap.VALUE,
    "number": Gap.NUMBER,
    "other": Gap.ANY,
}


@dataclass(frozen=True)
class Pattern:
    """A sequence of literal texts and gaps, on a single line."""

    parts: tuple[str | Gap, ...]

    @classmethod
    def of(cls, message: str) -> "Pattern":
        """The pattern of a message: its first line, cut to `WIDTH` characters."""
        line = message.strip().split("\n", 1)[0]
        if len(line) > WIDTH:
            line = line[:WIDTH].rpartition(" ")[0] or line[:WIDTH]
        return cls(tuple(_parts(line.rstrip())))

    def __bool__(self) -> bool:
        return any(isinstance(part, str) and part.strip() for part in self.parts)

    @property
    def text(self) -> str:
        """The pattern for a reader, with `…` for the gaps."""
        return "".join("…" if isinstance(part, Gap) else part for part in self.parts)

    @property
    def grep(self) -> str:
        """The pattern as an extended regular expression, for any `grep -E`."""
        return "".join(
            part.value if isinstance(part, Gap) else _literal(part) for part in self.parts
        )

    @property
    def filecheck(self) -> str:
        """The pattern for a FileCheck `CHECK:` line."""
        return "".join(
            f"{{{{{part.value}}}}}" if isinstance(part, Gap) else _filecheck(part)
            for part in self.parts
        ).strip()

    def found_in(self, text: str) -> bool:
        """Whether a line of the text matches."""
        regex = "".join(
            part.value if isinstance(part, Gap) else re.escape(part) for part in self.parts
        )
        return re.search(regex, text) is not None


def _parts(line: str) -> Iterator[str | Gap]:
    at = 0
    for match in _VARIABLE.finditer(line):
        if match.start() > at:
            yield line[at : match.start()]
        yield _GAPS[match.lastgroup or ""]
        at = match.end()
    if at < len(line):
        yield line[at:]


def _filecheck(text: str) -> str:
    """Literal text for FileCheck, where double brackets, and braces next to them, are special."""
    return re.sub(r"\{\{+|\}\}+|\[\[+|^\}|\{$", _in_class, text)


def _in_class(match: re.Match[str]) -> str:
    """Literal characters as a FileCheck regular expression."""
    return "{{" + "".join(r"\[" if c == "[" else f"[{c}]" for c in match[0]) + "}}"


_NEW_WORD = "(_*[A-Z]+[a-z0-9]*|_+[a-z0-9]+)"

_HANDLER = 2
"""The number of top frames that belong to the signal handler."""

DEPTH = 6
"""The number of frames of the crashing libraries to compare, including the handler's.

More are compared if a frame of the signature is further out.
"""

_PROGRAM = "program"
"""Stands for the program itself among libraries: its file may have several names."""


@dataclass(frozen=True)
class CrashTrace:
    """Where a crash occurred.

    `landmarks` are the functions that identify the bug. `digits` are the last digits of the first
    addresses, each as `library:digits`, without the system's libraries; empty if no addresses were
    printed. `counting` are the places among them of the functions that identify the bug: what they
    call may vary where memory is read that was freed. It is empty if some are not among them, and
    then all digits count. `unnamed` is whether functions without a name identify the bug as well,
    so that names do not decide.
    """

    landmarks: Landmarks | None = None
    digits: tuple[str, ...] = ()
    counting: tuple[int, ...] = ()
    unnamed: bool = False

    def __bool__(self) -> bool:
        return bool(self.landmarks or self.digits)

    @property
    def libraries(self) -> list[str]:
        """The libraries of the digits, sorted."""
        return sorted({place.rpartition(":")[0] for place in self.digits})


NO_CRASH_TRACE = CrashTrace()


def crash_trace_of(output: str, frames: Sequence[str], program: Collection[str] = ()) -> CrashTrace:
    """The trace of a crash from the compiler's output and the frames of its signature.

    Args:
        program: the names of the program's own file.
    """
    own = [frame for frame in parse_stack(output) if frame.module and not frame.is_system]
    digits = [
        f"{_PROGRAM if frame.module in program else frame.module}:{frame.address & 0xFFF:03x}"
        for frame in own
    ]
    names = [function_of(demangle(one.name)) if one.name else "" for one in own]
    places = [_place(frame, names, digits, program) for frame in frames]
    # A function without a name may stand for the instruction in it that failed: see `stacks.fault`.
    traces = [
        place
        for frame, place in zip(frames, places, strict=True)
        if place >= 0 or not is_offset(frame)
    ]
    depth = max([DEPTH, *(place + 1 for place in places)])
    crashed = len(digits) > _HANDLER + 1  # a third frame belongs to the handler as well
    return CrashTrace(
        Landmarks.of(frames),
        tuple(digits[:depth]) if crashed else (),
        tuple(sorted(traces)) if crashed and min(traces, default=0) > _HANDLER else (),
        unnamed=any(map(is_offset, frames)),
    )


def _place(
    frame: str, names: Sequence[str], digits: Sequence[str], program: Collection[str]
) -> int:
    """Which line of a stack a frame of a signature is; -1 if none is."""
    if is_offset(frame):
        wanted = _digits_of(frame, program) if "+" in frame else ""  # else a distance
        return digits.index(wanted) if wanted in digits else -1
    return names.index(frame) if frame in names else -1


def _digits_of(frame: str, program: Collection[str]) -> str:
    module, _, offset = frame.rpartition("+")
    library = _PROGRAM if module in program else module
    return f"{library}:{int(offset or '0', 16) & 0xFFF:03x}"


def _literal(text: str) -> str:
    """An extended regular expression for a text."""
    return re.sub(r"[\\.\[*^$+?(){|]", r"\\\g<0>", text)


def _name_pattern(name: str) -> str:
    """A regular expression that matches the full name of a function, given its short name.

    >>> _name_pattern("mlir::Type::getWidth")
    '[ :<,]mlir.*::Type.*::getWidth[[(<,>]'
    """
    parts = list(map(_literal, name.split("::")))
    return f"[ :<,]{'.*::'.join(parts)}{'[[(<,>]' if len(parts) > 1 else ''}"


def _mangled_pattern(name: str) -> str:
    r"""The same for the name as the linker has it, which stacks of glibc and Julia show; or ''.

    >>> _mangled_pattern("mlir::Type")
    '_Z.*[^0-9]4mlir(.*[^0-9])?(12_GLOBAL__N_1)?4Type'
    >>> _mangled_pattern("B::B"), _mangled_pattern("x + y")
    ('_Z.*[^0-9]1B.*C[0-3]', '')
    """
    *scope, last = name.split("::")
    if not all(re.fullmatch(r"[A-Za-z_]\w*", part) for part in (*scope, last.lstrip("~"))):
        return ""
    end = f".*{'D' if last.startswith('~') else 'C'}[0-3]"
    special = bool(scope) and last.lstrip("~") == scope[-1]
    words = [f"{len(part)}{part}" for part in (scope if special else [*scope, last])]
    return f"_Z.*[^0-9]{'(.*[^0-9])?(12_GLOBAL__N_1)?'.join(words)}{end if special else ''}"


def _python_pattern(name: str) -> str:
    r"""The same for a function of Python, `module.function`; '' if it is none.

    >>> _python_pattern("apply_pdl.rewrite")
    'apply_pdl(/__init__)?\\.py", line [0-9]*,? in rewrite\\('
    """
    if not re.fullmatch(r"\w+\.\w+", name):
        return ""
    module, _, function = name.partition(".")
    return rf'{module}(/__init__)?\.py", line [0-9]*,? in {function}\('


def _renamed_pattern(name: str) -> str:
    """A regular expression for what a function may be called in another build, or ''.

    >>> _renamed_pattern("a::foldIndexVecs").count("|fold")
    2
    """
    names = names_when_renamed(name, _NEW_WORD)
    scope = map(_literal, without_implementation(name).split("::")[:-1])
    return f"[ :<,]{'.*::'.join([*scope, ''])}({'|'.join(names)})[[(<,>]" if names else ""


_DEEPER = 4
"""How many frames further out a bug may be found: what it calls may be deeper next time."""


def crash_data(crash_trace: CrashTrace) -> dict[str, str]:
    """The variables of `repro.sh` that say where it crashes.

    Within one build, addresses are compared, and otherwise names as `oracles.signature.comparison`
    does.
    """
    data = _address_data(crash_trace) if crash_trace.digits else {}
    if landmarks := crash_trace.landmarks:
        data["outermost"] = _named(landmarks.outermost)
        data["others"] = "\n".join(map(_named, landmarks.others))
        if landmarks.may_be_renamed:
            data["renamed"] = _renamed_pattern(landmarks.outermost)
    return data


def _address_data(crash_trace: CrashTrace) -> dict[str, str]:
    """The variables for a crash of the same build.

    Names may not tell where there are some: none may be of a function that can be at fault, and the
    symbolizer has none for a function that ends with a call that never returns, such as that of
    `report_fatal_error`, since the return address is outside. So digits alone are looked for, too.
    """
    digits, counting = crash_trace.digits, crash_trace.counting
    handler = " ".join(digits[:_HANDLER])
    plain = [place.rpartition(":")[2] for place in digits]
    same = _in_order([handler, *(digits[place] for place in counting)])
    return {
        "libraries": "\n".join(f"^{_literal(name)}:" for name in crash_trace.libraries),
        "depth": str(len(digits) + (_DEEPER if counting else 0)),
        "unnamed": "yes" * crash_trace.unnamed,
        "same_build": _in_order([handler]),
        "same_place": same if counting else f"{_in_order([' '.join(digits)])}$",
        "same_digits": ""
        if counting
        else _in_order([" ".join(plain[:_HANDLER]), *plain[_HANDLER:]]),
    }


def _in_order(parts: Sequence[str]) -> str:
    """A regular expression for a line of digits that begins with the first of these parts."""
    return f"^{'.*'.join(f'{_literal(part)} ' for part in parts)}"


def _named(name: str) -> str:
    """A regular expression that finds a function in a stack, as it is or mangled."""
    patterns = (_name_pattern(name), _mangled_pattern(name), _python_pattern(name))
    return "|".join(filter(None, patterns))
