"""Forks compilers that need not start: a script for a process of its own, on a bare interpreter.

The library of IREE's compiler is loaded once. Each request then forks a child that calls the entry
point which the tool's binary would call, with the same arguments, and ends as that would. The
server itself never compiles, so it has one thread and may fork safely.

A message is one packet of JSON on the socket whose descriptor is the first argument; bytes travel
as latin-1. `run` comes with the two pipes of the child and is answered by its process id, with a
descriptor of it; `reap` waits for a child and is answered by what the kernel says of it. No child
is reaped before that, so its number stays its own.
"""

import ctypes
import json
import os
import signal
import socket
import sys
from typing import Any

ENTRY_POINTS = {"iree-compile": "ireeCompilerRunMain", "iree-opt": "ireeOptRunMain"}
"""What the binaries call, by their name."""

_INITIALISES = "ireeCompilerRunMain"
"""Begins with the global initialisation, which counts how often it is asked for, so it can be done
in advance. The other does its own, which aborts after that one (IREE 3.3 and older)."""

TOKEN_SIZE = 32
MESSAGE_SIZE = 1 << 20
_LC_ALL = 6


def main() -> None:
    """Serves until the client is gone, and takes the children along then."""
    descriptor, library, tool, variable = sys.argv[1:]
    server = Server(socket.socket(fileno=int(descriptor)), library, tool, variable)
    try:
        server.serve()
    finally:
        server.kill()


class Server:
    """One tool and the children that were forked for it."""

    def __init__(self, connection: socket.socket, library: str, tool: str, variable: str) -> None:
        self.pid = os.getpid()
        self.connection = connection
        self.libc = ctypes.CDLL(None)
        self.libc.getenv.restype = ctypes.c_void_p
        compiler = ctypes.CDLL(library)
        self.entry = compiler[ENTRY_POINTS[tool]]
        if ENTRY_POINTS[tool] == _INITIALISES:
            compiler.ireeCompilerGlobalInitialize()
        self.mark = self.libc.getenv(variable.encode())
        self.children: set[int] = set()

    def serve(self) -> None:
        self.answer({"ready": True})
        while True:
            message, pipes, _, _ = socket.recv_fds(self.connection, MESSAGE_SIZE, 2)
            if not message:
                return
            request = json.loads(message)
            if request["do"] == "run":
                self.run(request, pipes)
            else:
                self.reap(request["pid"])

    def run(self, request: dict[str, Any], pipes: list[int]) -> None:
        pid = os.fork()
        if pid == 0:
            self.compile(request, pipes)
        self.children.add(pid)
        descriptor = os.pidfd_open(pid)
        self.answer({"pid": pid}, [descriptor])
        for number in (descriptor, *pipes):
            os.close(number)

    def reap(self, pid: int) -> None:
        _, status, usage = os.wait4(pid, 0)
        self.children.discard(pid)
        seconds = usage.ru_utime + usage.ru_stime
        self.answer({"status": status, "seconds": seconds, "kilobytes": usage.ru_maxrss})

    def answer(self, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
        socket.send_fds(self.connection, [json.dumps(message).encode()], descriptors or [])

    def kill(self) -> None:
        for pid in self.children:
            for kill in (os.kill, os.killpg):
                try:
                    kill(pid, signal.SIGKILL)
                except OSError:
                    continue

    # ---- in the child ----------------------------------------------------------------------

    def compile(self, request: dict[str, Any], pipes: list[int]) -> None:
        """Becomes what the binary would be; never returns."""
        try:
            os.setsid()
            self.connection.close()
            for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)  # Python had its own ideas
            self.libc.setlocale(_LC_ALL, b"C")
            token = request["token"].encode()
            size = len(ctypes.string_at(self.mark))
            # In place, since that is where others look for it.
            ctypes.memmove(self.mark + size - TOKEN_SIZE, token, TOKEN_SIZE)
            for target, pipe in enumerate(pipes, start=1):
                os.dup2(pipe, target)
                os.close(pipe)
            os.chdir(request["cwd"].encode("latin-1"))
            words = [word.encode("latin-1") for word in request["argv"]]
            arguments = (ctypes.c_char_p * (len(words) + 1))(*words, None)
            code = self.entry(len(words), arguments)
        except BaseException:
            # It could not even begin. Without the server, the client does it all itself.
            for pid in (self.pid, os.getpid()):
                os.kill(pid, signal.SIGKILL)
        self.libc.exit(code)  # runs the destructors of the library, as the binary would


if __name__ == "__main__":
    main()
