"""The provenance of a program is read from the journal next to it, and from nowhere else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracles import Command, CompilerOracle, Kind, Signature
from reducer.cli import main
from reducer.driver.records.figures import Origin
from reducer.driver.records.history import reading
from reducer.driver.reduction import Reduction
from reducer.driver.settings import Settings
from reducer.report.provenance import provenance_of, read_provenance
from reducer.toolchain import Toolchain
from tests.conftest import NEWEST_TESTED
from tests.support.fake_compilers import FAIL, program, write_script
from tests.support.silent import Silent


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_script(tmp_path / "fake", FAIL)
    (tmp_path / "in.mlir").write_text(program())
    words = ["reduce", "in.mlir", "--no-report", "-q", "--iree", NEWEST_TESTED, "--", "./fake"]
    assert CliRunner().invoke(main, words).exit_code == 0
    return tmp_path / "in.reduced.mlir"


def signature_of(result: Path) -> Signature:
    with reading(result.with_suffix("") / "journal") as reader:
        return reader.history().signature


@pytest.mark.iree
def test_the_lines_of_the_input_are_found(result: Path, iree_toolchain: object) -> None:
    opt = iree_toolchain().opt  # type: ignore[operator]
    past = read_provenance(result, signature_of(result), opt)
    assert past is not None
    line = program().splitlines().index('  "x.bad"() : () -> ()') + 1
    assert past.origin == (Origin("x.bad", "in.mlir", line, 3, '"x.bad"() : () -> ()'),)
    assert past.input_path == Path("in.mlir")
    assert past.costs is not None and past.costs.calls > 0


@pytest.mark.iree
def test_no_lines_if_the_input_has_changed(result: Path) -> None:
    (result.parent / "in.mlir").write_text("// other\n" + program())
    past = read_provenance(result, signature_of(result), None)
    assert past is not None
    assert past.origin == (Origin("x.bad", "in.mlir"),)


@pytest.mark.iree
def test_a_journal_of_another_failure_is_ignored(result: Path) -> None:
    assert read_provenance(result, Signature(Kind.CRASH), None) is None
    before = sorted(path.name for path in result.parent.iterdir())
    read_provenance(result, signature_of(result), None)
    assert sorted(path.name for path in result.parent.iterdir()) == before


def test_missing_and_damaged_journals_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "x.mlir").write_text("x")
    assert read_provenance(tmp_path / "x.mlir", Signature(Kind.CRASH), None) is None
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "journal").write_bytes(b"SQLite format 3\0" + b"x" * 500)
    assert read_provenance(tmp_path / "x.mlir", Signature(Kind.CRASH), None) is None


@pytest.mark.iree
def test_a_reduction_passes_on_what_its_journal_contains(
    tmp_path: Path, iree_toolchain: Callable[[], Toolchain]
) -> None:
    opt = iree_toolchain().opt
    fake = write_script(tmp_path / "fake", FAIL)
    (tmp_path / "in.mlir").write_text(program())
    result = tmp_path / "in.reduced.mlir"
    settings = Settings(
        tmp_path / "in.mlir", program(), result, tmp_path / "in.reduced" / "journal", opt
    )
    oracle = CompilerOracle(Command.parse([str(fake)]), fake)
    report = Reduction(settings, oracle, Silent()).run()
    read = read_provenance(result, report.signature, opt)
    settings.journal.unlink()
    told = provenance_of(report, result, report.lineage, opt)
    assert read is not None and read.origin
    assert told.origin == read.origin
    figures = told.figures().to_json()
    assert figures["input"].items() <= read.to_json()["input"].items()
    assert figures["oracle"]["calls"] == read.to_json()["oracle"]["calls"]
