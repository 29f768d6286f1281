"""The real program in a fork of this process, which saves the imports."""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress

from reducer.cli import main
from tests.support.fake_compilers import Reducer

SAID = "said"
"""The file in its folder with the program's last output."""


class Forked:
    """A running program; only this process may have started threads before the fork."""

    def __init__(self, reducer: Reducer, words: Sequence[object]) -> None:
        self._code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _become(reducer, [str(word) for word in words])

    def poll(self) -> int | None:
        """The exit code if it has ended, negative for a signal."""
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code

    def wait(self, seconds: float) -> int:
        """The exit code; that of SIGKILL if it takes longer."""
        until = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        return self.kill()

    def kill(self) -> int:
        """Kill it if it still runs; return the exit code."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code or 0


def _become(reducer: Reducer, words: list[str]) -> None:
    """Run the program as `Reducer.start` would; never returns."""
    code: object = 70
    try:
        os.setsid()
        os.chdir(reducer.home)
        os.environ.clear()
        os.environ.update(reducer.environment)
        tempfile.tempdir = None  # it may have been another before
        said = os.open(SAID, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(said, 1)
        os.dup2(said, 2)
        main(words, prog_name="mlir-reducer")
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 70)
