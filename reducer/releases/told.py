"""What a release tells of its flags."""

import tempfile
from pathlib import Path

from oracles import Limits, run_process
from reducer.releases.flags import read_help

_SECONDS = 60.0


def flags_of(executable: Path) -> dict[str, str]:
    """The flags in the help of a tool; nothing for one that has no such help."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        words = [str(executable), "--help-hidden"]
        result = run_process(words, cwd=Path(folder), limits=Limits(_SECONDS))
    return read_help(result.stdout) if result.exit_code == 0 else {}
