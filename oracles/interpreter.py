"""How every Python of ours is started: the folder in which somebody works may hold a `pip.py`."""

import sys


def python(*words: str) -> list[str]:
    """The words that start our own Python without modules of the current folder."""
    return [sys.executable, "-P", *words]
