"""Takes this machine out of a text: its folders say nothing about a bug, and whose it is."""

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

_END = r"(?![\w.-])"
_ORACLE = re.compile(r"(?:/[\w.@+~-]+)*/oracle-[\w]{6,}/")
_TOOLCHAIN = re.compile(r"(?:/[\w.@+~-]+)+/iree/compiler/_mlir_libs/")


def hide_folders(text: str, more: Sequence[Path] = ()) -> str:
    """Paths without the folders of this machine: those of a run, of a compiler, of the user.

    `more` are folders that go too.
    """
    text = _TOOLCHAIN.sub("", _ORACLE.sub("", text))
    for folder in sorted(map(str, {*more, Path(tempfile.gettempdir()), Path.cwd()}), key=len)[::-1]:
        if folder not in ("/", "."):
            text = re.sub(re.escape(folder) + r"/", "", text)
    home = os.path.expanduser("~")  # noqa: PTH111  (a home that does not exist is no error here)
    if len(home) > 1:
        text = re.sub(re.escape(home) + _END, "~", text)
    return text
