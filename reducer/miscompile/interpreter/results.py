"""Read what the evaluator's process has written (see `answers`), without NumPy."""

import array
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reducer.miscompile.interpreter.answers import Part
from reducer.miscompile.oracle.execution import ExecutionResult
from reducer.miscompile.values.compare import sign_of
from reducer.miscompile.values.printed import printed_values
from reducer.miscompile.values.programs import UNKNOWN, Value, ValueType

_PARTS = ("data", "mask", "slack", "exact", "signed")
"""The fields of a `Part` in the order in which they are written."""


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
            parts = [source.read(entry[name]) for name in _PARTS]
            values.append(_value(Part(entry["type"], entry["code"], *parts)))
    if prints and not (head["undefined"] or head["failure"] or head["unsupported"]):
        printed = printed_values(head["printed"], prints)
        again = [printed_values(one, prints) for one in head["printed_again"]]
        values.append(replace(printed, signed=_same_signs(printed, again)))
    return ExecutionResult(
        tuple(values),
        failure=head["failure"],
        undefined=head["undefined"],
        unsupported=tuple(head["unsupported"]),
        hazards=tuple(head["hazards"]),
    )


def _same_signs(value: Value, others: Sequence[Value]) -> tuple[bool, ...] | None:
    """For each element whether it always has the same sign; None if that is not known."""
    columns = [one.elements or () for one in (value, *others)]
    if not others or len(set(map(len, columns))) > 1:
        return None
    return tuple(len(set(map(sign_of, row))) == 1 for row in zip(*columns, strict=True))


def _value(part: Part) -> Value:
    if not part.code:
        return UNKNOWN
    defined = tuple(map(bool, part.mask)) if part.mask else None
    slack = tuple(_numbers("d", part.slack)) if part.slack else None
    kind = ValueType.parse(part.type)
    exact = tuple(map(bool, part.exact)) if part.exact else None
    signed = tuple(map(bool, part.signed)) if part.signed else None
    return Value(kind, tuple(_numbers(part.code, part.data)), defined, slack, exact, signed)


def _numbers(code: str, data: bytes) -> Sequence[float]:
    numbers: array.array[float] = array.array(code)
    numbers.frombytes(data)
    return numbers
