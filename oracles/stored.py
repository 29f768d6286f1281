"""Read back what was stored on disk. It may be damaged, or made by somebody else to do harm.

Whoever reads turns `UNREADABLE` into the answer that it has for damaged content.
"""

import json
import re
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")

UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    zlib.error,
)
"""What is raised about content that is not what it should be."""

_MOST = 2**31 - 1  # bytes; a few thousand may unpack to terabytes
_BUCKET = re.compile("[0-9a-f]{12}")
_SURROGATE = re.compile(r"\\u[dD][89abAB]")  # as JSON escapes one


def unpacked(data: bytes) -> str:
    """A text that was packed with zlib."""
    stream = zlib.decompressobj()
    text = stream.decompress(data, _MOST)
    if not stream.eof:
        raise ValueError("it is cut off, or too large")
    return text.decode(errors="surrogateescape")


def parsed(text: str, hint: Any = Any) -> Any:
    """The value of a JSON text, as one of a type; its numbers are finite, its texts valid."""
    value = json.loads(text, parse_int=_number, parse_float=_number, parse_constant=_number)
    if _SURROGATE.search(text):
        json.dumps(value, ensure_ascii=False).encode(errors="surrogateescape")
    return value if hint is Any else conforming(value, hint)


def _number(text: str) -> float:
    if not abs(value := float(text)) < 2**63:
        raise ValueError(f"{text:.40} is too large, or not a number")
    return int(text) if text.lstrip("-").isdigit() else value


def conforming(value: Any, hint: Any) -> Any:
    """A JSON value as one of a type: a simple one, a collection of such, or a dataclass."""
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if type(None) in inner:
        return None if value is None else conforming(value, inner[0])
    if hasattr(kind, "from_json"):
        if (found := kind.from_json(value)) is None:
            raise ValueError(f"{kind.__name__} is not complete")
        return found
    if is_dataclass(kind):
        return fields_of(value, hint)
    if kind is dict:
        name, each = inner
        return {conforming(k, name): conforming(one, each) for k, one in value.items()}
    if kind in (list, tuple) and isinstance(value, list | tuple):
        hints = inner[:1] * len(value) if kind is list or inner[-1] is ... else inner
        return kind(conforming(one, each) for one, each in zip(value, hints, strict=True))
    if issubclass(kind, Enum | Path):
        return kind(value)
    if type(value) is not kind and (type(value), kind) != (int, float):
        raise TypeError(f"{value!r:.40} is not of type {kind.__name__}")
    return value


def fields_of(data: Any, kind: Callable[..., T]) -> T:
    """An object of a dataclass with the values of its fields that a JSON object has."""
    hints = types_of(kind)
    return kind(
        **{
            key: conforming(one, hints[key])
            for key, one in data.items()
            if key in hints and (one is not None or type(None) in get_args(hints[key]))
        }
    )


types_of = cache(get_type_hints)
"""The types of the fields of a dataclass, by name."""


def tried(read: Callable[[Any], T | None], value: Any) -> T | None:
    """What is read from a value; None if there is none, or it is not what it should be."""
    with suppress(*UNREADABLE):
        return None if value is None else read(value)
    return None


def bucket_id(text: str) -> str:
    """A bucket, which becomes a part of paths."""
    if not _BUCKET.fullmatch(text):
        raise ValueError(f"{text!r:.40} is not a bucket: 12 hexadecimal digits")
    return text


def file_name(text: str) -> str:
    """The name of a file in a folder that is known."""
    if "\0" in text or text in ("", ".", "..") or Path(text).name != text:
        raise ValueError(f"{text!r:.40} is not the name of a file")
    return text
