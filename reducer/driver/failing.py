"""A program, and what shows that it fails: what all but a reduction starts from."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oracles import Oracle
from reducer.driver.resources import commanded
from reducer.driver.settings import Settings
from reducer.errors import UsageError
from reducer.storage.files import read_input


@dataclass(frozen=True)
class FailingProgram:
    """A program, and what shows that it fails.

    Attributes:
        source: where the program came from.
        text: the program.
        oracle: runs the command, and says what counts as the same failure.
        opt: an `…-opt` tool of the compiler under test, which prints the generic form.
        file: where the program lies, if the command is to be run on that as it is; else None.
        jobs: the maximum number of compilers run at once. The answers are the same for any number.
        log: is called with what is done now, in one line.
        stop: ends the work once it is set, by `reducer.asking.Stopped`.
    """

    source: Path
    text: str
    oracle: Oracle
    opt: Path | None = None
    file: Path | None = None
    jobs: int = 1
    log: Callable[[str], None] = lambda text: None
    stop: threading.Event = field(default_factory=threading.Event)

    @staticmethod
    def of(
        program: Path | str, command: Sequence[str] | Oracle, *, timeout: float | None = None
    ) -> "FailingProgram":
        """A file, and the words of a command or an oracle, as `reducer.reduce` takes them.

        `dataclasses.replace` changes anything else.

        Raises:
            ReducerError: the file cannot be read, or the first word is no program.
        """
        source = Path(program)
        text = read_input(source).text
        if isinstance(command, str | bytes):
            raise UsageError("the command is one string; give its words as a list")
        if not isinstance(command, Sequence):
            return FailingProgram(source, text, command)
        settings = Settings(source, text, source, source)
        settings, oracle = commanded(settings, [*map(os.fspath, command)], timeout)
        return FailingProgram(source, text, oracle, settings.opt)
