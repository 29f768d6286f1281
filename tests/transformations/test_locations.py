"""Dropping source locations of ops."""

from reducer.ir import Module
from reducer.transformations.locations import DropLocations
from tests.support.sides import apply_to

TEXT = """\
#loc1 = loc("one")
#loc2 = loc("two")
"builtin.module"() ({
  %0 = "t.a"() {s = " loc(x)"} : () -> i1 loc(#loc1)
  %1 = "t.for"(%0) ({
    "t.end"() : () -> ()
  }) : (i1) -> i1 loc(#loc2)
}) : () -> ()
"""


def test_each_op_with_a_location_is_a_site() -> None:
    module = Module.parse(TEXT)
    assert [module.t.name[site.op] for site in DropLocations().sites(module)] == ["t.a", "t.for"]
    assert DropLocations().sites(Module.parse(TEXT.replace(" loc(#", " at(#"))) == []


def test_the_location_of_an_op_with_a_region_is_behind_it() -> None:
    assert apply_to(DropLocations(), TEXT, 1) == (
        TEXT.replace('#loc2 = loc("two")\n', "").replace(" loc(#loc2)", "")
    )


def test_all_locations_with_their_aliases() -> None:
    after = apply_to(DropLocations(), TEXT)
    assert after.startswith('"builtin.module"') and "#loc" not in after
    assert '{s = " loc(x)"} : () -> i1\n' in after
