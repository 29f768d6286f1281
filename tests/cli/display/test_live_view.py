"""The live view, drawn for given events. Whole reductions on a terminal are in test_terminal."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from reducer.cli.display.live_view import LiveView, Shown, excerpt, fitted
from reducer.cli.display.progress import ProgressBudget
from reducer.driver.settings import Progress, Size
from reducer.ir import PlainText

GENERIC = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "arith.constant"() <{value = dense<"0x0102030405060708090A0B0C0D0E0F"> : tensor<4xf32>}> : () -> tensor<4xf32>
    %1 = "arith.addf"(%arg0, %0) <{fastmath = #arith.fastmath<none>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%1) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""  # noqa: E501


def event(ops: int, seconds: float, *, level: str = "") -> Progress:
    size = Size(ops * 2, ops, ops * 50)
    program = PlainText("\n".join(f"op.number_{n}" for n in range(ops * 2)))
    return Progress("halve", size, 12, 3, 4.5, seconds, 12, program=program, level=level)


def shown(view: Shown, width: int, height: int, clock: float = 0.0) -> list[str]:
    return [line.plain for line in view.lines(width, height, clock)]


def view_of(*events: Progress) -> Shown:
    view = Shown(ProgressBudget(calls=24), Path("model.reduced.mlir"), "remove ops")
    for one in events:
        view.update(one, arrived=0.0)
    return view


@pytest.mark.parametrize("width", [40, 80, 120, 300])
@pytest.mark.parametrize("height", [8, 30])
def test_the_view_fits_the_window(width: int, height: int) -> None:
    lines = shown(view_of(event(1000, 1.0), event(100, 2.0)), width, height)
    assert max(map(len, lines)) <= width
    assert len(lines) < height or height < 10


def test_it_shows_the_program_sizes_cost_and_what_is_tried() -> None:
    lines = shown(view_of(event(1000, 1.0), event(100, 2.0)), 120, 40, clock=1.0)
    text = "\n".join(lines)
    assert "  op.number_0" in lines
    assert "  ⋮ 184 more lines" in lines
    assert "1,000 → 100 ops, 200 lines, 5.0 KB; 90.0% of the ops removed" in text
    assert "3.0 s, 12 runs (4.0/s), 4.5 s of compiler time, at most 3.0 s left" in text
    assert "now     remove ops" in lines
    assert "Ctrl-C stops and keeps the best so far: model.reduced.mlir" in text


def test_a_small_window_shows_no_program() -> None:
    lines = shown(view_of(event(1000, 1.0), event(100, 2.0)), 80, 8)
    assert not any("op.number" in line for line in lines)
    assert any("1,000 → 100 ops" in line for line in lines)


def test_the_pass_level_has_its_own_sizes_and_says_that_the_result_stands() -> None:
    view = view_of(event(1000, 1.0), event(5, 2.0))
    view.result = "model.reduced.mlir (5 ops), VERIFIED"
    view.update(event(40, 0.5, level="pass level"), arrived=0.0)
    view.update(event(10, 1.0, level="pass level"), arrived=0.0)
    lines = shown(view, 100, 40)
    assert lines[0].startswith("── pass level ─")
    assert "result  model.reduced.mlir (5 ops), VERIFIED" in lines
    assert any("40 → 10 ops" in line for line in lines)
    assert not any("left" in line or "Ctrl-C" in line for line in lines)


def test_a_stop_is_shown_at_once() -> None:
    view = view_of(event(10, 1.0))
    view.stops = True
    assert any("stopping; progress is kept" in line for line in shown(view, 100, 40))


def test_the_curve_falls_as_the_program_shrinks() -> None:
    curve = view_of(event(1000, 0.0), event(100, 5.0), event(3, 9.0)).curve_until(10.0)
    assert len(curve) == 16
    assert list(curve) == sorted(curve, reverse=True)
    assert len(set(curve)) == 3


def test_generic_form_is_shown_calmly() -> None:
    lines = excerpt(GENERIC, 60, 10)
    assert lines[0] == "func.func @main ({"
    assert lines[-1] == "})"
    assert "  %0 = arith.constant() : () -> tensor<4xf32>" in lines
    assert "  func.return(%1) : (tensor<4xf32>) -> ()" in lines
    assert max(map(len, lines)) <= 60
    assert excerpt(GENERIC, 200, 10)[3].count("fastmath<none>") == 1


@pytest.mark.parametrize("width", range(10, 60, 7))
def test_what_must_be_cut_is_cut_between_words(width: int) -> None:
    line = "  one two three four five six seven eight nine ten eleven twelve"
    cut = fitted(line, width)
    assert len(cut) <= width
    assert set(cut.rstrip("…").split()) <= set(line.split())


def test_messages_stay_and_the_view_goes() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=80, height=30, legacy_windows=False)
    live = LiveView(ProgressBudget(), verbose=True, console=console)
    live.phase("halve")
    live.progress(event(10, 1.0))
    live.message("preserve: [bold]braces[/bold] {and} 100%")
    live.close()
    live.close()
    text = written.getvalue()
    assert "halve …" in text
    assert "preserve: [bold]braces[/bold] {and} 100%\n" in text
    assert text.rstrip().endswith("\x1b[2K") or text.endswith("\x1b[?25h\x1b[1A\x1b[2K")
    assert "\x1b[?25h" in text  # the cursor is back
