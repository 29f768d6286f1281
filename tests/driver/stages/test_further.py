"""What else fails in an input is not lost when one of its failures is reduced."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli import main
from tests.support.fake_compilers import write_script
from tests.support.opt_tools import MLIR_OPT, find_opt

_SEVERAL = """
"builtin.module"() ({
  "func.func"() <{function_type = (memref<4xf32>) -> memref<8xf32>, sym_name = "a"}> ({
  ^bb0(%m: memref<4xf32>):
    %0 = "memref.cast"(%m) : (memref<4xf32>) -> memref<8xf32>
    "func.return"(%0) : (memref<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>, index) -> f32, sym_name = "b"}> ({
  ^bb0(%t: tensor<4xf32>, %i: index):
    %0 = "tensor.extract"(%t, %i, %i) : (tensor<4xf32>, index, index) -> f32
    "func.return"(%0) : (f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i64) -> i32, sym_name = "c"}> ({
  ^bb0(%x: i32, %y: i64):
    %0 = "arith.addi"(%x, %y) : (i32, i64) -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""
_FOLLOWING = """
"builtin.module"() ({
  "func.func"() <{function_type = (i32, i64) -> f32, sym_name = "c"}> ({
  ^bb0(%x: i32, %y: i64):
    %0 = "arith.addi"(%x, %y) : (i32, i64) -> i32
    %1 = "arith.negf"(%0) : (i32) -> f32
    "func.return"(%1) : (f32) -> ()
  }) : () -> ()
}) : () -> ()
"""


@pytest.mark.parametrize(
    ("text", "others"),
    [(_SEVERAL, {"tensor.extract", "arith.addi"}), (_FOLLOWING, set())],
    ids=["several", "one that follows"],
)
def test_other_failures_of_the_input_are_kept(
    text: str, others: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_opt()
    monkeypatch.chdir(tmp_path)
    Path("in.mlir").write_text(text)

    def reduce(*words: str) -> str:
        done = CliRunner().invoke(
            main, ["reduce", "in.mlir", "--no-report", "--no-pass-level", *words]
        )
        assert done.exit_code == 0, done.output
        return done.stderr

    said = reduce("--", MLIR_OPT)
    kept = [json.loads(path.read_text()) for path in Path("in.reduced").rglob("signature.json")]
    assert {re.findall(r"'([\w.]+)' op", one["text"])[0] for one in kept} == others
    assert ("the input has other failures too" in said) == bool(others)
    if others:
        advised = shlex.split(said[said.index("--match '") :].splitlines()[0])
        reduce("-o", "other.mlir", *advised, "--", MLIR_OPT)
        assert "tensor.extract" in Path("other.mlir").read_text()


def test_other_errors_in_text_that_no_tool_prints_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    write_script(
        Path("fake"),
        """#!/bin/sh
        grep -q one $1 && echo "$1:1:1: error: cannot lower the first" >&2
        grep -q two $1 && echo "$1:2:1: error: not supported: the second" >&2
        ! grep -q 'one\\|two' $1
        """,
    )
    Path("in.txt").write_text("one {}\ntwo {}\nthree {}\n")
    done = CliRunner().invoke(main, ["reduce", "in.txt", "--no-report", "--", "./fake"])
    assert done.exit_code == 0, done.output
    assert "the input has other failures too (not supported: the second)" in done.stderr
