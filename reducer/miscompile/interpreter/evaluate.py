"""Evaluate one function of a module: texts in, an answer out.

Arguments are texts as `iree-run-module --input` takes them: `2x3xf32=1 2 3 4 5 6` (one number
stands for all), `2x3xf32=@file.bin` (raw elements), `@file.npy`, or a number.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from reducer.ir import GenericSyntaxError
from reducer.ir.syntax import split_function_type
from reducer.miscompile.interpreter.answers import Evaluation
from reducer.miscompile.interpreter.attributes import MlirType, parse_type
from reducer.miscompile.interpreter.constants import ParameterArchives
from reducer.miscompile.interpreter.dialects.names import tells_rounding
from reducer.miscompile.interpreter.errors import ProgramError, UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Interpreter, check_size
from reducer.miscompile.interpreter.noise import disturbed
from reducer.miscompile.interpreter.program import EvaluatedProgram, Op
from reducer.miscompile.interpreter.values import Array, Buffer, OpaqueValue, View, differ
from reducer.miscompile.values.elements import Element, ElementKind, Numbers, from_words, unsigned
from reducer.miscompile.values.programs import UNKNOWN, Value, ValueType

_SPEC = re.compile(r"(?P<dims>(?:\d+x)*)(?P<element>[a-z]\w*)(?:=(?P<values>.*))?$", re.S)
_NOT_FINITE = ("inf", "nan")  # scalars that look like types
_SEPARATORS = re.compile(r"[\s,\[\]]+")


def parse_input(text: str, declared: MlirType | None = None) -> Array:
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
        return Array(from_words([text], element).reshape(()))
    type_ = parse_type(match["element"])
    shape = tuple(int(size) for size in match["dims"].split("x")[:-1])
    check_size(shape)
    return Array(_declared(_shaped(match["values"], type_.number, shape), declared))


def _declared(data: Numbers, declared: MlirType | None) -> Numbers:
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
    numbers = from_words([word for word in _SEPARATORS.split(values) if word], element)
    if numbers.size == 1:
        return np.full(shape, numbers[0])
    return numbers.reshape(shape)


_FLOATS = re.compile(
    r'"(?:arith\.\w+fp?"|math\.|complex\.|linalg\.softmax|stablehlo\.|chlo\.|torch\.op)'
)
_PAIRS = 2
"""How often a program is evaluated again with other last digits, twice each."""
_SAFETY = 8.0
"""A correct compiler may be off by so many times the largest change that was seen."""

Trace = Callable[[Op, Sequence[Any]], None]


@dataclass
class Calls:
    """Calls of one function of a module in generic form, which is read once; each is as if it were
    the first.

    Of each result the first `max_elements` are given. `signs` is whether compilers must keep the
    sign of a zero where an op does. With `once`, nobody finds out how far rounding may take a
    number.
    """

    text: str
    function: str
    _: KW_ONLY
    trace: Trace | None = None
    stable_sorts: bool = False
    parameters: Sequence[str] = ()
    max_elements: int | None = None
    signs: bool = False
    once: bool = False

    def answer(self, inputs: Sequence[str]) -> Evaluation:
        """The results for some inputs, or why there are none."""
        try:
            return self._called(inputs)
        except Unsupported as error:
            return Evaluation(unsupported=error.names)
        except UndefinedBehavior as error:
            return Evaluation(undefined=str(error))
        except ProgramError as error:
            return Evaluation(failure=str(error))
        except GenericSyntaxError as error:
            return Evaluation(unsupported=(f"module text, {error}",))
        except OSError as error:
            return Evaluation(unsupported=(f"a file that cannot be read, {error}",))
        except RecursionError:
            return Evaluation(unsupported=("regions nested as deeply as this",))
        except MemoryError:
            return Evaluation(unsupported=("tensors as large as these",))

    @cached_property
    def _program(self) -> EvaluatedProgram:
        program = EvaluatedProgram.load(self.text)
        program.parameters = ParameterArchives(self.parameters)
        return program

    def _called(self, inputs: Sequence[str]) -> Evaluation:
        program, function = self._program, self.function
        if function not in program.symbols:
            return Evaluation(failure=f"no function @{function}")
        callee = program.symbols[function]
        parameters, declared = split_function_type(callee.text("function_type")) or ((), ())
        interpreter = Interpreter(program, trace=self.trace, stable_sorts=self.stable_sorts)
        types = [parse_type(program.resolved(kind)) for kind in parameters]
        arguments: list[Any] = [
            parse_input(given, type_) for given, type_ in zip(inputs, types, strict=False)
        ]
        if len(inputs) > len(parameters):
            return Evaluation(failure=f"@{function} takes {len(parameters)} inputs")
        arguments += [OpaqueValue() for _ in parameters[len(inputs) :]]
        memory = [number for number, type_ in enumerate(types) if type_.is_memory]
        values = _call(interpreter, function, arguments, memory)
        again = _DisturbedCalls(program, self.stable_sorts, self.signs)
        again_called = [] if self.once else list(again.results(function, arguments, memory))
        others = [values for values, _ in again_called]
        kinds = [parse_type(program.resolved(kind)) for kind in declared]
        kinds += [types[number] for number in memory]
        results = [
            part_of(
                value,
                kind,
                [one[number] for one in others],
                self.max_elements,
                is_exact=again.shows_all and not self.once,
            )
            for number, (value, kind) in enumerate(zip(values, kinds, strict=True))
        ]
        return Evaluation(
            results,
            undefined=_nothing_defined(values, interpreter),
            hazards=tuple(interpreter.hazards),
            printed="".join(interpreter.printed),
            printed_again=tuple(printed for _, printed in again_called if printed),
        )


def _call(
    interpreter: Interpreter, function: str, arguments: Sequence[Any], memory: Sequence[int]
) -> list[Any]:
    """What a function returns, and what the arguments that are memory hold in the end."""
    given = list(arguments)
    for number in memory:
        if isinstance(given[number], Array):
            given[number] = Buffer(np.array(given[number].data), np.array(given[number].mask()))
    values = interpreter.call(function, given)
    left = (given[number] for number in memory)
    return [*values, *(one.array() if isinstance(one, Buffer) else one for one in left)]


class _DisturbedCalls:
    """Calls of a program with other last digits."""

    def __init__(self, program: EvaluatedProgram, stable_sorts: bool, signs: bool) -> None:
        self._program = program
        self._stable_sorts = stable_sorts
        self._signs = signs
        self._has_floats = bool(_FLOATS.search(program.module.text))
        self.shows_all = not self._has_floats or tells_rounding(program.module.text)
        """Whether a number that no call changes is one on the way to which nothing is rounded."""

    def results(
        self, function: str, arguments: Sequence[Any], memory: Sequence[int]
    ) -> Iterator[tuple[list[Any], str]]:
        """The results and what is printed; none if the program has no floats, or fails so."""
        for seed in range(_PAIRS if self._has_floats else 0):
            has_moved = False
            for sign in (1, -1):
                try:
                    with disturbed(seed, sign, signs=self._signs) as noise:
                        again = Interpreter(self._program, stable_sorts=self._stable_sorts)
                        values = _call(again, function, arguments, memory)
                        yield values, "".join(again.printed)
                except (Unsupported, UndefinedBehavior, ProgramError):
                    self.shows_all = False
                    return
                has_moved |= noise.has_moved
                self.shows_all &= not noise.has_rounded
            if not has_moved:
                return  # all is exact


def _nothing_defined(values: Sequence[Any], interpreter: Interpreter) -> str:
    """Why no result has any defined element; '' if one has."""
    arrays = [value for value in values if isinstance(value, Array) and value.data.size]
    if not arrays or any(one.poison is None or not one.poison.all() for one in arrays):
        return ""
    sources = ", ".join(interpreter.poison_sources)
    what = "all results depend on uninitialized or poison values"
    return f"{what} ({sources})" if sources else what


def part_of(
    value: Any,
    declared: MlirType,
    disturbed: Sequence[Any] = (),
    max_elements: int | None = None,
    *,
    is_exact: bool = False,
) -> Value:
    """A result in the type that it has outside of the program.

    `disturbed` is the same result with other last digits: how much it changes is its slack, and an
    integer that changes is undefined. `is_exact` is whether a float that does not change is exact.
    The sign of a zero is right if it never changes.
    """
    kind = value.type if isinstance(value, View) else declared
    if not isinstance(value, Array) or kind.element is None:
        return UNKNOWN
    element = kind.element
    name = element.text
    if value.data.ndim or kind.dims is not None:
        name = f"tensor<{''.join(f'{n}x' for n in value.shape)}{element.text}>"
    plain = _plain(value, element)
    others = [_plain(one, element) for one in disturbed if one.data.shape == value.data.shape]
    changed = [other for other in others if not np.array_equal(other, plain, equal_nan=True)]
    bad, slack = value.mask().ravel(), None
    if element.kind is ElementKind.COMPLEX:
        bad = np.repeat(bad, 2)
    if changed and not element.is_integer:
        off = _deviation(plain, changed)
        bad, slack = bad | ~np.isfinite(off), np.where(np.isfinite(off), off, 0.0)
    elif changed:
        bad = bad | np.any([other != plain for other in changed], axis=0)
    exact = signed = None
    if element.is_float and others:
        signed = np.all([np.signbit(other) == np.signbit(plain) for other in others], axis=0)
    if is_exact and element.is_float:
        same = ~np.any([differ(other, plain) for other in others], axis=0) | np.False_
        exact = np.broadcast_to(same, plain.shape)
    columns = plain, ~bad if bad.any() else None, slack, exact, signed
    most = max_elements and max_elements * (2 if element.kind is ElementKind.COMPLEX else 1)
    return Value(ValueType.parse(name), *(None if one is None else one[:most] for one in columns))


def _deviation(plain: Numbers, others: Sequence[Numbers]) -> Numbers:
    """How far each float may be off, from what it changes by; a float that is NaN only now and then
    may be off by anything.

    An element may happen to change little, so the typical change of the tensor counts as well.
    """
    with np.errstate(all="ignore"):
        return _most(plain, others)


def _most(plain: Numbers, others: Sequence[Numbers]) -> Numbers:
    same = [(other == plain) | (np.isnan(other) & np.isnan(plain)) for other in others]
    changes = [np.abs(other - plain) for other in others]
    off = np.where(np.all(same, axis=0), 0.0, np.max(changes, axis=0))
    finite = off[np.isfinite(off)]
    typical = np.median(finite) if finite.size else 0.0
    return np.asarray(_SAFETY * np.maximum(off, typical))


def _plain(value: Array, element: Element) -> Numbers:
    """The numbers as 8-byte floats or integers, two for each complex number."""
    data = np.asarray(value.data)
    if element.kind is ElementKind.COMPLEX:
        return np.ascontiguousarray(data, np.complex128).ravel().view(np.float64)
    if element.is_float:
        return data.astype(np.float64).ravel()
    raw = unsigned(data, element) if element.unsigned or element.width == 1 else data
    return raw.astype(np.int64).ravel()
