"""Arbitrary text in Markdown stays text, as checked by a renderer with GitHub's tables."""

import html
import re

import pytest
from markdown_it import MarkdownIt

from reducer.report.markdown import code, fenced, folded, plain, table

HOSTILE = [
    "```\n# not a heading\n```",
    "````` and ```` and ```",
    "`",
    "``a`` b `",
    " `x",
    "a | b \\| c",
    "<script>alert(1)</script>",
    "</details><img src=x onerror=alert(1)>",
    "$(rm -rf ~) `rm -rf ~`",
    "@main @octocat #1 https://example.com",
    "line one\nline two",
    "tab\tand \x1b[31mred\u2028end\u202e",
    "![x](javascript:alert(1)) [y](z)",
    "* a\n- b\n1. c",
    "  trailing  ",
    "\\",
]

render = MarkdownIt("commonmark").enable("table").render


def texts(tag: str, page: str) -> list[str]:
    found = re.findall(rf"<{tag}(?:\s[^>]*)?>(.*?)</{tag}>", page, re.S)
    return [html.unescape(text) for text in found]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_block_holds_its_text_and_nothing_follows_it(text: str) -> None:
    page = render(f"before\n\n{fenced(text, 'mlir')}\n\nafter\n")
    (block,) = texts("code", page)
    assert block.rstrip("\n") == text.replace("\x1b", "\\x1b").replace("\u2028", "\\u2028").replace(
        "\u202e", "\\u202e"
    ).rstrip("\n")
    assert texts("p", page) == ["before", "after"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_span_holds_its_text_on_one_line(text: str) -> None:
    page = render(f"before {code(text)} after")
    (span,) = texts("code", page)
    escaped = text.encode("unicode_escape").decode().replace("\\\\", "\\")
    assert span.strip() == escaped.strip()
    assert "<p>before <code>" in page and "</code> after</p>" in page


@pytest.mark.parametrize("text", HOSTILE)
def test_a_table_keeps_its_shape(text: str) -> None:
    page = render(table(("one", "two"), [(code(text), plain(text)), ("x", "y")]))
    assert page.count("<tr>") == 3
    assert len(texts("td", page)) == 4
    assert "<script" not in page and "<img" not in page and "<a " not in page


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_has_no_markup_and_mentions_nobody(text: str) -> None:
    page = render(f"before {plain(text)} after")
    assert re.sub(r"</?p>", "", page).strip() == re.sub(r"<[^>]*>", "", page).strip()
    assert "@octocat" not in plain(text) and "https://" not in plain(text)


def test_a_part_can_be_folded() -> None:
    page = MarkdownIt("commonmark", {"html": True}).render(folded("More", fenced("a <b>")))
    assert "<details><summary>More</summary>" in page
    assert texts("code", page) == ["a <b>\n"]


def test_nothing_is_shown_as_nothing() -> None:
    assert fenced("") == "```\n```"
    assert code("") == "(empty)"
