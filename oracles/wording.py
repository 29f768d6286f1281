"""Whether two builds of a compiler say the same in other words.

Releases rephrase messages. What is safe to ignore is little: the order of the words, and whether a
message says what is wrong ("ranges overlap") or what would be right ("ranges must not overlap").
"""

import re
from collections import Counter
from dataclasses import dataclass

_WORD = re.compile(r"[A-Za-z][\w.-]*")
_PLACEHOLDERS = re.compile(r"<\w+>|\bN\b")
_PLACE = re.compile(r" \(?in function:? '<name>'\)?$|^in function '<name>'(?: <type>)?: ")
"""Which function of the program it is, which some releases say."""
_REQUIRING = frozenset(("must", "should", "shall"))
_NEGATING = frozenset(("not",))
_LEAST_IN_COMMON = 3  # words; "expected '('" and "expected '{'" have one in common
_AUXILIARY = frozenset(("be", "is", "are", "do", "does"))


def rephrased(one: str, other: str) -> bool:
    """Whether two templates (`oracles.templates`) say the same.

    >>> rephrased("source and target overlap", "source and target must not overlap")
    True
    >>> rephrased("source and target overlap", "source and target must overlap")
    False
    >>> rephrased("ran out of registers", "ran out of registers in function '<name>'")
    True
    >>> rephrased("ran out of registers", "in function '<name>' <type>: ran out of registers")
    True
    """
    words = _words(one)
    if words.total() < _LEAST_IN_COMMON:
        return False
    if words == _words(other):
        return True
    first, second = _Complaint.of(one), _Complaint.of(other)
    return first is not None and first == second


@dataclass(frozen=True)
class _Complaint:
    """A message that states one thing: which, and whether that is there or missing."""

    about: frozenset[tuple[str, int]]
    is_missing: bool

    @classmethod
    def of(cls, template: str) -> "_Complaint | None":
        """None if the message says too much for the rule to be sure."""
        words = _words(template)
        required = sum(words[word] for word in _REQUIRING)
        negated = sum(words[word] for word in _NEGATING)
        if required > 1 or negated > 1:
            return None
        grammar = _REQUIRING | _NEGATING | _AUXILIARY
        about = frozenset((word, count) for word, count in words.items() if word not in grammar)
        return cls(about, is_missing=bool(required) != bool(negated)) if about else None


def _words(template: str) -> Counter[str]:
    return Counter(_WORD.findall(_PLACEHOLDERS.sub(" ", _PLACE.sub("", template))))
