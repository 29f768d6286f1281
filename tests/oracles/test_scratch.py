import shutil

from oracles.run.scratch import clear_private_folders, private_folder


def test_a_folder_is_emptied_and_used_again() -> None:
    clear_private_folders()
    with private_folder() as first:
        (first / "input.mlir").write_text("text", encoding="utf-8")
    assert first.is_dir() and not list(first.iterdir())
    with private_folder() as second:
        assert second == first
    clear_private_folders()
    assert not first.exists()


def test_runs_at_the_same_time_have_their_own_folders() -> None:
    with private_folder() as first, private_folder() as second:
        assert first != second


def test_a_folder_with_more_in_it_than_files_is_removed() -> None:
    with private_folder() as folder:
        (folder / "dump").mkdir()
        (folder / "dump" / "a.mlir").touch()
    assert not folder.exists()


def test_a_folder_into_which_something_wrote_later_is_not_used_again() -> None:
    clear_private_folders()
    with private_folder() as first:
        pass
    (first / "late").touch()
    with private_folder() as second:
        assert second != first
    shutil.rmtree(first)


def test_a_folder_is_removed_when_its_run_fails() -> None:
    try:
        with private_folder() as folder:
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert not folder.exists()
