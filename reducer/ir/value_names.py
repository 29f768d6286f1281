"""Short names for the values of pretty text: letters for arguments, numbers for results.

The printer calls an argument `%arg0` and results after what makes them: `%int1`, `%values`. In a
few lines a person calls them `%a` and `%0`.
"""

import re
from collections.abc import Iterator
from itertools import count
from string import ascii_lowercase

# A value, or a string or comment that happens to hold what looks like one.
_MENTION = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|(?P<value>%[\w$.-]+)')
_RESULTS = re.compile(r"^\s*((?:%[\w$.-]+(?::\d+)?\s*,\s*)*%[\w$.-]+(?::\d+)?)\s*=(?!=)", re.M)
_NAME = re.compile(r"%[\w$.-]+")


def shorten_value_names(text: str) -> str:
    """Pretty text with its values named anew, in the order in which they are first mentioned.

    One name becomes one other name throughout, and no two names become the same, so every use
    finds what it found before, whatever the regions in between.
    """
    results = {name for found in _RESULTS.finditer(text) for name in _NAME.findall(found[1])}
    numbers, letters = map(str, count()), _letters()
    new: dict[str, str] = {}

    def renamed(match: re.Match[str]) -> str:
        old = match["value"]
        if old is None:
            return match[0]
        if old not in new:
            new[old] = f"%{next(numbers if old in results else letters)}"
        return new[old]

    return _MENTION.sub(renamed, text)


def _letters() -> Iterator[str]:
    """a, b, … z, a0, b0, … z0, a1, …"""
    yield from ascii_lowercase
    for number in count():
        yield from (f"{letter}{number}" for letter in ascii_lowercase)
