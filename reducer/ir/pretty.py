"""Shorten pretty-printed IR: inline aliases, drop a plain `module { }`, shorten value names.

Aliases are only inlined where that saves characters.

The printer creates an alias for every affine map, even for one that is used once; a person would
write the map in place.

The printer calls arguments `%arg0` and names results after their producers: `%int1`, `%values`. In
a few lines a person would call them `%a` and `%0`.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import count
from string import ascii_lowercase

from reducer.ir.lexer import ALIAS, VALUE, Outside

_DEFINITION = re.compile(rf"({ALIAS}) = (.+)\n")
_ALIAS_MENTION = Outside(rf"{ALIAS}(?!<)")
_LOCATION = "loc("
_LOCATED = re.compile(rf"loc\(({ALIAS})\)")


def inline_aliases(text: str) -> str:
    """The text with those aliases inlined whose definitions cost more characters than they save."""
    definitions, body = _split(text)
    while worthless := _worthless(definitions, body):
        definitions = {
            name: _written_out(value, worthless)
            for name, value in definitions.items()
            if name not in worthless
        }
        body = _written_out(body, worthless)
    kept = "".join(f"{name} = {value}\n" for name, value in definitions.items()) + body
    return _renumbered(kept, list(definitions))


def _split(text: str) -> tuple[dict[str, str], str]:
    """The alias definitions at the start of a text, and the rest."""
    definitions: dict[str, str] = {}
    position = 0
    while match := _DEFINITION.match(text, position):
        definitions[match[1]] = match[2]
        position = match.end()
    return definitions, text[position:]


def _worthless(definitions: dict[str, str], body: str) -> dict[str, str]:
    """The first aliases that do not make the text shorter, with their values.

    None of them mentions another one. There may be one for each op, so each text is read only once.
    """
    mentions = {name: _mentions(value) for name, value in definitions.items()}
    uses = _mentions(body)
    for found in mentions.values():
        uses.update(found)
    places = (*definitions.values(), body)
    as_location = Counter(match[1] for place in places for match in _LOCATED.finditer(place))
    chosen: dict[str, str] = {}
    mentioned: set[str] = set()
    for name, value in definitions.items():
        if name in mentioned or not mentions[name].keys().isdisjoint(chosen.keys()):
            continue
        if value.startswith(_LOCATION) and uses[name] != as_location[name]:
            continue  # it is a part of another location, which is written differently
        definition = len(f"{name} = {value}\n")
        if uses[name] * len(value) <= uses[name] * len(name) + definition:
            chosen[name] = value
            mentioned.update(mentions[name])
    return chosen


def _mentions(text: str) -> Counter[str]:
    return Counter(match[0] for match in _ALIAS_MENTION.finditer(text))


def _renumbered(text: str, names: list[str]) -> str:
    """The text with the remaining aliases numbered without gaps: `#map`, `#map1`…"""
    new: dict[str, str] = {}
    used: Counter[str] = Counter()
    for name in names:
        stem = name.rstrip("0123456789")
        new[name] = f"{stem}{used[stem] or ''}"
        used[stem] += 1
    if len(set(new.values())) < len(names):  # a clash, e.g. between `#a1` and an unrelated `#a`
        return text
    return _ALIAS_MENTION.sub(lambda match: new.get(match[0], match[0]), text)


def _written_out(text: str, values: dict[str, str]) -> str:
    def located(match: re.Match[str]) -> str:
        value = values.get(match[1], "")
        return value if value.startswith(_LOCATION) else match[0]

    text = _LOCATED.sub(located, text)
    return _ALIAS_MENTION.sub(lambda match: values.get(match[0], match[0]), text)


_MODULE = re.compile(r"module {1,2}\{")
_WRAPPER = re.compile(r"^module {1,2}\{\n(.*)^\}\n*\Z", re.MULTILINE | re.DOTALL)


def unwrap(pretty: str) -> str | None:
    """Pretty text without its plain `module { }`; None if it has no such wrapper."""
    head = pretty[: start.start()] if (start := _MODULE.search(pretty)) else pretty
    match = _WRAPPER.match(pretty[len(head) :])
    if match is None or any(not line.startswith(("#", "!")) for line in head.split("\n") if line):
        return None
    body = match.group(1)
    lines = body.rstrip().split("\n")
    dedented = [line[2:] if line.startswith("  ") else line for line in lines]
    return head + "\n".join(dedented) + "\n"


_VALUE_MENTION = Outside(VALUE)
_RESULTS = re.compile(rf"^\s*((?:{VALUE}(?::\d+)?\s*,\s*)*{VALUE}(?::\d+)?)\s*=(?!=)", re.M)
_VALUE = re.compile(VALUE)


def shorten_value_names(text: str) -> str:
    """The text with short value names, assigned in the order of first occurrence.

    Each name is mapped to the same new name throughout, and distinct names stay distinct, so every
    use refers to the same value as before, regardless of regions.
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
