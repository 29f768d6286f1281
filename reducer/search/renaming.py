"""Programs that differ only in the names of their values and blocks are the same program.

A clean-up pass of the compiler prints everything anew, with other numbers: no verdict that was
known before need be asked for again.
"""

import re

_LARGEST = 1 << 20  # characters; of large texts few are run, and hardly any twice
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|[%^][\w$.-]+')


def canonical(text: str) -> str:
    """The text with values and blocks numbered in the order in which they are first named.

    Equal results mean equal programs. The opposite need not hold: names that two functions share
    in one text and not in the other keep the two texts apart.
    """
    if len(text) > _LARGEST:
        return text
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        name = match[0]
        return name if name[0] == '"' else numbers.setdefault(name, f"{name[0]}{len(numbers)}")

    return _NAME.sub(number, text)
