"""Numbers as failures, by the commands that take --metric."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oracles import Command
from oracles.profiles.iree import IREE
from reducer.cli import main
from reducer.report.portable_command import bundled_command
from tests.support.fake_compilers import write_script
from tests.support.fake_releases import Release, Releases
from tests.support.opt_tools import find_opt

FIND_INPUT = 'for word; do case "$word" in *.mlir) input=$word ;; esac; done\n'
PROGRAM = '"x.bad"() : () -> ()\n"x.bad"() : () -> ()\n"x.good"() : () -> ()\n'
COMMAND = ("--", "iree-compile", "--iree-target=a")
FLAGS = ("--iree-target", *IREE.statistics_flags)
ASKED = ("--metric", "dispatches", "--worse-than")


def dispatching(each: int) -> Release:
    """A compiler that makes so many dispatches of each bad op, and one of each other op."""
    return Release(
        f"{FIND_INPUT}bad=$(grep -c x.bad $input); good=$(grep -c x.good $input)\n"
        f'echo "{{\\"execution\\": {{\\"dispatch-count\\": $((bad * {each} + good))}}}}"\n',
        flags=tuple((flag.partition("=")[0], "A flag.") for flag in FLAGS),
    )


@pytest.fixture(autouse=True)
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Releases:
    """The only releases, of which those from 3.3.0 on make five times as many dispatches."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.mlir").write_text(PROGRAM)
    made = Releases(tmp_path, {f"3.{n}.0": dispatching(5 if n > 2 else 1) for n in range(1, 5)})
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    made.list_without_pip(monkeypatch)
    return made


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_check_shows_both_numbers() -> None:
    done = run("check", "in.mlir", "--iree", "3.4.0", *ASKED, "iree:3.1.0", "--json", "-", *COMMAND)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["numbers"] == {"value": 11, "reference": 3, "ratio": 11 / 3, "factor": 2.94}
    assert told["diagnostics"][0]["message"] == (
        "dispatches: dispatch-count 11, 3.67 times the 3 with iree:3.1.0"
    )


def test_check_of_what_is_no_worse() -> None:
    done = run("check", "in.mlir", "--iree", "3.2.0", *ASKED, "iree:3.1.0", *COMMAND)
    assert done.exit_code == 1
    assert "the input is not worse: dispatches: dispatch-count 3, 1.00 times the 3" in done.output


@pytest.mark.parametrize("command", ["check", "locate"])
@pytest.mark.parametrize("end", ["\n", " "], ids=["lines", "one line"])
def test_no_pass_is_named_for_what_the_input_has(tmp_path: Path, command: str, end: str) -> None:
    """Of the first pass nobody knows what it gets, but it adds nothing to so many ops."""
    adds = "".join(f"%{n} = arith.addi %a, %a : i32{end}" for n in range(9))
    text = f"func.func @f(%a: i32) -> i32 {{{end}{adds}return %0 : i32{end}}}\n"
    (tmp_path / "a.mlir").write_text(text)
    asked = ("--metric", "ir-size", "--worse-than", "2", "--json", "told.json")
    done = run(command, "a.mlir", *asked, "--", str(find_opt()), "--cse")
    assert done.exit_code == 0, done.output
    blames = json.loads(Path("told.json").read_text())["blames"]
    assert not [blame["name"] for blame in blames if blame["kind"] == "pass" and blame["name"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--metric", "dispatches"), "--metric needs --worse-than"),
        (("--by", "2"), "--by needs --metric"),
        ((*ASKED, "more"), "'more' is neither iree:VERSION, flags:'--a --b', nor a number"),
        (("--metric", "fast", "--worse-than", "1"), "there is no metric 'fast'; there are ir-size"),
        (("--metric", "asm:(", "--worse-than", "1"), "'(' is not a regular expression: missing )"),
        ((*ASKED, "-1"), "--worse-than: -1 is not 0 or a number above"),
        ((*ASKED, "nan"), "--worse-than: nan is not 0 or a number above"),
        ((*ASKED, "flags:'x"), "--worse-than: flags:'x: No closing quotation"),
        ((*ASKED, "1", "--by", "nan"), "--by: nan is not a factor"),
        ((*ASKED, "1", "--match", "x"), "--metric cannot be combined with --match"),
        (("--metric", "run-time", "--worse-than", "1"), "needs the command that runs the program"),
        (
            (*ASKED, "1", "--run"),
            "leave out the second -- iree-run-module",
        ),
    ],
)
def test_mistakes(words: tuple[str, ...], said: str) -> None:
    called = ("--", "iree-run-module", "--module={}") if words[-1] == "--run" else ()
    words = words[: -1 if called else None]
    done = run("check", "in.mlir", "--iree", "3.4.0", *words, *COMMAND, *called)
    assert done.exit_code == 2
    assert said in done.output


def test_a_part_that_is_not_there() -> None:
    asked = ("--metric", "dispatches:loops", "--worse-than", "1", *COMMAND)
    done = run("check", "in.mlir", "--iree", "3.4.0", *asked)
    assert done.exit_code == 1
    assert "--metric dispatches:loops --worse-than 1 --" in done.output, "the same part"
    assert done.output.splitlines()[-1] == (
        "not measured: the command has no number 'loops'; there are dispatch-count"
    )


def test_a_report_carries_the_script_that_prints_the_number(tmp_path: Path) -> None:
    script = write_script(tmp_path / "count.sh", "#!/bin/sh\n")
    words = ("mlir-reducer", "check", "x.mlir", "--metric", "script", "--", "./count.sh", "{}")
    command, files = bundled_command(Command(words, directory=tmp_path))
    assert command.argv[-2:] == ("files/count.sh", "{}")
    assert files == {"count.sh": script}


def test_bisect_finds_the_release_where_it_jumps() -> None:
    done = run("bisect", "in.mlir", "--bad", "3.4.0", "--all", *ASKED, "3", "--by", "2", *COMMAND)
    assert done.exit_code == 0, done.output
    assert "first bad 3.3.0, last good 3.2.0" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("3.")]
    assert [(one[0], one[1], len(one[2])) for one in rows] == [
        *(("3.1.0", "good", 7), ("3.2.0", "good", 7)),
        *(("3.3.0", "bad", 24), ("3.4.0", "bad", 24)),
    ]


def test_triage_lists_what_became_worse(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "bad.mlir").write_text(PROGRAM)
    (folder / "good.mlir").write_text('"x.good"() : () -> ()\n')
    words = ("triage", "models", "--iree", "3.2.0,3.4.0", "--no-reduce", "--quiet", "--json", "-")
    done = run(*words, *ASKED, "iree:3.1.0", "--by", "2", *COMMAND)
    assert done.exit_code == 0, done.output
    bugs = json.loads(done.stdout)["bugs"]
    assert [one["signature"] for one in bugs] == [
        "metric: dispatch-count: dispatches worse than iree:3.1.0"
    ]
    assert not json.loads(run(*words, *COMMAND).stdout)["bugs"], "it has a database of its own"
    mixed = run(*words, "--db", "models/.mlir-reducer/triage.dispatches.sqlite", *COMMAND)
    assert mixed.exit_code == 2
    assert "has results of 3.2.0 (dispatches worse than" in mixed.output


def in_folder(path: Path) -> Callable[[str], str]:
    return lambda name: (path / name).read_text(encoding="utf-8")


def test_reduce_keeps_the_ratio(tmp_path: Path) -> None:
    asked = ("--iree", "3.4.0", *ASKED, "iree:3.1.0", "--no-report", "-j", "1")
    done = run("reduce", "in.mlir", *asked, *COMMAND)
    assert done.exit_code == 0, done.output
    text = in_folder(tmp_path)("in.reduced.mlir")
    assert text.count("x.bad") == 1
    assert "x.good" not in text
    words = "--bad", "3.4.0", "--all", *ASKED, "iree:3.1.0", *COMMAND
    assert run("bisect", "in.reduced.mlir", *words).exit_code == 0
    assert run("page", "in.reduced.mlir", "-o", "page.html").exit_code == 0
    for dot in ("value 1 at 3.2.0", "value 5 at 3.4.0", "reference 1 at 3.4.0"):
        assert f"<title>{dot}</title>" in in_folder(tmp_path)("page.html")
    assert "--metric dispatches:dispatch-count --worse-than iree:3.1.0 --by 2.94" in text
    assert "// dispatches: dispatch-count 5, 5.00 times the 1 with iree:3.1.0" in text
    again = run("explain", "in.reduced.mlir")
    assert "using the command of the reduction" in again.output
