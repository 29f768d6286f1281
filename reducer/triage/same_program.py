"""Whether two reproducers are the same program but for names and comments."""

import re

from reducer.search.renaming import canonical

_PART = re.compile(r'"(?:[^"\\]|\\.)*"|@[\w.$-]+|(?:\s|//[^\n]*)+')


def fingerprint(text: str) -> str:
    """Equal for programs that differ only in comments, blanks and the names of things.

    A symbol is numbered where it is named first; a name in quotation marks is data and stays.
    """
    numbers: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        part = match[0]
        if part.startswith('"'):
            return part
        if part.startswith("@"):
            return numbers.setdefault(part, f"@{len(numbers)}")
        return " "

    return canonical(_PART.sub(plain, text).strip())
