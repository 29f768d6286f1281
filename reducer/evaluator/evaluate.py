"""Evaluates one function of a module: texts in, an answer out."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from oracles.values.programs import MAX_ELEMENTS
from reducer.evaluator.answers import Answer, Part
from reducer.evaluator.elements import unsigned
from reducer.evaluator.errors import RunFailure, UndefinedBehavior, Unsupported
from reducer.evaluator.inputs import parse_input
from reducer.evaluator.interpreter import Interpreter
from reducer.evaluator.parameters import Parameters
from reducer.evaluator.program import Op, Program
from reducer.evaluator.types import ValueType, parse_type
from reducer.evaluator.values import Array, Token, View
from reducer.ir import GenericSyntaxError
from reducer.ir.syntax import split_function_type

Trace = Callable[[Op, Sequence[Any]], None]


def evaluate(
    text: str,
    function: str,
    inputs: Sequence[str],
    *,
    trace: Trace | None = None,
    stable_sorts: bool = False,
    parameters: Sequence[str] = (),
) -> Answer:
    """The results of a function of a module in generic form, or why there are none."""
    try:
        program = Program.load(text)
        program.parameters = Parameters(parameters)
        if function not in program.symbols:
            return Answer(failure=f"no function @{function}")
        callee = program.symbols[function]
        parameters, results = split_function_type(callee.text("function_type")) or ((), ())
        interpreter = Interpreter(program, trace=trace, stable_sorts=stable_sorts)
        arguments: list[Any] = [
            parse_input(given, parse_type(program.resolved(kind)))
            for given, kind in zip(inputs, parameters, strict=False)
        ]
        if len(inputs) > len(parameters):
            return Answer(failure=f"@{function} takes {len(parameters)} inputs")
        arguments += [Token() for _ in parameters[len(inputs) :]]
        values = interpreter.call(function, arguments)
        kinds = [parse_type(program.resolved(kind)) for kind in results]
        parts = [part_of(value, kind) for value, kind in zip(values, kinds, strict=True)]
        return Answer(
            parts,
            undefined=_nothing_defined(values, interpreter),
            hazards=tuple(interpreter.hazards),
        )
    except Unsupported as error:
        return Answer(unsupported=error.names)
    except UndefinedBehavior as error:
        return Answer(undefined=str(error))
    except RunFailure as error:
        return Answer(failure=str(error))
    except GenericSyntaxError as error:
        return Answer(unsupported=(f"module text, {error}",))
    except OSError as error:
        return Answer(unsupported=(f"a file that cannot be read, {error}",))
    except RecursionError:
        return Answer(unsupported=("regions nested as deeply as this",))
    except MemoryError:
        return Answer(unsupported=("tensors as large as these",))


def _nothing_defined(values: Sequence[Any], interpreter: Interpreter) -> str:
    """Why no result has any defined element; '' if one has."""
    arrays = [value for value in values if isinstance(value, Array) and value.data.size]
    if not arrays or any(one.poison is None or not one.poison.all() for one in arrays):
        return ""
    sources = ", ".join(interpreter.poison_sources)
    what = "all results depend on uninitialized or poison values"
    return f"{what} ({sources})" if sources else what


def part_of(value: Any, declared: ValueType) -> Part:
    """A result as bytes, in the type that it has outside of the program."""
    kind = value.type if isinstance(value, View) else declared
    if not isinstance(value, Array) or kind.element is None:
        return Part(kind.text, "")
    element = kind.element
    name = element.text
    if value.data.ndim or kind.dims is not None:
        name = f"tensor<{''.join(f'{n}x' for n in value.shape)}{element.text}>"
    data = np.asarray(value.data)
    if element.is_float:
        code, plain = "d", data.astype(np.float64)
    elif element.is_integer:
        raw = unsigned(data, element) if element.unsigned or element.width == 1 else data
        code, plain = "q", raw.astype(np.int64)
    else:
        return Part(name, "")
    mask = b""
    if value.poison is not None:
        mask = (~value.poison).astype(np.uint8).ravel()[:MAX_ELEMENTS].tobytes()
    return Part(name, code, plain.ravel()[:MAX_ELEMENTS].tobytes(), mask)
