"""The fallback for text that no compiler at hand can normalise: lines and balanced brackets."""

import re
from functools import cached_property

_OP_START = re.compile(
    r'^\s*(?:%[\w$.#:-]+(?:, %[\w$.#:-]+)* = )?"?[a-z_][\w]*\.[\w.]+', re.MULTILINE
)
_OPENING, _CLOSING = "([{", ")]}"


class PlainText:
    """A program as lines. Knows nothing of MLIR but what brackets and op starts look like."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def op_count(self) -> int:
        """Lines that look like the start of an op, or lines if none does."""
        return len(_OP_START.findall(self.text)) or len(self.lines)

    @property
    def type_cost(self) -> tuple[int, int]:
        """Always the same: nothing here changes types."""
        return 0, 0

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @cached_property
    def is_balanced(self) -> bool:
        """Whether every bracket that opens closes, and none closes that did not open."""
        stack: list[str] = []
        for line in self.lines:
            for char in _without_strings(line):
                if char in _OPENING:
                    stack.append(_CLOSING[_OPENING.index(char)])
                elif char in _CLOSING and (not stack or stack.pop() != char):
                    return False
        return not stack

    @cached_property
    def groups(self) -> list[tuple[int, int]]:
        """Runs of lines (first, past the last) that open brackets on one and close them later."""
        out: list[tuple[int, int]] = []
        stack: list[int] = []
        for number, line in enumerate(self.lines):
            for char in _without_strings(line):
                if char in _OPENING:
                    stack.append(number)
                elif char in _CLOSING and stack:
                    first = stack.pop()
                    if first < number and (first, number + 1) not in out[-4:]:
                        out.append((first, number + 1))
        return sorted(out)


def _without_strings(line: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line)
