"""`mlir-reducer report`, and the report that `reduce` leaves: made, unzipped elsewhere, and run."""

import json
import os
import shlex
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.plant import plant
from oracles import Command, CompilerOracle
from reducer.bisect.bisection import query_of_program
from reducer.cli import main
from reducer.driver.failing import FailingProgram
from reducer.driver.records.figures import PassRecord
from reducer.driver.settings import Size
from reducer.driver.stages.second_program import SecondProgram
from reducer.report import making as report
from reducer.report.making import OptionalSections
from reducer.report.markdown import MAX_CHARACTERS, length
from reducer.toolchain import Toolchain
from tests.conftest import NEWEST_TESTED
from tests.report.facts import facts
from tests.support.corpus import Case
from tests.support.fake_compilers import FAIL, program, write_script
from tests.support.fake_releases import BAD, Release, Releases

HIP = ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"]
FILES = [
    "metadata.json",
    "regression.lit.mlir",
    "repro.mlir",
    "repro.sh",
    "report.md",
]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def failing() -> Path:
    """A compiler that fails on `in.mlir`, which needs no reduction."""
    Path("in.mlir").write_text('"x.bad"() : () -> ()\n')
    return write_script(Path("fake"), FAIL)


def cli(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def repro(archive: Path, folder: Path, compiler: Path) -> "subprocess.CompletedProcess[str]":
    """Unzip into an empty folder and run the script there."""
    folder.mkdir()
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    (place,) = folder.iterdir()
    return subprocess.run(
        ["sh", place / "repro.sh"],
        env={"PATH": os.environ["PATH"], "IREE_COMPILE": str(compiler)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.iree
def test_a_reduction_ends_with_a_report_that_holds_elsewhere(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    Path("my model.mlir").write_text(plant(corpus("cat-zero-width").input_text(), 3))
    only = ["--iree", NEWEST_TESTED, "--no-elsewhere", "--no-pass-level"]
    done = cli("reduce", "my model.mlir", *only, "--", "iree-compile", *HIP)
    assert done.exit_code == 0, done.output
    folder = Path("my model.reduced/report")
    assert set(FILES) <= {path.name for path in folder.iterdir()}
    text = (folder / "report.md").read_text()
    for head in ("What happened?", "Steps to reproduce your issue", "Version information"):
        assert f"## {head}" in text
    assert "IREE compiler version" in text and "Assertions: disabled" in text
    assert "`my model.mlir`" in text and str(tmp_path) not in text
    known = json.loads((folder / "metadata.json").read_text())
    assert known["verified"] and known["command"][0] == "iree-compile"
    assert known["compiler"]["package"] == NEWEST_TESTED
    archive = Path("my model.reduced/report.zip")
    same = repro(archive, tmp_path / "elsewhere", iree_toolchain().compile)
    assert (same.returncode, same.stdout) == (0, "still fails as reported\n"), same.stderr


@pytest.mark.iree
def test_a_crash_has_its_stack_and_no_machine_in_it(
    corpus: Callable[[str], Case], iree_compile: Path, tmp_path: Path
) -> None:
    Path("c.mlir").write_text(corpus("complex-dot2-hip-segv").input_text())
    done = cli("report", "c.mlir", "--iree", NEWEST_TESTED, "--", "iree-compile", *HIP)
    assert done.exit_code == 0, done.output
    text = Path("c.report/report.md").read_text()
    assert "crashes with SIGSEGV" in text
    assert "#### Stack" in text and "getIntOrFloatBitWidth" in text
    assert "VectorizeMemrefCopyPass" in text and "pass managers" in text
    assert "while it applied the pattern `mlir::iree_compiler::TileLinalgCopy`:" in text
    everything = b"".join(path.read_bytes() for path in Path("c.report").iterdir())
    for folder in (tmp_path, iree_compile.parent):
        assert str(folder).encode() not in everything
    assert len(list(Path("c.report").iterdir())) <= 7, "six, and the list of what was written"


@pytest.mark.iree
def test_a_long_program_with_a_long_log_fits_into_an_issue(corpus: Callable[[str], Case]) -> None:
    """LLVM prints 790 lines about a node that it cannot select."""
    program = plant(corpus("softmax-f16-odd5-cannot-select").input_text(), 100)
    Path("s.mlir").write_text(program)
    done = cli("report", "s.mlir", "--iree", NEWEST_TESTED, "--", "iree-compile", *HIP)
    assert done.exit_code == 0, done.output
    text = Path("s.report/report.md").read_text()
    assert length(text) <= MAX_CHARACTERS
    for name in ("repro.mlir", "output.txt"):
        whole = Path("s.report", name).read_text()
        assert whole not in text
        assert f"`{name}` in the zip" in text
    assert "Program arguments" not in Path("s.report/output.txt").read_text()
    with zipfile.ZipFile("s.report.zip") as packed:
        names = {name.partition("/")[2] for name in packed.namelist()}
    assert {"repro.mlir", "output.txt"} <= names and len(names) <= 6


def test_the_command_that_files_it_is_printed_and_works_where_the_user_stands(
    failing: Path,
) -> None:
    done = cli("report", "in.mlir", "-o", "out", "--", "./fake")
    line = done.stdout.splitlines()[-1].removeprefix("to file it  ")
    assert line.startswith("gh issue create --repo OWNER/REPO --title ")
    assert Path(shlex.split(line)[-1]) == Path("out/report.md")
    assert json.loads(Path("out/metadata.json").read_text())["title"] in shlex.split(line)


@pytest.mark.iree
def test_what_it_takes_to_fail_when_asked(corpus: Callable[[str], Case]) -> None:
    Path("t.mlir").write_text(corpus("cat-zero-width").input_text())
    words = ["--iree", NEWEST_TESTED, "--add", "explain", "-o", "out", "--", "iree-compile", *HIP]
    done = cli("report", "t.mlir", *words)
    assert done.exit_code == 0, done.output
    text = Path("out/report.md").read_text()
    assert "#### What the failure depends on" in text
    assert "It compiles with" in text
    assert json.loads(Path("out/metadata.json").read_text())["boundary"]


def test_what_a_good_release_prints_is_in_the_test_of_a_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prints = "echo 'func.func @f() {'; echo '  x.good'; echo '}'\n"
    made = {"3.1.0": Release("", prints), "3.2.0": Release("", BAD + prints)}
    releases = Releases(tmp_path, made)
    for name, value in releases.environment.items():
        monkeypatch.setenv(name, value)
    Path("in.mlir").write_text('"x.bad"() : () -> ()\n')
    words = ["--iree", "3.2.0", "--add=versions", "-o", "out", "--", "iree-opt", "--iree-target"]
    done = cli("report", "in.mlir", *words)
    assert done.exit_code == 0, done.output
    test = Path("out/regression.lit.mlir").read_text()
    assert test.startswith(
        "// RUN: iree-opt --iree-target %s | FileCheck %s\n"
        "// The output of 3.1.0, which does not have the bug:\n"
        "// CHECK-LABEL: func.func{{.*}}@f\n"
        "// CHECK: x.good\n"
    )
    assert "| `3.1.0` | good |" in Path("out/report.md").read_text()


OOPS, FULL = RuntimeError("oops"), OSError("no space left")
BUNDLE = "report.stage.make_bundle", "could not write the bug report: "
PAST = "report.stage.provenance_of", "could not write the history of the reduction: "
PASS_LEVEL = (
    "driver.stages.second_program.SecondProgram.of",
    "could not write the pass-level reproducer: ",
)


@pytest.mark.parametrize(
    ("place", "error", "quiet"),
    [
        (BUNDLE, OOPS, False),
        (BUNDLE, FULL, True),
        (PAST, FULL, False),
        (PAST, OOPS, False),
        (PASS_LEVEL, OOPS, True),
    ],
)
def test_what_comes_after_the_result_cannot_spoil_it(
    place: tuple[str, str], error: Exception, quiet: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(f"reducer.{place[0]}", fails)
    Path("in.mlir").write_text(program())
    fake = write_script(Path("fake"), FAIL)
    words = ["-q"] * quiet + ["--no-pass-level"] * (place is not PASS_LEVEL)
    done = cli("reduce", "in.mlir", *words, "--", fake.absolute())
    assert done.exit_code == (70 if error is OOPS else 0), done.output
    assert Path("in.reduced.mlir").is_file()
    assert place[1] in done.output and str(error) in done.output
    assert ("internal error in mlir-reducer" in done.output) is (error is OOPS)
    assert Path("in.reduced/report").is_dir() is (place is not BUNDLE)


def test_hostile_text_is_text(failing: Path, tmp_path: Path) -> None:
    write_script(failing, 'if has x.bad; then cat "$input" >&2; exit 1; fi\n')
    text = "```\n# x\n```\n$(touch owned) `touch owned` a'\"b|c"
    name = "we`ird $(touch owned) 'q'.mlir"
    Path(name).write_text(f"{text}\nerror: x.bad {text}\n")
    done = cli("report", name, "-o", "out", "--", "./fake")
    assert done.exit_code == 0, done.output
    assert not list(tmp_path.rglob("owned"))
    lines = Path("out/report.md").read_text().splitlines()
    assert "### Version" in lines


PRIVATE = """// ACME's secret model
module @acme_net attributes {acme.name = "AcmeSeekV9"} {
  func.func @acme_router(%hidden: tensor<4x0xf32>) -> tensor<4x0xf32> {
    %acme = "acme.unknown"(%hidden) {site = "acme/moe.py"} : (tensor<4x0xf32>) -> tensor<4x0xf32>
    return %acme : tensor<4x0xf32>
  }
}
"""


@pytest.mark.iree
def test_a_private_model_is_told_by_no_name(tmp_path: Path) -> None:
    Path("acme.mlir").write_text(PRIVATE.replace("acme.", "x."))
    words = ["--iree", NEWEST_TESTED, "--anonymize", "--", "iree-compile", *HIP]
    done = cli("report", "acme.mlir", *words)
    assert done.exit_code == 0, done.output
    (folder,) = tmp_path.glob("report-*[0-9a-f]")
    assert "--title" in done.stdout and "acme" not in done.stdout.lower()
    for path in [folder, *folder.iterdir()]:
        assert "acme" not in path.name.lower()
        assert path.is_dir() or b"acme" not in path.read_bytes().lower()
    with zipfile.ZipFile(folder.with_name(f"{folder.name}.zip")) as packed:
        assert not [name for name in packed.namelist() if "acme" in name]


@pytest.mark.iree
def test_the_failing_pass_is_no_secret(tmp_path: Path) -> None:
    write_script(Path("fake"), FAIL.replace("x.bad", "bad"))
    Path("in.mlir").write_text('"x.bad"() : () -> ()\n"x.good"() : () -> ()\n')
    quick = "--no-report", "--no-pass-level"
    reduced = cli("reduce", "in.mlir", *quick, "--json", "r.json", "--", "./fake")
    assert reduced.exit_code == 0
    record = json.loads(Path("r.json").read_text())
    program = {"path": "p.mlir", "lines": 1, "ops": 1, "bytes": 1}
    record["pass_level"] = {"pass": "iree-some-pass", "level": "x", "output": program}
    Path("r.json").write_text(json.dumps(record))
    words = ["--iree", NEWEST_TESTED, "--anonymize"]
    done = cli("report", "r.json", *words)
    assert done.exit_code == 0, done.output
    (folder,) = tmp_path.glob("report-*[0-9a-f]")
    assert "`iree-some-pass`" in (folder / "report.md").read_text()


@pytest.mark.iree
def test_a_name_that_the_failure_needs_is_not_told_unasked(tmp_path: Path) -> None:
    needs = 'grep -q secret_name "$input" || exit 0\n'
    write_script(Path("fake"), needs + FAIL.replace("x.bad", "bad"))
    Path("in.mlir").write_text('module @secret_name {\n  "x.bad"() : () -> ()\n}\n')
    words = ["--iree", NEWEST_TESTED, "--anonymize"]
    done = cli("report", "in.mlir", *words, "--", "./fake")
    assert done.exit_code == 4
    assert "secret_name" in done.stderr and "--anonymize=NAME" in done.stderr
    assert not list(tmp_path.glob("report-*"))
    told = cli(
        "report", "in.mlir", "--iree", NEWEST_TESTED, "--anonymize=secret_name", "--", "./fake"
    )
    assert told.exit_code == 0, told.output


@pytest.fixture
def sections(tmp_path: Path) -> OptionalSections:
    oracle = CompilerOracle(Command.parse(["compiler"]), tmp_path / "compiler")
    it = FailingProgram(tmp_path / "in.mlir", "", oracle)
    return OptionalSections(it, tmp_path, lambda facts: (query_of_program(it), ""))


def finding(found: object) -> Callable[..., object]:
    return lambda *_, **__: found


def test_the_pass_level_is_part_of_a_report_if_there_is_one(
    sections: OptionalSections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SecondProgram, "of", finding(None))
    assert sections.pass_level(facts()) == facts()
    level = PassRecord(pass_name="some-pass", level="the input", output=Size(1, 1, 1))
    same = replace(level, same_program=True)
    monkeypatch.setattr(report, "find_rewrite", lambda first, level, judging: level)
    monkeypatch.setattr(SecondProgram, "of", finding(same))
    told = sections.pass_level(facts())
    assert told.pass_file is None and told.pass_name == "some-pass"
