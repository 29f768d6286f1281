"""Makes pretty text shorter: aliases written out where that is shorter, short names for values.

The printer gives a name to every affine map, even to one that is used once. A person writes the
map where it belongs.

The printer calls an argument `%arg0` and results after what makes them: `%int1`, `%values`. In a
few lines a person calls them `%a` and `%0`.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count
from string import ascii_lowercase

from reducer.ir.lexer import ALIAS, VALUE, Outside

_DEFINITION = re.compile(rf"({ALIAS}) = (.+)\n")
_ALIAS_MENTION = Outside(rf"{ALIAS}(?!<)")


def inline_aliases(text: str) -> str:
    """Pretty text without the aliases whose definition costs more than they save."""
    definitions, body = _split(text)
    while (name := _worthless(definitions, body)) is not None:
        value = definitions.pop(name)
        definitions = {other: _written_out(old, name, value) for other, old in definitions.items()}
        body = _written_out(body, name, value)
    kept = "".join(f"{name} = {value}\n" for name, value in definitions.items()) + body
    return _renumbered(kept, list(definitions))


def _split(text: str) -> tuple[dict[str, str], str]:
    """The definitions that a text begins with, and the rest."""
    definitions: dict[str, str] = {}
    position = 0
    while match := _DEFINITION.match(text, position):
        definitions[match[1]] = match[2]
        position = match.end()
    return definitions, text[position:]


def _worthless(definitions: dict[str, str], body: str) -> str | None:
    """The first alias that makes the text longer, or no shorter, than what it stands for."""
    places = [*definitions.values(), body]
    for name, value in definitions.items():
        uses = sum(match[0] == name for place in places for match in _ALIAS_MENTION.finditer(place))
        definition = len(f"{name} = {value}\n")
        if uses * len(value) <= uses * len(name) + definition:
            return name
    return None


def _renumbered(text: str, names: list[str]) -> str:
    """`#map`, `#map1`… without gaps, as the printer would number what is left."""
    new: dict[str, str] = {}
    used: Counter[str] = Counter()
    for name in names:
        stem = name.rstrip("0123456789")
        new[name] = f"{stem}{used[stem] or ''}"
        used[stem] += 1
    if len(set(new.values())) < len(names):  # `#a1` beside the `#a` that is none of its kind
        return text
    return _ALIAS_MENTION.sub(lambda match: new.get(match[0], match[0]), text)


def _written_out(text: str, name: str, value: str) -> str:
    return _ALIAS_MENTION.sub(lambda match: value if match[0] == name else match[0], text)


_VALUE_MENTION = Outside(VALUE)
_RESULTS = re.compile(rf"^\s*((?:{VALUE}(?::\d+)?\s*,\s*)*{VALUE}(?::\d+)?)\s*=(?!=)", re.M)
_VALUE = re.compile(VALUE)


def shorten_value_names(text: str) -> str:
    """Pretty text with its values named anew, in the order in which they are first mentioned.

    One name becomes one other name throughout, and no two names become the same, so every use
    finds what it found before, whatever the regions in between.
    """
    results = {name for found in _RESULTS.finditer(text) for name in _VALUE.findall(found[1])}
    numbers, letters = map(str, count()), _letters()
    new: dict[str, str] = {}

    def renamed(match: re.Match[str]) -> str:
        old = match[0]
        if old not in new:
            new[old] = f"%{next(numbers if old in results else letters)}"
        return new[old]

    return _VALUE_MENTION.sub(renamed, text)


def _letters() -> Iterator[str]:
    """a, b, … z, a0, b0, … z0, a1, …"""
    yield from ascii_lowercase
    for number in count():
        yield from (f"{letter}{number}" for letter in ascii_lowercase)
