"""One temporary folder for all files of a run and its compilers, deleted at the end."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from oracles import guardian, tree
from oracles.guard import start_guardian

_CLEANUP_TIMEOUT = 5.0  # seconds


@dataclass(frozen=True)
class Workspace:
    """The run's mark on its processes, and its folder."""

    mark: str
    folder: Path

    def clean_up(self) -> None:
        """Kill every process of the run except this one, and delete its files."""
        tree.kill_strays(self.mark)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def workspace() -> Iterator[Workspace]:
    """Redirect every temporary file of this process and its children to one folder.

    Nothing of the run remains, whether it succeeds, fails, or is killed.
    """
    mark = uuid.uuid4().hex
    place = Workspace(mark, Path(tempfile.gettempdir()).absolute() / f"mlir-reducer-{mark}")
    guard = start_guardian(place.mark, place.folder)  # before there is anything to clean up
    place.folder.mkdir(mode=0o700)
    earlier_folder = tempfile.tempdir
    tempfile.tempdir = str(place.folder)
    marks = f"{os.environ.get(tree.RUN_VARIABLE, '')} {place.mark}".strip()
    try:
        with _environment({tree.RUN_VARIABLE: marks, "TMPDIR": str(place.folder)}):
            yield place
    finally:
        tempfile.tempdir = earlier_folder
        place.clean_up()
        with suppress(OSError, subprocess.TimeoutExpired):
            guard.communicate(guardian.GOODBYE, timeout=_CLEANUP_TIMEOUT)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Temporarily set variables of this process, which its children inherit."""
    earlier = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in earlier.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
