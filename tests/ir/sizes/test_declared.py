"""Sizes that must be equal change together, along with all that repeats them.

Ops tie dims to one another, and the variables of a module follow from that. New sizes leave a
module whose types, attributes and operands agree.

This file: globals and the values that share their types.
"""

from reducer.ir import Module
from reducer.ir.elements import ElementTypes
from reducer.ir.sizes.declared import declarations
from reducer.transformations.sizes import ShrinkSizes
from tests.support.wellformed import problems

GLOBAL = """\
"builtin.module"() ({
  "u.global"() <{initial_value = #u.data<"w"> : tensor<4x8xf16>, sym_name = "g", \
type = memref<4x8xf16>}> : () -> ()
  "u.global"() <{sym_name = "unused", type = memref<4x8xf16>}> : () -> ()
  "func.func"() <{function_type = (memref<4x8xf16>) -> (), sym_name = "f"}> ({
  ^bb0(%a: memref<4x8xf16>):
    %0 = "u.get"() <{global = @g}> : () -> memref<4x8xf16>
    %1 = "u.neg"(%0) : (memref<4x8xf16>) -> memref<4x8xf16>
    "u.set"(%a) <{global = @g}> : (memref<4x8xf16>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_loads_and_stores_have_the_type_of_the_global() -> None:
    module = Module.parse(GLOBAL)
    (declaration,) = declarations(module)
    assert module.symbol_name(declaration.op) == "g"
    assert declaration.kind == "memref<4x8xf16>"
    assert [module.tokens[value] for value in declaration.values] == ["%0", "%a"]


def test_the_sizes_of_a_global_change_with_its_uses() -> None:
    sizes = ShrinkSizes().of(Module.parse(GLOBAL))
    assert list(sizes.values.values()) == [8, 4]
    (text,) = sizes.texts({0: 1, 1: 2})
    assert problems(Module.parse(text)) == []
    assert text == GLOBAL.replace("4x8", "1x2").replace(
        '"unused", type = memref<1x2', '"unused", type = memref<4x8'
    )


def test_the_element_type_of_a_global_changes_with_its_uses() -> None:
    text = ElementTypes(Module.parse(GLOBAL)).text({0: "f32"})
    assert problems(Module.parse(text)) == []
    assert text == GLOBAL.replace("f16", "f32").replace(
        '"unused", type = memref<4x8xf32', '"unused", type = memref<4x8xf16'
    )


def test_an_initial_value_is_converted() -> None:
    text = GLOBAL.replace('#u.data<"w">', "dense<0xFC00>")
    after = ElementTypes(Module.parse(text)).text({0: "f32"})
    assert "initial_value = dense<0xFF800000> : tensor<4x8xf32>" in after


def test_scalars_can_be_declared_too() -> None:
    text = GLOBAL.replace("memref<4x8xf16>", "f16").replace(
        '#u.data<"w"> : tensor<4x8xf16>', "0.0 : f16"
    )
    assert len(declarations(Module.parse(text))) == 1
    after = ElementTypes(Module.parse(text)).text({0: "f32"})
    assert 'initial_value = 0.0 : f32, sym_name = "g", type = f32}' in after
