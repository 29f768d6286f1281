"""What a compiler printed, as much of it as people read: the first errors, no stack, no dumps."""

import re
from collections.abc import Iterable, Iterator

_LINES, _WIDTH = 24, 220
_DUMP = re.compile(r"^// -----// IR Dump ")
_STACK = re.compile(
    r"^(?:Stack dump(?: without symbol names)?\b|Please report issues to |PLEASE submit "
    r"|\s*#\d+(?:\.\d+)? 0x[0-9a-fA-F]+|\d+\s+\S+\s+0x[0-9a-fA-F]+|\d+\.\s+"
    r"|Program arguments:)"
)
_HEAD = re.compile(r"(?:^|\s)(?:error|warning|note|remark): |^LLVM ERROR")
_TRANSLATION = re.compile(r"#hal\.executable\.target<.*")


def excerpt(stderr: str) -> str:
    """The first diagnostics with their source lines; '' if only a stack was printed."""
    lines = list(_without_gaps(_told(stderr.splitlines())))
    shown = [_cut(line) for line in lines[:_LINES]]
    if len(lines) > _LINES:
        shown.append(f"… and {len(lines) - _LINES:,} more lines")
    return "\n".join(shown)


def _told(lines: Iterable[str]) -> Iterator[str]:
    """Without stacks, and without IR that was printed along."""
    dumping = False
    for line in lines:
        if _DUMP.match(line):
            dumping = True
        elif _HEAD.search(line):
            dumping = False
        if not dumping and not _STACK.match(line):
            yield line


def _without_gaps(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line.strip())


def _cut(line: str) -> str:
    """A follow-up names its target in hundreds of characters."""
    line = _TRANSLATION.sub("#hal.executable.target<…>", line)
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
