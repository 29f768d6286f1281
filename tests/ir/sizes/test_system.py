"""The variables of a module, and their surroundings."""

from reducer.ir import Module
from reducer.ir.sizes import DROPPED, SizeSystem
from tests.support.sides import function

TEXT = function(
    '%0 = "t.exp"(%a) : (tensor<4x?xf32>) -> tensor<4x?xf32>\n"func.return"() : () -> ()',
    arguments="%a: tensor<4x?xf32>",
)


def test_the_surroundings_of_a_size_are_its_shapes_and_their_ops() -> None:
    system = SizeSystem(Module.parse(TEXT))
    size = system.variables[0]
    as_it_is = system.around(size, {})
    assert as_it_is == "0 [4, None]  ['t.exp 0']\n0 [4, None] t.exp []"
    assert system.around(size, {0: 4, 1: None}) == as_it_is
    assert system.around(size, {0: 3}) != as_it_is
    assert system.around(size, {1: 5}) != as_it_is


def test_sizes_above_one_are_equal_unless_exact() -> None:
    system = SizeSystem(Module.parse(TEXT))
    size = system.variables[0]
    as_it_is = system.around(size, {}, exactly=False)
    assert system.around(size, {0: 3}, exactly=False) == as_it_is
    for different in ({0: 1}, {1: 5}, {1: DROPPED}):
        assert system.around(size, different, exactly=False) != as_it_is
