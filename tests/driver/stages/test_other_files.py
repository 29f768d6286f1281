"""Commands that read more modules than their input."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits, PatternOracle, run_process
from reducer.driver.records.record import Report
from reducer.driver.reduction import Reduction
from reducer.driver.settings import Settings
from reducer.storage.result_folder import ResultFolder
from tests.support.in_process import SUCCESS, Answer, Program, Programs, Run
from tests.support.silent import Silent


def compile_both(run: Run) -> Answer:
    """Fails if the payload has the op of which the script says the name."""
    payload, script = (_text(run, number) for number in (1, 2))
    name = re.search(r"apply ([a-z.]+)", script)
    fails = name is not None and name[1] in payload
    return Answer(1, f"{run.words[1]}:1:1: error: cannot apply that\n") if fails else SUCCESS


def _text(run: Run, number: int) -> str:
    """The content of the file that a word names; '' if there is none."""
    word = next(iter(run.words[number:]), "").removeprefix("--script=")
    path = run.folder / word
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def compile_three(run: Run) -> Answer:
    """Needs one more file."""
    return compile_both(run) if any("more" in word for word in run.words) else SUCCESS


PAYLOAD = "one\nbad.op\nbad.op with more\ntwo\n"
SCRIPT = "x\napply bad.op to it\ny\nz\n"
Reduce = Callable[..., tuple[Report, Path]]


@pytest.fixture
def reduce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reduce:
    """Reduces the payload, or the script if that is the input; returns the report and its place."""
    monkeypatch.chdir(tmp_path)
    programs = Programs(monkeypatch)
    programs.add(tmp_path / "compiler", compile_both)
    (tmp_path / "payload.mlir").write_text(PAYLOAD)
    (tmp_path / "script.mlir").write_text(SCRIPT)

    def run(
        *words: str,
        name: str = "out",
        keep: bool = False,
        jobs: int = 1,
        match: str = "",
        most: int | None = None,
        program: Program | None = None,
    ) -> tuple[Report, Path]:
        if program is not None:
            programs.add(tmp_path / "compiler", program, content="another one")
        source = Path("payload.mlir" if words[0] == "{}" else "script.mlir")
        command = Command.parse([str(tmp_path / "compiler"), *words], directory=tmp_path)
        oracle = CompilerOracle(command, tmp_path / "compiler", limits=Limits(10))
        output = Path(f"{name}.mlir")
        settings = Settings(
            input=source,
            text=source.read_text(),
            output=output,
            journal=ResultFolder.of(output).journal,
            jobs=jobs,
            max_calls=most,
            keep_flags=keep,
        )
        asked = PatternOracle(oracle, regex=match) if match else oracle
        return Reduction(settings, asked, Silent()).run(), tmp_path / output

    return run


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (("{}", "--script=script.mlir"), ("bad.op", "apply bad.op")),
        (("payload.mlir", "--script={}"), ("apply bad.op", "bad.op")),
    ],
    ids=["the payload first", "the script first"],
)
@pytest.mark.parametrize("match", ["", "cannot apply"])
def test_both_programs_end_minimal(
    reduce: Reduce, words: tuple[str, ...], files: tuple[str, str], match: str
) -> None:
    report, output = reduce(*words, match=match)
    assert report.verified and report.one_minimal
    (other,) = output.with_suffix("").glob("files/*")
    assert report.text.startswith(files[0]) and report.text.count("\n") == 1
    assert other.read_text().startswith(files[1]) and other.read_text().count("\n") <= 1
    assert f"out/files/{other.name}" in shlex.join(report.command)
    assert any(
        f"{other.name}, another file that the command reads" in note for note in report.notes
    )
    done = run_process(report.command[:3], cwd=Path(), limits=Limits())
    assert done.exit_code == 1 and "cannot apply that" in done.stderr


def test_it_is_resumed_and_the_same_for_any_number_of_workers(reduce: Reduce) -> None:
    words = ("{}", "--script=script.mlir")
    first, output = reduce(*words)
    written = {path: path.read_bytes() for path in (output, *output.parent.glob("out/files/*"))}
    again, _ = reduce(*words)
    assert again.costs.calls <= 3, "all but what verifies the result is known"
    assert {path: path.read_bytes() for path in written} == written
    parallel, other = reduce(*words, name="two", jobs=3)
    assert parallel.text == first.text and parallel.charged == first.charged
    assert (other.parent / "two/files/script.mlir").read_bytes() in written.values()


def test_what_was_reached_is_kept_when_the_budget_is_spent(reduce: Reduce) -> None:
    whole, _ = reduce("{}", "--script=script.mlir")
    report, _ = reduce("{}", "--script=script.mlir", name="less", most=whole.costs.calls - 8)
    assert report.status == "budget" and report.verified
    assert not report.one_minimal


def test_what_is_not_reduced_is_said(reduce: Reduce, tmp_path: Path) -> None:
    (tmp_path / "more.mlirbc").write_bytes(b"ML\xefR\xff")
    report, _ = reduce("{}", "--script=script.mlir", "--more=more.mlirbc")
    assert "--more=more.mlirbc" not in report.command, "it is not needed"
    words = ("{}", "--script=script.mlir", "--more=more.mlirbc")
    report, _ = reduce(*words, name="kept", program=compile_three)
    assert "more.mlirbc, another file that the command reads, was not reduced" in report.notes


def test_a_command_that_is_to_stay_reads_the_same_files(reduce: Reduce) -> None:
    report, output = reduce("{}", "--script=script.mlir", keep=True)
    assert "--script=script.mlir" in report.command and report.verified
    assert "script.mlir, another file that the command reads, was not reduced" in report.notes
    assert not list(output.parent.glob("out/files/*"))
