"""Files that the user gives: of values, spelled as IREE's tools spell them, and of flags.

    2x3xf32=@values.bin      values from a file of raw bytes, or from a .npy file
    @values.npy              type and values from a .npy file
    +values.npy              the next array of the same file
    *values.npy              all arrays of the file

A file is read once, and its values become words like all others, so that whatever runs, compares or
caches them need not know of files; pickled objects are refused. A file of flags says how to call a
program, and what it should give.
"""

import io
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from oracles.profiles import RUNTIME
from reducer.miscompile.values.elements import Unsupported, from_memory, listed, parse_element
from reducer.miscompile.values.programs import Value, ValueType, numbers_of, spelled
from reducer.miscompile.values.user_inputs import InputSpec
from reducer.printed_results import number

NPY_MAGIC = b"\x93NUMPY"

_NPY_KINDS = {"f": "f", "i": "i", "u": "ui", "c": "cf", "b": "i"}


def bytes_of(type_: ValueType) -> int:
    """The number of bytes of a value whose sizes are known.

    Raises:
        ValueError: the element type has no whole number of bytes.
    """
    return math.prod(dim or 0 for dim in type_.shape or ()) * _width(type_)


def from_bytes(type_: ValueType, data: bytes) -> InputSpec:
    """The array with these bytes.

    Raises:
        ValueError: there are too few or too many bytes, or elements of this type cannot be read.
    """
    wanted = bytes_of(type_)
    if len(data) != wanted:
        raise ValueError(f"{type_} takes {wanted} bytes, not {len(data)}")
    if type_.is_complex:
        width = _width(type_)
        starts = range(0, len(data), width)
        return InputSpec(type_, " ".join(data[at : at + width].hex().upper() for at in starts))
    try:
        element = parse_element(type_.element)
    except Unsupported:
        element = None
    if element is None:
        raise ValueError(f"elements of type {type_.element} cannot be read from a file")
    numbers = listed(from_memory(data, element), element)
    return InputSpec(type_, " ".join(spelled(one, type_.element) for one in numbers))


def read_npy(data: bytes, at: int = 0) -> tuple[InputSpec, int]:
    """The array that starts at an offset, and where the next one would start.

    Raises:
        ValueError: there is no such array, or one of elements that cannot be read.
    """
    if data[at : at + len(NPY_MAGIC)] != NPY_MAGIC:
        raise ValueError("it is not in NumPy's .npy format")
    stream = io.BytesIO(data)
    stream.seek(at)
    try:
        array = np.load(stream, allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"it cannot be read: {error}") from error
    kind = _NPY_KINDS.get(array.dtype.kind)
    if kind is None:
        raise ValueError(f"elements of NumPy type {array.dtype.str} are not supported")
    element = "i1" if array.dtype.kind == "b" else f"{kind}{8 * array.dtype.itemsize}"
    little = array.astype(array.dtype.newbyteorder("<"))
    return from_bytes(ValueType(element, array.shape), little.tobytes()), stream.tell()


def _width(type_: ValueType) -> int:
    """The number of bytes of an element."""
    if type_.element == "i1":
        return 1
    if type_.bits % 8:
        raise ValueError(f"elements of type {type_.element} are not whole bytes")
    return type_.bits // 8


class InputFileReader:
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
            return list(self._arrays(type_, rest[0], path))
        except OSError as error:
            raise ValueError(f"{path}: {error.strerror or error}") from error
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def _arrays(self, type_: str, sign: str, path: Path) -> Iterator[InputSpec]:
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


@dataclass
class RunFlags:
    """The flags that say what to call, on what, and with which results; the others are `ignored`.

    `folder` is where relative paths in them start.
    """

    folder: Path
    inputs: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    function: str | None = None
    device: str | None = None
    ignored: list[str] = field(default_factory=list)


def read_flags(path: Path) -> RunFlags:
    """The flags in a file: one per line; those after a `#` are comments.

    Raises:
        OSError: the file, or one that it includes, cannot be read.
        ValueError: it is not text, or includes itself.
    """
    found = RunFlags(path.absolute().parent)
    _read(path, found, ())
    return found


def flags_among(words: Iterable[str]) -> RunFlags:
    """The flags of a command, as `read_flags` reads them; relative paths are in this folder."""
    found = RunFlags(Path())
    _take(words, found, Path(), ())
    return found


def _read(path: Path, found: RunFlags, including: tuple[Path, ...]) -> None:
    if path in including:
        raise ValueError(f"{path} includes itself")
    lines = path.read_text(encoding="utf-8").splitlines()
    _take(lines, found, path.parent, (*including, path))


def _take(lines: Iterable[str], found: RunFlags, folder: Path, including: tuple[Path, ...]) -> None:
    takes: dict[str, Callable[[str], None]] = {
        RUNTIME.input_flag: found.inputs.append,
        RUNTIME.expected_flag: found.expected.append,
        RUNTIME.parameters_flag: found.parameters.append,
        RUNTIME.function_flag: lambda value: setattr(found, "function", value),
        RUNTIME.device_flag: lambda value: setattr(found, "device", value),
        RUNTIME.flagfile_flag: lambda value: _read(folder / value, found, including),
    }
    for line in lines:
        flag, equals, value = line.strip().partition("=")
        if not flag or flag.startswith("#"):
            continue
        if equals and flag in takes:
            takes[flag](value)
        else:
            found.ignored.append(line.strip())
