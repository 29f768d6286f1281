"""The program as a user meets it: help, versions, mistakes.

A mistake ends with one line that says what to do and an exit code of its own, never with a
traceback. Every command explains itself and names its exit codes.
"""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import reducer
from reducer.cli.app import _CommandGroup, main
from tests.support.fake_compilers import FAIL, Reducer, write_script

pytestmark = pytest.mark.usefixtures("nothing_installed")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


# ---- help --------------------------------------------------------------------------------------


SEVEN = ("reduce", "check", "locate", "explain", "bisect", "report", "triage")


@pytest.mark.parametrize("command", SEVEN)
def test_the_short_help_fits_one_screen(command: str) -> None:
    """The ten options that people need at most, and up to two examples."""
    lines = run(command, "-h").stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert 6 <= sum(line.startswith("  -") for line in lines) <= 10
    assert 1 <= sum(line.startswith("  mlir-reducer ") for line in lines) <= 2
    assert lines[-1] == f"All options: main {command} --help"


def test_all_help_fits_a_terminal_and_cuts_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {}
    for width in (80, 1_000):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setitem(main.context_settings, "max_content_width", width)
        words[width] = run("help", "--all").stdout.split()
    assert words[80] == words[1_000]
    monkeypatch.setenv("COLUMNS", "80")
    for text in (run("help", "--all").stdout, *(run(name, "-h").stdout for name in SEVEN)):
        assert [line for line in text.splitlines() if len(line) > 80] == []
        assert "..." not in text.replace("COMMAND...", "").replace("[ARGS]...", "")
        whole = {word.strip(".:;,…") for word in [*words[80], "All", "options"]}
        assert {word.strip(".:;,…") for word in text.split()} <= {*whole, ""}


def test_there_are_few_options() -> None:
    counts = {}
    for name in SEVEN:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        options = command.get_params(click.Context(command))
        counts[name] = sum(isinstance(one, click.Option) and not one.hidden for one in options)
    assert counts["reduce"] <= 30 and sum(counts.values()) <= 140, counts


@pytest.mark.parametrize("command", ["", "reduce", "check", "toolchain", "toolchain install"])
def test_every_command_explains_itself(command: str) -> None:
    done = run(*command.split(), "--help")
    assert done.exit_code == 0
    assert done.stdout.startswith("Usage: ")
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert run("help", *command.split()).stdout == done.stdout


def test_a_current_folder_that_is_gone_is_named(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # undone in the end
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    done = run("check", model, "--", "/bin/false")
    assert done.exit_code == 66
    assert "the current folder no longer exists" in done.stderr


@pytest.mark.parametrize(
    ("words", "following"),
    [
        ("check in.mlir -- ./fake --check", "reduce in.mlir -- ./fake --check"),
        (
            "check --json a.json in.mlir --timeout=9 -- ./fake",
            "reduce in.mlir --timeout=9 -- ./fake",
        ),
        ("reduce in.mlir -q --json - -- ./fake", None),
        ("reduce in.mlir --no-report -- ./fake", "explain in.reduced.mlir"),
        ("reduce in.mlir --fresh --max-calls 1 -- ./fake", "reduce in.mlir -- ./fake"),
        (
            "reduce in.mlir --max-calls=1 -o 'a b.mlir' -- ./fake",
            "reduce in.mlir -o 'a b.mlir' -- ./fake",
        ),
    ],
)
def test_the_last_line_says_what_to_run_next(
    model: Path, fake: Path, monkeypatch: pytest.MonkeyPatch, words: str, following: str | None
) -> None:
    monkeypatch.setattr(sys, "argv", ["mlir-reducer", *shlex.split(words)])
    said = run(*shlex.split(words)).stdout.splitlines()
    ending = said[-1].removeprefix("next        mlir-reducer ")
    assert (None if ending == said[-1] else ending) == following


@pytest.mark.parametrize("command", ["check", "reduce --fresh", "locate", "bisect"])
def test_ctrl_c_ends_with_the_call_that_goes_on(
    model: Path, fake: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    words = [*command.split(), "in.mlir", "--", "./fake"]
    monkeypatch.setattr(sys, "argv", ["mlir-reducer", *words])
    monkeypatch.setattr("reducer.cli.request.oracle_options.OracleOptions.read", interrupted)
    done = run(*words)
    assert done.exit_code == 130
    call = f"next: mlir-reducer {command.removesuffix(' --fresh')} in.mlir -- ./fake"
    assert done.stderr.splitlines()[-1] == call


def test_help_shows_where_the_compiler_goes_and_every_exit_code() -> None:
    text = run("reduce", "--help").stdout
    assert "reduce [OPTIONS] INPUT [LOG] -- COMMAND..." in text
    assert "mlir-reducer reduce model.mlir --iree" in text
    for code in (0, 1, 2, 3, 4, 65, 66, 69, 70, 73, 75, 124, 127, 130):
        assert f" {code}  " in text


def test_version_names_this_program_and_the_compilers(tmp_path: Path) -> None:
    done = run("--version")
    assert done.stdout.splitlines() == [
        f"mlir-reducer {reducer.__version__}",
        "installed IREE compilers: none",
    ]


def test_version_asks_the_compiler_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "bin" / "iree-compile"
    compiler.parent.mkdir()
    compiler.write_text("#!/bin/sh\necho IREE:; echo '  IREE compiler version 9.9'")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(compiler.parent), prepend=":")
    assert "iree-compile on PATH: IREE compiler version 9.9" in run("--version").stdout
    compiler.write_text("#!/bin/sh\nexit 1")
    assert "unknown version" in run("--version").stdout


# ---- mistakes ----------------------------------------------------------------------------------


def test_the_ends_of_children_are_not_ignored() -> None:
    """SIG_IGN survives exec, and the kernel then keeps no exit code for `wait`."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        run("--version")
        assert signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_bug_of_ours_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(_CommandGroup.__mro__[1], "main", broken)
    done = run("reduce")
    assert done.exit_code == 70
    assert "ZeroDivisionError: oops" in done.stderr
    assert "a bug in mlir-reducer" in done.stderr


def test_closed_output_is_no_reason_for_a_traceback(tmp_path: Path) -> None:
    program = Reducer(tmp_path)
    with program.start("reduce", "--help") as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
    (tmp_path / "in.mlir").write_text("module {}")
    with program.start("check", "in.mlir", "--json", "-", "--", "true") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait() == 141  # 1 would be an answer


@pytest.mark.parametrize(("closed", "code", "told"), [("<&-", 65, "is empty"), (">&- 2>&-", 0, "")])
def test_a_stream_may_be_closed(
    closed: str, code: int, told: str, model: Path, fake: Path, tmp_path: Path
) -> None:
    user = Reducer(tmp_path)
    words = user.argv("check", "-" if closed == "<&-" else model, "--", fake)
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *words],
        env=user.environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    assert told in done.stderr


def test_a_terminal_of_few_characters_gets_escapes(model: Path, fake: Path) -> None:
    write_script(fake, FAIL.replace("failed to", "good \u2192 bad; failed to"))
    done = CliRunner(charset="latin-1").invoke(main, ["check", str(model), "--", str(fake)])
    assert done.exit_code == 0, done.stderr
    assert r"good \u2192 bad" in done.stdout


def test_all_help_has_every_command_and_option() -> None:
    done = CliRunner().invoke(main, ["help", "--all"], prog_name="mlir-reducer")
    assert done.exit_code == 0
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        section = done.output.partition(f"Usage: mlir-reducer {name} ")[2]
        section = section.partition("\nUsage: mlir-reducer ")[0]
        assert section, name
        for parameter in command.params:
            for option in () if getattr(parameter, "hidden", False) else parameter.opts:
                assert not option.startswith("--") or option in section, (name, option)
    assert "Usage: mlir-reducer buckets show " in done.output
    assert max(map(len, done.output.splitlines())) <= 100
