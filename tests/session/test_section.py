"""Parts of a journal."""

from pathlib import Path

from oracles import Outcome
from reducer.session.journal import Journal
from reducer.session.section import Section
from tests.support.predicate import PredicateOracle

FAILED, FINE = (PredicateOracle(lambda text: text == "bad").run(text) for text in ("bad", "good"))


def outcome(journal: Journal, digest: str) -> Outcome | None:
    return journal.get(digest)


def test_each_section_has_names_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with Journal.open(path, identity={"input": "1"}, resume=False) as journal:
        one, other = Section(journal, "one"), Section(journal, "other")
        journal.put("d", FAILED, 3)
        one.put("d", FINE, 3)
        one.put_text("t", "text of one")
        one.set_meta("m", "fact of one")
        with other:
            assert other.get("d") is None
            assert other.get_text("t") is None
            assert other.get_meta("m") is None
        assert outcome(journal, "d") == FAILED
    with Journal.reopen(path) as journal:
        assert outcome(journal, "d") == FAILED
        again = Section(journal, "one")
        assert outcome(again, "d") == FINE
        assert (again.get_text("t"), again.get_meta("m")) == ("text of one", "fact of one")
    with Journal.open(path, identity={"input": "1"}, resume=True) as journal:
        assert outcome(journal, "d") == FAILED


def test_reopening_what_is_not_there_starts_an_empty_journal(tmp_path: Path) -> None:
    with Journal.reopen(tmp_path / "journal") as journal:
        assert journal.get("d") is None
        journal.put("d", FAILED, 3)
        assert journal.get("d") == FAILED
    with Journal.reopen(tmp_path / "journal") as journal:
        assert journal.get("d") == FAILED
