"""A small process that starts the programs of another one, and kills all that they leave behind.

The reaper is a tiny process on a bare interpreter, started once by each process that runs
programs (see `reaper_client`). For each of the runs that are in progress at the same time, it forks
a *keeper*. A keeper starts one program after the other and is a *subreaper*: the kernel makes
whatever a program leaves behind a child of it, whatever session, environment and parents that has.
So all processes of a run are its descendants, which it kills at the end of the run.

If the process that is served ends, even by SIGKILL, the kernel closes its sockets. Each keeper then
kills what it has started, and the reaper whatever is left, and deletes the temporary folders. The
reaper is a subreaper, too, for the case that something kills a keeper.
"""

import _thread
import ctypes
import errno
import marshal
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

KEEP, PROTECT, RELEASE = "keep", "protect", "release"
"""What a reaper is asked: to fork a keeper, and to delete a folder in the end or not."""

START, HAS_EXITED, END = "start", "has exited", "end"
"""What a keeper is asked: to start a program, whether that has exited, and to end what is left."""

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, in Linux since 3.4
_NO_NEW_PRIVILEGES, _SECCOMP = 38, 22
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # of Landlock, in Linux since 5.13
_SOCKETS = {"x86_64": (0xC000003E, 41, 53), "aarch64": (0xC00000B7, 198, 199)}
"""The kernel's number of a machine, and of the system calls `socket` and `socketpair` there."""
_RING, _OTHER_CALLS = 425, 1 << 30  # `io_uring_setup`, which makes sockets, too; those of x32
ADDR_NO_RANDOMIZE = 0x0040000  # in Linux since 2.6.12
LAYOUT_STEP = 16  # bytes between the places where a stack may begin
_STACK_UNIT = 32768  # bytes, of which words and variables fill up a multiple
_FILLER = "MLIR_REDUCER_STACK"
_LENGTH = 8
_FILES = 2  # at most, in one message
_LONGEST = 2.0  # seconds in which killed processes end, unless the kernel holds them
_PAUSE = 0.001, 0.02  # seconds between two looks at what is still there
_RESTORED = signal.SIGPIPE, signal.SIGXFSZ
"""Signals that Python ignores, and programs that it starts must not."""
_MEANT_FOR_OTHERS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP

Descendants = Callable[[int], Iterator[int]]
Reach = tuple[tuple[int, ...], tuple[tuple[str, int], ...]]
"""What a program may reach, as `confinement` says it: the handled rights, and those by path."""


def send(connection: socket.socket, message: Any, files: tuple[int, ...] = ()) -> None:
    """Send plain data, and descriptors with it.

    Raises:
        OSError: the other side is gone.
    """
    data = marshal.dumps(message)
    data = len(data).to_bytes(_LENGTH, "little") + data
    sent = socket.send_fds(connection, [data], files) if files else 0
    connection.sendall(data[sent:])


def receive(connection: socket.socket) -> tuple[Any, list[int]]:
    """Wait for a message: the data, None if the other side is gone; and the descriptors."""
    try:
        head, files, _, _ = socket.recv_fds(connection, _LENGTH, _FILES)
        for file in files:
            os.set_inheritable(file, False)
        data = head + _received(connection, _LENGTH - len(head)) if head else head
        size = int.from_bytes(data, "little")
        return marshal.loads(_received(connection, size)) if size else None, list(files)
    except (OSError, EOFError):
        return None, []


def _received(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def main(procfs: str) -> None:
    """Serve the process at the other end of standard input; `procfs` is that module's file.

    The module is loaded by path, because importing its package would load much more.
    """
    for number in _MEANT_FOR_OTHERS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # which programs would inherit
            signal.signal(number, lambda *_: None)
    functions = ModuleType("procfs")
    SourceFileLoader("procfs", procfs).exec_module(functions)
    descendants: Descendants = functions.descendants
    children: Descendants = functions.children
    become_subreaper()
    keepers: set[int] = set()
    signal.signal(signal.SIGCHLD, lambda *_: _bury(keepers, children, descendants))
    control, folders = socket.socket(fileno=os.dup(0)), set()
    os.dup2(1, 0)
    while (message := receive(control))[0] is not None:
        (request, argument), files = message
        if request == KEEP:
            _fork_keeper(control, files[0], keepers, descendants)
        elif request == PROTECT:
            folders.add(argument)
        else:
            folders.discard(argument)
        if request != KEEP:
            send(control, True)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        _end_all(None, descendants)
        for folder in folders:  # which all have as TMPDIR that were not started as runs
            functions.kill_marked(folder)
    finally:
        import shutil  # only now: the reaper must start at once

        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def become_subreaper() -> None:
    """Inherit orphaned descendants, where the system has that.

    Elsewhere only process groups are killed.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def personality(flags: int = 0xFFFFFFFF) -> int:
    """Set the flags of what this thread starts, or none; return those before.

    They are negative where the system refuses, as some containers do, or has no such flags.
    """
    try:
        return int(ctypes.CDLL(None).personality(flags))
    except (OSError, AttributeError):
        return -1


def _bury(keepers: set[int], children: Descendants, descendants: Descendants) -> None:
    """Note which keepers have ended, and kill what those leave behind that were killed."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            keepers.discard(ended)
    for child in set(children(os.getpid())) - keepers:
        _kill([child, *descendants(child)])


def _fork_keeper(
    control: socket.socket, file: int, keepers: set[int], descendants: Descendants
) -> None:
    """Fork a keeper for the process at the other end of this socket."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    keeper = os.fork()
    if keeper:
        keepers.add(keeper)
        os.close(file)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        return
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        control.close()
        become_subreaper()
        keep(socket.socket(fileno=file), descendants)
    finally:
        os._exit(0)


def keep(
    connection: socket.socket, descendants: Descendants, start: Callable[..., int] | None = None
) -> None:
    """Start the programs that are asked for, one at a time, and end all that they have started.

    `start` takes the arguments of `_start` and does the same in another way.
    """
    program: int | None = None
    own = max(0, personality())
    while (message := receive(connection))[0] is not None:
        (request, *arguments), files = message
        answer: Any = None
        if request == START:
            *arguments, disk = arguments
            personality(own | (arguments[-1] is not None) * ADDR_NO_RANDOMIZE)
            try:
                with _largest_file(disk):
                    program = (start or _start)(*arguments, *files)
                answer = os.getpid(), program
            except (OSError, ValueError) as error:
                reason = (error.errno, error.strerror) if isinstance(error, OSError) else ()
                answer = *(reason or (errno.EINVAL, str(error))), arguments[0][0]
            for file in files:
                os.close(file)
        elif request == HAS_EXITED:
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            answer = program is None or os.waitid(os.P_PID, program, options) is not None
        else:
            answer, program = _end_all(program, descendants), None
        with suppress(OSError):  # it is gone, as the next request will show
            send(connection, answer)
    _end_all(program, descendants)


@contextmanager
def _largest_file(size: int) -> Iterator[None]:
    """Limit the files of what starts in the body, which may write before it is confined."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limits = [size, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _start(
    words: list[str],
    folder: str,
    env: dict[str, str],
    reach: Reach | None,
    layout: int | None,
    stdout: int,
    stderr: int,
) -> int:
    """Start a program in a session of its own.

    It is looked up on PATH, but in no folder that depends on the current one. `reach` is what it
    may reach (see `confinement`); None if it runs free. For `layout`, see `Limits`.

    Raises:
        OSError: it cannot be started.
    """
    os.chdir(folder)
    try:
        spawn = partial(_spawn, words, env, layout, stdout, stderr)
        return spawn() if reach is None else _spawn_confined(reach, spawn)
    finally:
        os.chdir("/")


def _spawn(
    words: list[str], env: dict[str, str], layout: int | None, stdout: int, stderr: int
) -> int:
    places = [f"{one}/" for one in os.get_exec_path(env) if one.startswith("/")]
    error: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for place in ("",) if "/" in words[0] else places:
        try:
            path = f"{place}{words[0]}"
            return os.posix_spawn(
                path,
                words,
                env if layout is None else _filled_up(path, words, env, layout),
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, stdout, 1),
                    (os.POSIX_SPAWN_DUP2, stderr, 2),
                ],
                setsid=True,
                setsigdef=_RESTORED,
            )
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as denied:  # there may be another one
            error = denied
    raise error


def _filled_up(path: str, words: list[str], env: dict[str, str], layout: int) -> dict[str, str]:
    """The environment with a variable that puts the program's stack where every run has it.

    The kernel lays the path, the words and the variables above the stack, and a pointer to each of
    the latter: how much that is differs from shell to shell.
    """
    env = {**env, _FILLER: ""}
    texts = path, *words, *(f"{name}={value}" for name, value in env.items())
    used = sum(len(os.fsencode(text)) + 1 for text in texts) + 8 * (len(words) + len(env))
    env[_FILLER] = "-" * (-used % _STACK_UNIT + LAYOUT_STEP * layout)
    return env


def _spawn_confined(reach: Reach, spawn: Callable[[], int]) -> int:
    """Start a program in a thread: Landlock confines one thread, and all that this starts.

    It takes a fifth of the time of a fork, which copies what Python has in memory.
    """
    answers: list[int | Exception] = []
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        try:
            _confine(*reach)
            answers.append(spawn())
        except Exception as error:
            answers.append(error)
        done.release()

    _thread.start_new_thread(run, ())
    done.acquire()
    if isinstance(answers[0], Exception):
        raise answers[0]
    return answers[0]


def _confine(handled: tuple[int, ...], allowed: tuple[tuple[str, int], ...]) -> None:
    """Give up all handled rights but the allowed ones, for good.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def call(number: int, *arguments: object) -> int:
        answer = int(libc.syscall(number, *arguments))
        if answer < 0:
            raise OSError(ctypes.get_errno(), "Landlock cannot confine it")
        return answer

    rights = (ctypes.c_uint64 * 3)(*handled)
    rules = call(_CREATE_RULESET, rights, ctypes.sizeof(rights), 0)
    for path, access in allowed:
        try:
            file = os.open(path, os.O_PATH)
        except OSError:
            continue  # it is not there
        rule = (access & handled[0]).to_bytes(8, sys.byteorder) + file.to_bytes(4, sys.byteorder)
        call(_ADD_RULE, rules, 1, rule, 0)
        os.close(file)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call(_RESTRICT_SELF, rules, 0)
    os.close(rules)
    _no_sockets(libc)


def _no_sockets(libc: ctypes.CDLL) -> None:
    """Refuse new sockets: who serves one, such as a desktop's bus, starts programs for others.

    Raises:
        OSError: the kernel refuses.
    """
    if (numbers := _SOCKETS.get(os.uname().machine)) is None:
        return
    load, equal, at_least, end = 0x20, 0x15, 0x35, 0x06  # of BPF, which counts skipped steps
    steps = [
        (load, 0, 0, 4), (equal, 0, 5, numbers[0]), (load, 0, 0, 0), (equal, 3, 0, numbers[1]),
        (equal, 2, 0, numbers[2]), (equal, 1, 0, _RING), (at_least, 0, 1, _OTHER_CALLS),
        (end, 0, 0, 5 << 16 | errno.EACCES), (end, 0, 0, 0x7FFF << 16),
    ]  # fmt: skip
    words = (code | true << 16 | false << 24 | k << 32 for code, true, false, k in steps)
    program = (ctypes.c_uint64 * len(steps))(*words)
    whole = (ctypes.c_uint64 * 2)(len(steps), ctypes.addressof(program))
    if libc.prctl(_SECCOMP, 2, whole, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp cannot confine it")


def _end_all(program: int | None, descendants: Descendants) -> tuple[int, float, int, bool]:
    """Kill the descendants of this process and reap them.

    Gives up on what does not end, such as what belongs to another user, but for the program itself.

    Returns:
        How the program ended, as `wait` says; the seconds of processor time of all; the bytes of
        the largest; and whether none is left.
    """
    status, seconds, largest = 0, 0.0, 0
    until, pause = time.monotonic() + _LONGEST, _PAUSE[0]
    if program is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(program, signal.SIGKILL)  # before its id can be reused
    while True:
        try:
            ended, how, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return status, seconds, largest, True
        if ended:
            seconds += usage.ru_utime + usage.ru_stime
            largest = max(largest, usage.ru_maxrss << 10)
            if ended == program:
                status, program = how, None
            continue
        if program is None and time.monotonic() > until:
            return status, seconds, largest, False
        _kill(list(descendants(os.getpid())))
        time.sleep(pause)
        pause = min(2 * pause, _PAUSE[1])


def _kill(processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
