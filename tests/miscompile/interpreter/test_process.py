"""The evaluator's own process, which is started for a call and some of those that follow it."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from oracles import Limits
from reducer.miscompile.interpreter import warm
from reducer.miscompile.interpreter.reference import EvaluatedModule
from reducer.miscompile.oracle.execution import Batched, ExecutionResult, RunContext
from reducer.miscompile.oracle.program_pool import ProgramPool, Question
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


def test_each_of_several_calls_is_as_if_it_were_the_first(tmp_path: Path) -> None:
    context = RunContext(Limits(60))
    found = module(tmp_path, COUNTER).calls(Function("f", (), ()), [["1"], ["2"], ["3"]], context)
    assert [one.results[0].elements for one in found] == [(1,), (2,), (3,)]


def test_a_call_beyond_the_limits_does_not_lose_those_before_it(tmp_path: Path) -> None:
    """By itself it is not judged."""
    context = RunContext(Limits(60, cpu=1.5))
    slow, function = module(tmp_path, SLOW), Function("f", (), ())
    found = slow.calls(function, [["0"], ["1"], ["0"]], context)
    assert [one.results[0].elements for one in found] == [(0,)]
    alone = slow.call(function, ["1"], RunContext(Limits(60, cpu=0.5)), garbage=0)
    assert alone.unsupported == ("a program beyond the limits (timeout)",)


def test_one_process_answers_all_as_a_new_one_would_and_is_replaced_if_it_dies(
    tmp_path: Path,
) -> None:
    counter, function = module(tmp_path, COUNTER), Function("f", (), ())

    def answered(number: int) -> float:
        (result,) = counter.call(function, [str(number)], RunContext(Limits(60)), garbage=0).results
        return (result.elements or ())[0]

    assert [answered(number) for number in (1, 2)] == [1, 2], "nothing is left of the first"
    (keeper,) = {one.pid for one in warm._idle}
    assert answered(3) == 3
    assert {one.pid for one in warm._idle} == {keeper}
    os.kill(keeper, signal.SIGKILL)
    assert answered(4) == 4
    assert {one.pid for one in warm._idle} - {keeper}


@dataclass
class RecordingProgram:
    """A program, and the inputs of each question to it."""

    behind: Batched
    asked: list[list[list[str]]] = field(default_factory=list)

    def call(
        self, function: Function, inputs: Sequence[str], context: RunContext, *, garbage: int
    ) -> ExecutionResult:
        return self.calls(function, [inputs], context)[0]

    def calls(
        self, function: Function, each: Sequence[Sequence[str]], context: RunContext
    ) -> list[ExecutionResult]:
        self.asked.append([list(inputs) for inputs in each])
        return self.behind.calls(function, each, context)


class Recording:
    """Makes the same program of every module."""

    name = key = "recording"

    def __init__(self, behind: Batched) -> None:
        self.program = RecordingProgram(behind)

    def build(self, text: str, folder: Path, context: RunContext) -> RecordingProgram:
        return self.program


def test_what_follows_is_asked_ahead(tmp_path: Path) -> None:
    """Twice as much each time, since the first inputs show most of what is wrong."""
    side = Recording(module(tmp_path, COUNTER))
    pool = ProgramPool(COUNTER, tmp_path, RunContext(Limits(60)))
    words = [[str(number)] for number in range(9)]
    for number, inputs in enumerate(words):
        later = partial(words.__getitem__, slice(number + 1, None))
        question = Question(COUNTER, Function("f", (), ()), inputs, following=later)
        given = pool.ask(side, question)
        assert given is not None and given.results[0].elements == (number,)
    assert side.program.asked == [words[0:2], words[2:5], words[5:9]]


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [("__main__", "oracles"), ("reference", "numpy")],
)
def test_what_starts_soon_loads_little(module: str, unwanted: str) -> None:
    """The oracles would double the time that the process takes to start."""
    name = f"reducer.miscompile.interpreter.{module}"
    code = f"import sys, {name}; sys.exit({unwanted!r} in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
