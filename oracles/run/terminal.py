"""Run a program with a terminal for its standard output, which is copied to our own.

A program that crashes loses what it has written to a pipe but not yet flushed. It does not buffer
what it writes to a terminal. This runs as a plain script, so that the program is started as any
other (see `oracles.signature.actions`).
"""

import os
import pty
import subprocess
import sys
import tty

_CHUNK = 1 << 16


def main(argv: list[str]) -> int:
    """Run `argv` and return its exit code, 128 + n for signal n as in a shell."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # no line ends of a terminal
    process = subprocess.Popen(argv, stdout=theirs)
    os.close(theirs)
    with open(sys.stdout.fileno(), "wb", buffering=0, closefd=False) as out:
        while chunk := _read(ours):
            out.write(chunk)
    code = process.wait()
    return 128 - code if code < 0 else code


def _read(terminal: int) -> bytes:
    """The next output; empty once the program has closed the terminal, which is an error here."""
    try:
        return os.read(terminal, _CHUNK)
    except OSError:
        return b""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
