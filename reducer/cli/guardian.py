"""Cleans up after a run that could not do so itself, even one that was killed with SIGKILL.

The guardian is a tiny process that waits for the run to end: its standard input then reaches the
end of file. It ends what still carries the run's mark, and deletes the run's temporary folder.
Started as a plain script on a bare interpreter, it is up in milliseconds.
"""

import os
import runpy
import shutil
import signal
import sys

GOODBYE = b"."
"""What a run says that has cleaned up already."""


def main(mark: str, folder: str, tree: str) -> None:
    """Guards the run with this `mark` and `folder`; `tree` is where the module of that name lies.

    It is loaded in the rare case only, and as a file: its package would need others.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # those are meant for the run
    if os.read(sys.stdin.fileno(), 1) == GOODBYE:
        return
    try:
        runpy.run_path(tree)["kill_strays"](mark)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
