"""Defaults of options from a file and from the environment."""

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from reducer.arguments import cores
from reducer.cli.options.base import ReducerGroup
from reducer.cli.options.configuration import (
    config_option,
    find_configuration,
    read_configuration,
)
from reducer.cli.options.table import KEYS, takes
from reducer.errors import MissingInput, UsageError
from tests.cli.options.test_commands import all_commands

SEEN: dict[str, object] = {}


@click.group(cls=ReducerGroup)
@config_option
def program() -> None:
    """A program with one command of the real class."""


@program.command("reduce")
@takes("reduce")
def reduce(**values: object) -> None:
    SEEN.clear()
    SEEN.update(values)


@program.command("check")
@takes("check")
def check(**values: object) -> None:
    SEEN.clear()
    SEEN.update(values)


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    monkeypatch.delenv("MLIR_REDUCER_JOBS")
    return tmp_path


def run(*words: str, **environment: str) -> Result:
    done = CliRunner().invoke(program, words, env=environment)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def test_command_line_over_environment_over_file_over_default(somewhere: Path) -> None:
    run("reduce")
    assert (SEEN["timeout"], SEEN["workers"]) == (None, cores())
    (somewhere / "mlir-reducer.toml").write_text("timeout = 7\njobs = 3\nreport = false\n")
    run("reduce")
    assert (SEEN["timeout"], SEEN["workers"], SEEN["report"]) == (7.0, 3, False)
    run("reduce", MLIR_REDUCER_TIMEOUT="8", MLIR_REDUCER_REPORT="1")
    assert (SEEN["timeout"], SEEN["workers"], SEEN["report"]) == (8.0, 3, True)
    run("reduce", "--timeout", "9", "--no-report", MLIR_REDUCER_TIMEOUT="8")
    assert (SEEN["timeout"], SEEN["report"]) == (9.0, False)


def test_a_section_is_for_one_command(somewhere: Path) -> None:
    (somewhere / "mlir-reducer.toml").write_text("timeout = 7\n[check]\ntimeout = 1\n")
    run("reduce")
    assert SEEN["timeout"] == 7
    run("check")
    assert SEEN["timeout"] == 1


def test_keys_of_other_commands_are_ignored(somewhere: Path) -> None:
    (somewhere / "mlir-reducer.toml").write_text('jobs = 3\nkeep = ["level"]\n')
    run("check")
    assert not {"workers", "keep"} & SEEN.keys()


def test_the_nearest_file_counts_and_its_own_name_first(somewhere: Path) -> None:
    shared = somewhere / "a" / "pyproject.toml"
    shared.write_text("[project]\nname = 'x'\n")
    (somewhere / "mlir-reducer.toml").write_text("timeout = 7\n")
    assert find_configuration(Path.cwd()) == somewhere / "mlir-reducer.toml"
    shared.write_text("[tool.mlir-reducer]\ntimeout = 6\n")
    assert find_configuration(Path.cwd()) == shared
    own = somewhere / "a" / "mlir-reducer.toml"
    own.write_text("")
    assert find_configuration(Path.cwd()) == own


def test_a_file_may_be_named_or_none_be_read(somewhere: Path) -> None:
    (somewhere / "mlir-reducer.toml").write_text("timeout = 7\n")
    Path("other.toml").write_text("timeout = 5\n")
    assert "warning" not in run("--config", "other.toml", "reduce").stderr
    assert SEEN["timeout"] == 5
    run("--config", "none", "reduce", MLIR_REDUCER_CONFIG="other.toml")
    assert SEEN["timeout"] is None
    assert "warning" not in run("reduce", MLIR_REDUCER_CONFIG="other.toml").stderr
    assert SEEN["timeout"] == 5
    with pytest.raises(MissingInput, match=r"gone\.toml: no such file"):
        run("--config", "gone.toml", "reduce")


def test_it_is_said_which_file_has_set_something(somewhere: Path) -> None:
    (somewhere / "mlir-reducer.toml").write_text("timeout = 7\njobs = 2\n")
    told = f"configuration: {somewhere}/mlir-reducer.toml (timeout, jobs)\n"
    assert run("reduce").stderr == told
    assert "(timeout)" in run("check").stderr
    (somewhere / "mlir-reducer.toml").write_text("jobs = 2\n")
    assert run("check").stderr == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("timout = 1", "there is no key timout; did you mean timeout?"),
        ("memory_limit = 1", "there is no key memory_limit; did you mean memory-limit?"),
        ("[reduce]\njob = 1", "there is no key reduce.job; did you mean jobs?"),
        ("[reduec]\njobs = 1", "there is no command reduec; did you mean reduce?"),
        ("timeout = 0", "timeout: 0.0 is not in the range x>0"),
        ("timeout = true", "timeout is true; it takes a number or a string"),
        ("timeout = [1]", r"timeout is \[1\]; it takes a number or a string"),
        ("jobs = 'tcp://host:1'", "jobs is 'tcp://host:1'; a file cannot name a scheduler"),
        ("jobs = '2,host:1'", "jobs is '2,host:1'; a file cannot name a scheduler"),
        ("report = 'no'", "report is 'no'; it takes true or false"),
        ("profile-with = 3.20", 'profile-with = 3.20 is no version; put it in quotes: .*"3.20"'),
        ("profile-with = 3", r'profile-with = 3 is no version; .*: profile-with = \["3"\]$'),
        ("iree = 3.20", 'iree = 3.20 is no version; put it in quotes: iree = "3.20"$'),
        ('iree = ["3.2.0"]', r'iree = \[3.2.0\] is no version; .*: iree = "3.2.0"$'),
        ("[reduce]\nprofile-with = [3.10, '3.9.0']", r'profile-with = .*: .* \["3.10", "3.9.0"\]$'),
        ("signature = 'lose'", "signature: 'lose' is not one of"),
        ("timeout = ", "is not TOML: .*; correct it, or use mlir-reducer --config none"),
        (
            "test = './evil.sh'",
            "test cannot be set in a file; give --test, or set MLIR_REDUCER_TEST",
        ),
    ],
)
def test_mistakes_name_the_file_and_the_key(somewhere: Path, text: str, message: str) -> None:
    file = somewhere / "mlir-reducer.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=f"^{file}:? {message}"):
        run("reduce")


def test_a_broken_file_of_other_tools_is_not_our_business(somewhere: Path) -> None:
    (somewhere / "pyproject.toml").write_text("[tool.black\n")
    run("reduce")


def test_no_file_names_what_is_run_or_written() -> None:
    """A file may have come with an untrusted input."""
    dangerous = {
        *("test", "oracle", "opt", "python", "reference", "compiler", "find-links", "pre"),
        *("scheduler", "flagfile", "parameters", "flags-file", "record", "yes", "tool"),
        *("output", "json", "html", "junit", "journal", "db", "config"),
    }
    assert not KEYS & dangerous


def test_the_page_says_what_a_file_may_have(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "options.md").read_text()
    assert set(re.findall(r"`([a-z-]+)`", page.rpartition("It may have:")[2])) == KEYS
    example = re.search(r"```toml\n(.*?)```", page, re.S)
    assert example is not None
    (tmp_path / "mlir-reducer.toml").write_text(example[1])
    commands = [name for name, _ in all_commands()]
    assert read_configuration(tmp_path / "mlir-reducer.toml", commands).of("reduce") == {
        "iree": "3.13.0",
        "jobs": 8,
        "memory-limit": 32000,
        "profile-with": ["3.8.0", "3.10.0"],
        "report": False,
    }


def test_defaults_for_failures_do_not_contradict_a_pattern(somewhere: Path) -> None:
    text = "signature = 'loose'\nprofile-with = '3.8.0'\n"
    (somewhere / "mlir-reducer.toml").write_text(text)
    run("reduce")
    assert (SEEN["signature"], SEEN["profile_with"]) == ("loose", ("3.8.0",))
    run("reduce", "--match", "x")
    assert (SEEN["signature"], SEEN["profile_with"]) == ("normal", ())
    run("reduce", "--match", "x", "--signature", "loose")
    assert SEEN["signature"] == "loose"
    run("reduce", "--signature", "exit=3")
    assert (SEEN["signature"], SEEN["profile_with"]) == ("exit=3", ())
