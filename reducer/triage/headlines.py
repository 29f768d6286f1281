"""Short texts of bugs that still tell one from another."""

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from reducer.escaping import one_line
from reducer.triage.summary import Bug
from reducer.units import cut

_HEAD = 24  # characters to keep of what several texts have in common
_SHARED = 40  # texts that begin alike for this long are hard to tell apart
_ELLIPSIS = "…"


def bug_headlines(bugs: Sequence[Bug], width: int) -> list[str]:
    """What each bug prints, in at most `width` characters; bugs that print the same name an input.

    Hangs whose pass is not known are such bugs.
    """
    texts = [one_line(bug.headline) for bug in bugs]
    times = Counter(texts)
    return headlines(
        [
            f"{text}: {one_line(bug.paths[0])}" if times[text] > 1 and bug.paths else text
            for bug, text in zip(bugs, texts, strict=True)
        ],
        width,
    )


def headlines(texts: Sequence[str], width: int) -> list[str]:
    """Each text in at most `width` characters, with what no other text has.

    >>> headlines(["verifier: 'linalg.batch_matmul' op expected rank 3", "timeout"], 30)
    ["verifier: 'linalg.batch_matmu…", 'timeout']
    >>> same = "verifier: 'linalg.batch_matmul' op expected operand rank to match "
    >>> for line in headlines([same + "the rank of the result", same + "its map"], 50): print(line)
    verifier: … rank to match the rank of the result
    verifier: … rank to match its map
    """
    return [_headline(text, [other for other in texts if other != text], width) for text in texts]


def _headline(text: str, others: Sequence[str], width: int) -> str:
    if len(text) <= width:
        return text
    shared = max((_common(text, other) for other in others), default=0)
    if shared < min(_SHARED, width - 1):
        return cut(text, width)
    head = _words_before(text, _HEAD)
    # A few words before the difference say what it is about.
    start = max(len(head), text.rfind(" ", 0, max(0, shared - 12)) + 1)
    return cut(f"{head}{_ELLIPSIS} {text[start:]}", width)


def _words_before(text: str, length: int) -> str:
    """The whole words in the first characters of a text, with the blank behind them."""
    return text[: text.rfind(" ", 0, length) + 1]


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
