"""What of a crash's stack a shell can look for, with no symbols at hand.

With a symbolizer LLVM names the functions. Without one it prints addresses, whose last three
digits are the same in each run of one build: libraries are loaded at whole pages of 4096 bytes or
more. The handler on top of the stack is in the same place for each crash of a build, so its digits
tell whether it is the same build; those that follow are where it crashed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from oracles.frames import parse_stack

HANDLER = 2
"""Frames on top that belong to the signal handler, whatever crashed."""

DEPTH = 6
"""Frames of the crashing library that are looked at, the handler's included."""


@dataclass(frozen=True)
class Trail:
    """`names` are the functions that tell bugs apart; `digits` those of the first addresses in
    `image`, none where they were not printed."""

    names: tuple[str, ...] = ()
    image: str = ""
    digits: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.digits)


NO_TRAIL = Trail()


def trail_of(output: str, names: Sequence[str]) -> Trail:
    """The trail of a crash from what the compiler printed."""
    frames = parse_stack(output)
    library = frames[0].module if frames else ""
    own = [frame for frame in frames if library and frame.module == library][:DEPTH]
    digits = tuple(f"{frame.address & 0xFFF:03x}" for frame in own) if len(own) == DEPTH else ()
    return Trail(tuple(names), library if digits else "", digits)


def name_pattern(name: str) -> str:
    """A function's short name as a basic regular expression for its full one.

    >>> name_pattern("mlir::Type::getWidth")
    '[ :]mlir.*::Type.*::getWidth[(<]'
    """
    parts = [re.sub(r"[\\.\[*^$]", r"\\\g<0>", part) for part in name.split("::")]
    return f"[ :]{'.*::'.join(parts)}{'[(<]' if len(parts) > 1 else ''}"
