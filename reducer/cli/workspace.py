"""One temporary folder for all files of a run and its compilers, deleted at the end."""

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from oracles.run import procfs, reaper_client
from oracles.run.confinement import confinement_ends


@dataclass(frozen=True)
class Workspace:
    """The folder of the run, which marks its processes."""

    folder: Path

    def clean_up(self) -> None:
        """Kill every process of the run except this one, and delete its files."""
        procfs.kill_marked(str(self.folder))
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def workspace() -> Iterator[Workspace]:
    """Redirect every temporary file of this process and its children to one folder.

    Nothing of the run remains, whether it succeeds, fails, or is killed.
    """
    folder = Path(tempfile.gettempdir()).absolute() / f"mlir-reducer-{uuid.uuid4().hex}"
    place = Workspace(folder)
    reaper_client.protect(folder)  # before there is anything to clean up
    folder.mkdir(mode=0o700)
    earlier_folder = tempfile.tempdir
    tempfile.tempdir = str(folder)
    try:
        with _environment({reaper_client.FOLDER_VARIABLE: str(folder)}), confinement_ends():
            yield place
    finally:
        tempfile.tempdir = earlier_folder
        place.clean_up()
        reaper_client.release(folder)


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
