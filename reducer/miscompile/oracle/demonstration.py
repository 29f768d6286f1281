"""One call that shows what is wrong with a program, in terms of the runtime's own tool."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from oracles.evidence import PROGRAM, SHORT
from oracles.profiles import RUNTIME
from oracles.run.limits import Limits
from oracles.run.run_process import run_process
from reducer.miscompile.oracle.execution import Compiled, ExecutionResult
from reducer.miscompile.oracle.program_pool import ComparisonCase
from reducer.miscompile.values.compare import (
    SCALE,
    Difference,
    compare,
    exact_tolerance_of,
    scale_of,
    tolerance_of,
)
from reducer.miscompile.values.programs import Function, Value, ValueType, complex_word, spelled

_ELEMENTS = 1024  # that the runtime's tool prints of a result unless told otherwise
_SECONDS = 120.0
_ROUNDING = {"f64": 1e-6, "f32": 1e-6, "f16": 1e-2}
"""How far right results may be apart, relative to the largest; they are printed with six digits."""


@dataclass(frozen=True)
class Demonstration:
    """A call, what it gives, and what is right.

    Attributes:
        function: the function to call.
        inputs: its inputs, as the runtime's tool takes them.
        device: the runtime's name of the device.
        parameters: archives of parameters, each as `SCOPE=FILE` or `FILE`.
        result: what the program gives; a failure if it does not run to its end.
        expected: what is right; nothing is known if the program fails.
        tolerance: replaces the tolerances by type.
        finite_only: whether elements that are not finite are ignored.
        signs: whether the sign of a zero counts.
        is_seen: whether the runtime's tool, told the expected values, finds the result wrong. It
            compares no scalars, and up to 3.8.0 no number with NaN.
    """

    function: str
    inputs: tuple[str, ...]
    device: str
    parameters: tuple[str, ...]
    result: ExecutionResult
    expected: ExecutionResult
    tolerance: float | None = None
    finite_only: bool = False
    signs: bool = False
    is_seen: bool = False

    @property
    def is_short(self) -> bool:
        """Whether the inputs fit into a command."""
        return sum(map(len, self.inputs)) <= SHORT

    @property
    def differences(self) -> list[Difference]:
        """What is wrong with the result."""
        if self.result.failure:
            return []
        return compare(
            self.result.results,
            self.expected.results,
            tolerance=self.tolerance,
            finite_only=self.finite_only,
            signs=self.signs,
        )

    @property
    def input_flags(self) -> list[str]:
        """The flags that give the inputs."""
        return [f"{RUNTIME.input_flag}={one}" for one in self.inputs]

    @property
    def expected_flags(self) -> list[str]:
        """The flags that say what is right; empty if the runtime's tool cannot compare it.

        It takes every scalar for wrong. Where its absolute tolerance would take rounding for wrong,
        another one is set.
        """
        actual, right = self.result.results, self.expected.results
        if self.result.failure or not right or len(actual) != len(right):
            return []
        if not all(map(_is_comparable, actual)):
            return []
        pairs = list(zip(actual, right, strict=True))
        flags = [f"{RUNTIME.expected_flag}={_expected(*pair)}" for pair in pairs]
        return [*flags, *dict.fromkeys(flag for pair in pairs for flag in self._threshold(*pair))]

    def _threshold(self, actual: Value, right: Value) -> Iterator[str]:
        """The flag for the tolerance of one result, if the default is too strict."""
        assert actual.type is not None
        largest = scale_of(right) / SCALE
        flag, default = RUNTIME.thresholds.get(actual.type.element, ("", math.inf))
        slack = 0.0 if right.slack is None else float(right.slack.max(initial=0.0))
        if _ROUNDING.get(actual.type.element, 0.0) * largest + slack > default:
            is_exact = right.exact is not None and right.exact.all()
            usual = exact_tolerance_of if is_exact else tolerance_of
            relative = usual(actual) if self.tolerance is None else self.tolerance
            yield f"{flag}={relative * largest + slack:g}"

    @property
    def call_flags(self) -> list[str]:
        """The flags that say what to call and how, without the program and the values."""
        counts = [one.count for one in self.result.results]
        many = [RUNTIME.print_all(max(counts))] if max(counts, default=0) > _ELEMENTS else []
        archives = [f"{RUNTIME.parameters_flag}={one}" for one in self.parameters]
        function = f"{RUNTIME.function_flag}={self.function}"
        return [f"{RUNTIME.device_flag}={self.device}", function, *archives, *many]

    def words(self, inputs_file: str, program: str = PROGRAM) -> list[str]:
        """The call of a compiled program, with long inputs in a file of flags."""
        values = self.input_flags
        if not self.is_short:
            values = [f"{RUNTIME.flagfile_flag}={inputs_file}"]
        right = self.expected_flags if self.is_seen else []
        right = right if sum(map(len, right)) <= SHORT else []
        device, *others = self.call_flags
        module = f"{RUNTIME.module_flag}={program}"
        return [RUNTIME.program, device, module, *others, *values, *right]

    @property
    def inputs_text(self) -> str:
        """The content of the file of flags with the inputs."""
        return "".join(f"{flag}\n" for flag in self.input_flags)


def demonstration_of(
    case: ComparisonCase, result: ExecutionResult, program: Compiled
) -> Demonstration:
    """The demonstration of what a program does wrong."""
    types = [one.type for one in result.results]
    right = case.expected.results
    if len(right) == len(types):  # in the types that the runtime prints
        right = tuple(one.read_as(type_) for one, type_ in zip(right, types, strict=True))
    shown = Demonstration(
        case.function.name,
        tuple(case.inputs),
        program.device,
        program.parameters,
        result,
        replace(case.expected, results=right),
        case.tolerance,
        case.finite_only,
        case.signs,
    )
    return replace(shown, is_seen=_is_seen(shown, case.function, program))


def _is_seen(one: Demonstration, function: Function, program: Compiled) -> bool:
    """Whether the runtime's tool finds the program's results wrong by itself."""
    right = one.expected_flags
    if not right:
        return False
    flags = program.path.with_suffix(".expected")
    flags.write_text("\n".join([*one.input_flags, *right, ""]), encoding="utf-8")
    words = program.words(function, flags)
    done = run_process(words, cwd=program.path.parent, limits=Limits(_SECONDS))
    return done.exit_code == 1 and RUNTIME.difference in done.stdout


def _is_comparable(actual: Value) -> bool:
    """Whether the runtime's tool can tell whether this result is right."""
    if actual.type is None or actual.type.shape is None or actual.type.is_complex:
        return False
    return not actual.type.is_float or actual.type.element in RUNTIME.thresholds


def _expected(actual: Value, right: Value) -> str:
    """The right values of one result, as the runtime's tool takes them.

    An element that may be anything is given its actual value.
    """
    if right.elements is None or actual.type is None:
        return RUNTIME.ignored_output
    elements = right.elements
    if right.defined is not None and actual.elements is not None:
        elements = np.where(right.defined, elements, actual.elements)
    return f"{_sized(right, actual.type)}={spelled_values(elements.tolist(), actual.type)}"


def _sized(right: Value, type_: ValueType) -> ValueType:
    """The type that the runtime's tool gives the result, in the right shape."""
    return ValueType(type_.element, right.type.shape if right.type else type_.shape)


def spelled_values(elements: Sequence[float], type_: ValueType) -> str:
    """The elements of a tensor as text from which the same elements are read."""
    if type_.is_complex:
        parts = zip(elements[::2], elements[1::2], strict=True)
        return " ".join(complex_word(real, imaginary, type_) for real, imaginary in parts)
    is_float = type_.is_float
    return " ".join(
        spelled(float(one) if is_float else int(one), type_.element) for one in elements
    )
