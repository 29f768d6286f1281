"""Tied sizes: from ops to variables."""

import pytest

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


def test_elementwise_ops_tie_all_dims() -> None:
    assert variables(
        '%0 = "t.exp"(%a) : (tensor<4x?xf32>) -> tensor<4x?xf16>', "%a: tensor<4x?xf32>"
    ) == ["4: %a.0 %0.0", "?: %a.1 %0.1"]


def test_a_contraction_ties_equal_dims() -> None:
    assert variables(
        '%0 = "t.mm"(%a, %b) : (tensor<3x5xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>',
        "%a: tensor<3x5xf32>, %b: tensor<5x7xf32>",
    ) == ["3: %a.0 %0.0", "5: %a.1 %b.0", "7: %b.1 %0.1"]


def test_operands_are_tied_to_wrapped_region_arguments() -> None:
    wrapped = "!d.tensor<readonly:tensor<4x?xf32>>"
    body = (
        f'%0 = "d.region"(%a) ({{\n^bb0(%in: {wrapped}):\n"d.yield"() : () -> ()\n}}) : '
        "(tensor<4x?xf32>) -> tensor<8xf32>"
    )
    assert variables(body, "%a: tensor<4x?xf32>")[:2] == ["4: %a.0 %in.0", "?: %a.1 %in.1"]


def test_broadcasting_aligns_dims_at_the_end() -> None:
    assert variables(
        '%0 = "t.add"(%a, %b) : (tensor<2x3x3xf32>, tensor<3xf32>) -> tensor<2x3x3xf32>',
        "%a: tensor<2x3x3xf32>, %b: tensor<3xf32>",
    ) == ["2: %a.0 %0.0", "3: %a.1 %0.1", "3: %a.2 %b.0 %0.2"]


def test_indexing_maps_tie_dims_exactly() -> None:
    maps = "[affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>]"
    assert variables(
        f'%0 = "t.generic"(%a, %b) <{{indexing_maps = {maps}}}> : '
        "(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>",
        "%a: tensor<4x4xf32>, %b: tensor<4x4xf32>",
    ) == ["4: %a.0 %b.1 %0.1", "4: %a.1 %b.0 %0.0"]


def test_a_collapsed_dim_is_a_product_and_not_free() -> None:
    text = function(
        '%0 = "t.collapse"(%a) <{reassociation = [[0], [1, 2]]}> : '
        '(tensor<4x2x8xf32>) -> tensor<4x16xf32>\n"func.return"() : () -> ()',
        arguments="%a: tensor<4x2x8xf32>",
    )
    system = SizeSystem(Module.parse(text))
    assert [v.size for v in system.variables] == [4, 2, 8, 16]
    assert [v.size for v in system.free] == [4, 2, 8]


def test_a_reshape_without_reassociation_is_recognized() -> None:
    text = function(
        '%0 = "t.view"(%a) : (tensor<?x16x3xf32>) -> tensor<?x2x8x3xf32>\n'
        '"func.return"() : () -> ()',
        arguments="%a: tensor<?x16x3xf32>",
    )
    assert [v.size for v in SizeSystem(Module.parse(text)).free] == [None, 3, 2, 8]


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


def test_a_reshape_skips_units_beside_dynamic_sizes() -> None:
    assert variables(
        '%0 = "t.view"(%a) : (tensor<1x?x6xf32>) -> tensor<?x2x3xf32>', "%a: tensor<1x?x6xf32>"
    ) == ["1: %a.0", "?: %a.1 %0.0", "6: %a.2", "2: %0.1", "3: %0.2"]


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


def test_sizes_are_tied_through_lists() -> None:
    """Dynamic sizes are not: those of different shapes are hardly ever equal."""
    body = """\
%0 = "torch.prim.ListConstruct"(%a, %b) : (!torch.vtensor<[?,3],f32>, !torch.vtensor<[?,5,3],f32>) \
-> !torch.list<vtensor>
%1 = "torch.aten.einsum"(%0) : (!torch.list<vtensor>) -> !torch.vtensor<[?,5],f32>"""
    arguments = "%a: !torch.vtensor<[?,3],f32>, %b: !torch.vtensor<[?,5,3],f32>"
    assert variables(body, arguments) == [
        "?: %a.0 %b.0",
        "3: %a.1 %b.2",
        "5: %b.1 %1.1",
        "?: %1.0",
    ]


@pytest.mark.parametrize(
    "attribute", ["perm = [1 : si64, 0 : si64]", "permutation = array<i64: 1, 0>", "p = [1, 0]"]
)
def test_an_attribute_that_reorders_dims_ties_them_exactly(attribute: str) -> None:
    """Not the dims in matching places, although they are equal."""
    assert variables(
        f'%0 = "t.transpose"(%a) {{{attribute}}} : (tensor<4x4xf32>) -> tensor<4x4xf32>',
        "%a: tensor<4x4xf32>",
    ) == ["4: %a.0 %0.1", "4: %a.1 %0.0"]
