"""Run a command on a terminal of a given size, and see its screen as a person does."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from select import select

import pyte

_SECONDS = 240  # before a command counts as hanging


@dataclass
class Screen:
    """What a command has drawn.

    Attributes:
        pages: the distinct screens in order, each as its non-empty lines.
        text: everything that was written to the terminal, escape codes included.
        exit_code: of the command, None while it runs.
    """

    columns: int
    rows: int
    process: subprocess.Popen[bytes]
    controller: int
    pages: list[list[str]] = field(default_factory=list)
    text: str = ""
    exit_code: int | None = None

    def __post_init__(self) -> None:
        self._screen = pyte.HistoryScreen(self.columns, self.rows, history=10_000)
        self._stream = pyte.ByteStream(self._screen)

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        self._screen.resize(rows, columns)
        _set_size(self.controller, columns, rows)

    def read(self) -> bool:
        """Take in what was written; False once the command has ended."""
        if not select([self.controller], [], [], 1.0)[0]:
            return True
        try:
            data = os.read(self.controller, 65536)
        except OSError:  # the command has closed its end
            return False
        self._stream.feed(data)
        self.text += data.decode(errors="replace")
        page = [line.rstrip() for line in self._screen.display if line.strip()]
        if page not in self.pages[-1:]:
            self.pages.append(page)
        return bool(data)

    @property
    def hides_cursor(self) -> bool:
        """Whether the command has left the cursor hidden."""
        return bool(self._screen.cursor.hidden)

    @property
    def everything(self) -> list[str]:
        """All lines, those that have scrolled away included."""
        gone = [
            "".join(line[column].data for column in range(self.columns))
            for line in self._screen.history.top
        ]
        return [line.rstrip() for line in [*gone, *self._screen.display]]


def on_terminal(
    command: Sequence[str],
    *,
    columns: int,
    rows: int = 30,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    stdout: int | None = None,
    meanwhile: Callable[[Screen], None] = lambda screen: None,
) -> Screen:
    """Run a command on a terminal until it ends.

    Args:
        stdout: where its standard output goes instead.
        meanwhile: called whenever the screen may have changed.
    """
    controller, terminal = pty.openpty()
    _set_size(terminal, columns, rows)
    own = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environment or {})}
    for name in ("COLUMNS", "LINES"):  # pytest-xdist sets them, and they hide the window's size
        own.pop(name, None)
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    }
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env={**inherited, **own},
        stdin=terminal,
        stdout=terminal if stdout is None else stdout,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    screen = Screen(columns, rows, process, controller)
    end = time.monotonic() + _SECONDS
    try:
        while screen.read():
            meanwhile(screen)
            assert time.monotonic() < end, screen.text[-2000:]
        screen.exit_code = process.wait(_SECONDS)
    finally:
        process.kill()
        process.wait()
        os.close(controller)
    return screen


def _set_size(terminal: int, columns: int, rows: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
