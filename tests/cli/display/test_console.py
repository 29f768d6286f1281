"""What is printed fits a terminal and stays plain in a pipe.

Nothing that a program or a file says can move the cursor, and progress never mixes with answers.
"""

import io
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import click
import pytest

from reducer.cli.display.console import drawn, print_status, show, status_printer
from reducer.cli.display.layout import (
    NamedValue,
    NamedValues,
    Part,
    Style,
    Table,
    plain,
    wrapped_command,
    wrapped_words,
)
from reducer.cli.display.shown_command import command_fact, say_choice, shell_line
from reducer.cli.ending import print_error
from reducer.toolchain import Toolchain

WORDS = [
    "iree-compile",
    "--iree-hal-target-device=hip",
    "--iree-opt-level=O 3",
    "--iree-rocm-target=gfx942",
    "model.reduced.mlir",
    "-o",
    "/dev/null",
]
FAILURE = "legalization: failed to legalize operation 'torch.aten.sort' that was marked illegal"
PARTS: tuple[Part, ...] = (
    "a line about the whole thing that is rather longer than the eighty columns of a terminal",
    NamedValues.of(
        [
            ("failure", FAILURE),
            NamedValue("verdict", "VERIFIED: the command below reproduces the failure", Style.GOOD),
            command_fact("command", WORDS),
        ]
    ),
    Table(
        [
            ("3eedea585bff", "known, gone in 3.14.0", "13", "3.13.0 3.8.0 3.4.0 3.2.0", FAILURE),
            ("5e5d8687a438", "new", "2", "3.13.0", "crash"),
        ],
        head=("bucket", "state", "inputs", "compilers", "failure"),
        right=frozenset({2}),
    ),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, *, columns: int, **variables: str) -> str:
    """What `show` writes to a terminal of this width."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": str(columns), **variables}.items():
        monkeypatch.setenv(name, value)
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    show(*PARTS)
    return screen.getvalue()


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_cut(columns: int) -> None:
    lines = [line.plain for line in drawn(PARTS, columns)]
    shown = [word for line in lines for word in line.split() if word != "\\"]
    assert max(map(len, lines)) <= columns
    assert {*shown, "failure"} == {*plain(PARTS).split()}


@pytest.mark.parametrize("columns", [40, 80])
def test_a_command_can_be_pasted_although_it_is_wrapped(columns: int) -> None:
    lines = wrapped_command(shlex.join(WORDS), columns)
    assert len(lines) > 1
    assert max(map(len, lines)) <= columns
    pasted = "printf '%s\\n' " + "\n".join(lines)
    said = subprocess.run(["sh", "-c", pasted], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == WORDS


def test_a_number_stays_with_its_unit() -> None:
    assert wrapped_words("it took 17 runs, 5.5 s", 20) == ["it took 17 runs,", "5.5 s"]


def test_home_is_a_tilde_that_a_shell_expands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    words = ["/home/me/bin/iree-compile", "/home/me/a b.mlir", "/home/melon", "x y"]
    assert shell_line(words) == "~/bin/iree-compile ~/'a b.mlir' /home/melon 'x y'"


def test_a_terminal_gets_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[32m" in on_terminal(monkeypatch, columns=80)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colors_if_they_are_not_wanted(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    assert "\x1b[3" not in on_terminal(monkeypatch, columns=80, **variables)


def test_a_pipe_gets_one_plain_line_for_each_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    show(*PARTS)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 3 + 3
    assert lines[1] == f"failure     {FAILURE}"
    assert not any("\x1b" in line for line in lines)


def test_forced_colors_do_not_wrap_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    show(*PARTS)
    out = capsys.readouterr().out
    assert "\x1b[32m" in out
    assert len(out.splitlines()) == 1 + 3 + 3


def test_a_compiler_in_the_cache_is_a_short_call_that_prints_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its path has a hundred characters, and says the version in the middle."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "mlir-reducer").write_text('#!/bin/sh\nexec "$PYTHON" -m reducer "$@"\n')
    (tools / "mlir-reducer").chmod(0o755)
    monkeypatch.setenv("PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "my cache"))
    root = tmp_path / "my cache/toolchains/iree-base-compiler-3.99.0"
    root.mkdir(parents=True)
    words = [str(Toolchain("3.99.0", root).tool(name)) for name in ("iree-compile", "iree-opt")]
    assert shell_line(words[:1]) == shlex.quote(words[0]), "there is no mlir-reducer on PATH"
    monkeypatch.setattr(sys, "argv", [str(tools / "mlir-reducer")])
    assert shell_line(words[:1]) == f'"$({tools}/mlir-reducer toolchain path 3.99.0)"'
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    line = shell_line(words)
    assert line == (
        '"$(mlir-reducer toolchain path 3.99.0)" '
        '"$(mlir-reducer toolchain path 3.99.0 --tool iree-opt)"'
    )
    said = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True, check=True
    )
    assert said.stdout.splitlines() == words


def test_a_compiler_that_nobody_named_is_said_aloud_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path))
    root = tmp_path / "toolchains/iree-base-compiler-3.98.0"
    root.mkdir(parents=True)
    program = Toolchain("3.98.0", root).compile
    say_choice("iree-compile", program)
    say_choice("iree-compile", program)
    say_choice(str(Path("/bin/sh")), Path("/bin/sh"))
    assert capsys.readouterr().err == (
        "iree-compile is not on PATH; running 3.98.0, the newest installed version\n"
    )


def test_an_error_stands_out_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    print_error(FAILURE)
    assert capsys.readouterr().err == f"error: {FAILURE}\n"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    print_error(FAILURE)
    assert screen.getvalue().startswith("\x1b[31m\x1b[1merror:\x1b[0m ")
    assert screen.getvalue().count("\n") == 2


@pytest.mark.parametrize("quiet", [False, True])
def test_a_quiet_command_says_nothing_from_another_thread_either(
    quiet: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    context = click.Context(click.Command("reduce"))
    context.params["quiet"] = quiet
    with context:
        thread = threading.Thread(target=status_printer(), args=["later"])
        print_status("now")
        thread.start()
        thread.join()
    assert capfd.readouterr().err == ("" if quiet else "now\nlater\n")
