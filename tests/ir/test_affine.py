"""The op table says what the text of a module does, and an edit leaves all else as it is written.

What holds of any module is shown for random ones, and one rule in each of the other files, as a
text before and after.

This file: affine maps are parsed, lose dims, and are printed.
"""

from reducer.ir import Module
from reducer.ir.affine import AffineMap, indexing_maps, parse_map

CONVOLUTION = "affine_map<(d0, d1, d2)[s0] -> (d1, d0 + d2 * s0)>"


def test_a_map_and_its_text() -> None:
    affine = parse_map(CONVOLUTION)
    assert affine == AffineMap(3, "[s0]", ("d1", "d0 + d2 * s0"))
    assert affine.text == CONVOLUTION
    assert [affine.loop(0), affine.loop(1)] == [1, None]
    assert [affine.using([dim]) for dim in range(3)] == [[1], [0], [1]]
    assert parse_map("affine_map<() -> ()>") == AffineMap(0, "", ())
    assert parse_map("dense<1>") is None


def test_dropping_a_dim_renumbers_the_others() -> None:
    affine = parse_map(CONVOLUTION)
    assert affine is not None
    assert affine.without_results([0]).without_inputs([1]).text == (
        "affine_map<(d0, d1)[s0] -> (d0 + d1 * s0)>"
    )


def test_a_unit_loop_is_dropped_from_sums() -> None:
    affine = parse_map(
        "affine_map<(d0, d1, d2) -> (d0 + d1, d0 * 2 + d2, d1, d0, (d0 + d1) floordiv 2)>"
    )
    assert affine is not None
    assert affine.at_zero([0]).results == ("d1", "d2", "d1", "d0", "(d0 + d1) floordiv 2")


def test_indexing_maps_are_resolved_through_aliases() -> None:
    module = Module.parse(
        """\
#map = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  %0 = "t.make"() : () -> tensor<4xf32>
  %1 = "t.generic"(%0, %0) <{indexing_maps = [#map, affine_map<(d0) -> ()>]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}) : () -> ()
"""  # noqa: E501
    )
    assert indexing_maps(module, 2) == [AffineMap(1, "", ("d0",)), AffineMap(1, "", ())]
    assert indexing_maps(module, 1) == []
