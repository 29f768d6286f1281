"""A failure is explained without reducing it.

`locate` names the phase, the pass and the ops where it comes from, and `explain` the nearest
changes that make it go away. What cannot be confirmed is not named.

This file: the features of a program and the changes to try.
"""

from reducer.explain.changes import ProgramFeature, program_features
from reducer.ir import Module
from reducer.transformations import BoundaryTypes
from tests.support.sides import function

BODY = """\
%0 = "t.scale"(%arg0) <{factor = 42 : i64}> {hint = "fast"} : (tensor<4x?xf16>) -> tensor<4x?xf16>
"func.return"(%0) : (tensor<4x?xf16>) -> ()"""


def ask() -> dict[tuple[str, str], ProgramFeature]:
    text = function(BODY, arguments="%arg0: tensor<4x?xf16>", results="tensor<4x?xf16>")
    module = Module.parse(text)
    return {(q.kind, q.now): q for q in program_features(module, BoundaryTypes.of(module))}


def labels(question: ProgramFeature) -> list[str]:
    return [change.label for change in question.changes]


def test_an_op_can_be_deleted_or_replaced_by_its_operand() -> None:
    question = ask()["op", ""]
    assert question.subject == "t.scale"
    assert labels(question)[0] == "deleted"
    assert all("t.scale" not in text for change in question.changes for text in change.texts)


def test_attributes_are_simplified_or_dropped() -> None:
    asked = ask()
    assert asked["attribute", "42 : i64"].subject == "factor of t.scale"
    near = [f"{number} : i64" for number in (41, 43, 21, 1, 84, 0)]
    assert labels(asked["attribute", "42 : i64"]) == [*near, "dropped"]
    assert labels(asked["attribute", '"fast"']) == ['"x"', "dropped"]


LOOP = """\
%0 = "arith.constant"() <{value = 12 : index}> : () -> index
%1 = "arith.constant"() <{value = 20 : index}> : () -> index
%2 = "arith.constant"() <{value = 2 : index}> : () -> index
"scf.for"(%0, %1, %2) ({
^bb0(%arg0: index):
  "t.used"(%arg0) : (index) -> ()
  "scf.yield"() : () -> ()
}) : (index, index, index) -> ()
"func.return"() : () -> ()"""


def test_no_constant_leaves_nothing_to_do() -> None:
    """A loop without iterations, or an op on nothing, says nothing about the failure."""
    module = Module.parse(function(LOOP))
    asked = {one.now: one for one in program_features(module, BoundaryTypes.of(module))}
    numbers = {now: [int(one.split()[0]) for one in labels(asked[now])] for now in asked if now}
    assert numbers["12 : index"] == [11, 13, 6, 1]
    assert numbers["20 : index"] == [19, 21, 40]


def test_each_size_is_listed_once() -> None:
    asked = ask()
    assert asked["size", "4"].subject == "tensor<4x?xf16> dim 0"
    assert labels(asked["size", "4"]) == ["3", "5", "2", "1", "8", "16", "64"]
    (three, *_) = asked["size", "4"].changes
    assert "tensor<4x" not in three.texts[0] and three.texts[0].count("tensor<3x?xf16>") >= 4
    assert labels(asked["size", "?"]) == ["2", "8", "100", "1"]
    assert asked["size", "4"].at is not None and asked["size", "4"].at(7).label == "7"


def test_element_types_go_to_their_neighbours() -> None:
    question = ask()["element type", "f16"]
    assert labels(question) == ["bf16", "f32", "f64"]
    assert "f16" not in question.changes[1].texts[0]
