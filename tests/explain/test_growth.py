"""How a number grows with the sizes of a program."""

from collections.abc import Callable

import pytest

from oracles import Outcome
from oracles.signature.kind import Kind
from oracles.signature.outcome import Signature
from reducer.explain.growth import growth_of
from reducer.ir import Module

PROGRAM = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<8xf32, {a = 1}>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<8xf32, {a = 1}>):
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


class Measured:
    """Runs whose number is that of a function of what the program repeats."""

    def __init__(self, number: Callable[[int, int], float]) -> None:
        self.number = number
        self.runs = 0

    def run(self, text: str) -> Outcome:
        self.runs += 1
        size = next(n for n in (8, 16, 32) if f"tensor<{n}x" in text)
        number = self.number(size, text.count("a.op"))
        return Outcome(
            Signature(Kind.METRIC), 0, 0.0, numbers=(("value", number), ("reference", 1.0))
        )


SIZES, OPS = "size 8, 16, 32 of tensor<8xf32, {a = 1}> dim 0", "16, 32, 64 ops"


@pytest.mark.parametrize(
    ("number", "grows"),
    [
        (lambda size, ops: size**2, f"{SIZES}: 64, 256, 1,024 ops (n^2.0)"),
        (lambda size, ops: size, f"{SIZES}: 8, 16, 32 ops (n^1.0)"),
        # What is almost the same for all sizes does not grow.
        (lambda size, ops: 1000 + size, None),
        # Not by the sizes of types, with which it grows a little, but by the number of ops.
        (lambda size, ops: ops**2 + size, f"{OPS}: 264, 1,032, 4,104 ops (n^2.0)"),
        # Two steps that do not agree have no exponent.
        (lambda size, ops: max(size - 7.5, 10.0), f"{SIZES}: 10, 10, 24.5 ops"),
    ],
)
def test_growth(number: Callable[[int, int], float], grows: str | None) -> None:
    said: list[str] = []
    measured = Measured(number)
    op = '"a.op"(%arg0) : (tensor<8xf32, {a = 1}>) -> f32'
    ops = "".join(f"    %{n} = {op}\n" for n in range(64))
    module = Module.parse(PROGRAM.replace('    "func.return', f'{ops}    "func.return'))
    found = growth_of(module, "ops", measured.run, said.append)
    assert (found and found.text) == grows
    assert said[0] == "measure it with size 16 of tensor<8xf32, {a = 1}> dim 0"
    assert measured.runs == 1 + len(said)


def test_equal_sizes_grow_together() -> None:
    """A program repeats one size where nothing ties its places."""
    text = PROGRAM.replace(", {a = 1}>)", ">, tensor<8xi8>)", 1).replace(
        ", {a = 1}>):", ">, %arg1: tensor<8xi8>):"
    )
    found = growth_of(Module.parse(text), "ops", Measured(lambda size, ops: size**2).run)
    assert found is not None
    assert found.text == "size 8, 16, 32 of every dim that is 8: 64, 256, 1,024 ops (n^2.0)"
