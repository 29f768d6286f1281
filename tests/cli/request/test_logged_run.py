"""The log of a failed run takes the place of the first run, if a part of the input fails alike."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli.options.reduce import reduce
from reducer.driver.stages import opening
from tests.support.in_process import SUCCESS, Answer, Programs, Run, copy, failing

SIZE = 120
ERROR = "failed to legalize operation 'x.bad'"
SAID = f"in.mlir:63:3: error: {ERROR}\n"
COMMAND = "Program arguments: x-opt --x-pass in.mlir\n"
OPS = (
    f'  %{number} = "x.{"bad" if number == SIZE // 2 else f"op{number % 3}"}"() : () -> i32\n'
    for number in range(SIZE)
)
LARGE = f""""builtin.module"() ({{
"func.func"() <{{function_type = () -> (), sym_name = "f"}}> ({{
{"".join(OPS)}  "func.return"() : () -> ()
}}) : () -> ()
}}) : () -> ()
"""
DIED = Answer(-11, "Stack dump:\n #0 0x0000 f (x-opt+0x1)\n #1 0x0000 g (x-opt+0x2)\n")


class Tool:
    """An `…-opt` tool with one pass, which fails on `x.bad`; it counts the runs on all ops."""

    def __init__(self, failure: Answer | Callable[[Run], Answer] | None = None) -> None:
        self.failure = failure
        self.whole = 0

    def __call__(self, run: Run) -> Answer:
        if any("help" in word for word in run.words):
            return Answer(stdout="  --x-pass - Fails\n")
        if "--x-pass" not in run.words:
            return copy(run)
        self.whole += run.text.count('"x.') == SIZE
        if '"x.bad"' not in run.text:
            return SUCCESS
        if callable(self.failure):
            return self.failure(run)
        return self.failure or failing(run, ERROR)


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Programs:
    return Programs(monkeypatch)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(opening, "_WORTH_NOTING", SIZE)
    Path("in.mlir").write_text(LARGE)


def reduced(programs: Programs, tool: Tool, log: str, *words: str) -> tuple[str, str]:
    """The result of a reduction, and what it says."""
    programs.add(Path("x-opt").absolute(), tool)
    Path("crash.log").write_text(log)
    options = ("--fresh", "--no-report", "--no-pass-level", "-o", "out.mlir")
    done = CliRunner().invoke(reduce, [*options, *words], catch_exceptions=False)
    return Path("out.mlir").read_text(), done.output


TYPED = ("--", "x-opt", "--x-pass")
GIVEN = ("in.mlir", "crash.log", *TYPED)


@pytest.mark.parametrize(
    ("log", "words", "is_run"),
    [
        (SAID, GIVEN, False),
        (f"make: all\n{SAID}make: *** [all] Error 1\n", GIVEN, False),
        (SAID.replace("in.mlir", "/home/me/in.mlir"), GIVEN, False),
        (f"2026-11-01T10:00:00.12Z {SAID}", GIVEN, False),
        (COMMAND + SAID, ("in.mlir", "crash.log", "--yes"), False),
        (COMMAND + SAID, ("crash.log", "--yes"), False),
        (
            f"`x-opt --x-pass a.mlir`:\n```\n{SAID}```\n```\n{LARGE}```\n",
            ("crash.log", "--yes"),
            False,
        ),
        (SAID.replace("x.bad", "x.other"), GIVEN, True),
        ("nothing is known\n", GIVEN, True),
        (SAID.replace("in.mlir:63:3", "in.mlir:3:3"), GIVEN, False),
    ],
)
def test_the_input_is_run_only_if_nothing_small_fails_as_the_log_says(
    programs: Programs, log: str, words: tuple[str, ...], is_run: bool
) -> None:
    tool = Tool()
    result, said = reduced(programs, tool, log, *words)
    assert bool(tool.whole) == is_run, said
    assert ("so all of it is run" in said) == (is_run and "x.other" in log)
    told = [line for line in said.splitlines() if "the input was not run: " in line]
    assert all("crash.log, last changed 20" in line for line in told)
    assert told or is_run
    plain, _ = reduced(programs, Tool(), log, "in.mlir", *TYPED)
    assert result == plain


LEFT = '%1 = "x.constant"() : () -> !x.t'
WITHOUT_USER = "in.mlir:63:3: error: failed to legalize operation 'x.constant'\n"
UNLOWERED = Answer(1, f"{WITHOUT_USER}in.mlir:63:3: note: see current operation: {LEFT}\n")


def unlowered(run: Run) -> Answer:
    """A pass could not lower the constant that is left, and its IR is printed if that is asked."""
    if not any("print-ir-after-failure" in word for word in run.words):
        return UNLOWERED
    ir = f'{LEFT}\n"x.bad"(%1) : (!x.t) -> ()\n'
    return replace(UNLOWERED, stderr=f"{UNLOWERED.stderr}// -----// IR Dump After P Failed\n{ir}")


@pytest.mark.parametrize(
    ("failure", "log", "is_run"),
    [
        (DIED, DIED.stderr, False),
        (DIED, f"{DIED.stderr}exit code 139\n", False),
        (DIED, f"{DIED.stderr}Segmentation fault\n", False),
        (DIED, f"{DIED.stderr}Aborted\n", True),
        (DIED, DIED.stderr.replace(" g ", " h "), True),
        (unlowered, UNLOWERED.stderr, False),
        (unlowered, UNLOWERED.stderr.replace("legalize", "lower"), True),
    ],
)
def test_what_a_log_does_not_tell_is_learned_from_a_part(
    programs: Programs, failure: Answer | Callable[[Run], Answer], log: str, is_run: bool
) -> None:
    tool = Tool(failure)
    result, said = reduced(programs, tool, log, *GIVEN)
    assert bool(tool.whole) == is_run, said
    plain, how = reduced(programs, Tool(failure), log, "in.mlir", *TYPED)
    target = re.compile("^failure  +.*", re.M)
    assert (result, target.findall(said)) == (plain, target.findall(how))


def test_what_is_soon_run_is_run(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_WORTH_NOTING", 10 * SIZE)
    reduced(programs, tool := Tool(), SAID, *GIVEN)
    assert tool.whole
