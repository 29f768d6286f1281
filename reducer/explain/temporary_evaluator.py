"""An evaluator for commands that run the oracle without keeping a journal."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oracles import Oracle
from reducer.search.evaluator import Evaluator
from reducer.storage.journal import Journal


@contextmanager
def temporary_evaluator(
    oracle: Oracle, stop: threading.Event
) -> Iterator[tuple[Evaluator, Journal]]:
    """An evaluator and its journal, which is deleted at the end of the `with` statement."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        journal = Journal.open(Path(folder) / "journal", identity={}, resume=False)
        with journal:
            evaluator = Evaluator(oracle, journal, stop=stop)
            try:
                yield evaluator, journal
            finally:
                evaluator.close()
