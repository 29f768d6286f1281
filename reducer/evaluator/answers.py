"""What the evaluator's process tells the one that asked, without NumPy on that side.

One line of JSON, then the elements of each result as 8-byte floats or integers, if some are
undefined, a byte for each that says whether it is defined, and if rounding may change them, how far
each may be off.
"""

import array
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracles.values.execution import ExecutionResult
from oracles.values.programs import UNKNOWN, Value, ValueType


@dataclass
class Part:
    """One result: its type such as `tensor<2x3xf32>` or `i32`, and its elements as bytes."""

    type: str
    code: str
    """`d` for floats and `q` for integers; empty if the elements cannot be told."""
    data: bytes = b""
    mask: bytes = b""
    slack: bytes = b""
    """How far each element may be off because of rounding, as 8-byte floats; empty if not."""


@dataclass
class Answer:
    """The results of a program, or why there are none."""

    parts: list[Part] = field(default_factory=list)
    failure: str = ""
    undefined: str = ""
    unsupported: tuple[str, ...] = ()
    hazards: tuple[str, ...] = ()

    def write(self, path: Path) -> None:
        """Write the answer to a file."""
        head: dict[str, Any] = {
            "failure": self.failure,
            "undefined": self.undefined,
            "unsupported": list(self.unsupported),
            "hazards": list(self.hazards),
            "results": [
                {
                    "type": p.type,
                    "code": p.code,
                    "data": len(p.data),
                    "mask": len(p.mask),
                    "slack": len(p.slack),
                }
                for p in self.parts
            ],
        }
        with path.open("wb") as out:
            out.write(json.dumps(head).encode() + b"\n")
            for part in self.parts:
                out.write(part.data)
                out.write(part.mask)
                out.write(part.slack)

    @staticmethod
    def read(path: Path) -> ExecutionResult:
        """The answer in a file.

        Raises:
            OSError: there is no such file.
            ValueError: it is not complete.
        """
        with path.open("rb") as source:
            head = json.loads(source.readline())
            values = []
            for entry in head["results"]:
                parts = [source.read(entry[name]) for name in ("data", "mask", "slack")]
                values.append(_value(Part(entry["type"], entry["code"], *parts)))
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
    return Value(kind, tuple(_numbers(part.code, part.data)), defined, slack)


def _numbers(code: str, data: bytes) -> Sequence[float]:
    numbers: array.array[float] = array.array(code)
    numbers.frombytes(data)
    return numbers
