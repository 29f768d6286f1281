"""Read JSON that may have been written by another version, or by hand."""

from collections.abc import Callable, Hashable
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar, cast, get_args, get_type_hints

from oracles import Signature

T = TypeVar("T")


class JsonValues:
    """The values of a JSON object by key: None for a missing value or one of another type.

    Anything other than an object is read as an object without values.
    """

    def __init__(self, data: object) -> None:
        self._data: dict[str, Any] = data if isinstance(data, dict) else {}

    def __bool__(self) -> bool:
        return bool(self._data)

    def text(self, key: str) -> str | None:
        value = self._data.get(key)
        return value if isinstance(value, str) else None

    def number(self, key: str) -> float | None:
        value = self._data.get(key)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def count(self, key: str) -> int | None:
        value = self.number(key)
        return value if isinstance(value, int) else None

    def flag(self, key: str) -> bool | None:
        value = self._data.get(key)
        return value if isinstance(value, bool) else None

    def texts(self, key: str) -> tuple[str, ...] | None:
        value = self._data.get(key)
        return tuple(map(str, value)) if isinstance(value, list) else None

    def counts(self, key: str) -> dict[str, int] | None:
        value = self._data.get(key)
        if not isinstance(value, dict):
            return None
        part = JsonValues(value)
        counts = {name: part.count(name) for name in value}
        return {name: count for name, count in counts.items() if count is not None}

    def part(self, key: str) -> Self:
        """A nested object."""
        return type(self)(self._data.get(key))

    def parts(self, key: str) -> list[Self] | None:
        """A list of objects, without items that are not objects."""
        value = self._data.get(key)
        if not isinstance(value, list):
            return None
        return [type(self)(one) for one in value if isinstance(one, dict)]

    def path(self, key: str) -> Path | None:
        text = self.text(key)
        return None if text is None else Path(text)

    def read(self, kind: type[T], **keys: str) -> T | None:
        """An object of a dataclass with the values of its fields, or with their defaults.

        None if there is no value for a field without default.

        Args:
            keys: those of fields that have other names in JSON.
        """
        values: dict[str, Any] = {}
        for name, (read, is_required) in _fields_of(cast(Hashable, kind)).items():
            value = read(self, keys.get(name, name))
            if value is not None:
                values[name] = value
            elif is_required:
                return None
        return kind(**values)

    def plain(self) -> dict[str, Any]:
        """The object itself."""
        return self._data


def _signature(data: JsonValues, key: str) -> Signature | None:
    try:
        return Signature.from_json(data.part(key).plain())
    except (KeyError, ValueError):
        return None


_Reader = Callable[[JsonValues, str], Any]
_READERS: dict[Any, _Reader] = {
    str: JsonValues.text,
    float: JsonValues.number,
    int: JsonValues.count,
    bool: JsonValues.flag,
    Path: JsonValues.path,
    tuple[str, ...]: JsonValues.texts,
    dict[str, int]: JsonValues.counts,
    Signature: _signature,
}


@cache
def _fields_of(kind: Any) -> dict[str, tuple[_Reader, bool]]:
    """How to read each field of a dataclass, and whether it must be there."""
    hints = get_type_hints(kind)
    return {
        each.name: (
            _reader(hints[each.name]),
            each.default is MISSING and each.default_factory is MISSING,
        )
        for each in fields(kind)
    }


def _reader(hint: Any) -> _Reader:
    """Reads a value of a type; None if there is none."""
    if hint in _READERS:
        return _READERS[hint]
    inner = get_args(hint)
    if type(None) in inner:
        return _reader(inner[0])
    if inner:  # a tuple of objects
        return lambda data, key: _all(data.parts(key), inner[0])
    if issubclass(hint, Enum):
        return lambda data, key: next((one for one in hint if one == data.text(key)), None)
    return lambda data, key: _object(data.part(key), hint)


def _object(data: JsonValues, kind: Any) -> Any:
    if not data:
        return None
    return kind.from_json(data) if hasattr(kind, "from_json") else data.read(kind)


def _all(parts: list[JsonValues] | None, kind: Any) -> tuple[Any, ...] | None:
    if parts is None:
        return None
    return tuple(one for part in parts if (one := _object(part, kind)) is not None)
