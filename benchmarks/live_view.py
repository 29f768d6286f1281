"""What the live view costs a reduction, and its picture in the documentation.

    python -m benchmarks.live_view
    python -m benchmarks.live_view --picture docs/images/live-view.svg

The first prints microseconds for each event (a run of the compiler makes two or three) and
milliseconds for each drawing, of which there are at most four per second, for a program of 10,000
ops. The second reduces a case of the corpus and draws the view after a number of runs.
"""

import io
import tempfile
import time
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from oracles import CompilerOracle, Limits
from oracles.compilers.command import Command
from reducer.cli.display.live_view import LiveView, Shown
from reducer.cli.display.progress import ProgressBudget
from reducer.driver.reduction import Reduction
from reducer.driver.settings import Event, Message, Phase, Progress, Settings, Size
from reducer.ir import PlainText
from reducer.toolchain import install
from tests.support.corpus import load_case

_EVENTS = 20_000
_DRAWINGS = 200
_OPS = 10_000
_WIDTH = 100
_HEIGHT = 30
_CASE = "ds_real1_dyn"
_RUNS = 25


@click.command()
@click.option("--picture", type=click.Path(path_type=Path), help="Draw the view to this SVG file.")
def main(picture: Path | None) -> None:
    """Measure the live view, or draw it."""
    if picture is None:
        print(f"{_event_cost() * 1e6:.1f} µs per event, {_drawing_cost() * 1e3:.1f} ms per drawing")
        return
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(_drawn(_real_view()), encoding="utf-8")


def _event(number: int) -> Progress:
    line = '  %0 = "arith.addf"(%arg0, %arg1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n'
    size = Size(_OPS - number % _OPS, _OPS - number % _OPS, 100 * _OPS)
    return Progress("remove ops", size, number, 0, 1.0, 1.0, number, PlainText(line * 100))


def _event_cost() -> float:
    """CPU seconds that the reduction's thread spends on an event."""
    file = io.StringIO()
    live = LiveView(ProgressBudget(calls=10**6), console=Console(file=file, force_terminal=True))
    events = [_event(number) for number in range(_EVENTS)]
    before = time.thread_time()
    for event in events:
        live.progress(event)
    cost = (time.thread_time() - before) / _EVENTS
    live.close()
    return cost


def _drawing_cost() -> float:
    """CPU seconds of one drawing of a view with a long history."""
    console = Console(file=io.StringIO(), force_terminal=True, width=_WIDTH, height=_HEIGHT)
    live = LiveView(ProgressBudget(calls=10**6), console=console)
    for number in range(2000):
        live.progress(_event(number))
    before = time.thread_time()
    for _ in range(_DRAWINGS):
        live.refresh()
    cost = (time.thread_time() - before) / _DRAWINGS
    live.close()
    return cost


class _Watcher:
    """Draws the view once, after a number of runs."""

    def __init__(self, view: Shown) -> None:
        self.view = view
        self.messages: list[str] = []
        self.lines: list[Text] = []

    def __call__(self, event: Event) -> None:
        match event:
            case Phase(name):
                self.view.phase = name
            case Progress():
                self.view.update(event, 0.0)
                if not self.lines and event.calls >= _RUNS:
                    self.lines = self.view.lines(_WIDTH, _HEIGHT, 0.0)
            case Message(text) if not self.lines:
                self.messages.append(text)


def _real_view() -> list[Text]:
    case = load_case(_CASE)
    flags = case.runs[0].flags
    toolchain = install(case.runs[0].wheel)
    command = Command.parse(["iree-compile", *flags], directory=case.folder)
    oracle = CompilerOracle(command, toolchain.compile, limits=Limits(None, None))
    watcher = _Watcher(Shown(ProgressBudget(), Path("model.reduced.mlir")))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        settings = Settings(
            input=place / "model.mlir",
            text=case.input_text(),
            output=place / "model.reduced.mlir",
            journal=place / "journal",
            opt=toolchain.opt,
            max_calls=40,
        )
        Reduction(settings, oracle, watcher).run()
    typed = Text.assemble(("$ ", "dim"), "mlir-reducer reduce model.mlir -- iree-compile …")
    return [typed, *map(Text, watcher.messages), *watcher.lines]


def _drawn(lines: list[Text]) -> str:
    console = Console(
        record=True, file=io.StringIO(), force_terminal=True, width=_WIDTH, color_system="truecolor"
    )
    for line in lines:
        console.print(line)
    return console.export_svg(title="mlir-reducer", unique_id="live-view")


if __name__ == "__main__":
    main()
