"""Constants of a program: dense elements and single numbers from text, and weights from archives.

The formats of `dense<…>` and `dense_resource<…>` are those of MLIR's attribute parser
(`mlir/lib/AsmParser/AttributeParser.cpp`): a hexadecimal number in place of a float is its bit
pattern, and a hexadecimal string holds the raw elements, of which those of less than a byte take a
byte each, except that i1 are packed.

Archives of parameters hold the weights of a model outside of the program, in IREE's format
(`runtime/src/iree/schemas/parameter_archive.h`): a header, a table of entries of various sizes,
their names, and their data. All numbers are little-endian, nothing is padded but the entries, to
16 bytes.
"""

import math
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from reducer.miscompile.interpreter.attributes import MlirType, parse_type
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.values.elements import Element, Numbers, from_bits, wrapped

_RESOURCE = re.compile(r'dense_resource<("?)([^">]*)\1>')
_HEX = re.compile(r"\b0x")
_PAIR = re.compile(r"\(([^,()]*),([^,()]*)\)")

_PARAMETER = re.compile(r'#\w+\.parameter\.named<(?:"([^"]*)"::)?"([^"]*)">')


class DataSource(Protocol):
    """Where data that is not in the text of a constant comes from."""

    def resource(self, name: str) -> bytes | None:
        """The bytes of a resource of the module by its name."""
        ...

    def parameter(self, scope: str, name: str) -> bytes:
        """The bytes of a parameter from an archive."""
        ...


def constant(text: str, resources: DataSource, kind: str = "") -> Numbers:
    """The numbers of an attribute; `kind` is its type if the text does not say it.

    Raises:
        Unsupported: the attribute is of a form that this module does not know.
    """
    value, type_ = _split(text.strip(), kind)
    element = type_.number
    shape = tuple(size or 0 for size in type_.dims or ())
    if type_.dims is None:
        return _numbers([value], element).reshape(())
    if value.startswith("dense<"):
        return _dense(value[len("dense<") : -1].strip(), element, shape)
    if match := _RESOURCE.fullmatch(value):
        blob = resources.resource(match[2])
        if blob is None:
            raise Unsupported([f"resource {match[2]} without data"])
        return _raw(blob, element, shape)
    if match := _PARAMETER.fullmatch(value):
        return _raw(resources.parameter(match[1] or "", match[2]), element, shape)
    raise Unsupported([f"constant {value[:40]}"])


def _split(text: str, kind: str) -> tuple[str, MlirType]:
    """The value and its type. `true` and `false` are written without one."""
    if text in ("true", "false", "unit"):
        return text, parse_type(kind or "i1")
    head, colon, tail = text.rpartition(" : ")
    if not colon or '"' in tail:
        return text, parse_type(kind)
    return head.strip(), parse_type(tail.strip())


def _dense(text: str, element: Element, shape: tuple[int, ...]) -> Numbers:
    if text.startswith('"0x'):
        return _raw(bytes.fromhex(text[3:-1]), element, shape)
    if not text:
        return np.zeros(shape, element.dtype)
    if text.startswith('"'):
        raise Unsupported(["constant of strings"])
    if element.dtype.kind == "c":
        pairs = _PAIR.findall(text)
        parts = parse_type("f32" if element.width == 64 else "f64").number
        reals = _numbers([pair[0].strip() for pair in pairs], parts)
        imaginary = _numbers([pair[1].strip() for pair in pairs], parts)
        out = (reals + 1j * imaginary).astype(element.dtype)
    else:
        words = text.replace("[", " ").replace("]", " ").split(",")
        out = _numbers([word.strip() for word in words], element)
    return _shaped(out, shape)


def _shaped(out: Numbers, shape: tuple[int, ...]) -> Numbers:
    return np.full(shape, out[0]) if out.size == 1 else out.reshape(shape)


def _numbers(words: list[str], element: Element) -> Numbers:
    if element.is_float:
        if any(_HEX.search(word) for word in words):
            return np.array([_float(word, element) for word in words], element.dtype)
        return np.array([float(word) for word in words], np.float64).astype(element.dtype)
    if element.is_integer:
        known = {"true": 1, "false": 0, "unit": 1}
        values = [known[word] if word in known else int(word, 0) for word in words]
        if element.width < 64:
            return wrapped(np.array(values, np.int64), element)
        mask = (1 << 64) - 1
        return np.array([value & mask for value in values], np.uint64).view(np.int64)
    raise Unsupported([f"constant of type {element.text}"])


def _float(word: str, element: Element) -> Any:
    if not word.startswith("0x"):
        return np.float64(word).astype(element.dtype)
    bits = np.array(int(word, 16), np.uint64)
    return from_bits(bits, element)[()]


def _raw(blob: bytes, element: Element, shape: tuple[int, ...]) -> Numbers:
    if element.width == 1:
        return _raw_bits(np.frombuffer(blob, np.uint8), shape)
    if element.is_integer and element.width not in (8, 16, 32, 64):
        data = wrapped(np.frombuffer(blob, element.dtype), element)
    else:
        data = np.frombuffer(blob, element.dtype)
    return _shaped(data, shape)


def _raw_bits(data: Numbers, shape: tuple[int, ...]) -> Numbers:
    """Eight to a byte, the lowest bit first; a byte for each in a resource."""
    count = math.prod(shape)
    if len(data) == 1 and data[0] in (0, 255):
        return np.full(shape, bool(data[0]))
    if len(data) == (count + 7) // 8:
        return np.unpackbits(data, bitorder="little")[:count].astype(np.bool_).reshape(shape)
    return data.astype(np.bool_).reshape(shape)


_MAGIC = b"IRPA"
_HEADER = struct.Struct("<4sHHQQQQQQQQQQ")
_ENTRY = struct.Struct("<QIQQQQQQ")
_SPLAT = struct.Struct("<Q16sB")
_DATA = struct.Struct("<QQ")
_ALIGNMENT = 16
_SPLAT_TYPE, _DATA_TYPE = 1, 2


class ParameterArchives:
    """The parameters of all archives, each given as `SCOPE=FILE` or, without a scope, `FILE`."""

    def __init__(self, archives: Sequence[str] = ()) -> None:
        self._found: dict[tuple[str, str], tuple[Path, bytes, int, int]] = {}
        for archive in archives:
            scope, _, path = archive.rpartition("=")
            self._read(scope, Path(path))

    def get(self, scope: str, name: str) -> bytes:
        """The bytes of a parameter.

        Raises:
            Unsupported: no archive has it.
        """
        if (scope, name) not in self._found:
            raise Unsupported([f"parameter {scope}::{name}, which no archive has"])
        path, pattern, offset, length = self._found[scope, name]
        if pattern:
            return (pattern * (length // len(pattern) + 1))[:length]
        return np.memmap(path, np.uint8, "r", offset, (length,)).tobytes() if length else b""

    def _read(self, scope: str, path: Path) -> None:
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
            if len(head) < _HEADER.size or not head.startswith(_MAGIC):
                raise Unsupported([f"parameter file {path.name}"])
            fields = _HEADER.unpack(head)
            following, count, entries_at, entries_size, names_at, names_size, data_at, _ = (
                fields[4], *fields[6:],
            )  # fmt: skip
            if following:
                raise Unsupported([f"linked archives in {path.name}"])
            file.seek(entries_at)
            entries = file.read(entries_size)
            file.seek(names_at)
            names = file.read(names_size)
        at = 0
        for _ in range(count):
            size, kind, _, name_at, name_size, _, _, _ = _ENTRY.unpack_from(entries, at)
            name = names[name_at : name_at + name_size].decode()
            if kind == _SPLAT_TYPE:
                length, pattern, used = _SPLAT.unpack_from(entries, at + _ENTRY.size)
                self._found[scope, name] = path, pattern[:used], 0, length
            elif kind == _DATA_TYPE:
                offset, length = _DATA.unpack_from(entries, at + _ENTRY.size)
                self._found[scope, name] = path, b"", data_at + offset, length
            at += -(-size // _ALIGNMENT) * _ALIGNMENT
