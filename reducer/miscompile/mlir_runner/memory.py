"""Elements as a compiled program has them in memory, one after another in row-major order."""

import re

import numpy as np

from reducer.miscompile.values.elements import (
    Element,
    Unsupported,
    from_memory,
    from_words,
    listed,
    parse_element,
    to_memory,
)

_SEPARATORS = re.compile(r"[\s,\[\]]+")


class NotInMemory(Exception):
    """Elements of this type are not known here."""


def width_of(element: str) -> int:
    """The number of bytes that an element takes.

    Raises:
        NotInMemory: the type is unknown.
    """
    return _known(element).dtype.itemsize


def to_bytes(element: str, values: str, count: int) -> bytes:
    """The elements spelled in a text; a single one stands for all.

    Raises:
        NotInMemory: the type is unknown, or the text is not of this type.
    """
    type_ = _known(element)
    try:
        data = from_words([word for word in _SEPARATORS.split(values) if word], type_)
    except ValueError as error:
        raise NotInMemory(f"{values[:40]} as {element}") from error
    data = np.repeat(data, count) if data.size == 1 else data
    if data.size != count:
        raise NotInMemory(f"{data.size} elements instead of {count}")
    return to_memory(data, type_)


def from_bytes(element: str, data: bytes) -> list[float]:
    """The elements in some bytes; integers are signed, and complex numbers are two elements.

    Raises:
        NotInMemory: the type is unknown.
    """
    known = _known(element)
    return listed(from_memory(data, known), known)


def _known(element: str) -> Element:
    try:
        known = parse_element(element)
    except Unsupported:
        known = None
    if known is None or element.startswith(("ui", "si")) or (known.is_float and known.width < 8):
        raise NotInMemory(element)
    return known
