"""A compiler that need not start: the same runs as plain ones, forked from a process in which its
library is loaded already.

Starting `iree-compile` takes 10 to 25 ms, most of it in the dynamic linker and in the constructors
of a library of 300 MB; a small candidate may compile in less. This process never loads the library:
a bug in it must not end the reduction.
"""

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from oracles import warm_server
from oracles.command import resolve_binary
from oracles.limits import Limits, ProcessResult, Reader
from oracles.process import marked_environment, run_process
from oracles.tree import RUN_VARIABLE, kill_strays
from oracles.watch import Usage, watch

LIBRARY = "libIREECompiler.so"

_START_SECONDS = 60.0
_ANSWER_SECONDS = 20.0
_MOST_SERVERS = 4
"""A server that was lost is replaced, but not for ever."""


class ServerLost(Exception):
    """The server is gone, or does not answer."""


class WarmCompiler:
    """Runs the tools that lie beside `executable` without starting them; any thread may call.

    Use it in place of `run_process`. What it cannot run, or loses, is run plainly. The environment
    of a tool is that at the start of its server, which is at its first run.
    """

    def __init__(self, executable: Path) -> None:
        self._folder = resolve_binary(executable).resolve().parent
        self._servers: dict[str, _Server] = {}
        self._started = 0
        self._closed = False
        self._lock = threading.Lock()
        self.warm_runs = 0
        """Runs that needed no start."""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        limits: Limits,
        cancel: threading.Event | None = None,
        sweep: bool = False,
        reader: Reader | None = None,
    ) -> ProcessResult:
        """As `run_process`. Raises OSError when the program cannot be started."""
        server = self._server_for(argv[0])
        if server is not None:
            with suppress(ServerLost):
                result = _run(server, argv, cwd, limits, cancel, sweep, reader)
                with self._lock:
                    self.warm_runs += 1
                return result
            server.close()
        return run_process(argv, cwd=cwd, limits=limits, cancel=cancel, sweep=sweep, reader=reader)

    def close(self) -> None:
        """Ends the servers and what still runs in them; harmless when repeated."""
        with self._lock:
            self._closed = True
            for server in self._servers.values():
                server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _server_for(self, program: str) -> "_Server | None":
        path = Path(program)
        library = self._folder / LIBRARY
        if path.name not in warm_server.ENTRY_POINTS or path.parent.resolve() != self._folder:
            return None
        with self._lock:
            server = self._servers.get(path.name)
            if server is not None and not server.is_lost:
                return server
            if self._closed or self._started == _MOST_SERVERS or not library.is_file():
                return None
            self._started += 1
            with suppress(ServerLost, OSError):
                server = self._servers[path.name] = _Server(library, path.name)
                return server
        return None


def _run(
    server: "_Server",
    argv: Sequence[str],
    cwd: Path,
    limits: Limits,
    cancel: threading.Event | None,
    sweep: bool,
    reader: Reader | None,
) -> ProcessResult:
    started = time.monotonic()
    token = uuid.uuid4().hex
    try:
        child = server.fork(argv, cwd, token)
        return watch(
            child,
            limits=limits,
            cancel=cancel,
            started=started,
            token=token,
            sweep=sweep,
            reader=reader,
        )
    except ServerLost:
        kill_strays(token)  # it may have been lost between the fork and the answer
        raise


class _Server:
    """One process of `warm_server` and the socket to it."""

    def __init__(self, library: Path, tool: str) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.is_lost = False
        self._connection = ours
        self._lock = threading.Lock()
        script = str(Path(warm_server.__file__).resolve())
        arguments = [str(theirs.fileno()), str(library), tool, RUN_VARIABLE]
        try:
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", script, *arguments],
                    env=marked_environment(os.environ, uuid.uuid4().hex),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
        except BaseException:
            ours.close()
            raise
        ours.settimeout(_START_SECONDS)
        try:
            self._receive()
        except BaseException:
            self.close()
            raise
        ours.settimeout(_ANSWER_SECONDS)

    def fork(self, argv: Sequence[str], cwd: Path, token: str) -> "_WarmChild":
        """Starts a run. Raises ServerLost."""
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        words = [os.fsencode(word).decode("latin-1") for word in argv]
        message = {
            "do": "run",
            "argv": words,
            "cwd": os.fsencode(cwd.absolute()).decode("latin-1"),
            "token": token,
        }
        try:
            answer, descriptors = self._ask(message, [out_end, err_end])
        except BaseException:
            os.close(out)
            os.close(err)
            raise
        finally:
            os.close(out_end)
            os.close(err_end)
        return _WarmChild(self, answer["pid"], descriptors[0], out, err)

    def reap(self, pid: int) -> Usage:
        """What became of a child. Raises ServerLost."""
        answer, _ = self._ask({"do": "reap", "pid": pid}, [])
        return Usage(answer["status"], answer["seconds"], answer["kilobytes"] << 10)

    def close(self) -> None:
        """Ends it; harmless when repeated."""
        self.is_lost = True
        with suppress(OSError):  # wakes up whoever waits for an answer
            self._connection.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._connection.close()
            try:
                self._process.wait(1.0)  # at the end of its input it kills its children
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _ask(
        self, message: dict[str, Any], descriptors: list[int]
    ) -> tuple[dict[str, Any], list[int]]:
        with self._lock:
            try:
                socket.send_fds(self._connection, [json.dumps(message).encode()], descriptors)
            except OSError as error:
                self.is_lost = True
                raise ServerLost from error
            return self._receive()

    def _receive(self) -> tuple[dict[str, Any], list[int]]:
        try:
            packet, descriptors, _, _ = socket.recv_fds(
                self._connection, warm_server.MESSAGE_SIZE, 1, socket.MSG_CMSG_CLOEXEC
            )
        except OSError as error:
            self.is_lost = True
            raise ServerLost from error
        if not packet:
            self.is_lost = True
            raise ServerLost
        return json.loads(packet), descriptors


class _WarmChild:
    """A fork of the server."""

    def __init__(self, server: _Server, pid: int, pidfd: int, stdout: int, stderr: int) -> None:
        self._server = server
        self.pid = pid
        self.pidfd: int | None = pidfd
        self.stdout = stdout
        self.stderr = stderr

    def has_exited(self) -> bool:
        assert self.pidfd is not None
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def reap(self) -> Usage:
        return self._server.reap(self.pid)

    def close(self) -> None:
        assert self.pidfd is not None
        for descriptor in (self.pidfd, self.stdout, self.stderr):
            os.close(descriptor)
