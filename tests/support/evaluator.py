"""The evaluator without the start of Python and numpy that each of its answers takes.

What it computes is what its own process would: the same words go to the same `main`. Limits are not
kept, so tests about them, and one of each way to call it, start the process.
"""

import contextlib
import io
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from oracles.run.limits import End, ProcessResult
from oracles.run.run_process import run_process
from reducer.miscompile.interpreter.__main__ import main

_lock = threading.Lock()


@pytest.fixture(autouse=True)
def quick_evaluator(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Evaluate in this process, in all tests of a folder whose `conftest` imports this."""
    monkeypatch.setattr("reducer.miscompile.interpreter.reference.run_process", _run)
    yield


def _run(words: Sequence[str], **more: Any) -> ProcessResult:
    if list(words[2:4]) != ["-m", "reducer.miscompile.interpreter"]:
        return run_process(words, **more)
    cancel = more.get("cancel")
    if cancel is not None and cancel.is_set():
        return ProcessResult(End.CANCELLED, -9, 0.0, 0.0, 0, "", "")
    with _lock, contextlib.redirect_stderr(io.StringIO()) as said:
        before, sys.argv = sys.argv, list(words[3:])
        try:
            code = main()
        except Exception as error:
            code = 1
            print(f"{type(error).__name__}: {error}", file=said)
        finally:
            sys.argv = before
    return ProcessResult(End.EXITED, code, 0.01, 0.01, 1 << 20, "", said.getvalue())
