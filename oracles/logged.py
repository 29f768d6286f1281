"""Read the lines that glog, Abseil and TensorFlow write to a log.

    F0102 03:04:05.123456     123 a/b.cc:12] Check failed: x == y (3 vs. 4)
    2026-01-02 03:04:05.123456: F a/b.cc:12] Check failed: x == y (3 vs. 4)

The letter is the severity. A program ends with a fatal line.
"""

import re

_HEAD = r"(?:{letter}\d{{4,8}} [\d:.]+|\d{{4}}-\d\d-\d\d [\d:.]+: {letter})\s[^\]\n]*?"
_PLACED = r"(?P<place>(?P<file>[\w./\\+-]+):\d+)\] (?P<message>[^\n]*)"
_FATAL = re.compile(rf"^{_HEAD.format(letter='F')}{_PLACED}", re.M)
_ANY = re.compile(rf"^{_HEAD.format(letter='[IWEF]')}{_PLACED}")


def fatal_line(text: str) -> re.Match[str] | None:
    """The first fatal line, with its `place` in the source, which begins with the `file`, and its
    `message`; None if there is none.

    >>> found = fatal_line("2026-01-02 03:04:05.1: F a/b.cc:12] no rule\\n")
    >>> found and (found["place"], found["file"], found["message"])
    ('a/b.cc:12', 'a/b.cc', 'no rule')
    """
    # Text can be megabytes, and a plain search is far cheaper than a pattern.
    may_log = text.startswith("F") or "\nF" in text or ": F " in text
    return _FATAL.search(text) if may_log else None


def without_log_prefix(line: str) -> str:
    """The line without what a log puts before the name of the source file.

    >>> without_log_prefix("E1125 02:17:37.123456 4711 a/b.cc:12] no rule")
    'b.cc:12] no rule'
    """
    match = _ANY.match(line)
    if match is None:
        return line
    name = re.split(r"[/\\]", match["place"])[-1]
    return f"{name}] {match['message']}"
