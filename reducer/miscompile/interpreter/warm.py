"""A process that has loaded the evaluator, and forks itself for each answer.

A start of Python with NumPy and all dialects takes half a second of processor time, most answers a
few milliseconds. A copy knows nothing of earlier answers, so it says what a new process would say.
It is watched as any other program is, within limits of its own.

    python -P -m reducer.miscompile.interpreter.warm

Standard input is a socket; what is asked there is what `orphan_reaper` asks of its keepers.
"""

import atexit
import gc
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path

from oracles.run.confinement import Reach
from oracles.run.limits import Limits
from oracles.run.orphan_reaper import become_subreaper, keep
from oracles.run.procfs import descendants
from oracles.run.reaper_client import Child, Keeper, python

MODULE = "reducer.miscompile.interpreter"
"""What `python -P -m` starts, and the copies as well; what follows are their arguments."""

_ONNX = "onnx.reference.ops._op_list"

_idle: list[Keeper] = []
_started: "list[subprocess.Popen[bytes]]" = []
_GOODBYE_SECONDS = 5.0


def warm_child(
    words: Sequence[str], folder: Path, env: Mapping[str, str], reach: Reach | None, limits: Limits
) -> Child:
    """What starts these words by a copy of an idle process; as many are there as ever ran at once.

    Raises:
        OSError: it cannot be started.
    """
    return Child(words, folder, env, reach, limits, lambda: _idle.pop() if _idle else _load(env))


def _load(env: Mapping[str, str]) -> Keeper:
    ours, theirs = socket.socketpair()
    with theirs:
        _started.append(
            subprocess.Popen(
                python("-m", f"{MODULE}.warm"),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=dict(env),
                start_new_session=True,
            )
        )
    return Keeper(ours, _idle)


def _finish() -> None:
    """Let all of them end, and wait for that."""
    _forget()
    for process in _started:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GOODBYE_SECONDS)


def _forget() -> None:
    for keeper in _idle:
        keeper.close()
    _idle.clear()


def main() -> None:
    """Serve the process at the other end of standard input, as long as it is there."""
    from reducer.miscompile.interpreter.__main__ import main as answer
    from reducer.miscompile.interpreter.registry import handler_of

    handler_of("")  # which loads all dialects
    connection = socket.socket(fileno=os.dup(0))
    os.dup2(1, 0)
    become_subreaper()
    gc.freeze()
    keep(connection, descendants, partial(_fork, answer))


def load_for(module: Path) -> None:
    """Load what most of the time for a small module goes to, once for all copies."""
    with suppress(OSError, ImportError):
        if _ONNX not in sys.modules and b'"torch.operator"' in module.read_bytes():
            import_module(_ONNX)
            gc.freeze()


def _fork(
    answer: Callable[[], int],
    words: list[str],
    folder: str,
    env: dict[str, str],
    reach: None,
    layout: int | None,
    stdout: int,
    stderr: int,
) -> int:
    """Answer in a copy of this process, at the addresses that it has; return its id."""
    load_for(Path(folder, words[words.index(MODULE) + 1]))
    copy = os.fork()
    if copy:
        return copy
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        sys.argv = words[words.index(MODULE) :]
        code = answer()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


atexit.register(_finish)
os.register_at_fork(after_in_child=_forget)

if __name__ == "__main__":
    main()
