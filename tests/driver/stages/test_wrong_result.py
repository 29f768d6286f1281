"""What makes a wrong result is cut out before anything else is tried."""

from itertools import pairwise
from pathlib import Path

import pytest

from oracles import Command
from oracles.base import Capabilities
from reducer.ir import Module
from tests.support.predicate import PredicateOracle
from tests.support.reducing import reduced_by

KIND = "tensor<4xf32>"
LAYERS = 40


def planted(wrong: str) -> str:
    """A function whose second result is `wrong`, between results of many layers."""
    lines = [f'%0 = "t.layer"(%a) : ({KIND}) -> {KIND}']
    lines += [
        f'%{number} = "t.layer"(%{number - 1}) : ({KIND}) -> {KIND}' for number in range(1, LAYERS)
    ]
    lines[20:20] = [
        f'%made = "t.made"(%b) : ({KIND}) -> {KIND}',
        f'%bad = "t.bad"(%made) : ({KIND}) -> {KIND}',
    ]
    for name in ("x", "y"):  # two more ends, so that halving does not isolate the wrong one at once
        chain = (f"%{name}{number}" for number in range(4))
        lines[10:10] = [
            f'{value} = "t.{name}"({before}) : ({KIND}) -> {KIND}'
            for before, value in pairwise(("%a", *chain))
        ]
    types = f"({KIND}, {KIND})"
    body = "\n".join(lines)
    return (
        f'"func.func"() <{{function_type = {types} -> {types}, sym_name = "f"}}> ({{\n'
        f"^bb0(%a: {KIND}, %b: {KIND}):\n{body}\n"
        f'"func.return"(%{LAYERS - 1}, {wrong}) : {types} -> ()\n'
        "}) : () -> ()"
    )


class WrongResult(PredicateOracle):
    """One result of a function is wrong as long as both of its ops are there."""

    long_inputs = ""
    unconfirmed = None

    def __init__(self, wrong: tuple[str, int] | None) -> None:
        super().__init__(lambda text: "t.bad" in text and "t.made" in text)
        self.wrong = wrong

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(None, results=self)

    def wrong_result(self) -> tuple[str, int] | None:
        return self.wrong

    def objection(self) -> str:
        return ""

    def pinned(self, text: str) -> "WrongResult":
        return self

    def with_command(self, command: Command) -> "WrongResult":
        raise ValueError("there is no command")

    def steps(self, input_name: str, values_name: str) -> list[list[str]]:
        return []

    def input_steps(self, input_name: str) -> list[list[str]]:
        return []


@pytest.mark.parametrize(
    ("wrong", "value", "is_cut"),
    [
        (("f", 1), "%bad", True),
        (("f", 1), "%b", False),  # an argument, which nothing makes
        (("f", 7), "%bad", False),
        (("g", 1), "%bad", False),
        (None, "%bad", False),
    ],
)
def test_the_slice_of_the_wrong_result_is_the_first_candidate(
    tmp_path: Path, wrong: tuple[str, int] | None, value: str, is_cut: bool
) -> None:
    oracle = WrongResult(wrong)
    reduced_by(oracle, tmp_path, planted(value))
    sizes = [Module.parse(text).op_count for text in oracle.texts if "t." in text]
    first = next(size for size in sizes if size < sizes[0])
    assert (first <= 5) is is_cut
