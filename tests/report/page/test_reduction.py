import re

import pytest

from reducer.driver.best import PRINTED
from reducer.driver.records.history import FELL_BACK, PRINT, Moment, Spent, Tries
from reducer.ir import Module
from reducer.report.page import Findings, reduction_page
from reducer.report.page.reduction import gains
from tests.support.histories import FINAL, facts, history


def test_shares_are_orders_of_magnitude_and_add_up_to_one() -> None:
    found = gains(history())  # 4,000 to 400 to 100 bytes
    assert [row.name for row in found.winners] == ["carve", "delete ops"]
    assert sum(row.share for row in found.winners) == pytest.approx(1)
    assert found.winners[0].share == pytest.approx(1 / 1.602, abs=1e-3)
    assert [row.name for row in found.others] == ["drop dims"]
    assert [row.name for row in found.upkeep] == ["run the input"]


def test_what_was_lost_again_counts_against() -> None:
    moments = [
        Moment(8, 100, "carve", Spent()),
        Moment(20, 1_000, FELL_BACK, Spent()),
        Moment(8, 40, "carve", Spent()),
    ]
    tries = {"carve": Tries(2, 2), FELL_BACK: Tries()}
    found = gains(history(moments=moments, tries=tries))
    assert [(row.name, row.share > 0) for row in found.winners] == [
        ("carve", True),
        (FELL_BACK, False),
    ]


def test_another_form_of_the_same_program_is_no_gain() -> None:
    moments = [
        Moment(8, 9_000, PRINTED, Spent()),
        Moment(4, 4_500, "carve", Spent()),
        Moment(4, 500, PRINT, Spent()),
    ]
    tries = {PRINTED: Tries(1, 1), "carve": Tries(2, 2), PRINT: Tries(calls=1)}
    found = gains(history(moments=moments, tries=tries))
    assert [(row.name, row.share) for row in found.winners] == [("carve", 1.0)]
    assert {row.name for row in found.upkeep} == {PRINTED, PRINT}


def test_no_gains() -> None:
    assert gains(history(moments=[], tries={})).winners == []


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
    assert re.search(r'row failing">.*t\.bad', page)
    assert "compiles for llvm-cpu" in page
    assert "<code>2</code> in place of <code>?</code>" in page
    assert "failed to undo" in page
    assert "/opt/somewhere" not in page
    assert page.startswith("<!doctype html>")
    assert page == reduction_page(facts())


def test_the_page_makes_no_requests() -> None:
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


def test_what_ops_are_called_and_hold_is_escaped_in_graphs() -> None:
    constant = '"t.made"() <{value = "<img src=x>"}> : () -> i64'
    hostile = FINAL.replace('"t.made"() : () -> i64', constant)
    page = reduction_page(facts(history=history(final=hostile), final=Module.parse(hostile)))
    assert "t.made &#34;&lt;img" in page
    assert "<img" not in page


def test_undecodable_names() -> None:
    page = reduction_page(facts(name="caf\udce9\0\x1b[2J.mlir"))
    page.encode()
    assert "\0" not in page and "\x1b" not in page


AROUND, UNASKED = 'id="around-graph"', ('id="elsewhere"', 'id="needs"')


@pytest.mark.parametrize(
    ("changes", "told", "untold"),
    [
        (
            {"original": None, "final": None, "history": history(origins={})},
            ["What each transformation contributed"],
            ["Def-use graph of the result"],
        ),
        ({}, [AROUND, *UNASKED], []),
        (  # a graph that is the same in the input is not drawn again
            {
                "original": Module.parse(FINAL),
                "history": history(origins={1: 1, 2: 2, 3: 3, 4: 4}),
            },
            ["connected in the same way"],
            [AROUND],
        ),
        ({"history": history(health=None), "findings": Findings()}, [], UNASKED),
        (
            {"history": history(status="", verified=False, one_minimal=False)},
            ["not finished"],
            [],
        ),
        (
            {"history": history(moments=[], tries={}, origins={}, final="")},
            [],
            ['class="chart"'],
        ),
    ],
    ids=["text", "all", "same graph", "nobody asked", "unfinished", "nothing accepted"],
)
def test_only_what_is_known_is_told(
    changes: dict[str, object], told: list[str], untold: list[str]
) -> None:
    page = reduction_page(facts(**changes))
    assert [words for words in told if words not in page] == []
    assert [words for words in untold if words in page] == []
