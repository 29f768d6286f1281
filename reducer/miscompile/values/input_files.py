"""Values in files, spelled as IREE's tools spell them.

    2x3xf32=@values.bin      values from a file of raw bytes, or from a .npy file
    @values.npy              type and values from a .npy file
    +values.npy              the next array of the same file
    *values.npy              all arrays of the file

A file is read once, and its values become words like all others, so that whatever runs, compares or
caches them need not know of files.
"""

import math
from collections.abc import Iterator
from pathlib import Path

from reducer.miscompile.values.arrays import NPY_MAGIC, Array, bytes_of, from_bytes, read_npy
from reducer.miscompile.values.programs import Value, ValueType, number, numbers_of
from reducer.miscompile.values.user_inputs import InputSpec


class GivenReader:
    """Reads specs in the order in which they were given: `+` continues with the file of before."""

    def __init__(self, folder: Path | None = None) -> None:
        """Relative paths are in `folder`, or in the current one."""
        self._folder = folder or Path()
        self._data: dict[Path, bytes] = {}
        self._at: dict[Path, int] = {}

    def read(self, text: str) -> list[InputSpec]:
        """The values of one spec; `*FILE` may hold any number of arrays.

        Raises:
            ValueError: it is not a spec, or its file does not hold such values.
        """
        type_, equals, rest = text.partition("=")
        if not equals:
            type_, rest = "", text
        if rest[:1] not in ("@", "+", "*") or len(rest) < 2:
            return [InputSpec.parse(text)]
        path = self._folder / rest[1:]
        try:
            arrays = list(self._arrays(type_, rest[0], path))
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror or error}") from error
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        return [InputSpec(array.type, " ".join(array.words)) for array in arrays]

    def _arrays(self, type_: str, sign: str, path: Path) -> Iterator[Array]:
        if sign != "+" or path not in self._data:
            self._data[path], self._at[path] = path.read_bytes(), 0
        data, at = self._data[path], self._at[path]
        if type_ and not data.startswith(NPY_MAGIC):
            wanted = InputSpec.parse(type_).type
            assert wanted is not None
            end = at + bytes_of(wanted) if sign == "+" else len(data)
            self._at[path] = end
            yield from_bytes(wanted, data[at:end])
            return
        while True:
            array, self._at[path] = read_npy(data, self._at[path])
            if type_ and InputSpec.parse(type_).type != array.type:
                raise ValueError(f"it holds {array.type}, not {type_}")
            yield array
            if sign != "*" or self._at[path] >= len(data):
                return


def expected_value(spec: InputSpec) -> Value:
    """The values that the user expects of one result.

    Raises:
        ValueError: it has no values, or not as many as its type.
    """
    if spec.type is None:
        word = spec.values or ""
        return Value(
            ValueType("i64" if word.lstrip("-").isdigit() else "f64", None), (number(word),)
        )
    count = math.prod(dim or 0 for dim in spec.type.shape or ())
    if count and not spec.words:
        raise ValueError(f"{spec.type} has no values")
    words = spec.words * count if len(spec.words) == 1 else spec.words
    if len(words) != count:
        raise ValueError(f"{spec.type} takes {count} values, not {len(words)}")
    return Value(spec.type, numbers_of(words, spec.type)).in_range()
