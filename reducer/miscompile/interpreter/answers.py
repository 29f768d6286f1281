"""What the evaluator's process tells the one that asked, in a file of arrays."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from reducer.miscompile.values.programs import COLUMNS, Value, ValueType


@dataclass
class Evaluation:
    """The results of a program, or why there are none."""

    results: list[Value] = field(default_factory=list)
    failure: str = ""
    undefined: str = ""
    unsupported: tuple[str, ...] = ()
    hazards: tuple[str, ...] = ()
    printed: str = ""
    printed_again: tuple[str, ...] = ()
    """What is printed with other last digits."""

    def write(self, path: Path) -> None:
        """Write the answer to a file, which is there only once it is complete."""
        types = [one.type and (one.type.element, one.type.shape) for one in self.results]
        columns = {
            f"{number} {name}": getattr(value, name)
            for number, value in enumerate(self.results)
            for name in COLUMNS
            if getattr(value, name) is not None
        }
        unfinished = path.with_name(f"{path.name}.unfinished")
        with unfinished.open("wb") as out:
            head = json.dumps([types, asdict(self, dict_factory=_said)])
            np.savez(out, head=np.array(head), **columns)
        unfinished.replace(path)

    @classmethod
    def read(cls, path: Path) -> "Evaluation":
        """The answer in a file.

        Raises:
            OSError: there is no such file.
            ValueError: it is not complete.
        """
        try:
            with np.load(path) as stored:
                types, said = json.loads(str(stored["head"]))
                results = [
                    Value(
                        kind and ValueType(kind[0], None if kind[1] is None else tuple(kind[1])),
                        **{
                            name: stored[f"{number} {name}"]
                            for name in COLUMNS
                            if f"{number} {name}" in stored
                        },
                    )
                    for number, kind in enumerate(types)
                ]
        except (BadZipFile, KeyError, EOFError) as error:
            raise ValueError(f"an answer that is not complete: {error}") from error
        return cls(results, **{name: _fixed(told) for name, told in said.items()})


def _said(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: told for name, told in pairs if name != "results"}


def _fixed(told: Any) -> Any:
    return tuple(told) if isinstance(told, list) else told
