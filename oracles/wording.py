"""Whether two builds of a compiler say the same in other words.

Releases rephrase messages. What is safe to ignore is little: the order of the words, and whether a
message says what is wrong ("ranges overlap") or what would be right ("ranges must not overlap").
The runtime also says which call failed. What is put into a queue fails in the call that does so or
in one that waits for it, which releases decide differently.
"""

import re
from collections import Counter
from dataclasses import dataclass

from oracles.profiles import RUNTIME

_WORD = re.compile(r"[A-Za-z][\w.-]*")
_PLACEHOLDERS = re.compile(r"<\w+>|\bN\b")
_PLACE = re.compile(r"^(?P<status>[A-Z][A-Z_]+) in (?P<place>[\w.]+): ")
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
    """
    words = _words(one)
    if words.total() < _LEAST_IN_COMMON:
        return False
    if words == _words(other):
        return True
    first, second = _Complaint.of(one), _Complaint.of(other)
    return first is not None and first == second


def same_run_failure(one: str, other: str) -> bool:
    """Whether two templates of failed runs (`oracles.values.failures`) say the same.

    Their calls may differ if one of them waits for what others have started.
    """
    first, second = _PLACE.match(one), _PLACE.match(other)
    if not first or not second or first["place"] == second["place"]:
        return rephrased(one, other)
    waiting = {first["place"], second["place"]} & RUNTIME.waiting
    if not waiting or first["status"] != second["status"]:
        return False
    return rephrased(one[first.end() :], other[second.end() :])


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
    return Counter(_WORD.findall(_PLACEHOLDERS.sub(" ", template)))
