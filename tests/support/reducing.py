"""A whole reduction in one call."""

from pathlib import Path
from typing import Any

from oracles import Oracle
from reducer.driver.records.record import Report
from reducer.driver.reduction import Reduction
from reducer.driver.settings import Settings
from tests.support.silent import Silent


def reduced_by(
    oracle: Oracle, folder: Path, text: str, *, name: str = "out", **settings: Any
) -> Report:
    """Reduce a text in a folder to `NAME.mlir`, with the journal `NAME.journal` beside it."""
    files = {
        "input": folder / "in.mlir",
        "output": folder / f"{name}.mlir",
        "journal": folder / f"{name}.journal",
    }
    return Reduction(Settings(text=text, **files, **settings), oracle, Silent()).run()
