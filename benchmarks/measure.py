"""Measure one reduction: the figures that the tool reports, and an independent check of them."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.plant import plant
from oracles import Limits
from reducer.conversions import OptPrinter
from reducer.ir import Module
from tests.support.corpus import Case, Run

LIMITS = Limits(seconds=600)


@dataclass(frozen=True)
class Budget:
    """Limits for one reduction."""

    jobs: int
    max_seconds: int


@dataclass(frozen=True)
class Row:
    """One case on one compiler version. Sizes of results are None if there is no result."""

    case: str
    wheel: str
    layers: int
    """Layers around the planted trigger; 0 for an input that is reduced as it is."""
    status: str
    """`reduced`, `failed`, or the reason why it was not run."""
    same_failure: bool = False
    """Whether a fresh compiler run on the result fails as the manifest says, like the input."""
    verified: bool = False
    one_minimal: bool = False
    input_ops: int | None = None
    ops: int | None = None
    expert_ops: int | None = None
    characters: int | None = None
    expert_characters: int | None = None
    lines: int | None = None
    calls: int | None = None
    compiler_seconds: float | None = None
    full_run_equivalents: float | None = None
    wall_seconds: float | None = None
    whole_seconds: float | None = None
    """CPU seconds of the whole run, with its own work, the pass level, and the report."""
    elsewhere_seconds: float | None = None
    """CPU seconds of the compilers that were asked whether it is the same bug."""
    message: str = ""

    @property
    def key(self) -> str:
        """A name for the measurement, so that it is not repeated."""
        return "-".join([self.case, self.wheel, *([str(self.layers)] if self.layers else [])])


def input_of(case: Case, layers: int) -> str:
    """The case's own input, or else its trigger in `layers` layers (alone if 0)."""
    text = case.input_text()
    return text if case.packed_input or not layers else plant(text, layers)


def measure(
    case: Case,
    run: Run,
    layers: int,
    folder: Path,
    budget: Budget,
    words: Sequence[str] | None = None,
) -> Row:
    """Reduce the case's own input, or else its trigger in `layers` layers (alone if 0).

    Works in `folder`, which is emptied first and then holds the input, result and report. `words`
    are the arguments of the program, if they are not those of the case.
    """
    words = case.words(run) if words is None else words
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = input_of(case, layers)
    (folder / "input.mlir").write_text(text, encoding="utf-8")
    opt = run.opt()
    before = _spent()
    report, message = _reduce(folder, words, budget)
    whole = _spent() - before
    output = report.get("output", {})
    oracle = report.get("oracle", {})
    return Row(
        case=case.name,
        wheel=run.wheel,
        layers=0 if case.packed_input else layers,
        status="reduced" if report else "failed",
        same_failure=bool(report) and _fails_alike(folder, case, run, words, report["bucket"]),
        verified=report.get("verified", False),
        one_minimal=report.get("one_minimal", False),
        input_ops=report.get("input", {}).get("ops"),
        **sizes(folder / "reduced.mlir", opt, ""),
        **sizes(case.expert(run), opt, "expert_"),
        lines=output.get("lines"),
        calls=oracle.get("calls"),
        compiler_seconds=oracle.get("cpu_seconds"),
        full_run_equivalents=oracle.get("full_run_equivalents"),
        wall_seconds=report.get("wall_seconds"),
        whole_seconds=round(whole, 2),
        elsewhere_seconds=(report.get("health") or {}).get("cpu_seconds", 0.0),
        message=message,
    )


def save(row: Row, folder: Path) -> None:
    """Store a finished measurement next to its result."""
    (folder / "row.json").write_text(json.dumps(asdict(row), indent=2) + "\n", encoding="utf-8")


def load(folder: Path) -> Row | None:
    """The measurement that `save` stored there, if there is one."""
    try:
        return Row(**json.loads((folder / "row.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _spent() -> float:
    """The CPU seconds of all finished child processes, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _reduce(folder: Path, words: Sequence[str], budget: Budget) -> tuple[dict[str, Any], str]:
    """Run the tool; return its report (empty without one) and the last line it printed."""
    command = [
        sys.executable, "-m", "reducer", "reduce", str(folder / "input.mlir"),
        "-o", str(folder / "reduced.mlir"), "--json", "-", "--fresh",
        "--jobs", str(budget.jobs), "--max-seconds", str(budget.max_seconds),
        *words,
    ]  # fmt: skip
    with (folder / "log.txt").open("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
        try:
            printed = process.communicate(timeout=2 * budget.max_seconds + 60)[0]
        except subprocess.TimeoutExpired:
            return {}, "did not keep to its budget"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        log.seek(0)
        last = (log.read().strip().splitlines() or [""])[-1]
    try:
        report = json.loads(printed)
    except ValueError:
        return {}, f"exit code {process.returncode}: {last}"
    (folder / "report.json").write_text(printed, encoding="utf-8")
    return report, "" if process.returncode == 0 else f"exit code {process.returncode}: {last}"


def _fails_alike(folder: Path, case: Case, run: Run, words: Sequence[str], bucket: str) -> bool:
    """Check the result with a compiler run that is independent of the reduction."""
    if case.execution is not None:
        check = ["check", str(folder / "reduced.mlir"), "--json", "-", *words]
        done = subprocess.run(
            [sys.executable, "-m", "reducer", *check], capture_output=True, text=True, check=False
        )
        return done.returncode == 0 and bool(json.loads(done.stdout)["bucket"] == bucket)
    oracle = run.oracle(run.limits(LIMITS.seconds))
    outcome = oracle.run((folder / "reduced.mlir").read_text(encoding="utf-8"))
    return (
        outcome.signature.bucket == bucket
        and outcome.kind == run.kind
        and run.message in outcome.stderr
    )


def sizes(path: Path | None, opt: Path, prefix: str) -> dict[str, Any]:
    """Ops and characters of a file, without comments and surrounding whitespace."""
    if path is None or not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.lstrip().startswith("//")).strip()
    generic = OptPrinter(opt, LIMITS).generic(text)
    ops = Module.parse(generic).op_count if generic else None
    return {f"{prefix}ops": ops, f"{prefix}characters": len(text)}
