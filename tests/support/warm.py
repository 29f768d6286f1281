"""Run the real program without the second of processor time that its imports take.

A warm process has imported the program and forks for each run. What it forks is a process like that
of `python -m reducer`, with its own session, folder, environment and output, and ends like it. Two
warm processes take turns. Each orders its sets differently, as two starts of Python do, so that a
result that depends on that order is noticed.
"""

import atexit
import gc
import importlib
import itertools
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.support import replay, starts

_ROOT = Path(__file__).parents[2]
_HASH_SEEDS = "1", "2"
_LAZY = "jinja2", "networkx", "rich.console", "rich.table", "tomllib"
"""What the program imports only where it needs it."""


def fits(environment: Mapping[str, str]) -> bool:
    """Whether Python, which looks at the environment as it starts, would start in the same way.

    It may also be told to look for packages in further folders.
    """
    ours, *_ = environment.get("PYTHONPATH", "").split(os.pathsep)
    same = {**environment, "PYTHONPATH": ours}
    return _for_python(same) == _for_python({**os.environ, "PYTHONPATH": str(_ROOT)})


def _for_python(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(("PYTHON", "LANG", "LC_"))
    }


def run_warm(
    words: Sequence[str], *, cwd: Path, environment: Mapping[str, str], seconds: float
) -> "subprocess.CompletedProcess[str]":
    """Run `mlir-reducer` with these words to completion."""
    return next(_turns()).run(words, cwd=cwd, environment=environment, seconds=seconds)


@cache
def _turns() -> "Iterator[_Warm]":
    return itertools.cycle([_Warm(seed) for seed in _HASH_SEEDS])


class _Warm:
    """Our end of a warm process, which starts on first use and ends with this one."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._socket: socket.socket | None = None

    def run(
        self, words: Sequence[str], *, cwd: Path, environment: Mapping[str, str], seconds: float
    ) -> "subprocess.CompletedProcess[str]":
        connection = self._socket or self._start()
        self._socket = None  # unless all goes well, the next run gets another process
        with (
            tempfile.TemporaryFile("w+") as out,
            tempfile.TemporaryFile("w+") as err,
            connection.makefile("rb") as answers,
        ):
            socket.send_fds(connection, [b"\n"], [out.fileno(), err.fileno()])
            test = starts.current_test(), replay.is_live()
            request = json.dumps([words, str(cwd), dict(environment), *test])
            connection.sendall(request.encode() + b"\n")
            pid = int(answers.readline())
            connection.settimeout(seconds)
            try:
                code = int(answers.readline())
            except TimeoutError:
                raise subprocess.TimeoutExpired(list(words), seconds) from None
            finally:
                if sys.exc_info()[0] is not None:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            connection.settimeout(None)
            self._socket = connection
            for file in (out, err):
                file.seek(0)
            said = [out.read(), err.read()]
        return subprocess.CompletedProcess(list(words), code, *said)

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-c", "from tests.support.warm import serve; serve()"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                cwd=_ROOT,
                env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONHASHSEED": self._seed},
                start_new_session=True,
            )
        atexit.register(_end, ours, process)
        return ours


def _end(connection: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    connection.close()
    process.wait()


def serve() -> None:
    """Be a warm process, until the other end of standard input closes."""
    from reducer import cli
    from reducer.cli import commands

    for package in (cli, commands):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for name in _LAZY:
        importlib.import_module(name)
    starts.watch()
    replay.install()
    replay.load()  # once for all that is forked
    assert threading.active_count() == 1
    gc.freeze()  # so that its memory stays shared
    connection = socket.socket(fileno=os.dup(0))
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    while True:
        try:
            fds = socket.recv_fds(connection, 1, 2)[1]
        except ConnectionResetError:
            return
        if not fds:
            return
        with connection.makefile("rb") as requests:
            words, folder, environment, test, is_live = json.loads(requests.readline())
        pid = os.fork()
        if pid == 0:
            connection.close()
            starts.in_test(test)
            replay.live(is_live)
            _become(fds, folder, environment)
            sys.argv = ["mlir-reducer", *words]
            cli.main(prog_name="mlir-reducer")
        for fd in fds:
            os.close(fd)
        with suppress(BrokenPipeError):  # nobody wants to know any longer
            connection.sendall(b"%d\n" % pid)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            connection.sendall(b"%d\n" % code)


def _become(fds: Sequence[int], folder: str, environment: Mapping[str, str]) -> None:
    """Take what a new process would have been given."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # it depends on the environment
    sys.path += environment.get("PYTHONPATH", "").split(os.pathsep)[1:]
    for number, fd in enumerate(fds, start=1):
        os.dup2(fd, number)
        os.close(fd)
