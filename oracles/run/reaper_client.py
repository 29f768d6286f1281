"""Hand a program to the reaper, which starts it, and hear how it ended.

The kernel can kill a child with its parent (PR_SET_PDEATHSIG), but only the child itself can
request that, and only for itself: a compiler started by a script would survive. Nor may this
process become a subreaper, which would inherit what programs of its caller leave. So an
`orphan_reaper` does both. It takes 50 ms to start once, and a millisecond for each run.
"""

import atexit
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from oracles.run import orphan_reaper, procfs
from oracles.run.confinement import Reach
from oracles.run.limits import Limits
from oracles.run.orphan_reaper import (
    ADDR_NO_RANDOMIZE,
    END,
    HAS_EXITED,
    KEEP,
    PROTECT,
    RELEASE,
    START,
    personality,
    receive,
    send,
)


def python(*words: str) -> list[str]:
    """The words that start our own Python, but no `pip.py` of the folder that somebody works in."""
    return [sys.executable, "-P", *words]


FIXED_ADDRESSES = ("setarch", "-R")
"""What starts a program without address-space randomization."""

FOLDER_VARIABLE = "TMPDIR"
"""The environment variable by which a protected folder marks what uses it."""

_GOODBYE_SECONDS = 5.0


class Keeper:
    """A process that starts one program at a time for this one; `idle` is where it rests."""

    def __init__(self, connection: socket.socket, idle: "list[Keeper]") -> None:
        self._connection = connection
        self._idle = idle
        self.pid = 0
        """Its id, once it has started a program; all of a run are descendants of it."""

    def start(
        self,
        words: Sequence[str],
        folder: Path,
        env: Mapping[str, str],
        reach: Reach | None,
        limits: Limits,
        stdout: int,
        stderr: int,
    ) -> int:
        """Start a program whose output goes to these files; return its id.

        Of the limits, only its addresses and the size of its files are seen to here. What only asks
        for fixed addresses is left out where they are fixed, as it would move the stack.

        Raises an auditing event `subprocess.Popen`, as if this process started it.

        Raises:
            OSError: the program cannot be started; or BrokenPipeError, if the keeper is gone.
        """
        sys.audit("subprocess.Popen", words[0], list(words), folder, env)
        allowed = None if reach is None else tuple(reach)
        argv = [os.fspath(word) for word in words]
        if limits.layout is not None and tuple(argv[:2]) == FIXED_ADDRESSES:
            argv = argv[2:]
        place, addresses = str(folder.absolute()), limits.layout
        message = START, argv, place, dict(env), allowed, addresses, limits.disk
        answer = self._ask(message, None, (stdout, stderr))
        if answer is None:
            raise BrokenPipeError
        if len(answer) == 3:
            raise OSError(*answer)
        self.pid, program = answer
        return int(program)

    def has_exited(self) -> bool:
        """Whether the program has exited; True if nobody can tell any more."""
        return bool(self._ask((HAS_EXITED,), True))

    def end(self) -> tuple[int, float, int]:
        """Kill all processes of the run, and return their status, processor time and memory."""
        killed = (9, 0.0, 0, False)  # as the program will soon be: its parent is gone
        status, seconds, largest, is_clean = self._ask((END,), killed)
        if is_clean:
            self.rest()
        else:
            self.close()
        return status, seconds, largest

    def rest(self) -> None:
        """Have it wait for another program."""
        with _lock:
            self._idle.append(self)

    def close(self) -> None:
        """Let the keeper end, with everything that it has started."""
        self._connection.close()

    def _ask(self, message: tuple[Any, ...], otherwise: Any, files: tuple[int, ...] = ()) -> Any:
        with suppress(OSError):
            send(self._connection, message, files)
            answer, _ = receive(self._connection)
            if answer is not None:
                return answer
        return otherwise


Keepers = Callable[[], Keeper]
"""Gives a keeper that has nothing to do."""

_lock = threading.Lock()
_idle: list[Keeper] = []
_reaper: "subprocess.Popen[bytes] | None" = None
_control: socket.socket | None = None
_protected: list[str] = []


def start_program(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    reach: Reach | None,
    limits: Limits,
    stdout: int,
    stderr: int,
    keepers: Keepers,
) -> tuple[Keeper, int]:
    """Start a program as `Keeper.start` does; return its keeper and its id."""
    keeper = keepers()
    try:
        return keeper, keeper.start(words, folder, env, reach, limits, stdout, stderr)
    except BrokenPipeError:
        keeper.close()
        if not keeper.pid:
            raise
        # It was killed while it was idle.
        return start_program(words, folder, env, reach, limits, stdout, stderr, keepers)
    except OSError:
        keeper.rest()
        raise


@cache
def addresses_can_be_fixed() -> bool:
    """Whether programs get the same addresses each time here; some containers refuse it."""
    own = max(0, personality())
    can = personality(own | ADDR_NO_RANDOMIZE) >= 0
    personality(own)
    return can


def protect(folder: Path) -> None:
    """Have this folder deleted when this process ends, however that happens.

    Before that, what has it in its environment is killed.
    """
    with _lock:
        _protected.append(str(folder))
        _request(PROTECT, str(folder))


def release(folder: Path) -> None:
    """Leave a folder that was protected to this process again."""
    with _lock:
        _protected.remove(str(folder))
        _request(RELEASE, str(folder))


def _keeper() -> Keeper:
    """A keeper of any program that has nothing to do."""
    with _lock:
        if _idle:
            return _idle.pop()
        ours, theirs = socket.socketpair()
        with theirs:
            _request(KEEP, "", (theirs.fileno(),))
        return Keeper(ours, _idle)


def _request(request: str, argument: str, files: tuple[int, ...] = ()) -> None:
    """Ask the reaper, and start it if it is not there (any more); with the lock held.

    Raises:
        OSError: it cannot be started.
    """
    for _ in range(2):
        if _control is None:
            _start_reaper()
        assert _control is not None
        with suppress(OSError):
            send(_control, (request, argument), files)
            if request == KEEP or receive(_control)[0]:
                return
        _let_go()
    raise BrokenPipeError("the process that starts programs was killed, twice")


def _start_reaper() -> None:
    global _control, _reaper
    ours, theirs = socket.socketpair()
    with theirs:
        _reaper = subprocess.Popen(
            python("-I", "-S", orphan_reaper.__file__, procfs.__file__),
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={name: value for name, value in os.environ.items() if name != FOLDER_VARIABLE},
            start_new_session=True,
        )
    _control = ours
    for folder in _protected:
        send(ours, (PROTECT, folder))
        receive(ours)


def _let_go() -> None:
    """End the reaper's wait; it kills strays that this process left behind."""
    global _control
    if _control is not None:
        _control.close()
        _control = None


def _finish() -> None:
    """Wait until nothing is left."""
    _let_go()
    if _reaper is not None:
        with suppress(subprocess.TimeoutExpired):
            _reaper.wait(_GOODBYE_SECONDS)


def _forget() -> None:
    """Detach a forked child from its parent's reaper; the child gets its own."""
    global _lock, _reaper
    _let_go()
    for keeper in _idle:
        keeper.close()
    _lock = threading.Lock()
    _idle.clear()
    _protected.clear()
    _reaper = None


atexit.register(_finish)
os.register_at_fork(after_in_child=_forget)


@dataclass(frozen=True)
class Usage:
    """The kernel's resource usage of an ended run; `status` is from `wait`, memory in bytes.

    Processor time is that of all processes, memory that of the largest one.
    """

    status: int
    cpu_seconds: float
    peak_memory: int


class Child:
    """A program that leads a session of its own, with two pipes to read from.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        env: Mapping[str, str],
        reach: Reach | None,
        limits: Limits,
        keepers: Keepers = _keeper,
    ) -> None:
        self.stdout, stdout = os.pipe()
        self.stderr, stderr = os.pipe()
        try:
            self._keeper, self.pid = start_program(
                words, folder, env, reach, limits, stdout, stderr, keepers
            )
        except BaseException:
            os.close(self.stdout)
            os.close(self.stderr)
            raise
        finally:
            os.close(stdout)
            os.close(stderr)
        self.keeper = self._keeper.pid
        """The process of which all processes of the run are descendants."""
        self.pidfd: int | None = None
        """Readable once the process has ended; without it the end is noticed a tick later."""
        with suppress(AttributeError, OSError):
            self.pidfd = os.pidfd_open(self.pid)

    def has_exited(self) -> bool:
        """Whether the process has ended; its pid cannot be reused until `end`."""
        if self.pidfd is None:
            return self._keeper.has_exited()
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def end(self) -> Usage:
        """Kill all processes of the run."""
        return Usage(*self._keeper.end())

    def close(self) -> None:
        """Close the descriptors."""
        for file in (self.pidfd, self.stdout, self.stderr):
            if file is not None:
                os.close(file)
