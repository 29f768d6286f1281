"""Clean up after a process that cannot do so itself, even one killed with SIGKILL.

The guardian is a tiny process that waits for another one to end, which closes the guardian's
standard input. It then kills all processes with the other one's mark and deletes its temporary
folder, if it has one. It runs as a plain script on a bare interpreter and starts within
milliseconds (see `guard`).
"""

import os
import runpy
import shutil
import signal
import sys
import time

GOODBYE = b"."
"""Sent by a process that has already cleaned up."""

_BEING_STARTED = 0.2  # seconds


def main(mark: str, folder: str, tree: str) -> None:
    """Guard the processes with `mark` and `folder` ('' for none); `tree` is that module's file.

    The module is loaded only if it is needed, and by path, because importing its package would load
    much more.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # these are meant for the guarded process
    if os.read(sys.stdin.fileno(), 1) == GOODBYE:
        return
    try:
        kill_strays = runpy.run_path(tree)["kill_strays"]
        kill_strays(mark)
        time.sleep(_BEING_STARTED)  # a child has no mark until its program is loaded
        kill_strays(mark)
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
