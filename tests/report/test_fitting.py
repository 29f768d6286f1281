"""Texts within GitHub's limit."""

from reducer.report.markdown import MAX_CHARACTERS, Passage, fit, length


def test_what_fits_stays() -> None:
    assert fit([Passage("a"), Passage(""), Passage("b", "-", {"f": "b"})]) == ("a\n\nb\n", {})


def test_the_longest_part_moves_first() -> None:
    parts = [
        Passage("a" * 60, "see a", {"a": "A"}),
        Passage("b" * 70, "see b", {"b": "B"}),
        Passage("c"),
    ]
    assert fit(parts, 200) == (f"{'a' * 60}\n\n{'b' * 70}\n\nc\n", {})
    assert fit(parts, 100) == (f"{'a' * 60}\n\nsee b\n\nc\n", {"b": "B"})
    assert fit(parts, 30) == ("see a\n\nsee b\n\nc\n", {"a": "A", "b": "B"})


def test_a_part_moves_only_if_that_helps() -> None:
    assert fit([Passage("ab", "see elsewhere", {"a": "ab"})], 1) == ("ab\n", {})


def test_it_counts_as_the_browser_does() -> None:
    assert length("a\nb") == 4, "a line break is sent as two characters"
    assert length("\N{PILE OF POO}") == 2
    assert MAX_CHARACTERS == 65_536
