"""What comes after a result is saved may fail; the result stays, and so does the exit code."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import click

from reducer.search.evaluator import Stopped
from reducer.session.errors import ReducerError


class Extras:
    """Collects what went wrong, to be told when nothing is drawn on the screen any more."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    @contextmanager
    def trying(self, name: str) -> Iterator[None]:
        """The body of the `with` makes something of that name, or it does not matter."""
        try:
            yield
        except Exception as error:
            self.problems.append(f"no {name}: {_described(error)}")

    def tell(self) -> None:
        """Says on standard error what there is not, and why."""
        for problem in self.problems:
            click.echo(f"mlir-reducer: {problem}\nThe result is saved all the same.", err=True)


def _described(error: Exception) -> str:
    if isinstance(error, Stopped):
        return error.reason
    if isinstance(error, ReducerError | OSError):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{place.filename.rpartition('/')[2]}:{place.lineno}"
    return f"a bug in mlir-reducer ({where}): {type(error).__name__}: {error}"
