"""An internal error costs the part of the work in which it happens, and nothing else.

Parts need little of each other: without a stage, the next one goes on from the best result so far,
and without what only watches the search, such as the history, the search goes on alone. What ends a
run for a reason that can be told, such as a full disk or Ctrl-C, ends all of it.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from oracles.base import PluginError
from reducer.driver.state import EarlyStopDiverged
from reducer.errors import INTERNAL_ERRORS, InternalError, ReducerError
from reducer.search.budget import Stopped
from reducer.toolchain import ToolchainError

_MEANT = (
    *(ReducerError, OSError, MemoryError, sqlite3.Error, PluginError, ToolchainError),
    *(Stopped, EarlyStopDiverged),
)


def is_internal(error: Exception) -> bool:
    """Whether an error can only be a bug of this program."""
    return not isinstance(error, _MEANT)


class Attempts:
    """Collects, in `problems`, what could not be made beside the result, and why."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    @contextmanager
    def attempt(self, name: str) -> Iterator[None]:
        """Run the body of the `with`, which makes what `name` says; failure is not fatal."""
        try:
            yield
        except Exception as error:
            text = error.reason if isinstance(error, Stopped) else str(error)
            if is_internal(error):
                INTERNAL_ERRORS.append(InternalError.of(f"the {name}", error))
                text = INTERNAL_ERRORS[-1].text
            self.problems.append(f"could not write the {name}: {text}")


@contextmanager
def costs_only(part: str, tell: Callable[[str], None] = lambda text: None) -> Iterator[None]:
    """Run the body of the `with`, a part of the work; `tell` is told of an internal error in it."""
    try:
        yield
    except Exception as error:
        if not is_internal(error):
            raise
        INTERNAL_ERRORS.append(InternalError.of(part, error))
        tell(str(INTERNAL_ERRORS[-1]))
