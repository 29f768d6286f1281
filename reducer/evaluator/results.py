"""Read what the evaluator's process has written (see `answers`), without NumPy."""

import array
import json
from collections.abc import Sequence
from pathlib import Path

from oracles.values.execution import ExecutionResult
from oracles.values.printed import printed_values
from oracles.values.programs import UNKNOWN, Value, ValueType
from reducer.evaluator.answers import Part


def read_answer(path: Path, *, prints: float = 0.0) -> ExecutionResult:
    """The answer in a file.

    `prints` is the relative tolerance of printed floats; 0 if what is printed is not a result.

    Raises:
        OSError: there is no such file.
        ValueError: it is not complete.
    """
    with path.open("rb") as source:
        head = json.loads(source.readline())
        values = []
        for entry in head["results"]:
            parts = [source.read(entry[name]) for name in ("data", "mask", "slack", "exact")]
            values.append(_value(Part(entry["type"], entry["code"], *parts)))
    if prints and not (head["undefined"] or head["failure"] or head["unsupported"]):
        values.append(printed_values(head["printed"], prints))
    return ExecutionResult(
        tuple(values),
        failure=head["failure"],
        undefined=head["undefined"],
        unsupported=tuple(head["unsupported"]),
        hazards=tuple(head["hazards"]),
    )


def _value(part: Part) -> Value:
    if not part.code:
        return UNKNOWN
    defined = tuple(map(bool, part.mask)) if part.mask else None
    slack = tuple(_numbers("d", part.slack)) if part.slack else None
    kind = ValueType.parse(part.type)
    exact = tuple(map(bool, part.exact)) if part.exact else None
    return Value(kind, tuple(_numbers(part.code, part.data)), defined, slack, exact)


def _numbers(code: str, data: bytes) -> Sequence[float]:
    numbers: array.array[float] = array.array(code)
    numbers.frombytes(data)
    return numbers
