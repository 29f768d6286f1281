"""Cleans up after a run that could not do so itself, even one that was killed with SIGKILL.

The guardian is a tiny process that waits for the run to end: its standard input then reaches the
end of file. It ends what still carries the run's mark, and deletes the run's temporary folder.
Started as a plain script on a bare interpreter, it is up in milliseconds.
"""

import os
import shutil
import signal
import sys

GOODBYE = b"."
"""What a run says that has cleaned up already."""


def main(mark: str, folder: str, packages: str) -> None:
    """Guards the run with this `mark` and `folder`; `packages` is where `oracles` lies."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # those are meant for the run
    if os.read(sys.stdin.fileno(), 1) == GOODBYE:
        return
    sys.path.insert(0, packages)
    from oracles.tree import kill_strays  # needed in the rare case only

    kill_strays(mark)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
