"""A document is made once as long as it is in use."""

from reducer.ir import PlainText
from reducer.search import state
from reducer.search.state import Recent


def test_the_same_text_gives_the_same_document() -> None:
    kept = Recent()
    document = kept.made("a", "parsed", PlainText)
    assert kept.made("a", "parsed", PlainText) is document
    assert kept.made("a", "parsed otherwise", PlainText) is not document


def test_the_least_recently_used_is_forgotten_first() -> None:
    kept = Recent()
    text = "x" * (state._MOST_CHARACTERS // 25)
    assert len(text) <= state._LARGEST
    first = kept.made(f"1{text}", "", PlainText)
    second = kept.made(f"2{text}", "", PlainText)
    for number in range(3, 30):
        kept.made(f"{number}{text}", "", PlainText)
        assert kept.made(f"1{text}", "", PlainText) is first
    assert kept.made(f"2{text}", "", PlainText) is not second


def test_what_is_large_is_not_kept() -> None:
    kept, text = Recent(), "x" * (state._LARGEST + 1)
    assert kept.made(text, "", PlainText) is not kept.made(text, "", PlainText)
