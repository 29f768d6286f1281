"""What is read from the output and the files of a compiler."""

import re
from pathlib import Path

import pytest

from oracles.metrics.readings import READERS, Dumps, MeasuredRun, NoNumber, PassDump, counterpart

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
    """Of all ops that a pass ran on, in the order of the pipeline; the names are not in order."""
    module = "builtin_module_no-symbol-name"
    dump(tmp_path, f"{module}/10_cse.mlir", 3)
    dump(tmp_path, f"{module}/9_canonicalize.mlir", 5)
    dump(tmp_path, f"{module}/func_func_f/9_1_cse.mlir", 8)
    dump(tmp_path, f"{module}/func_func_g/9_1_cse.mlir", 2)
    run = MeasuredRun(tmp_path, "", "", 0.0, 0)
    found = READERS["ir-size"](run, "")
    assert list(found.items()) == [("canonicalize", 5.0), ("cse", 10.0), ("", 3.0)]
    assert {name: (one.added, one.place) for name, one in Dumps(run).passes.items()} == {
        "canonicalize": (None, ""),
        "cse": (-2.0, "func_func_f"),
    }


MODULE = """\
// -----// IR Dump After CSE (cse) //----- //
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    %0 = "a.b"() ({
      "a.c"() : () -> ()
    }) : () -> i32
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_what_a_pass_gets_is_what_an_op_around_it_has(tmp_path: Path) -> None:
    """Nothing is written before a pass: its function is looked for in the module."""
    place = tmp_path / "ir" / "builtin_module_no-symbol-name"
    dump(tmp_path, f"{place.name}/func_func_f/0_1_unroll.mlir", 9)
    (place / "0_cse.mlir").write_text(MODULE, encoding="utf-8")
    dump(tmp_path, f"{place.name}/func_func_f/0_2_iree-hal-serialize-all-executables.mlir", 1)
    dumps = Dumps(MeasuredRun(tmp_path, "", "", 0.0, 0))
    assert [one.added for one in dumps.passes.values()] == [None, 5.0, -8.0]
    assert dumps.end == 10, "before it is machine code"


@pytest.mark.parametrize(("ops", "added"), [(4, 0.0), (3, 1.0)])
def test_a_pass_on_a_module_adds_what_its_functions_gain(
    tmp_path: Path, ops: int, added: float
) -> None:
    """All that it leaves is more than one function had, but no growth."""
    place = tmp_path / "ir" / "builtin_module_no-symbol-name"
    dump(tmp_path, f"{place.name}/func_func_f/0_1_unroll.mlir", ops)
    (place / "1_cse.mlir").write_text(MODULE, encoding="utf-8")
    dumps = Dumps(MeasuredRun(tmp_path, "", "", 0.0, 0))
    assert [one.added for one in dumps.passes.values()] == [None, added]


def test_a_renamed_pass_is_known_by_its_place_and_by_what_it_gets() -> None:
    first, last = PassDump(10.0, None, ""), PassDump(40.0, 0.0, "")
    own = {"a": first, "new": PassDump(40.0, 30.0, ""), "z": last}
    others = {
        "a": first,
        "small": PassDump(4.0, 1.0, ""),
        "old": PassDump(12.0, 1.0, ""),
        "z": last,
    }
    assert counterpart("new", own, others) == others["old"]
    assert counterpart("new", own, {"a": first, "z": last}) is None
    assert counterpart("a", own, others) == first


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
