"""An internal error in one stage costs that stage only, and the exit code says so."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.driver import table
from reducer.driver.stage import Stage, StoppingEarly
from reducer.errors import UsageError
from reducer.search.judge import Stopped
from tests.support.fake_compilers import FAIL, program, write_script

OPT = f"""for word; do [ -f "$word" ] && input=$word; done
case "$*" in *--mlir-print-op-generic*) cat "$input"; exit 0;; esac
{FAIL}
if has x.op6; then echo "$input:1:1: error: failed to legalize operation 'x.op6'" >&2; exit 1; fi
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    generic = program(10).replace("module {", '"builtin.module"() ({')
    Path("in.mlir").write_text(generic.replace("\n}", "\n}) : () -> ()"))
    write_script(tmp_path / "fake-opt", OPT)


def reduce(*options: str) -> Result:
    return CliRunner().invoke(main, ["reduce", "in.mlir", *options, "--", "./fake-opt"])


def stages(step: Any) -> Iterator[Stage]:
    """All stages of a part of the table."""
    if isinstance(step, Stage):
        yield step
    elif isinstance(step, Sequence):
        for one in step:
            yield from stages(one)
    elif is_dataclass(step):
        for field in fields(step):
            yield from stages(getattr(step, field.name))


def broken(step: Any, name: str, error: Exception) -> Any:
    """The same part of the table, in which all stages of this name raise an error."""

    def fails(context: object) -> bool:
        raise error

    if isinstance(step, Stage):
        return replace(step, when=lambda _: True, run=fails) if step.name == name else step
    if isinstance(step, tuple):
        return tuple(broken(one, name, error) for one in step)
    if not is_dataclass(step) or isinstance(step, type):
        return step
    inside = {each.name: broken(getattr(step, each.name), name, error) for each in fields(step)}
    if isinstance(step, StoppingEarly) and any(one.name == name for one in stages(step)):
        inside["when"] = lambda _: True
    return replace(step, **inside)


def break_stage(monkeypatch: pytest.MonkeyPatch, name: str, error: Exception) -> None:
    for part in ("PREPARE", "SEARCH", "FINISH"):
        monkeypatch.setattr(table, part, broken(getattr(table, part), name, error))


NAMES = list(
    dict.fromkeys(stage.name for stage in stages((table.PREPARE, table.SEARCH, table.FINISH)))
)


@pytest.mark.parametrize("name", NAMES)
def test_a_stage(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    break_stage(monkeypatch, name, IndexError("array index out of range"))
    done = reduce("--no-report", "--no-pass-level")
    assert done.exit_code == 70, done.output
    assert f"array index out of range; not finished: the stage “{name}”" in done.output
    assert "the result itself was saved" in done.output
    assert "Traceback" not in done.output
    result = Path("in.reduced.mlir").read_text()
    assert "x.bad" in result and ("x.op3" not in result or name in ("polish", "cut as text"))
    assert ("verdict     VERIFIED" in done.output) is (name != "verify")


PARTS = {
    "driver.records.history.HistoryRecorder.accepted": "the history",
    "driver.records.history.HistoryRecorder.judged": "the history",
    "driver.records.history.HistoryRecorder.finished": "the history",
    "driver.also_found.AlsoFoundStore.add": "other failures",
    "driver.also_found.AlsoFoundStore.__init__": "the stage “collect other failures”",
    "identity.sanity.SanityChecks.refuse_empty_module": "the stage “run an empty module”",
    "driver.stages.preparing.prefetch_search": "the stage “work ahead”",
}


@pytest.mark.parametrize("where", PARTS)
def test_what_follows_the_search(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(f"reducer.{where}", fails)
    done = reduce("--verbose", "--no-pass-level")
    assert done.exit_code == 70, done.output
    assert f"recursion depth exceeded; not finished: {PARTS[where]}" in done.output
    assert "Traceback (most recent call last)" in done.output
    assert '"x.bad"() : () -> ()' in Path("in.reduced.mlir").read_text()
    assert "x.op3" not in Path("in.reduced.mlir").read_text()
    assert done.output.count("not finished: ") <= 4  # once when it happens, and in the end


@pytest.mark.parametrize(
    ("error", "code"),
    [(Stopped("interrupted"), 130), (UsageError("no"), 2), (OSError(28, "x"), 73)],
)
def test_what_can_be_told_ends_the_run(
    error: Exception, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_stage(monkeypatch, "polish", error)
    assert reduce("--no-report").exit_code == code
