"""Carving any subset of any module leaves a well-formed module."""

from hypothesis import given
from hypothesis import strategies as st

from reducer.ir import Module
from reducer.transformations import Abi, Units, carve
from tests.support.modules import modules
from tests.support.sides import function
from tests.support.wellformed import problems


@given(modules(), st.data())
def test_any_subset_is_well_formed(text: str, data: st.DataObject) -> None:
    module = Module.parse(text)
    units = Units.of(module)
    flags = data.draw(st.lists(st.booleans(), min_size=len(units.units), max_size=len(units.units)))
    keep = [unit for unit, kept in zip(units.units, flags, strict=True) if kept]
    after = Module.parse(carve(units, keep, Abi(frozenset({"!t.box"}))))
    assert problems(after) == []


def test_configuration_goes_with_its_last_user() -> None:
    text = function(
        """
        %0 = "t.int"() : () -> !t.int
        %1 = "t.list"(%0) : (!t.int) -> !t.list<int>
        %2 = "t.view"(%arg0, %1) : (tensor<4xf32>, !t.list<int>) -> tensor<4xf32>
        %3 = "t.neg"(%2) : (tensor<4xf32>) -> tensor<4xf32>
        "func.return"(%3) : (tensor<4xf32>) -> ()
        """,
        arguments="%arg0: tensor<4xf32>",
        results="tensor<4xf32>",
    )
    module = Module.parse(text)
    units = Units.of(module)
    list_and_negation = [units.units[1], units.units[3]]
    after = Module.parse(carve(units, list_and_negation, Abi.of(module)))
    assert [after.t.name[u] for u in Units.of(after).units] == ["t.neg"]


def test_a_private_function_that_lost_its_callers_becomes_public() -> None:
    text = """\
"builtin.module"() ({
  "func.func"() <{function_type = () -> i32, sym_name = "main"}> ({
    %0 = "t.call"() {callee = @helper} : () -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> i32, sym_name = "helper", sym_visibility = "private"}> ({
    %0 = "t.one"() : () -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""
    module = Module.parse(text)
    units = Units.of(module)
    call, one = units.units
    alone, called = (carve(units, [unit], Abi.of(module)) for unit in (one, call))
    assert "main" not in alone and "private" not in alone
    assert "main" in called and "private" in called


@given(modules())
def test_keeping_everything_keeps_every_unit(text: str) -> None:
    module = Module.parse(text)
    units = Units.of(module)
    after = Module.parse(carve(units, units.units, Abi.of(module)))
    assert [after.t.name[u] for u in Units.of(after).units] == [
        module.t.name[u] for u in units.units
    ]
