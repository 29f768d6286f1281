"""What to look for in the compiler's output: the message as a pattern, the stack as a trail.

What differs from run to run or from version to version (addresses, numbers, names of values) may be
anything; the words must be there.

With a symbolizer LLVM names the functions. Without one it prints addresses, whose last three
digits are the same in each run of one build: libraries are loaded at whole pages of 4096 bytes or
more. The handler on top of the stack is in the same place for each crash of a build, so its digits
tell whether it is the same build; those that follow are where it crashed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from oracles.frames import parse_stack

WIDTH = 100
"""Characters of a message that are enough; what comes later varies more."""

_VARIABLE = re.compile(
    r"""(?P<folder>(?<![\w./-])(?:/[\w.@+~-]+)+/(?=[\w.-]))
      | (?P<address>\b0x[0-9a-fA-F]+\b)
      | (?P<value>%[\w$.\#:-]*[\w$\#])
      | (?P<number>(?<![\w.$%@-])\d+(?![\w.]*\w))
      | (?P<other>[^\x20-\x7e]+)""",
    re.X,
)


class Gap(Enum):
    """What stands in for a part that varies: as a basic and as an extended regular expression."""

    ADDRESS = ("0x[0-9a-fA-F]*", "0x[0-9a-fA-F]+")
    NUMBER = ("[0-9][0-9]*", "[0-9]+")
    VALUE = ("%[^ ,:)]*", "%[^ ,:)]*")
    ANY = (".*", ".*")


_GAPS = {
    "folder": Gap.ANY,
    "address": Gap.ADDRESS,
    "value": Gap.VALUE,
    "number": Gap.NUMBER,
    "other": Gap.ANY,
}


@dataclass(frozen=True)
class Pattern:
    """Literal texts and gaps, in order; all on one line."""

    parts: tuple[str | Gap, ...]

    @classmethod
    def of(cls, message: str) -> "Pattern":
        """The pattern of a message: its first line, or as much as tells it from others."""
        line = message.strip().split("\n", 1)[0]
        if len(line) > WIDTH:
            line = line[:WIDTH].rpartition(" ")[0] or line[:WIDTH]
        return cls(tuple(_parts(line.rstrip())))

    def __bool__(self) -> bool:
        return any(isinstance(part, str) and part.strip() for part in self.parts)

    @property
    def grep(self) -> str:
        """A basic regular expression, as every `grep` has them."""
        return "".join(
            part.value[0] if isinstance(part, Gap) else re.sub(r"[\\.\[*^$]", r"\\\g<0>", part)
            for part in self.parts
        )

    @property
    def filecheck(self) -> str:
        """What goes after `CHECK:`."""
        return "".join(
            f"{{{{{part.value[1]}}}}}" if isinstance(part, Gap) else _filecheck(part)
            for part in self.parts
        ).strip()

    def found_in(self, text: str) -> bool:
        """Whether a line of the text has it."""
        regex = "".join(
            part.value[1] if isinstance(part, Gap) else re.escape(part) for part in self.parts
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
    """Doubled brackets begin an expression, and a brace beside one would become part of it."""
    return re.sub(r"\{\{+|\}\}+|\[\[+|^\}|\{$", _in_class, text)


def _in_class(match: re.Match[str]) -> str:
    """The characters as a regular expression that matches them."""
    return "{{" + "".join(r"\[" if c == "[" else f"[{c}]" for c in match[0]) + "}}"


HANDLER = 2
"""Frames on top that belong to the signal handler, whatever crashed."""

DEPTH = 6
"""Frames of the crashing library that are looked at, the handler's included."""


@dataclass(frozen=True)
class CrashTrace:
    """`names` are the functions that tell bugs apart; `digits` those of the first addresses in
    `image`, none where they were not printed."""

    names: tuple[str, ...] = ()
    image: str = ""
    digits: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.digits)


NO_CRASH_TRACE = CrashTrace()


def crash_trace_of(output: str, names: Sequence[str]) -> CrashTrace:
    """The trail of a crash from what the compiler printed."""
    frames = parse_stack(output)
    library = frames[0].module if frames else ""
    own = [frame for frame in frames if library and frame.module == library][:DEPTH]
    digits = tuple(f"{frame.address & 0xFFF:03x}" for frame in own) if len(own) == DEPTH else ()
    return CrashTrace(tuple(names), library if digits else "", digits)


def name_pattern(name: str) -> str:
    """A function's short name as a basic regular expression for its full one.

    >>> name_pattern("mlir::Type::getWidth")
    '[ :]mlir.*::Type.*::getWidth[(<]'
    """
    parts = [re.sub(r"[\\.\[*^$]", r"\\\g<0>", part) for part in name.split("::")]
    return f"[ :]{'.*::'.join(parts)}{'[(<]' if len(parts) > 1 else ''}"
