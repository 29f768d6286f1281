"""A live view of a reduction: the program as it shrinks, with sizes, cost and what is tried.

The view is drawn by a thread of its own a few times per second, at the bottom of the terminal, so
that a reduction only stores its events. Messages scroll away above it.
"""

import math
import os
import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.control import Control
from rich.live import Live
from rich.text import Text

from reducer import escaping
from reducer.cli.display.console import make_console, print_status
from reducer.cli.display.layout import wrapped_line
from reducer.cli.display.progress import LevelSizes, ProgressBudget, now, tried_line
from reducer.driver.settings import Progress
from reducer.ir import Document
from reducer.units import duration, percent, plural, size

_SECONDS_BETWEEN_DRAWINGS = 0.25
_PROGRAM = 16  # lines of the program at most
_LEAST_PROGRAM = 3  # below that, the program is left out
_WIDEST = 120
_STEPS = "▁▂▃▄▅▆▇█"
_CURVE = 16  # characters
_REPEATED = 12  # messages shown again after the window has changed its size
_STOPPING = "stopping; progress is kept (press Ctrl-C again to quit immediately)"


@dataclass
class Shown:
    """What is shown, apart from the size of the window. Times are in seconds.

    Attributes:
        budget: of the reduction.
        output: the file for the result.
        phase: what is being done.
        event: the newest one.
        arrived: when, on the clock of `now`.
        program: the best program, and its lines.
        sizes: of the current level, the input's or the pass's.
        curve: when the program of this level became how small.
        result: the result that stands already, in words.
        stops: whether the user has asked to stop.
    """

    budget: ProgressBudget = field(default_factory=ProgressBudget)
    output: Path | None = None
    phase: str = ""
    event: Progress | None = None
    arrived: float = 0.0
    program: Document | None = None
    sizes: LevelSizes | None = None
    curve: list[tuple[float, int]] = field(default_factory=list)
    result: str = ""
    stops: bool = False

    def update(self, event: Progress, arrived: float) -> None:
        """Take over an event; the first of another level starts that level's sizes anew."""
        before = self.event
        if self.sizes is None or before is None or before.level != event.level:
            self.sizes, self.curve = LevelSizes(event.best), [(event.seconds, event.best.ops)]
        self.sizes.improve(event.best)
        if self.curve[-1][1] != event.best.ops:
            self.curve.append((event.seconds, event.best.ops))
        self.event, self.arrived = event, arrived
        self.program = event.program or self.program

    def lines(self, width: int, height: int, clock: float) -> list[Text]:
        """The view for a window of this size, in characters, at this time."""
        width = min(width, _WIDEST)
        below = self._status(width, clock)
        room = min(_PROGRAM, height - len(below) - 4)
        return [*self._program(width, room), *below] if room >= _LEAST_PROGRAM else below

    def _program(self, width: int, height: int) -> list[Text]:
        if self.program is None or self.event is None:
            return []
        shown = excerpt(self.program.text, width - 2, height)
        lines = [_rule(self.event.level or "best so far", width)]
        lines += [Text("  ").append_text(highlighted(line)) for line in shown]
        more = self.event.best.lines - len(shown)
        if len(shown) == height and more > 0:
            lines.append(Text(f"  ⋮ {plural(more, 'more line')}", "dim"))
        return [*lines, _rule("", width)]

    def _status(self, width: int, clock: float) -> list[Text]:
        lines = []
        if self.result:
            lines += _named("result", self.result, width, "green")
        if self.event is not None and self.sizes is not None:
            seconds = self.event.seconds + max(0.0, clock - self.arrived)
            lines += self._sizes(self.event, self.sizes, seconds, width)
            lines += _named("cost", self._cost(self.event, seconds), width)
        lines += _named("now", self.phase or "starting", width, "bold")
        if self.stops:
            lines += _named("", _STOPPING, width, "yellow")
        elif self.output is not None and not self.result and self._has_result:
            lines += _named(
                "", f"Ctrl-C stops and keeps the best so far: {self.output}", width, "dim"
            )
        return lines

    @property
    def _has_result(self) -> bool:
        return self.sizes is not None and self.sizes.now.ops < self.sizes.first.ops

    def _sizes(self, event: Progress, sizes: LevelSizes, seconds: float, width: int) -> list[Text]:
        first, best = sizes.first, event.best
        words = f"{plural(best.ops, 'op')}, {plural(best.lines, 'line')}, {size(best.bytes)}"
        if first.ops != best.ops:
            gone = percent(first.ops - best.ops, first.ops)
            words = f"{first.ops:,} → {words}; {gone} of the ops removed"
        lines = _named("size", words, width)
        if len(self.curve) > 1 and lines[-1].cell_len + _CURVE + 2 <= width:
            lines[-1].append(f"  {self.curve_until(seconds)}", "cyan")
        return lines

    def _cost(self, event: Progress, seconds: float) -> str:
        parts = [duration(seconds)]
        if event.calls:
            rate = f"{event.calls / max(1e-3, seconds):.1f}"
            parts += [f"{plural(event.calls, 'run')} ({rate}/s)"]
            parts += [f"{duration(event.cpu_seconds)} of compiler time"]
        left = None if event.level else self.budget.left(event.charged, max(1e-3, seconds))
        return ", ".join(parts if left is None else [*parts, f"at most {duration(left)} left"])

    def curve_until(self, seconds: float) -> str:
        """The number of ops over time as bars on a logarithmic scale."""
        start, first = self.curve[0]
        top = math.log(max(2, first, *(ops for _, ops in self.curve)) + 1)
        bars = []
        for column in range(_CURVE):
            until = start + (seconds - start) * (column + 1) / _CURVE
            ops = [count for moment, count in self.curve if moment <= until or moment == start][-1]
            bars.append(_STEPS[min(7, int(8 * math.log(ops + 1) / top))])
        return "".join(bars)


class LiveView:
    """Draws a `Shown` at the bottom of the terminal until it is closed."""

    def __init__(
        self,
        budget: ProgressBudget,
        *,
        verbose: bool = False,
        output: Path | None = None,
        console: Console | None = None,
    ) -> None:
        self.view = Shown(budget, output)
        self._verbose = verbose
        self._console = console or make_console(err=True)
        self._lock = threading.Lock()
        self._waiting: list[str] = []
        self._said: list[str] = []
        self._size = self._console.size
        self._closed = threading.Event()
        self._gone = False
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,  # it may be the JSON of the reduction
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._live.start()
        self._drawer = threading.Thread(target=self._draw, name="live view", daemon=True)
        self._drawer.start()

    def phase(self, name: str) -> None:
        """Show what is being tried."""
        with self._lock:
            self.view.phase = name
        if self._verbose:
            self.message(f"{name} …")

    def progress(self, event: Progress) -> None:
        """Show the sizes and the program at the next drawing."""
        with self._lock:
            self.view.update(event, now())
        if self._verbose and event.tried is not None:
            self.message(f"  {tried_line(event.tried)}")

    def message(self, text: str) -> None:
        """Print a message above the view."""
        with self._lock:
            if not self._closed.is_set():
                self._waiting.append(text)
                return
        print_status(text)

    def stands(self, result: str) -> None:
        """Show that there is a result whatever happens from here on."""
        with self._lock:
            self.view.result = result

    def stopping(self) -> bool:
        """Show that the user has asked to stop; takes no lock, for a signal handler."""
        self.view.stops = True
        return True

    def restore(self) -> None:
        """Show the cursor again, without a lock, since the program is about to be ended."""
        if not self._gone:
            os.write(sys.stderr.fileno(), b"\x1b[?25h\n")

    def close(self) -> None:
        """Remove the view from the screen; messages stay."""
        if self._closed.is_set():
            return
        self._closed.set()
        try:
            self._drawer.join()
            self.refresh()
            self._live.stop()
            self._gone = True
        finally:  # also if Ctrl-C is pressed just now
            self.restore()

    def _draw(self) -> None:
        while not self._closed.wait(_SECONDS_BETWEEN_DRAWINGS):
            self.refresh()

    def refresh(self) -> None:
        """Draw the view as it is now, below the messages that have come in."""
        window = self._console.size
        with self._lock:
            lines = self.view.lines(window.width, window.height, now())
            said, self._waiting = self._waiting, []
        if window != self._size:
            # The terminal has moved what was drawn, nobody knows where to.
            self._size = window
            self._console.control(Control.home(), Control.clear())
            said, self._said = [*self._said, *said], []
        self._said = [*self._said, *said][-_REPEATED:]
        self._live.update(Group(*lines))
        if said:
            rows = [
                row
                for text in said
                for line in escaping.lines(text).split("\n")
                for row in _wrapped(line, window.width)
            ]
            self._console.print(Text("\n".join(rows)), soft_wrap=True)  # draws the view as well
        else:
            self._live.refresh()


def _wrapped(line: str, width: int) -> list[str]:
    return wrapped_line(line, width - 1)


def _named(name: str, value: str, width: int, style: str = "none") -> list[Text]:
    rows = wrapped_line(escaping.lines(value), width - 8)
    return [
        Text.assemble((f"{'' if number else name:<8}", "dim"), (row, style))
        for number, row in enumerate(rows)
    ]


def _rule(title: str, width: int) -> Text:
    head = f"── {escaping.lines(title)} " if title else ""
    return Text(head + "─" * (width - len(head)), "dim")


if TYPE_CHECKING:
    from rich.text import Text

_QUOTED_OP = re.compile(r'"([a-zA-Z_][\w$]*(?:\.[\w$]+)+)"(?=\()')
_MODULE = re.compile(r'"?builtin\.module"?\(\) \(\{$')
_SHORTER = (  # what says least first
    (re.compile(r"(dense(?:_resource)?)<[^<>]{12,}>"), r"\1<…>"),
    (re.compile(r" ?<\{.+?\}>(?=\)? :| \(\{|$)"), ""),
    (re.compile(r" \{[^{}]+\}(?= :)"), ""),
    (re.compile(r" : \(.*\) -> "), " -> "),
    (re.compile(r" -> [^{]*$"), ""),
)
_END = re.compile(r"^(\s*\}\)) : \(\) -> \(\)$")
_SYMBOL = re.compile(r'\(\) <\{.*?\bsym_name = "([^"]+)".*?\}>(?= \(\{$)')
_PARTS = re.compile(
    r"(?P<comment>//.*)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<op>(?<![\w.%@!#])[a-z_]\w*(?:\.[a-z_]\w*)+)"
    r"|(?P<value>%[\w$#.:-]+|@[\w$.-]+)"
)
_STYLES = {"comment": "dim", "string": "dim", "op": "cyan", "value": "none"}


def excerpt(text: str, width: int, height: int) -> list[str]:
    """At most `height` lines of at most `width` characters.

    What is too long loses constants, properties, attributes and the types of operands before it is
    cut. The rest of the text is not looked at, since a model may have gigabytes.
    """
    lines: list[str] = []
    indent, inside = 0, False
    for line in _lines(text):
        if not line.strip() or (not lines and _MODULE.search(line)):
            inside = inside or bool(line.strip())
            continue
        if inside and line.startswith("})"):  # the end of the module
            break
        if not lines:
            indent = len(line) - len(line.lstrip())
        if len(lines) == height:
            break
        start = min(indent, len(line) - len(line.lstrip()))
        lines.append(fitted(line[start:], width))
    return lines


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield escaping.lines(text[start : min(end, start + 10_000)])
        start = end + 1


def fitted(line: str, width: int) -> str:
    """The line without what says least, until it fits; else cut between words."""
    line = _END.sub(r"\1", _SYMBOL.sub(r" @\1", _QUOTED_OP.sub(r"\1", line)))
    for pattern, instead in _SHORTER:
        if len(line) <= width:
            return line
        line = pattern.sub(instead, line)
    if len(line) <= width:
        return line
    cut = line.rfind(" ", 0, width - 1)
    indent = len(line) - len(line.lstrip())
    return f"{line[: cut if cut > indent else width - 1].rstrip()}…"


def highlighted(line: str) -> "Text":
    """The line with quiet colors: ops stand out, strings and comments step back."""
    from rich.text import Text

    text = Text(line, no_wrap=True)
    for match in _PARTS.finditer(line):
        assert match.lastgroup is not None
        text.stylize(_STYLES[match.lastgroup], *match.span())
    return text
