"""Documents made lately: a search asks about the same program again and again.

Different edits make the same text, and workers that are ahead (see `speculation`) look at a
candidate many times before it is asked about. What a document knows about itself (its ops, the
sites of transformations) is found out once.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_MOST_CHARACTERS = 2_000_000  # of all documents together, which take some 20 times as much memory
_LARGEST = 100_000  # characters; few larger programs are made twice

T = TypeVar("T")


class Recent:
    """What was made of texts, the least recently used forgotten first. For one thread."""

    def __init__(self) -> None:
        self._made: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._characters = 0

    def made(self, text: str, how: Hashable, make: Callable[[str], T]) -> T:
        """`make(text)`, or what it gave before for the same `how`. Exceptions are not kept."""
        if len(text) > _LARGEST:
            return make(text)
        key = how, text
        known = self._made.get(key)
        if known is not None:
            self._made.move_to_end(key)
            found: T = known[0]
            return found
        found = make(text)
        self._made[key] = found, len(text)
        self._characters += len(text)
        while self._characters > _MOST_CHARACTERS:
            self._characters -= self._made.popitem(last=False)[1][1]
        return found
