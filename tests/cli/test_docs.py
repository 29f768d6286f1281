"""The links and files that the documentation mentions exist, and it stays short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = re.compile(r"settles\.py|.*replace_by_arguments\.py")
"""Files that the documentation asks the reader to write."""


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page, without code blocks."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.+)$", text, re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in titles)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", page.read_text()):
        linked = page.parent / target if target else page
        assert linked.exists(), (page.name, target)
        if anchor:
            assert anchor in anchors(linked), (page.name, target, anchor)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_ours_exist(page: Path) -> None:
    """A page may omit the start of a path: `search/sweep.py`, or `sweep.py`."""
    folders = [ROOT / name for name in ("benchmarks", "oracles", "reducer", "tests")]
    ours = [path for folder in folders for path in folder.rglob("*.py")]
    ends = {"/".join(path.parts[-n:]) for path in ours for n in range(1, len(path.parts))}
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for name in re.findall(r"`([\w/]+\.py)`", text):
        assert name in ends or EXAMPLES.fullmatch(name), (page.name, name)


def test_a_reader_has_little_to_read() -> None:
    """In thousands of characters; the tutorial and one how-to are what most people read."""
    most = {"README": 6, "tutorial": 10, "options": 5, "CHANGELOG": 6, "signatures": 8}
    sizes = {page.stem: len(page.read_text(encoding="utf-8")) for page in PAGES}
    assert not {name: sizes[name] for name in most if sizes[name] > 1000 * most[name]}
    sizes.pop("design", None)
    assert sum(sizes.values()) <= 114_000
