"""Cleans up after a process that could not do so itself, even one that was killed with SIGKILL.

The guardian is a tiny process that waits for another to end: its standard input then reaches the
end of file. It ends what still carries that one's mark, and deletes its temporary folder if it has
one. Started as a plain script on a bare interpreter, it is up in milliseconds (see `guard`).
"""

import os
import runpy
import shutil
import signal
import sys
import time

GOODBYE = b"."
"""What a process says that has cleaned up already."""

_BEING_STARTED = 0.2  # seconds


def main(mark: str, folder: str, tree: str) -> None:
    """Guards what has this `mark` and `folder` ('' for none); `tree` is that module's file.

    It is loaded in the rare case only, and as a file: its package would need others.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # those are meant for the other
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
