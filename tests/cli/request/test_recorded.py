"""Commands that follow a reduction take the command that it has recorded."""

import json
import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oracles.compilers.command import INPUT
from reducer.cli import main
from reducer.cli.request.recorded import ResultRecord
from reducer.driver.records.figures import PassRecord
from reducer.driver.settings import Size
from reducer.locate.blame import Blame, Certainty
from reducer.locate.blamed import BlamedRewrite
from tests.support.fake_compilers import write_script

_REDUCE = "reduce", "in.mlir", "--no-report", "--no-pass-level"
_NEXT = ("explain", "report", "locate")


@pytest.fixture(autouse=True)
def of_its_own(
    tmp_path: Path,
    nothing_installed: None,
    model: Path,
    fake: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def headings() -> list[str]:
    report = Path("in.reduced/report/report.md").read_text()
    return [line[5:] for line in report.splitlines() if line.startswith("#### ")]


def add_level(*, bucket: str) -> None:
    """Have the result know the program of the failing pass, and the rewrite at fault."""
    record = ResultRecord.of(Path("in.reduced.mlir"))
    known = record.findings(Path("in.reduced.mlir").read_text()).plain()
    rewrite = BlamedRewrite(
        "SomePattern", before='"x.a"() : () -> ()', after='"x.b"() : () -> ()',
        alone=("fake", "--debug-counter=x", INPUT),
    )  # fmt: skip
    level = PassRecord(
        pass_name="some-pass", level="the IR before some-pass", output=Size(1, 1, 20),
        output_path=Path("gone/before-pass.mlir"), pipeline="some-pass", rewrite=rewrite,
    )  # fmt: skip
    Path("in.reduced/before-pass.mlir").write_text('// RUN: fake %s\n"x.bad"() : () -> ()\n')
    reduction = {**known["reduction"], "pass_level": level.to_json(), "bucket": bucket}
    record.add(Path("in.reduced.mlir").read_text(), known["bucket"], reduction=reduction)


_LEVEL = ["IR before the failing pass: `some-pass`", "The rewrite at fault"]
_SMALL = ["Where it is in the original input", "Reduction"]


@pytest.mark.parametrize("place", [".", "elsewhere", "moved"])
def test_a_report_made_again_has_all_that_was_known(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("reduce", "in.mlir", "--no-pass-level", "--", "./fake").exit_code == 0
    assert headings() == _SMALL
    bucket = json.loads(Path("in.reduced/report/metadata.json").read_text())["bucket"]
    add_level(bucket=bucket)
    Path(place).mkdir(exist_ok=True)
    home = "."
    if place == "elsewhere":
        monkeypatch.chdir(place)
        home = ".."
    if place == "moved":  # without its input
        for name in ("in.reduced", "in.reduced.mlir"):
            shutil.move(name, Path(place, name))
        home = place
    done = run("report", f"{home}/in.reduced.mlir")
    assert done.exit_code == 0, done.output
    monkeypatch.chdir(home)
    assert headings() == [*_LEVEL, *_SMALL]
    text = Path("in.reduced/report/report.md").read_text()
    assert "in the pass `some-pass`" in text
    named = set(re.findall(r"[\w.]+\.mlir\b", text)) - {"in.mlir"}
    assert named <= {path.name for path in Path("in.reduced/report").iterdir()}
    assert run("report", "in.reduced").exit_code == 0 and headings() == [*_LEVEL, *_SMALL]


def test_what_later_commands_find_out_is_in_the_next_report_and_page() -> None:
    assert run("reduce", "in.mlir", "--no-pass-level", "--", "./fake").exit_code == 0
    assert run("explain", "in.reduced.mlir").exit_code == 0
    result = Path("in.reduced.mlir")
    bucket = json.loads(Path("in.reduced/report/metadata.json").read_text())["bucket"]
    rows = [{"version": "3.8.0", "verdict": "good", "note": ""}]
    add, text = partial(ResultRecord.of(result).add, bucket=bucket), result.read_text()
    dispatch = Blame("dispatch", "some_dispatch", Certainty.SHOWN).to_json()
    add(text, versions=rows, locate={"pass": "some-pass", "blames": [dispatch]})
    ResultRecord.of(result).add(text, "another", versions=[])  # of another failure
    needs = "What the failure depends on"
    for _ in range(2):
        assert run("report", "in.reduced.mlir").exit_code == 0
        assert headings() == [needs, "Releases", *_SMALL]
        written = Path("in.reduced/report/report.md").read_text()
        assert "`some_dispatch`" in written and "in the pass `some-pass`" in written
    assert run("page", "in.reduced").exit_code == 0
    page = Path("in.reduced/page.html").read_text()
    assert "3.8.0" in page and "<li>Dispatch: some_dispatch</li>" in page
    result.write_text(f"{text}\n")  # nothing of this is known about another program
    assert run("report", "in.reduced.mlir").exit_code == 0
    assert headings() == _SMALL


@pytest.mark.parametrize("what", ["unzipped", "changed", "lost"])
def test_nothing_from_elsewhere_runs_unasked(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*_REDUCE, "--", "./fake").exit_code == 0
    result = Path("in.reduced.mlir")
    result.write_text(result.read_text().replace("// fake", "// mlir-opt --cse"))
    monkeypatch.setenv("PATH", str(Path.cwd()), prepend=":")
    record = Path("in.reduced/record.json")
    if what == "unzipped":
        monkeypatch.setenv("XDG_STATE_HOME", str(Path("another").absolute()))
        # It stays another's if this user adds to it.
        ResultRecord.of(result).add(result.read_text(), "bucket", boundary=[])
        assert "boundary" in record.read_text()
    elif what == "changed":
        record.write_text(record.read_text().replace("normal", "coarse"))
    else:
        record.unlink()
    for name in ("fake", "mlir-opt"):
        write_script(Path(name), f"#!/bin/sh\ntouch {Path.cwd()}/ran\n")
    for command in _NEXT:
        done = run(command, "in.reduced.mlir")
        assert done.exit_code == 2
        assert "command found in in.reduced.mlir: mlir-opt" in done.stderr
        assert "give it after two dashes" in done.stderr
        assert "--yes" not in done.stderr
    assert not Path("ran").exists()
