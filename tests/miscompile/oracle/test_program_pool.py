"""Which answers are kept."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from oracles import Limits
from reducer.miscompile.oracle.execution import ExecutionResult, RunContext
from reducer.miscompile.oracle.program_pool import ProgramPool, Question
from reducer.miscompile.values.programs import Function, Value, ValueType


class Side:
    """Gives two elements for any call, and counts the calls."""

    name = key = "side"

    def __init__(self) -> None:
        self.asked = 0

    def build(self, text: str, folder: Path, context: RunContext) -> "Side":
        return self

    def call(
        self, function: Function, inputs: Sequence[str], context: RunContext, *, garbage: int
    ) -> ExecutionResult:
        self.asked += 1
        return ExecutionResult((Value(ValueType("i8", (2,)), (1, 2)),))


@pytest.mark.parametrize(("most", "calls"), [(0, 41), (1 << 20, 40)])
def test_large_answers_are_forgotten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, most: int, calls: int
) -> None:
    monkeypatch.setattr("reducer.miscompile.oracle.program_pool._MOST_ELEMENTS", most)
    side, pool = Side(), ProgramPool("", tmp_path, RunContext(Limits()))
    function = Function("f", (), ())
    for number in (*range(40), 39, 0):
        pool.ask(side, Question("", function, [str(number)]))
    assert side.asked == calls
