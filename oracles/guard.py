"""Ensure that no run outlives this process, even if it is killed with SIGKILL.

The kernel can kill a child with its parent (PR_SET_PDEATHSIG), but only the child itself can
request that, and only for itself: a compiler started by a script would survive. Instead, one
guardian per process that runs programs finds all of them by their mark, at no cost per run.
"""

import atexit
import os
import subprocess
import sys
import threading
import uuid
from contextlib import suppress
from pathlib import Path

from oracles import guardian, tree

_lock = threading.Lock()
_mark = ""
_process: "subprocess.Popen[bytes] | None" = None


def start_guardian(mark: str, folder: Path | None = None) -> "subprocess.Popen[bytes]":
    """Start a guardian, which acts when its standard input closes or this process dies.

    It kills every process with this mark and deletes `folder`, unless it is sent GOODBYE.

    Raises:
        OSError: the guardian cannot be started.
    """
    script = [sys.executable, "-I", "-S", guardian.__file__]
    return subprocess.Popen(
        [*script, mark, str(folder or ""), tree.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )


def guarded_mark() -> str:
    """The mark by which this process's guardian finds its runs; '' if none is needed.

    None is needed if the environment already has a mark: another guardian is then responsible.
    """
    global _mark, _process
    if tree.RUN_VARIABLE in os.environ:
        return ""
    with _lock:
        if not _mark:
            _mark = uuid.uuid4().hex
            with suppress(OSError):  # runs still work without a guardian
                _process = start_guardian(_mark)
        return _mark


def _let_go() -> None:
    """End the guardian's wait; it kills strays that this process left behind."""
    if _process is not None and _process.stdin is not None:
        with suppress(OSError):
            _process.stdin.close()


def _forget() -> None:
    """Detach a forked child from its parent's guardian; the child gets its own."""
    global _lock, _mark, _process
    _let_go()
    _lock = threading.Lock()
    _mark = ""
    _process = None


atexit.register(_let_go)
os.register_at_fork(after_in_child=_forget)
