"""Globals change their types with what is loaded from them and stored there."""

from reducer.ir import Module
from reducer.ir.elements import ElementTypes
from reducer.ir.globals import passed_by_globals
from reducer.ir.sizes import SizeSystem
from tests.support.wellformed import problems

TEXT = """\
"builtin.module"() ({
  "t.global"() <{init = dense<0.0> : tensor<4xf16>, sym_name = "a", type = tensor<4xf16>}> : () -> ()
  "t.global"() <{sym_name = "unused", type = tensor<4xf16>}> : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    %0 = "t.load"() <{global = @a}> : () -> tensor<4xf16>
    %1 = "t.other"() : () -> tensor<4xf16>
    "t.store"(%1) <{global = @a}> : (tensor<4xf16>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""  # noqa: E501


def test_what_is_loaded_and_stored() -> None:
    assert list(passed_by_globals(Module.parse(TEXT))) == [(1, [0, 1]), (2, [])]


def test_the_element_type_changes_everywhere() -> None:
    after = ElementTypes(Module.parse(TEXT)).text({0: "f32"})
    assert problems(Module.parse(after)) == []
    unused, changed = after.count("tensor<4xf16>"), after.count("tensor<4xf32>")
    assert (unused, changed) == (1, 5)
    assert 'init = dense<0.0> : tensor<4xf32>, sym_name = "a", type = tensor<4xf32>' in after


def test_the_size_changes_everywhere() -> None:
    after = SizeSystem(Module.parse(TEXT)).text({0: 2})
    assert after is not None
    assert (after.count("tensor<4xf16>"), after.count("tensor<2xf16>")) == (1, 5)
