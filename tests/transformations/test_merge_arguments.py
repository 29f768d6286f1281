"""Merging arguments."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from reducer.ir import Module
from tests.support.sides import function
from tests.support.transforming import TRANSFORMATIONS


def with_arguments(count: int) -> Module:
    """A function with this many arguments of one type, all of them used."""
    arguments = [f"%arg{number}" for number in range(count)]
    uses = f'"t.use"({", ".join(arguments)}) : ({", ".join(["f32"] * count)}) -> ()'
    return Module.parse(
        function(
            f'{uses}\n"func.return"() : () -> ()',
            arguments=", ".join(f"{argument}: f32" for argument in arguments),
        )
    )


def calls_made(work: Callable[[], object]) -> int:
    """The number of function calls made, which is more reliable than a clock."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("all_at_once", [False, True])
def test_the_work_is_linear_in_the_number_of_arguments(all_at_once: bool) -> None:
    def merge(module: Module) -> None:
        sites = TRANSFORMATIONS["merge arguments"].sites(module)
        TRANSFORMATIONS["merge arguments"].apply(module, sites if all_at_once else sites[-1:])

    few, many = with_arguments(50), with_arguments(200)
    assert calls_made(lambda: merge(many)) < 6 * calls_made(lambda: merge(few))
