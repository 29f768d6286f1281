"""The second reproducer: the content of its file, and that it fails."""

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import Mock

import pytest

from oracles import Command, CompilerOracle, Kind, Level, Limits, PatternOracle, run_process
from reducer.driver.stages.second_program import PassReport, size_of
from reducer.storage.result_folder import ResultFolder
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.pass_level import reduce_pass_level
from tests.support.silent import Silent

LIMITS = Limits(memory=8 << 30)


Make = Callable[..., tuple[PassReport | None, str]]
INVALID = "reduce-f8-add-hip-readlane"


def make_in(
    folder: Path, case: Case, toolchain: Toolchain, level: Level, **options: object
) -> tuple[PassReport | None, str]:
    """The pass-level reproducer of a case: the report, and the file without comments."""
    how = case.runs[0]
    text = (case.folder / str(how.expert)).read_text()
    command = Command.parse(["iree-compile", *how.flags])
    oracle = CompilerOracle(command, toolchain.compile, limits=LIMITS, level=level)
    output = folder / "model.reduced.mlir"
    report = reduce_pass_level(
        text,
        oracle=oracle,
        target=oracle.run(text).signature,
        opt=toolchain.opt,
        output=output,
        **({"listener": Silent(), "stop": threading.Event()} | options),  # type: ignore[arg-type]
    )
    file = ResultFolder.of(output).before_pass
    if report is None:
        assert not file.exists()
        return None, ""
    whole = file.read_text()
    assert whole.startswith("// RUN: iree-opt ")
    return report, "".join(line for line in whole.splitlines(True) if line[:2] != "//")


@pytest.fixture
def make(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case], tmp_path: Path
) -> Make:
    """Makes the pass-level reproducer of the case with this name."""

    def run(
        name: str, level: Level = Level.NORMAL, **options: object
    ) -> tuple[PassReport | None, str]:
        case = corpus(name)
        return make_in(tmp_path, case, iree_toolchain(case.runs[0].wheel), level, **options)

    return run


@dataclass(frozen=True)
class Whole:
    """What was made of the invalid op, its file with all comments, and the journal."""

    report: PassReport
    text: str
    file: str
    journal: Path


@pytest.fixture(scope="module")
def whole(
    iree_toolchain: Callable[..., Toolchain],
    corpus: Callable[[str], Case],
    tmp_path_factory: pytest.TempPathFactory,
) -> Whole:
    folder, case = tmp_path_factory.mktemp("whole"), corpus(INVALID)
    toolchain = iree_toolchain(case.runs[0].wheel)
    journal = folder / "journal"
    report, text = make_in(folder, case, toolchain, Level.NORMAL, journal=journal)
    assert report
    file = ResultFolder(folder / "model.reduced").before_pass.read_text()
    return Whole(report, text, file, journal)


@pytest.mark.iree
def test_the_ir_that_a_pass_breaks(whole: Whole, tmp_path: Path) -> None:
    """What the pass leaves is invalid; it is what the pass receives that shows the bug."""
    report, text = whole.report, whole.text
    assert report.pipeline == "builtin.module(func.func(iree-codegen-expand-gpu-ops))"
    assert report.pass_name == "iree-codegen-expand-gpu-ops"
    assert "rocdl.readlane" not in text and "gpu.subgroup_reduce" in text
    assert report.signature.stage != "input"
    assert report.level.startswith("cut from the IR before iree-codegen-expand-gpu-ops, reached ")
    without = [word for word in report.command if not word.startswith("--pass-pipeline")]
    assert run_process(without, cwd=tmp_path, limits=LIMITS).exit_code == 0


@pytest.mark.iree
def test_a_function_without_its_executable(make: Make, tmp_path: Path) -> None:
    report, text = make("seed-21014-topk-bufferize-40")
    assert report
    assert report.pipeline == "builtin.module(func.func(iree-llvmgpu-lower-executable-target))"
    assert report.signature.kind is Kind.BUFFERIZATION
    assert "iree_linalg_ext.sort" in text
    assert "hal.executable" not in text
    assert report.output.ops <= 6
    assert report.verified
    # Run the command exactly as the report prints it.
    again = run_process(report.command, cwd=tmp_path, limits=LIMITS)
    assert again.exit_code == 1
    assert "failed to bufferize op" in again.stderr


@pytest.mark.iree
@pytest.mark.parametrize(("level", "jobs"), [(Level.LOOSE, 1), (Level.STRICT, 2)])
def test_a_crash_seen_less_or_more_strictly(make: Make, level: Level, jobs: int) -> None:
    """With one worker, or with a second one that runs ahead."""
    report, text = make("matmul-k0-sigfpe", level, jobs=jobs)
    assert report
    assert report.pipeline == "builtin.module(iree-flow-annotate-dispatches)"
    assert report.signature.kind is Kind.CRASH
    assert report.signature.level == level
    assert "linalg.matmul" in text
    assert report.output.ops <= 12


@pytest.mark.iree
def test_a_small_budget_leaves_something_larger_that_fails_too(make: Make) -> None:
    report, _ = make("matmul-k0-sigfpe", calls=8)
    assert report
    assert report.verified
    assert not report.one_minimal
    assert report.output.ops > 12


@pytest.mark.iree
def test_no_budget_and_no_patience_leave_nothing(make: Make) -> None:
    stop = threading.Event()
    stop.set()
    assert make("matmul-k0-sigfpe", stop=stop) == (None, "")
    assert make("matmul-k0-sigfpe", until=0.0) == (None, "")


@pytest.mark.iree
@pytest.mark.slow
def test_what_the_pass_of_issue_20548_receives(make: Make) -> None:
    """Not the `linalg.batch_matmul` of 3 and 4 dims that it makes, which no pass accepts."""
    report, text = make("seed-20548-batch-matmul-collapse")
    assert report
    assert report.pipeline == "builtin.module(util.func(iree-codegen-convolution-to-igemm))"
    assert report.pass_name == "iree-codegen-convolution-to-igemm"
    made = [line.partition(" = ")[2].split()[0] for line in text.splitlines() if " = " in line]
    assert [op for op in made if "." in op] == [
        "linalg.generic",
        "tensor.collapse_shape",
        "linalg.batch_matmul",
    ]


@pytest.mark.iree
def test_what_was_run_before_an_interruption_is_not_run_again(
    make: Make, whole: Whole, tmp_path: Path
) -> None:
    def alone(**options: object) -> tuple[PassReport | None, str]:
        return make(INVALID, journal=tmp_path / "journal", **options)

    calls = whole.report.costs.calls
    file = ResultFolder(tmp_path / "model.reduced").before_pass
    mark = "\n// not fully reduced: "
    assert mark not in whole.file
    part, _ = alone(calls=calls // 2)
    assert part is not None
    assert part.output.bytes > whole.report.output.bytes
    assert mark in file.read_text()
    file.unlink()
    rest, again = alone()
    assert rest
    assert again == whole.text
    assert rest.costs.calls <= calls - calls // 2 + 3, "files are confirmed, and an end costs a run"
    same, again = alone()
    assert same
    assert again == whole.text
    assert same.costs.calls == 2, "the tool lists its passes, and the file is confirmed"


@pytest.mark.iree
def test_an_interrupted_one_leaves_no_file(make: Make, whole: Whole, tmp_path: Path) -> None:
    """It would be reduced half the way."""
    stop = threading.Event()
    journal = shutil.copy(whole.journal, tmp_path / "journal")  # so that it gets there soon

    class Interrupting(Silent):
        def phase(self, name: str) -> None:
            if "polish" in name:
                stop.set()

    report, _ = make(INVALID, listener=Interrupting(), stop=stop, journal=journal)
    assert stop.is_set()
    assert report is None


def test_only_a_compiler_has_passes(tmp_path: Path) -> None:
    inner = CompilerOracle(Command.parse(["false"]), Path("/bin/false"))
    oracle = PatternOracle(inner, exit_code=1)
    output = tmp_path / "out.mlir"
    for opt in (None, Path("/bin/false")):
        report = reduce_pass_level(
            "",
            oracle=oracle if opt else inner,
            target=inner.run("").signature,
            opt=opt,
            output=output,
            listener=Silent(),
            stop=threading.Event(),
        )
        assert report is None
    assert not ResultFolder.of(output).before_pass.exists()


@pytest.mark.parametrize(
    ("generic", "ops"),
    [
        ('"builtin.module"() ({\n  "t.a"() : () -> ()\n  "t.b"() : () -> ()\n}) : () -> ()\n', 2),
        (None, 3),
        ("no", 3),
    ],
    ids=["read by the tool", "not read", "not understood"],
)
def test_the_lines_of_what_no_tool_reads_count_as_ops(generic: str | None, ops: int) -> None:
    printer = Mock()
    printer.generic.return_value = generic
    assert size_of("a\nb\nc\n", printer).ops == ops
