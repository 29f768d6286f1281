"""What is read from the output and the files of a compiler."""

import re
from pathlib import Path

import pytest

from oracles.metrics.readings import READERS, MeasuredRun, NoNumber, largest_dumps

TIMING = """\
===-------------------------------------------------------------------------===
                         ... Execution time report ...
===-------------------------------------------------------------------------===
  Total Execution Time: 0.9149 seconds

  ----User Time----  ----Wall Time----  ----Name----
    1.2533 (100.0%)    0.9149 (100.0%)  root
    0.5314 ( 42.4%)    0.5314 ( 58.1%)  'hal.executable' Pipeline
    0.2707 ( 21.6%)    0.2708 ( 29.6%)  Pipeline Collection : ['hal.executable']
    0.3171 ( 25.3%)    0.1896 ( 20.7%)  ApplyPatternsPass
    0.1000 (  5.0%)    0.0500 (  5.0%)  ApplyPatternsPass
    0.0001 (  0.0%)    0.0001 (  0.0%)  CSE
    1.2533 (100.0%)    0.9149 (100.0%)  Total
"""
ONE_COLUMN = "    0.0033 ( 85.5%)  Parser\n    0.0002 (  4.4%)  Canonicalizer\n"
COUNTERS = "DebugCounter counters:\napply-pattern                   : {16,0,1000000000}\n"
STATISTICS = """remark: none
{
"stream-aggregate": {
  "execution": {"dispatch-count": 3, "fill-count": 0},
  "executable": {"executable-count": 1}
}
}
trailing words {
"""


@pytest.mark.parametrize(
    ("metric", "argument", "stdout", "stderr", "expected"),
    [
        ("pass-time", "", "", TIMING, {"ApplyPatternsPass": 0.2396, "CSE": 0.0001}),
        ("pass-time", "", ONE_COLUMN, "", {"Canonicalizer": 0.0002}),
        ("rewrites", "", "", COUNTERS, {"apply-pattern": 16.0}),
        (
            "statistics",
            "",
            STATISTICS,
            "",
            {"dispatch-count": 3.0, "fill-count": 0.0, "executable-count": 1.0},
        ),
        ("statistics", "", "no numbers", "", {}),
        ("script", "", "1 warning\n42.5 ms\n", "", {"": 42.5}),
        ("compile-time", "", "", "", {"": 1.5}),
        ("peak-memory", "", "", "", {"": 4096.0}),
        ("binary-size", "", "", "", {}),
    ],
)
def test_reading(
    tmp_path: Path,
    metric: str,
    argument: str,
    stdout: str,
    stderr: str,
    expected: dict[str, float],
) -> None:
    found = READERS[metric](MeasuredRun(tmp_path, stdout, stderr, 1.5, 4096), argument)
    assert found == pytest.approx(expected)


def dump(folder: Path, name: str, ops: int) -> None:
    path = folder / "ir" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ['"builtin.module"() ({', *(f'  %{n} = "a.b"() : () -> i32' for n in range(ops - 1))]
    path.write_text("\n".join([*lines, "^bb0:", "}) : () -> ()", ""]), encoding="utf-8")


def test_ops_after_passes(tmp_path: Path) -> None:
    """The most ops of all runs of a pass, in the order of the pipeline, not of the names."""
    module = "builtin_module_no-symbol-name"
    dump(tmp_path, f"{module}/10_cse.mlir", 3)
    dump(tmp_path, f"{module}/9_canonicalize.mlir", 5)
    dump(tmp_path, f"{module}/func_func_f/9_1_cse.mlir", 8)
    dump(tmp_path, f"{module}/func_func_g/9_1_cse.mlir", 2)
    run = MeasuredRun(tmp_path, "", "", 0.0, 0)
    found = READERS["ir-size"](run, "")
    assert list(found.items()) == [("canonicalize", 5.0), ("cse", 8.0)]
    dumps = largest_dumps(run)
    assert {name: (one.before, one.place) for name, one in dumps.items()} == {
        "canonicalize": (None, ""),
        "cse": (None, "func_func_f"),
    }


@pytest.mark.parametrize(
    ("pattern", "total"), [("s_load", 2.0), (r"spill_count: (\d+)", 7.0), ("absent", 0.0)]
)
def test_matches_in_assembly(tmp_path: Path, pattern: str, total: float) -> None:
    """How many there are, or the sum of the group."""
    file = tmp_path / "files" / "a.rocmasm"
    file.parent.mkdir()
    file.write_text("s_load x\ns_load y\n.sgpr_spill_count: 3\n.vgpr_spill_count: 4\n")
    (tmp_path / "files" / "a.hsaco").write_bytes(b"s_load")
    assert READERS["asm"](MeasuredRun(tmp_path, "", "", 0.0, 0), pattern) == {"": total}


def test_a_script_that_prints_no_number(tmp_path: Path) -> None:
    with pytest.raises(NoNumber, match="no number on standard output"):
        READERS["script"](MeasuredRun(tmp_path, "nothing\n", "", 0.0, 0), "")


def test_a_group_without_a_number(tmp_path: Path) -> None:
    file = tmp_path / "files" / "a.s"
    file.parent.mkdir()
    file.write_text("vmul x\n")
    with pytest.raises(NoNumber, match=re.escape("the group matches 'mul', which is not a number")):
        READERS["asm"](MeasuredRun(tmp_path, "", "", 0.0, 0), "v(mul)")
