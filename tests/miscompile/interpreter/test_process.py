"""The evaluator's own process, which is started for a call and some of those that follow it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from oracles import Limits
from reducer.miscompile.interpreter import warm
from reducer.miscompile.interpreter.reference import EvaluatedModule
from reducer.miscompile.oracle.execution import RunContext
from reducer.miscompile.values.programs import Function

COUNTER = """\
"builtin.module"() ({
  "ml_program.global"() <{is_mutable, sym_name = "sum", type = i32, value = 0 : i32}> : () -> ()
  "func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
  ^bb0(%arg0: i32):
    %0 = "ml_program.global_load"() <{global = @sum}> : () -> i32
    %1 = "arith.addi"(%0, %arg0) : (i32, i32) -> i32
    "ml_program.global_store"(%1) <{global = @sum}> : (i32) -> ()
    "func.return"(%1) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""

SLOW = """\
"builtin.module"() ({
  "func.func"() <{function_type = (i1) -> i1, sym_name = "f"}> ({
  ^bb0(%arg0: i1):
    %c0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %c1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %most = "arith.constant"() <{value = 100000 : index}> : () -> index
    %n = "arith.select"(%arg0, %most, %c0) : (i1, index, index) -> index
    %0 = "scf.for"(%c0, %n, %c1, %arg0) ({
    ^bb0(%i: index, %a: i1):
      %1 = "scf.for"(%c0, %n, %c1, %a) ({
      ^bb0(%j: index, %b: i1):
        "scf.yield"(%b) : (i1) -> ()
      }) : (index, index, index, i1) -> i1
      "scf.yield"(%1) : (i1) -> ()
    }) : (index, index, index, i1) -> i1
    "func.return"(%0) : (i1) -> ()
  }) : () -> ()
}) : () -> ()
"""


def module(folder: Path, text: str) -> EvaluatedModule:
    path = folder / "generic.mlir"
    path.write_text(text, encoding="utf-8")
    return EvaluatedModule(path)


def test_a_call_beyond_the_limits_does_not_end_those_after_it(tmp_path: Path) -> None:
    """By itself it is not judged."""
    slow, function = module(tmp_path, SLOW), Function("f", (), ())
    first, last = (
        slow.call(function, [given], RunContext(Limits(60, cpu=0.5)), garbage=0) for given in "10"
    )
    assert first.unsupported == ("a program beyond the limits (timeout)",)
    assert tuple(last.results[0].elements) == (0,)


def test_one_process_answers_all_as_a_new_one_would_and_is_replaced_if_it_dies(
    tmp_path: Path,
) -> None:
    counter, function = module(tmp_path, COUNTER), Function("f", (), ())

    def answered(number: int) -> float:
        (result,) = counter.call(function, [str(number)], RunContext(Limits(60)), garbage=0).results
        return float(result.elements[0])

    assert [answered(number) for number in (1, 2)] == [1, 2], "nothing is left of the first"
    (keeper,) = {one.pid for one in warm._idle}
    assert answered(3) == 3
    assert {one.pid for one in warm._idle} == {keeper}
    os.kill(keeper, signal.SIGKILL)
    assert answered(4) == 4
    assert {one.pid for one in warm._idle} - {keeper}


def test_what_starts_soon_loads_little() -> None:
    """The oracles would double the time that the process takes to start."""
    name = "reducer.miscompile.interpreter.__main__"
    code = f"import sys, {name}; sys.exit('oracles' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "text, loaded", [('%0 = "torch.operator"(%a)', True), ("torch.aten", False)]
)
def test_what_every_copy_would_load_is_loaded_once(tmp_path: Path, text: str, loaded: bool) -> None:
    """The reference of ONNX takes a third of a second, an answer about one op a hundredth."""
    path = tmp_path / "generic.mlir"
    path.write_text(text, encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from reducer.miscompile.interpreter import warm; "
        "warm.load_for(Path(sys.argv[1])); print('onnx.reference' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.stdout == f"{loaded}\n"
