import json
import sqlite3
from pathlib import Path

import pytest

from reducer.session.errors import BadInput, JournalBusy, MissingInput
from reducer.session.history import KEY
from reducer.session.journal import Journal
from reducer.session.reading import reading
from tests.support.histories import ORIGINAL, history


def write(path: Path, **texts: str) -> Path:
    with Journal.open(path, identity={"input": "x"}, resume=False) as journal:
        for key, text in texts.items():
            journal.put_text(key, text)
    return path


def test_what_a_journal_tells(tmp_path: Path) -> None:
    told = history(generic="k")
    path = write(tmp_path / "odd ?#% name", **{KEY: json.dumps(told.to_json()), "k": ORIGINAL})
    before = path.read_bytes()
    with reading(path) as reader:
        assert reader.history() == told
        module = reader.module("k")
        assert module is not None and module.text == ORIGINAL
        assert reader.module("") is None and reader.module("none") is None
    assert path.read_bytes() == before


def test_a_journal_without_history_says_what_to_do(tmp_path: Path) -> None:
    with (
        reading(write(tmp_path / "j")) as reader,
        pytest.raises(BadInput, match="repeat"),
    ):
        reader.history()


def test_no_journal(tmp_path: Path) -> None:
    with pytest.raises(MissingInput, match="--journal"), reading(tmp_path / "none"):
        pass


def test_other_files(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at" * 50)
    with sqlite3.connect(tmp_path / "foreign") as foreign:
        foreign.execute("CREATE TABLE t (x)")
    for name in ("text", "foreign"):
        with pytest.raises(BadInput, match="no journal"), reading(tmp_path / name) as reader:
            reader.history()


def test_a_journal_in_use(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with (
        Journal.open(path, identity={}, resume=False),
        pytest.raises(JournalBusy),
        reading(path) as reader,
    ):
        reader.history()
