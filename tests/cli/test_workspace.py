"""Nothing of a run is left behind."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from oracles.run import reaper_client
from reducer.cli.workspace import workspace
from tests.support.fake_compilers import wait_until


def test_temporary_files_of_this_process_and_its_children_land_in_it() -> None:
    with workspace() as place:
        with tempfile.NamedTemporaryFile() as file:
            assert Path(file.name).parent == place.folder
        made = subprocess.run(["mktemp"], capture_output=True, text=True, check=True).stdout
        assert Path(made.strip()).parent == place.folder
    assert not place.folder.exists()


def test_everything_is_as_before_afterwards() -> None:
    before = dict(os.environ), tempfile.gettempdir()
    with workspace():
        assert os.environ != before[0]
    assert (dict(os.environ), tempfile.gettempdir()) == before


def test_children_end_with_it_even_those_with_a_session_of_their_own() -> None:
    with workspace():
        child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        assert child.poll() is None
        # Until the new program is loaded, the child still shows our own environment.
        wait_until(lambda: b"sleep" in Path(f"/proc/{child.pid}/cmdline").read_bytes())
    assert child.wait(timeout=20) == -9


def test_workspaces_nest() -> None:
    with workspace() as outer:
        with workspace() as inner:
            assert inner.folder.parent == outer.folder
        assert outer.folder.exists()


def test_the_reaper_is_there_before_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill in between would leave the folder behind forever."""
    existed: list[bool] = []
    protect = reaper_client.protect

    def protecting(folder: Path) -> None:
        existed.append(folder.exists())
        protect(folder)

    monkeypatch.setattr(reaper_client, "protect", protecting)
    with workspace() as place:
        assert place.folder.stat().st_mode & 0o777 == 0o700
    assert existed == [False]
