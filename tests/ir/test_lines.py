"""What the lines of a module tell without parsing it."""

import pytest

from reducer.ir import Module
from reducer.ir.lines import op_count_of, op_names_of
from tests.support.sides import function

FILL = """\
%1 = "linalg.fill"(%a, %t) ({
^bb0(%in: f32, %out: f32):
  "linalg.yield"(%in) : (f32) -> ()
}) : (f32, tensor<4xf32>) -> tensor<4xf32>
"""
GENERIC = FILL.replace("linalg.fill", "linalg.generic")
USE = '"test.use"(%1) : (tensor<4xf32>) -> ()\n'
END = '"func.return"() : () -> ()'
ARGUMENTS = "%a: f32, %t: tensor<4xf32>"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param(FILL + USE + END, 4, id="the body of a named op does not count"),
        pytest.param(FILL + FILL.replace("%1", "%2") + END, 4, id="nor do two"),
        pytest.param(GENERIC + USE + END, 5, id="that of a generic op does"),
    ],
)
def test_ops_are_counted_by_their_lines(body: str, count: int) -> None:
    text = function(body, arguments=ARGUMENTS)
    assert op_count_of(text) == count == Module.parse(text).op_count


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(function(FILL + END).replace("builtin.module", "a.b"), id="another root"),
        pytest.param(function(FILL + END).replace("(%a, %t) ({", "(%a, %t) <{a = ["), id="broken"),
        pytest.param(
            function(FILL.replace('"linalg.yield"(%in)', '"scf.if"(%in) ({\n}, {\n})') + END),
            id="a region in a body",
        ),
        pytest.param(
            function(
                FILL.replace('"linalg.yield"(%in)', '"a.b"() ({\n}) : () -> ()\n"a.c"(%in)') + END
            ),
            id="a region that ends in a body",
        ),
        pytest.param(function(FILL.replace("})", "}, {\n})") + END), id="two regions"),
        pytest.param('"builtin.module"() ({\n' + FILL.partition("})")[0], id="no end"),
    ],
)
def test_what_takes_a_closer_look_is_not_counted(text: str) -> None:
    assert op_count_of(text) is None


def test_ops_are_known_by_their_first_results_or_by_operands() -> None:
    text = function(
        '%0:2 = "a.b"() : () -> (i1, i1)\n%3, %4 = "a.c"(%0#1) : (i1) -> (i1, i1)\n'
        + FILL
        + USE
        + END,
        arguments=ARGUMENTS,
    )
    assert op_names_of(text) == ["a.b %0", "a.c %3", "linalg.fill %1", "test.use %1"]
