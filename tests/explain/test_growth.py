"""How a number grows with the sizes of a program."""

import threading

import pytest

from oracles import Limits, Outcome
from oracles.metrics.metric import METRICS
from oracles.signature.kind import Kind
from oracles.signature.outcome import Signature
from reducer.explain.growth import growth_of
from reducer.ir import Module

PROGRAM = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<8xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<8xf32>):
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


class Measured:
    """An oracle whose number is a power of the size, and a constant."""

    limits = Limits()
    metric = METRICS["ir-size"]

    def __init__(self, exponent: float, constant: float) -> None:
        self.exponent = exponent
        self.constant = constant

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        size = next(n for n in (8, 16, 32) if f"tensor<{n}x" in str(text))
        number = self.constant + size**self.exponent
        return Outcome(
            Signature(Kind.METRIC), 0, 0.0, numbers=(("value", number), ("reference", 1.0))
        )


@pytest.mark.parametrize(
    ("exponent", "constant", "grows"), [(2.0, 0.0, 2.0), (1.0, 0.0, 1.0), (1.0, 1000.0, None)]
)
def test_growth(exponent: float, constant: float, grows: float | None) -> None:
    """What is almost the same for all sizes does not grow."""
    said: list[str] = []
    found = growth_of(Module.parse(PROGRAM), Measured(exponent, constant), said.append)  # type: ignore[arg-type]
    assert (found and found.exponent) == (grows and pytest.approx(grows))
    assert said[1] == "measure it with the size 16 of tensor<8xf32> dim 0"


def test_equal_sizes_grow_together() -> None:
    """A program repeats one size where nothing ties its places."""
    text = PROGRAM.replace("(tensor<8xf32>)", "(tensor<8xf32>, tensor<8xi8>)").replace(
        "%arg0: tensor<8xf32>", "%arg0: tensor<8xf32>, %arg1: tensor<8xi8>"
    )
    said: list[str] = []
    found = growth_of(Module.parse(text), Measured(2.0, 0.0), said.append)  # type: ignore[arg-type]
    assert found is not None
    assert found.subject == "every dim that is 8"
    assert found.text == "size 8, 16, 32 of every dim that is 8: 64, 256, 1,024 ops (n^2.0)"
