"""A page shows a reduction, or the bugs of a triage, to readers with any screen.

Text of programs stays text, and links lead only to files beside the page. A drawing leaves out no
op that failed.

This file: the pages in a real browser, light and dark, wide and narrow.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from reducer.ir import Module
from reducer.report.page import BucketRow, bucket_page, reduction_page
from tests.report.page.test_buckets import row
from tests.report.page.test_reduction import HOSTILE
from tests.support.browser import Browser, Page, View
from tests.support.histories import ORIGINAL, facts, history

VIEWS = [
    pytest.param(View(width, height, dark), id=f"{width}-{'dark' if dark else 'light'}")
    for width, height, dark in ((1280, 900, True), (360, 740, False))
]
Write = Callable[[str], Path]

pytestmark = pytest.mark.machine

# Text with too little contrast to its background, by the ratio of WCAG 2 (4.5 for body text).
CONTRAST = """(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    const box = element.closest('.node')?.querySelector('rect');
    if (box) return channels(getComputedStyle(box).fill);
    for (let e = element; e; e = e.parentElement) {
      const color = channels(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = Array.from(element.childNodes).some(n => n.nodeType === 3 && n.data.trim());
    const mute = ['SCRIPT', 'title'].includes(element.tagName);
    if (!own || mute || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const front = channels(element instanceof SVGElement ? style.fill : style.color);
    const [light, dark] = [luminance(front), luminance(behind(element))].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) bad.push(`${element.tagName} ${element.className} ${ratio.toFixed(2)}`);
  }
  return bad;
})()"""

# Elements that are wider than the window, unless they scroll.
TOO_WIDE = """Array.from(document.querySelectorAll('body *')).filter(e =>
  !e.closest('.scroll, svg, .visually-hidden') && e.checkVisibility()
  && e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 120))"""

OUT_OF_THEIR_BOXES = """Array.from(document.querySelectorAll('.node text')).filter(text => {
  const t = text.getBoundingClientRect();
  const b = text.parentElement.querySelector('rect').getBoundingClientRect();
  return t.left < b.left || t.right > b.right || t.top < b.top || t.bottom > b.bottom;
}).map(t => t.textContent)"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "page.html"
        path.write_text(text)
        return path

    return write


def boxes(page: Page, selector: str) -> list[list[float]]:
    """Width and height of all elements that match a selector."""
    found: list[list[float]] = page.evaluate(
        f"Array.from(document.querySelectorAll({selector!r}), e => "
        "{ const b = e.getBoundingClientRect(); return [b.width, b.height]; })"
    )
    return found


def assert_sound(page: Page, path: Path) -> None:
    """Assert no console errors, no requests, nothing too wide, and all text readable."""
    assert page.complaints == []
    assert page.requests == [path.as_uri()]
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("view", VIEWS)
def test_a_reduction(browser: Browser, write: Write, view: View) -> None:
    path = write(reduction_page(facts()))
    with browser.open(path, view) as page:
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert_sound(page, path)
        assert len(boxes(page, ".chart")) == 2
        assert len(boxes(page, "#final-graph .node rect")) == 4
        assert len(boxes(page, "#around-graph .node.kept rect")) == 2
        for selector in (".chart", ".chart .line", ".dot", ".node rect", ".edge", ".bar", ".strip"):
            drawn = boxes(page, selector)
            assert drawn and all(width + height > 0 for width, height in drawn), selector
        assert all(w > 200 and h > 100 for w, h in boxes(page, ".chart"))
        scheme = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (scheme == "rgb(245, 246, 248)") != view.dark
        assert page.evaluate(OUT_OF_THEIR_BOXES) == []


def test_points_can_be_read_with_the_keyboard(browser: Browser, write: Write) -> None:
    with browser.open(write(reduction_page(facts()))) as page:
        page.evaluate("document.querySelector('.chart').focus()")
        page.press("ArrowRight")
        page.press("ArrowRight")
        assert page.evaluate("document.querySelector('.readout').textContent") == (
            "carve: 400 bytes after 3 runs"
        )
        page.press("ArrowLeft")
        assert "input" in page.evaluate("document.querySelector('.readout').textContent")


def test_a_wide_graph_can_be_made_to_fit(browser: Browser, write: Write) -> None:
    constants = [
        f'    %c{n} = "t.constant"() <{{value = {n} : i64}}> : () -> i64' for n in range(9)
    ]
    uses = ORIGINAL.replace(
        "%1, %0) : (f32, i64)", f"{', '.join(f'%c{n}' for n in range(9))}) : ()"
    )
    wide = uses.replace('    %0 = "t', "\n".join(constants) + '\n    %0 = "t', 1)
    wider = facts(original=Module.parse(wide), history=history(origins={3: 13}))
    with browser.open(write(reduction_page(wider)), View(360, 740)) as page:
        fits = "[...document.querySelectorAll('.graph')].at(-1)"
        assert page.evaluate(f"{fits}.scrollWidth > {fits}.clientWidth")
        page.evaluate("document.querySelector('[data-fits=around-graph]').click()")
        assert page.evaluate(f"{fits}.scrollWidth <= {fits}.clientWidth")


def test_hostile_names_do_nothing(browser: Browser, write: Write) -> None:
    hostile = history(name=HOSTILE, command=["cc", HOSTILE], notes=[HOSTILE])
    path = write(reduction_page(facts(name=HOSTILE, text=HOSTILE, history=hostile)))
    with browser.open(path, View(360, 740)) as page:
        assert_sound(page, path)
        assert page.evaluate("document.images.length") == 0
        assert page.evaluate("document.querySelector('h1').textContent") == HOSTILE


# ---- buckets -----------------------------------------------------------------------------------

ROWS: list[BucketRow] = [
    row(bucket="b1"),
    row(
        bucket="b2",
        kind="crash",
        targets=("hip", "vulkan"),
        note="Ann is on it",
        signature="SIGSEGV in CollapseDimensions",
        state="known",
    ),
    row(bucket="b3", kind="crash", state="fixed", wheels=("3.2.0",), inputs=("x.mlir",) * 9),
    row(bucket="b4", after=None, before=None, text="", page="", wheels=(), inputs=(HOSTILE,)),
]
SHOWN = (
    "[...document.querySelectorAll('.bucket')].filter(e => e.checkVisibility())"
    ".map(e => e.querySelector('.more code').textContent).join(' ')"
)


def choose(page: Page, name: str, value: str) -> str:
    """Set one filter; return the text of the visible rows."""
    page.evaluate(
        f"(() => {{ const f = document.querySelector('.filters').elements[{name!r}]; "
        f"f.value = {value!r}; f.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"
    )
    shown: str = page.evaluate(SHOWN)
    return shown


@pytest.mark.parametrize("view", VIEWS)
def test_buckets(browser: Browser, write: Write, view: View) -> None:
    path = write(bucket_page(ROWS, unread={HOSTILE: HOSTILE, "x" * 90: "damaged"}))
    with browser.open(path, view) as page:
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert_sound(page, path)
        assert page.evaluate(SHOWN) == "b1 b2 b3 b4"
        assert all(width > 0 and height > 0 for width, height in boxes(page, ".bucket"))


def test_filters(browser: Browser, write: Write) -> None:
    with browser.open(write(bucket_page(ROWS))) as page:
        count = "document.querySelector('.count').textContent"
        assert choose(page, "kind", "crash") == "b2 b3"
        assert page.evaluate(count) == "2 of 4 buckets"
        assert choose(page, "state", "fixed") == "b3"
        assert choose(page, "kind", "") == "b3"
        assert choose(page, "state", "") == "b1 b2 b3 b4"
        assert choose(page, "wheel", "3.2.0") == "b3"
        assert choose(page, "wheel", "") == "b1 b2 b3 b4"
        assert choose(page, "target", "vulkan") == "b2"
        assert choose(page, "target", "") == "b1 b2 b3 b4"
        assert choose(page, "text", "SIGSEGV collapse") == "b2"
        assert choose(page, "text", "ann") == "b2"
        assert choose(page, "text", "no such thing") == ""
        assert page.evaluate("document.querySelector('.nothing').checkVisibility()")
        page.evaluate("document.querySelector('[type=reset]').click()")
        page.evaluate("new Promise(done => setTimeout(done, 20))")
        assert page.evaluate(SHOWN) == "b1 b2 b3 b4"
        assert choose(page, "order", "inputs") == "b3 b1 b2 b4"
        assert page.complaints == []


def test_filters_are_reached_with_the_keyboard(browser: Browser, write: Write) -> None:
    with browser.open(write(bucket_page(ROWS))) as page:
        names = []
        for _ in range(7):
            page.press("Tab")
            names.append(
                page.evaluate("document.activeElement.name || document.activeElement.type")
            )
        assert names == ["text", "kind", "target", "wheel", "state", "order", "reset"]
