import re

from reducer.page import reduction_page
from tests.support.histories import facts, history

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!--"


def test_the_page_says_what_matters() -> None:
    page = reduction_page(facts())
    for words in (
        "f.reduced.mlir",
        "legalization",
        "verified",
        "1-minimal",
        "4,000",
        "20\N{MULTIPLICATION SIGN} smaller",
    ):
        assert words in page, words
    assert "t-compile --flag f.reduced.mlir" in page
    assert "/opt/somewhere" not in page
    assert page.startswith("<!doctype html>")
    assert page == reduction_page(facts())


def test_it_asks_for_nothing() -> None:
    page = reduction_page(facts())
    assert "default-src &#39;none&#39;" in page
    links = re.findall(r"""(?:src|href|action)\s*=|url\((?!#)|@import""", page)
    assert links == []


def test_everything_quoted_is_escaped() -> None:
    hostile = history(
        name=HOSTILE,
        command=["cc", HOSTILE],
        notes=[HOSTILE],
        tries={HOSTILE: history().tries["carve"]},
        moments=[
            type(moment)(moment.ops, moment.bytes, HOSTILE, moment.spent)
            for moment in history().moments
        ],
    )
    page = reduction_page(
        facts(name=HOSTILE, text=HOSTILE, history=hostile, pass_name=HOSTILE, pass_text=HOSTILE)
    )
    assert page.count("<script>") == page.count("</script>") == 1
    assert "<img" not in page
    assert "<!--" not in page


def test_names_that_are_no_text() -> None:
    page = reduction_page(facts(name="caf\udce9\0\x1b[2J.mlir"))
    page.encode()
    assert "\0" not in page and "\x1b" not in page


def test_text_alone_has_no_graphs() -> None:
    page = reduction_page(facts(original=None, final=None, history=history(origins={})))
    assert "as a graph" not in page
    assert "What each transformation won" in page


def test_an_unfinished_reduction() -> None:
    page = reduction_page(facts(history=history(status="", verified=False, one_minimal=False)))
    assert "not finished" in page


def test_one_that_never_accepted_anything() -> None:
    page = reduction_page(facts(history=history(moments=[], tries={}, origins={}, final="")))
    assert 'class="chart"' not in page
