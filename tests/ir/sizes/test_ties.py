"""Tied sizes: from ops to variables."""

from reducer.ir import Module
from reducer.ir.sizes import DROPPED, SizeSystem
from tests.support.sides import function


def variables(body: str, arguments: str, head: str = "") -> list[str]:
    """The variables of a function: the size of each, and its dims by value name."""
    text = function(f'{body}\n"func.return"() : () -> ()', arguments=arguments, head=head)
    module = Module.parse(text)
    return [
        f"{'?' if v.size is None else v.size}: "
        + " ".join(f"{module.tokens[d.value]}.{d.number}" for d in v.dims)
        for v in SizeSystem(module).variables
    ]


def test_a_slice_without_units_has_the_last_of_them() -> None:
    """The slice 1x1x4 is as large as its source from the second dim on."""
    text = function(
        '%0 = "t.slice"(%a) <{static_sizes = array<i64: 1, 1, 4>}> : '
        '(tensor<8x1x4xf32>) -> tensor<1x4xf32>\n"func.return"() : () -> ()',
        arguments="%a: tensor<8x1x4xf32>",
    )
    system = SizeSystem(Module.parse(text))
    unit = next(v for v in system.variables if v.size == 1)
    after = system.text({unit.number: DROPPED})
    assert after is not None
    assert "static_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>) -> tensor<4xf32>" in after


def test_numbers_of_dims_are_no_sizes() -> None:
    """The inner tiles are 2x3 and change along; that the dims are as well is chance."""
    text = function(
        '"t.pack"(%a) <{inner_dims_pos = array<i64: 2, 3>, tiles = array<i64: 2, 3>}> : '
        '(tensor<8x9x2x3xf32>) -> ()\n"func.return"() : () -> ()',
        arguments="%a: tensor<8x9x2x3xf32>",
    )
    system = SizeSystem(Module.parse(text))
    tile = next(v for v in system.variables if v.size == 2)
    after = system.text({tile.number: 1})
    assert after is not None
    assert "inner_dims_pos = array<i64: 2, 3>, tiles = array<i64: 1, 3>" in after


def test_calls_and_loops_pass_sizes_on() -> None:
    module = Module.parse(
        """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f"}> ({
  ^bb0(%a: tensor<4xf32>):
    %0 = "func.call"(%a) <{callee = @g}> : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "g"}> ({
  ^bb0(%b: tensor<4xf32>):
    %0 = "t.loop"(%b) ({
    ^bb0(%i: tensor<4xf32>):
      "t.yield"(%i) : (tensor<4xf32>) -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""
    )
    (only,) = SizeSystem(module).variables
    assert len(only.dims) == 5
