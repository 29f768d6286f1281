"""An input on which two programs differ, looked for in a process of its own (see `exhaustive`)."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from oracles.run.limits import Limits, ProcessResult
from oracles.run.reaper_client import python
from oracles.run.run_process import run_process

_LIMITS = Limits(20.0, 4 << 30)  # of one comparison


@dataclass(frozen=True)
class Counterexample:
    """A call of a function, with what it gives in the first program and in the second, in words."""

    function: str
    types: tuple[str, ...]
    inputs: tuple[str, ...]
    before: str
    after: str

    def __str__(self) -> str:
        inputs = ", ".join(map(" ".join, zip(self.types, self.inputs, strict=True)))
        return f"@{self.function}({inputs}) gives {self.before} before, {self.after} after"


@dataclass(frozen=True)
class Compared:
    """What the evaluator says of two programs; nothing was `tried` if it cannot tell.

    `is_complete` is whether these were all inputs, `result` the run of the process.
    """

    result: ProcessResult
    found: Counterexample | None = None
    tried: int = 0
    is_complete: bool = False


def compared(
    before: str, after: str, inputs: Sequence[str] = (), limits: Limits = _LIMITS
) -> Compared:
    """Compare two programs in generic form on all inputs, or on special ones, `inputs` first."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        files = [Path(folder) / name for name in ("before.mlir", "after.mlir")]
        for file, text in zip(files, (before, after), strict=True):
            file.write_text(text, encoding="utf-8", errors="surrogateescape")
        words = python("-m", "reducer.miscompile.interpreter.exhaustive", *map(str, files), *inputs)
        result = run_process(words, cwd=Path(folder), limits=limits.at_most(_LIMITS))
    try:
        told = json.loads(result.stdout)
    except ValueError:  # it does not end, or fails
        return Compared(result)
    if "found" in told:
        name, types, given, *answers = told["found"]
        return Compared(result, Counterexample(name, tuple(types), tuple(given), *answers))
    return Compared(result, None, told["tried"], told["all"])
