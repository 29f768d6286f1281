"""Sees to it that no run outlives this process, not even if it is killed with SIGKILL.

The kernel could kill a child with its parent (PR_SET_PDEATHSIG), but only the child itself may ask
for that, and only for itself: a compiler that a script started would live on. A guardian, started
once for each process that runs programs, finds all of them by their mark, and costs no run a thing.
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
    """A guardian of this process; closing its standard input, or our death, sets it to work.

    It ends every process with this mark and deletes `folder`, unless it is told GOODBYE.
    Raises OSError.
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
    """The mark of this process, by which its guardian knows what to end; '' if it needs none.

    It needs none where somebody else looks after it: its environment has a mark then.
    """
    global _mark, _process
    if tree.RUN_VARIABLE in os.environ:
        return ""
    with _lock:
        if not _mark:
            _mark = uuid.uuid4().hex
            with suppress(OSError):  # no reason not to run anything
                _process = start_guardian(_mark)
        return _mark


def _let_go() -> None:
    """Ends the guardian's wait; it looks for strays that this process left behind."""
    if _process is not None and _process.stdin is not None:
        with suppress(OSError):
            _process.stdin.close()


def _forget() -> None:
    """A fork has a guardian of its own, and does not keep that of its parent waiting."""
    global _lock, _mark, _process
    _let_go()
    _lock = threading.Lock()
    _mark = ""
    _process = None


atexit.register(_let_go)
os.register_at_fork(after_in_child=_forget)
