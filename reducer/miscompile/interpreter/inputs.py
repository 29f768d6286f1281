"""Arguments, from the texts that `iree-run-module --input` takes.

`2x3xf32=1 2 3 4 5 6` (one number stands for all), `2x3xf32=@file.bin` (raw elements), `@file.npy`,
or a number.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reducer.miscompile.interpreter.elements import Element, Numbers, wrapped
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import check_size
from reducer.miscompile.interpreter.types import ValueType, parse_type
from reducer.miscompile.interpreter.values import Array

_SPEC = re.compile(r"(?P<dims>(?:\d+x)*)(?P<element>[a-z]\w*)(?:=(?P<values>.*))?$", re.S)
_NOT_FINITE = ("inf", "nan")  # scalars that look like types
_SEPARATORS = re.compile(r"[\s,\[\]]+")


def parse_input(text: str, declared: ValueType | None = None) -> Array:
    """The value that a text says; `declared` is the type of the parameter, if known.

    Raises:
        Unsupported: the text is in another format, or of another type than declared.
        OSError: a file that it names cannot be read.
    """
    text = text.strip()
    if text.startswith("@"):
        return Array(_file(Path(text[1:])))
    match = None if text in _NOT_FINITE else _SPEC.match(text)
    if match is None:
        element = declared.element if declared else None
        if element is None:
            raise Unsupported([f"input {text[:40]}"])
        return Array(_numbers([text], element).reshape(()))
    type_ = parse_type(match["element"])
    shape = tuple(int(size) for size in match["dims"].split("x")[:-1])
    check_size(shape)
    return Array(_declared(_shaped(match["values"], type_.number, shape), declared))


def _declared(data: Numbers, declared: ValueType | None) -> Numbers:
    """The numbers in the type of the parameter: some compilers demote f64, and inputs with it."""
    element = declared.element if declared else None
    if element is None or element.dtype == data.dtype or data.dtype.kind == "c":
        return data
    return data.astype(element.dtype)


def _file(path: Path) -> Numbers:
    if path.suffix != ".npy":
        raise Unsupported([f"input file {path.name}"])
    found: Numbers = np.load(path, allow_pickle=False)
    return found


def _shaped(values: str | None, element: Element, shape: tuple[int, ...]) -> Numbers:
    if values is None:
        return np.zeros(shape, element.dtype)
    if values.startswith("@"):
        path = Path(values[1:])
        data = np.fromfile(path, element.dtype) if path.suffix != ".npy" else _file(path)
        return np.asarray(data).reshape(shape)
    numbers = _numbers([word for word in _SEPARATORS.split(values) if word], element)
    if numbers.size == 1:
        return np.full(shape, numbers[0])
    return numbers.reshape(shape)


def _numbers(words: Sequence[str], element: Element) -> Numbers:
    if element.dtype.kind == "c":
        return np.frombuffer(bytes.fromhex("".join(words)), element.dtype)
    if element.is_float:
        return np.array([float(word) for word in words], np.float64).astype(element.dtype)
    mask = (1 << 64) - 1
    bits = np.array([_integer(word) & mask for word in words], np.uint64)
    return wrapped(bits.view(np.int64), element)


def _integer(word: str) -> int:
    known = {"true": 1, "false": 0}
    if word in known:
        return known[word]
    base = 16 if "x" in word else 10  # the runtime's truth values are bytes: 00 and 01
    return int(float(word)) if "." in word else int(word, base)
