"""Edits of many ops take time in proportion to these: sites are not read again for each op."""

from collections.abc import Iterator

import pytest

from reducer.ir import Module
from reducer.transformations import (
    BoundaryTypes,
    Transformation,
    last_transformations,
    standard_transformations,
)
from reducer.transformations.base import Site

OPS = 50
OP = """\
    %{n} = "t.op"(%a) {{a = #t.a<m = 1, n = 2>, b = {{x = 1, y = {{z}}}}}} : \
(tensor<4x8xf32>) -> tensor<4x8xf32>
    %s{n}:2 = "linalg.generic"(%{n}, %b, %b, %b) <{{indexing_maps = [#map, #map1, #map1, \
#map1], operandSegmentSizes = array<i32: 2, 2>}}> ({{
    ^bb0(%c: f32, %d: f32, %e: f32, %f: f32):
      "linalg.yield"(%c, %d) : (f32, f32) -> ()
    }}) : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) \
-> (tensor<4xf32>, tensor<4xf32>)
    %c{n}:2 = "func.call"(%b) <{{callee = @g{n}}}> : (tensor<4xf32>) -> (tensor<4xf32>, i32)
"""
CALLEE = """\
  "func.func"() <{{function_type = (tensor<4xf32>) -> (tensor<4xf32>, i32), \
sym_name = "{name}"}}> ({{
  ^bb0(%a: tensor<4xf32>):
    %0 = "t.one"() : () -> i32
    "func.return"(%a, %0) : (tensor<4xf32>, i32) -> ()
  }}) : () -> ()
"""


def program() -> str:
    callees = (CALLEE.format(name=f"{kind}{n}") for kind in "gh" for n in range(OPS))
    return f"""\
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
"builtin.module"() ({{
{"".join(callees)}  "func.func"() <{{function_type = (tensor<4x8xf32>, tensor<4xf32>) -> (), \
sym_name = "f"}}> ({{
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4xf32>):
{"".join(OP.format(n=n) for n in range(OPS))}    "func.return"() : () -> ()
  }}) : () -> ()
}}) : () -> ()
"""


class ReadSites(list[Site]):
    """Sites that count how often they are read."""

    times = 0

    def __iter__(self) -> Iterator[Site]:
        self.times += 1
        return super().__iter__()


MODULE = Module.parse(program())
TRANSFORMATIONS = [
    *standard_transformations(BoundaryTypes.of(MODULE)),
    *last_transformations(),
]


@pytest.mark.parametrize("transformation", TRANSFORMATIONS, ids=lambda one: one.name)
def test_sites_are_not_read_for_each_op(transformation: Transformation[Module]) -> None:
    sites = ReadSites(transformation.sites(MODULE))
    transformation.apply(MODULE, sites)
    assert sites.times < 10
