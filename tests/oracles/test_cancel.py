"""An event that wakes those who wait for files."""

import os
import select

from oracles.run.limits import Cancel


def is_readable(file: int | None) -> bool:
    assert file is not None
    return bool(select.select([file], [], [], 0)[0])


def test_files_are_readable_once_the_event_is_set() -> None:
    cancel = Cancel()
    with cancel.file() as one, cancel.file() as other:
        assert not is_readable(one) and not is_readable(other)
        cancel.set()
        assert cancel.is_set()
        assert is_readable(one) and is_readable(other)


def test_so_are_those_that_are_opened_later() -> None:
    cancel = Cancel()
    cancel.set()
    with cancel.file() as file:
        assert is_readable(file)


def test_nothing_is_written_to_a_file_that_is_closed() -> None:
    """Its number may be that of another one by then."""
    cancel = Cancel()
    with cancel.file() as file:
        assert file is not None
    another = os.eventfd(0, os.EFD_NONBLOCK)
    try:
        assert another == file, "the lowest free number"
        cancel.set()
        assert not is_readable(another)
    finally:
        os.close(another)
