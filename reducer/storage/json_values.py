"""Read JSON that may have been written by another version, or by hand."""

from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from oracles.stored import UNREADABLE, conforming, parsed, types_of

T = TypeVar("T")


class JsonValues:
    """The values of a JSON object by key: None for a missing value or one of another type.

    Anything other than an object is read as an object without values.
    """

    def __init__(self, data: object) -> None:
        if isinstance(data, JsonValues):
            data = data.plain()
        self._data: dict[str, Any] = data if isinstance(data, dict) else {}

    def __bool__(self) -> bool:
        return bool(self._data)

    def text(self, key: str) -> str | None:
        value = self._data.get(key)
        return value if isinstance(value, str) else None

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
        values = {}
        for name, hint in types_of(cast(Any, kind)).items():
            with suppress(*UNREADABLE):
                values[name] = conforming(self._data[keys.get(name, name)], hint)
        with suppress(TypeError):
            return kind(**values)
        return None

    def plain(self) -> dict[str, Any]:
        """The object itself."""
        return self._data


def read_json(path: Path) -> JsonValues:
    """The object in a file; one without values if it cannot be read."""
    with suppress(OSError, *UNREADABLE):
        return JsonValues(parsed(path.read_text(encoding="utf-8")))
    return JsonValues(None)
