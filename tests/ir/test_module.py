"""Modules whose text is parsed late, and what is known of them before."""

import pytest

from reducer.ir import GenericSyntaxError, Module
from tests.support.sides import function

SUM = '%0 = "arith.addf"(%a, %a) : (f32, f32) -> f32'
RETURN = '"func.return"() : () -> ()'
BASE = Module.parse(function(f"^bb0(%a: f32):\n{SUM}\n{RETURN}"))


def test_an_edit_is_parsed_when_it_is_looked_into() -> None:
    after = BASE.edited(BASE.text.replace('"func.return"', 'no op\n"func.return"'))
    assert after.op_count == BASE.op_count
    with pytest.raises(GenericSyntaxError, match="no op"):
        after.read()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("not MLIR\n", id="no op"),
        pytest.param('"func.func"() ({\nnot MLIR\n}) : () -> ()\n', id="another op outside"),
        pytest.param(BASE.text.replace(RETURN, '"linalg.fill"() ({\n}'), id="a body not shown"),
    ],
)
def test_an_edit_whose_ops_take_a_closer_look_is_parsed_at_once(text: str) -> None:
    with pytest.raises(GenericSyntaxError):
        BASE.edited(text)


def test_the_implicit_body_of_an_op_does_not_count() -> None:
    fill = (
        '"linalg.fill"(%a, %t) ({\n^bb0(%in: f32, %out: f32):\n'
        '"linalg.yield"(%in) : (f32) -> ()\n}) : (f32, tensor<4xf32>) -> ()'
    )
    after = BASE.edited(function(f"^bb0(%a: f32, %t: tensor<4xf32>):\n{fill}\n{RETURN}"))
    assert after.op_count == 3  # the function, the op and the return
