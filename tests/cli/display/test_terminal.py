"""Reductions on a terminal, whose screen is looked at, and in a pipe.

On a terminal, a view shows the program as it shrinks and makes room for the result; elsewhere,
there is a line for each improvement. Ctrl-C keeps the best result and the terminal as it was.
"""

import json
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.fake_compilers import FAIL, Reducer, program, write_script
from tests.support.screen import Screen, on_terminal

LONG = FAIL.replace("'x.bad'", "'x.bad' that was explicitly marked illegal in this conversion")
RESULT_ONLY = "--no-report", "--no-pass-level", "--no-elsewhere"


def made(folder: Path) -> Reducer:
    """With a compiler that is slow, so that the view is drawn in between, until `seen` exists."""
    (folder / "in.mlir").write_text(program())
    write_script(folder / "fake", f"[ -e {folder}/seen ] || sleep 0.05\n" + LONG)
    return Reducer(folder)


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    return made(tmp_path)


def reduced(reducer: Reducer, *words: str, columns: int = 80, **options: object) -> Screen:
    command = reducer.argv("reduce", "in.mlir", *words, "--", "./fake")
    return on_terminal(
        command,
        columns=columns,
        cwd=reducer.home,
        environment=reducer.environment,
        **options,  # type: ignore[arg-type]
    )


def views(screen: Screen) -> list[list[str]]:
    """The pages that show a program and what is done to it."""
    return [
        page
        for page in screen.pages
        if any("best so far" in line for line in page)
        and any(line.lstrip().startswith(("x.op", '"x.')) for line in page)
        and any(line.startswith("now  ") for line in page)
    ]


@dataclass
class Both:
    """The same reduction on a terminal and in a pipe."""

    drawn: Screen
    piped: "subprocess.CompletedProcess[str]"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    folder = tmp_path_factory.mktemp("terminal")
    reducer = made(folder)
    drawn = reduced(
        reducer, meanwhile=lambda screen: (folder / "seen").touch() if views(screen) else None
    )
    return Both(drawn, reducer("reduce", "in.mlir", "--fresh", "--", "./fake"))


def test_the_view_shows_the_program_and_then_makes_room_for_the_result(both: Both) -> None:
    screen = both.drawn
    assert screen.exit_code == 0
    assert views(screen)
    assert any("in.reduced.mlir (1 op), VERIFIED" in line for line in screen.text.splitlines())
    end = [line for line in screen.everything if line]
    assert not any(line.startswith(("now  ", "──")) for line in end)
    assert not screen.hides_cursor
    assert "\x1b[32m" in screen.text


def words_of(lines: Sequence[str]) -> list[str]:
    return [word for line in lines for word in line.split() if word != "\\"]


def test_no_word_of_the_result_is_cut_at_80_columns(both: Both) -> None:
    told = {word for word in both.piped.stdout.split() if not any(c.isdigit() for c in word)}
    assert told <= set(words_of(both.drawn.everything))


def test_a_pipe_gets_a_line_for_each_improvement_and_no_escape_codes(both: Both) -> None:
    improvements = [line for line in both.piped.stderr.splitlines() if " removed), " in line]
    assert len(improvements) >= 2
    assert "32 → 1 op (96.9% removed)" in improvements[-1]
    assert "\x1b" not in both.piped.stdout + both.piped.stderr


def test_what_is_asked_for_changes_what_is_beside_the_view(reducer: Reducer) -> None:
    """No colors, verbose lines that scroll away above it, and standard output for JSON alone."""
    reducer.environment["NO_COLOR"] = "1"
    words = [*RESULT_ONLY, "-v", "--json", "-"]
    with (reducer.home / "out").open("wb") as out:
        screen = reduced(reducer, *words, columns=120, stdout=out.fileno())
    assert json.loads((reducer.home / "out").read_text())["verified"]
    assert "best so far" in screen.text
    assert "\x1b[32m" not in screen.text and "\x1b[36m" not in screen.text
    assert any(": accepted" in line for line in screen.everything)
    assert any(": refused, passes" in line for line in screen.everything)


def test_ctrl_c_leaves_the_best_result_and_the_terminal_as_it_was(reducer: Reducer) -> None:
    asked = False

    def interrupt(screen: Screen) -> None:
        nonlocal asked
        if not asked and "Ctrl-C stops and keeps the best" in screen.text:
            asked = True
            screen.process.send_signal(signal.SIGINT)

    write_script(reducer.home / "fake", "sleep 0.2\n" + LONG)
    screen = reduced(reducer, *RESULT_ONLY, meanwhile=interrupt)
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
    screen = reduced(reducer, *RESULT_ONLY, meanwhile=interrupt)
    # On a busy machine, the second one comes when the program is about to end by itself and no
    # longer catches it. To a shell, both are 130.
    assert screen.exit_code in (130, -signal.SIGINT)
    assert not screen.hides_cursor


def test_a_window_of_another_size_is_drawn_anew(reducer: Reducer) -> None:
    resized, seen = reducer.home / "resized", reducer.home / "seen"
    wait = f"while [ -e {resized} ] && [ ! -e {seen} ]; do sleep 0.05; done\n"
    write_script(reducer.home / "fake", f"[ -e {seen} ] || sleep 0.05\n{wait}" + LONG)
    before = 0

    def resize(screen: Screen) -> None:
        nonlocal before
        if not before and "best so far" in screen.text:
            resized.touch()
            before = len(screen.text)
            screen.resize(50, 20)
        elif before and "failure to preserve" in screen.text[before:]:  # what was lost, again
            seen.touch()

    screen = reduced(reducer, *RESULT_ONLY, columns=100, meanwhile=resize)
    assert screen.exit_code == 0 and seen.exists()
    last = [page for page in screen.pages if any("── " in line for line in page)][-1]
    assert sum(line.startswith("── ") for line in last) == 1, "nothing of the old drawing is left"
    assert any("failure to preserve" in line for line in screen.everything), "said again"
    assert max(map(len, last)) <= 50
