"""A function without arguments that calls another one with fixed inputs, and prints what it gives.

`mlir-runner` can run such a function by itself, so anybody with MLIR's tools sees what the program
computes.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from oracles.evidence import CALLER
from reducer.miscompile.mlir_runner.file_call import called, in_memory, memref_type, mlir_type
from reducer.miscompile.mlir_runner.memory import NotInMemory
from reducer.miscompile.values.elements import parse_element, to_bits
from reducer.miscompile.values.programs import Function, ValueType

PRINTERS = {"f64": "F64", "f32": "F32", "i32": "I32", "i64": "I64", "index": "Ind"}
"""The functions of the support library that print memory, by element type: `printMemref…`.

Those for other types print characters, or are called in another way.
"""

_WIDER = {
    "f16": ("arith.extf", "f32"),
    "bf16": ("arith.extf", "f32"),
    "i1": ("arith.extui", "i32"),
    "i4": ("arith.extsi", "i32"),
    "i8": ("arith.extsi", "i32"),
    "i16": ("arith.extsi", "i32"),
}
"""How results of other types become such as can be printed."""

_LONGEST = 1 << 13  # characters of an input; a report with more is not read by anybody


def printing_call(text: str, function: Function, inputs: Sequence[str]) -> str | None:
    """The function `CALLER` and what it declares, for a module in MLIR's text.

    None if an input is too large, or if there is a type that cannot be printed.
    """
    types = [one for one in function.inputs if one is not None]
    if not len(types) == len(inputs) == len(function.inputs):
        return None
    results = [_printed(one) for one in function.results if one is not None]
    shown = [*results, *(types[number] for number in function.memory)]
    if shown and "@printMemref" in text:  # which may be declared for another type
        return None
    if any(one.element not in PRINTERS for one in shown):
        return None
    if max(map(len, inputs), default=0) > _LONGEST:
        return None
    try:
        return _PrintingCall(function, types, inputs).text()
    except NotInMemory:
        return None


class _PrintingCall:
    def __init__(
        self, function: Function, types: Sequence[ValueType], inputs: Sequence[str]
    ) -> None:
        self.function = function
        self.types = types
        self.inputs = inputs
        self._numbers = count()

    def text(self) -> str:
        used = dict.fromkeys(PRINTERS[_printed(one).element] for one in self.function.returned)
        elements = {printer: element for element, printer in PRINTERS.items()}
        lines = [f"func.func private @printMemref{one}(memref<*x{elements[one]}>)" for one in used]
        return "\n".join([*lines, f"func.func @{CALLER}() {{", *self._body(), "  return", "}"])

    def _body(self) -> Iterator[str]:
        memory: list[tuple[str, str, ValueType]] = []
        for number, (type_, word) in enumerate(zip(self.types, self.inputs, strict=True)):
            name = f"%a{number}"
            if number in self.function.memory:
                yield from self._memory(name, type_, word)
                memory.append((name, memref_type(type_), type_))
            else:
                yield from self._value(name, type_, word)
        yield called(self.function, "%a", "%r")
        results = [one for one in self.function.results if one is not None]
        for number, type_ in enumerate(results):
            name, shown = f"%r{number}", _printed(type_)
            if shown != type_:
                narrow, name = name, self._fresh()
                widen, _ = _WIDER[type_.element]
                yield f"  {name} = {widen} {narrow} : {mlir_type(type_)} to {mlir_type(shown)}"
            buffer = self._fresh()
            yield from in_memory(name, buffer, shown, self._fresh)
            yield from self._print(buffer, memref_type(shown), shown)
        for name, kind, type_ in memory:
            yield from self._print(name, kind, type_)

    def _value(self, name: str, type_: ValueType, word: str) -> Iterator[str]:
        """An input as a constant."""
        given, equals, values = word.partition("=")
        if not equals:
            kind = "" if type_.element == "i1" else f" : {type_.element}"
            yield f"  {name} = arith.constant {_spelled(given, type_)}{kind}"
            return
        sizes = [int(size) for size in given.split("x")[:-1]]
        fixed = mlir_type(replace(type_, shape=tuple(sizes)))
        elements = _nested(_elements(values, type_, math.prod(sizes)), sizes)
        dynamic = None in (type_.shape or ())
        made = self._fresh() if dynamic else name
        yield f"  {made} = arith.constant dense<{elements}> : {fixed}"
        if dynamic:
            yield f"  {name} = tensor.cast {made} : {fixed} to {mlir_type(type_)}"

    def _memory(self, name: str, type_: ValueType, word: str) -> Iterator[str]:
        """An input as memory that may be overwritten."""
        given = word.partition("=")[0]
        sizes = tuple(int(size) for size in given.split("x")[:-1])
        fixed = ValueType(type_.element, sizes)
        made, kind = self._fresh(), memref_type(fixed)
        yield from self._value(made, fixed, word)
        source = self._fresh()
        yield f"  {source} = bufferization.to_buffer {made} : {mlir_type(fixed)} to {kind}"
        own = self._fresh() if None in (type_.shape or ()) else name
        yield f"  {own} = memref.alloc() : {kind}"
        yield f"  memref.copy {source}, {own} : {kind} to {kind}"
        if own != name:
            yield f"  {name} = memref.cast {own} : {kind} to {memref_type(type_)}"

    def _print(self, buffer: str, kind: str, type_: ValueType) -> Iterator[str]:
        any_rank = self._fresh()
        yield f"  {any_rank} = memref.cast {buffer} : {kind} to memref<*x{type_.element}>"
        printer = f"@printMemref{PRINTERS[type_.element]}"
        yield f"  func.call {printer}({any_rank}) : (memref<*x{type_.element}>) -> ()"

    def _fresh(self) -> str:
        return f"%v{next(self._numbers)}"


def _printed(type_: ValueType) -> ValueType:
    """The type as which a result is printed."""
    _, element = _WIDER.get(type_.element, ("", type_.element))
    return replace(type_, element=element)


def _elements(values: str, type_: ValueType, number: int) -> list[str]:
    words = [_spelled(word, type_) for word in values.replace(",", " ").split()]
    return words * number if len(words) == 1 else words


def _nested(words: Sequence[str], sizes: Sequence[int]) -> str:
    """The elements in row-major order as nested lists."""
    if not sizes:
        return words[0] if words else ""
    step = len(words) // sizes[0] if sizes[0] else 0
    parts = (_nested(words[n * step : (n + 1) * step], sizes[1:]) for n in range(sizes[0]))
    return f"[{', '.join(parts)}]"


def _spelled(word: str, type_: ValueType) -> str:
    """A number as MLIR's parser reads it for an element type."""
    if type_.element == "i1":
        return "true" if float(word) else "false"
    if not type_.is_float:
        return word
    value = float(word)
    if math.isfinite(value):
        return f"{value:.17e}"
    known = parse_element(type_.element)
    assert known is not None
    return f"0x{int(to_bits(np.array(value, known.dtype), known)):0{known.width // 4}X}"
