"""What programs print: `vector.print`, and the support library of MLIR's own runner.

Source: MLIR language reference, 'vector' dialect, and `mlir/lib/ExecutionEngine/CRunnerUtils.cpp`.
A number that is poison must not be printed.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import string
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import EXTERNAL, Frame
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, Buffer
from reducer.miscompile.values.elements import Element, unsigned

_PUNCTUATION = re.compile(r"#vector\.punctuation<(\w+)>")
_MARKS = {"no_punctuation": "", "newline": "\n", "comma": ", ", "open": "( ", "close": " )"}


@op("vector.print")
def print_(frame: Frame, op: Op, *operands: Array) -> None:
    out = frame.interpreter.printed
    for operand in operands:
        out.append(_shown(frame, operand, op.operand))
    if op.has("stringLiteral"):
        out.append(string(op.text("stringLiteral")))
        return  # what follows a string is never printed
    mark = _PUNCTUATION.search(op.text("punctuation"))
    out.append(_MARKS[mark[1]] if mark else "\n")


def _shown(frame: Frame, value: Array, element: Element) -> str:
    data = np.asarray(frame.known(value, "a printed number"))
    if data.ndim == 0:
        return _word(data[()], element)
    inner = (_shown(frame, Array(one), element) for one in data)
    return f"( {', '.join(inner)} )"


def _word(value: Any, element: Element) -> str:
    """A number as the library prints it: an index has no sign, and floats have six digits."""
    if element.is_float:
        return f"{float(value):g}"
    if not element.is_integer:
        raise Unsupported([f"printing {element.text}"])
    if element.text == "index" or element.unsigned or element.width == 1:
        return str(int(unsigned(np.asarray(value), element)))
    return str(int(value))


def _memref(name: str) -> None:
    def run(frame: Frame, op: Op, arguments: Sequence[Any]) -> tuple[Any, ...]:
        (value,) = arguments
        value = value.array() if isinstance(value, Buffer) else value
        data = np.asarray(frame.known(value, "a printed number"))
        words = " ".join(
            f"{float(one):g}" if data.dtype.kind not in "iub" else str(int(one))
            for one in data.ravel()
        )
        frame.interpreter.printed.append(f"{words}\n")
        return ()

    EXTERNAL[name] = run


for _name in ("F32", "F64", "F16", "BF16", "I8", "I16", "I32", "I64", "Ind"):
    _memref(f"printMemref{_name}")


def _scalar(name: str) -> None:
    def run(frame: Frame, op: Op, arguments: Sequence[Any]) -> tuple[Any, ...]:
        words = (_word(frame.known(one, "a printed number")[()], op.operand) for one in arguments)
        frame.interpreter.printed.append(" ".join(words))
        return ()

    EXTERNAL[name] = run


for _name in ("I64", "U64", "F32", "F64"):
    _scalar(f"print{_name}")


def _mark(name: str, text: str) -> None:
    def run(frame: Frame, op: Op, arguments: Sequence[Any]) -> tuple[Any, ...]:
        frame.interpreter.printed.append(text)
        return ()

    EXTERNAL[name] = run


for _name, _text in (("Open", "( "), ("Close", " )"), ("Comma", ", "), ("Newline", "\n")):
    _mark(f"print{_name}", _text)
