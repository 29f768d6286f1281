"""Reductions on a terminal, whose screen is looked at, and in a pipe."""

import json
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.fake_compilers import FAIL, Reducer, program, write_script
from tests.support.screen import Screen, on_terminal

SLOWLY = "sleep 0.05\n"  # so that the view is drawn in between
LONG = FAIL.replace("'x.bad'", "'x.bad' that was explicitly marked illegal in this conversion")


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    (tmp_path / "in.mlir").write_text(program())
    write_script(tmp_path / "fake", SLOWLY + LONG)
    return Reducer(tmp_path)


def reduced(reducer: Reducer, *words: str, columns: int = 80, **options: object) -> Screen:
    command = reducer.argv("reduce", "in.mlir", *words, "--", "./fake")
    return on_terminal(
        command,
        columns=columns,
        cwd=reducer.home,
        environment=reducer.environment,
        **options,  # type: ignore[arg-type]
    )


def words_of(lines: Sequence[str]) -> list[str]:
    return [word for line in lines for word in line.split() if word != "\\"]


@pytest.mark.parametrize("columns", [80, 120])
def test_the_view_shows_the_program_and_then_makes_room_for_the_result(
    reducer: Reducer, columns: int
) -> None:
    screen = reduced(reducer, columns=columns)
    assert screen.exit_code == 0
    views = [page for page in screen.pages if any("best so far" in line for line in page)]
    assert any(line.lstrip().startswith(("x.op", '"x.')) for page in views for line in page)
    assert any(line.startswith("now  ") for page in views for line in page)
    assert any("in.reduced.mlir (1 op), VERIFIED" in line for line in screen.text.splitlines())
    end = [line for line in screen.everything if line]
    assert not any(line.startswith(("now  ", "──")) for line in end)
    assert not screen.hides_cursor
    assert "\x1b[32m" in screen.text


def test_no_word_of_the_result_is_cut_at_80_columns(reducer: Reducer) -> None:
    drawn = words_of(reduced(reducer, columns=80).everything)
    piped = reducer("reduce", "in.mlir", "--fresh", "--", "./fake")
    told = {word for word in piped.stdout.split() if not any(c.isdigit() for c in word)}
    assert told <= set(drawn)


def test_a_pipe_gets_a_line_for_each_improvement_and_no_escape_codes(reducer: Reducer) -> None:
    done = reducer("reduce", "in.mlir", "--", "./fake")
    improvements = [line for line in done.stderr.splitlines() if " removed), " in line]
    assert len(improvements) >= 2
    assert "32 → 1 op (96.9% removed)" in improvements[-1]
    assert "\x1b" not in done.stdout + done.stderr
    assert reducer("reduce", "in.mlir", "-q", "--", "./fake").stderr == ""


def test_no_color_keeps_the_view_without_colors(reducer: Reducer) -> None:
    reducer.environment["NO_COLOR"] = "1"
    screen = reduced(reducer)
    assert "best so far" in screen.text
    assert "\x1b[32m" not in screen.text
    assert "\x1b[36m" not in screen.text


def test_standard_output_is_json_alone_beside_the_view(reducer: Reducer, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        screen = reduced(reducer, "--json", "-", stdout=out.fileno())
    assert json.loads((tmp_path / "out").read_text())["verified"]
    assert "best so far" in screen.text


def test_ctrl_c_leaves_the_best_result_and_the_terminal_as_it_was(reducer: Reducer) -> None:
    asked = False

    def interrupt(screen: Screen) -> None:
        nonlocal asked
        if not asked and "Ctrl-C stops and keeps the best" in screen.text:
            asked = True
            screen.process.send_signal(signal.SIGINT)

    write_script(reducer.home / "fake", "sleep 0.2\n" + LONG)
    screen = reduced(reducer, meanwhile=interrupt)
    assert screen.exit_code == 130
    assert "stopping; progress is kept" in screen.text
    assert "x.bad" in (reducer.home / "in.reduced.mlir").read_text()
    assert not screen.hides_cursor
    assert not any(line.startswith(("now  ", "──")) for line in screen.everything)


def test_a_second_ctrl_c_shows_the_cursor_again(reducer: Reducer) -> None:
    asked = 0

    def interrupt(screen: Screen) -> None:
        nonlocal asked
        ready = "best so far" if asked == 0 else "stopping; progress is kept"
        if asked < 2 and ready in screen.text:
            asked += 1
            screen.process.send_signal(signal.SIGINT)

    write_script(reducer.home / "fake", 'trap "" INT\nsleep 0.5\n' + LONG)
    screen = reduced(reducer, meanwhile=interrupt)
    # On a busy machine, the second one comes when the program is about to end by itself and no
    # longer catches it. To a shell, both are 130.
    assert screen.exit_code in (130, -signal.SIGINT)
    assert not screen.hides_cursor


def test_a_window_of_another_size_is_drawn_anew(reducer: Reducer) -> None:
    resized, seen = reducer.home / "resized", reducer.home / "seen"
    wait = f"while [ -e {resized} ] && [ ! -e {seen} ]; do sleep 0.05; done\n"
    write_script(reducer.home / "fake", SLOWLY + wait + LONG)
    before = 0

    def resize(screen: Screen) -> None:
        nonlocal before
        if not before and "best so far" in screen.text:
            resized.touch()
            before = len(screen.text)
            screen.resize(50, 20)
        elif before and "failure to preserve" in screen.text[before:]:  # what was lost, again
            seen.touch()

    screen = reduced(reducer, columns=100, meanwhile=resize)
    assert screen.exit_code == 0 and seen.exists()
    last = [page for page in screen.pages if any("── " in line for line in page)][-1]
    assert sum(line.startswith("── ") for line in last) == 1, "nothing of the old drawing is left"
    assert any("failure to preserve" in line for line in screen.everything), "said again"
    assert max(map(len, last)) <= 50


def test_verbose_lines_scroll_away_above_the_view(reducer: Reducer) -> None:
    lines = reduced(reducer, "-v").everything
    assert any(": accepted" in line for line in lines)
    assert any("rejected, does not fail" in line for line in lines)
