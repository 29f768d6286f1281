"""What the evaluator's process tells the one that asked, without NumPy on that side.

One line of JSON, then the elements of each result as 8-byte floats or integers, if some are
undefined, a byte for each that says whether it is defined, if rounding may change them, how far
each may be off, and if some are exact, a byte for each that says whether it is, and the same for
those whose sign is right even if they are zero.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class EncodedResult:
    """One result: its type such as `tensor<2x3xf32>` or `i32`, and its elements as bytes."""

    type: str
    code: str
    """`d` for floats and `q` for integers; empty if the elements cannot be told."""
    data: bytes = b""
    mask: bytes = b""
    slack: bytes = b""
    """How far each element may be off because of rounding, as 8-byte floats; empty if not."""
    exact: bytes = b""
    """Whether nothing was rounded on the way to each element; empty if that is known of none."""
    signed: bytes = b""
    """Whether the sign of each element is right even if it is zero; empty if that is not known."""


@dataclass
class Evaluation:
    """The results of a program, or why there are none."""

    parts: list[EncodedResult] = field(default_factory=list)
    failure: str = ""
    undefined: str = ""
    unsupported: tuple[str, ...] = ()
    hazards: tuple[str, ...] = ()
    printed: str = ""
    printed_again: tuple[str, ...] = ()
    """What is printed with other last digits."""

    def write(self, path: Path) -> None:
        """Write the answer to a file, which is there only once it is complete."""
        head: dict[str, Any] = {
            "failure": self.failure,
            "undefined": self.undefined,
            "unsupported": list(self.unsupported),
            "hazards": list(self.hazards),
            "printed": self.printed,
            "printed_again": list(self.printed_again),
            "results": [
                {
                    "type": p.type,
                    "code": p.code,
                    "data": len(p.data),
                    "mask": len(p.mask),
                    "slack": len(p.slack),
                    "exact": len(p.exact),
                    "signed": len(p.signed),
                }
                for p in self.parts
            ],
        }
        unfinished = path.with_name(f"{path.name}.unfinished")
        with unfinished.open("wb") as out:
            out.write(json.dumps(head).encode() + b"\n")
            for part in self.parts:
                out.write(part.data)
                out.write(part.mask)
                out.write(part.slack)
                out.write(part.exact)
                out.write(part.signed)
        unfinished.replace(path)
