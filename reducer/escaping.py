"""Text of unknown origin where people read it: nothing in it acts, hides or changes the order.

What a file, a compiler or a path says passes through here on its way to a terminal, a script,
Markdown or HTML, each of which then quotes it in its own way.
"""

import os
import re
import shlex
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from unicodedata import bidirectional

_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
"""Classes of characters that also change the order of those around them."""
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters and marks without a shape, which Unicode counts as printable."""


@cache
def _spelled(char: str) -> str:
    """The character, or the escape that stands for it."""
    plain = char.isprintable() and bidirectional(char) not in _RIGHT_TO_LEFT
    if plain and not _INVISIBLE.match(char):
        return char
    return char.encode("unicode_escape").decode("ascii")


def one_line(text: str) -> str:
    """The text on one line, with all that is not plainly visible spelled out.

    >>> one_line("a\\tb\\u2028c\\x1b[2K\\u202e\\xa0")
    'a\\\\tb\\\\u2028c\\\\x1b[2K\\\\u202e\\\\xa0'
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_spelled, text))


def lines(text: str) -> str:
    """The same for text of several lines; line breaks and tabs stay."""
    rows = text.replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(map(one_line, row.split("\t"))) for row in rows)


def shell_quoted(word: str) -> str:
    """A word quoted for a POSIX shell, which makes what is not plainly visible itself.

    >>> print(shell_quoted("a b"), shell_quoted("--x=\\x1b[2K"))
    'a b' --x="$(printf '\\033')"'[2K'
    """
    out = []
    for plain, run in groupby(word, _is_quoted_as_it_is):
        text = "".join(run)
        octal = "".join(f"\\{byte:03o}" for byte in os.fsencode(text))
        out.append(shlex.quote(text) if plain else f"\"$(printf '{octal}')\"")
    return "".join(out) or shlex.quote(word)


def _is_quoted_as_it_is(char: str) -> bool:
    return char == "\n" or _spelled(char) == char  # the shell would drop a printed newline


def shell_joined(words: Iterable[str]) -> str:
    """Words as a command for a POSIX shell."""
    return " ".join(map(shell_quoted, words))
