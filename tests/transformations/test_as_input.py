"""Turning IR from the middle of the pipeline into an input program."""

from reducer.ir import Module
from reducer.transformations.as_input import as_inputs
from tests.support.sides import body_of
from tests.support.wellformed import problems

WRITTEN = Module.parse('"builtin.module"() ({\n}) {torch.debug = "x"} : () -> ()\n')

GROUPED = """\
"builtin.module"() ({
  "util.global"() <{sym_name = "g", sym_visibility = "private", type = i64}> : () -> ()
  "util.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "t.a"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "flow.dispatch.region"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
      %2 = "t.b"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      %3 = "t.c"(%2) : (tensor<4xf32>) -> tensor<4xf32>
      "flow.return"(%3) : (tensor<4xf32>) -> ()
    }) : () -> tensor<4xf32>
    "util.return"(%1) : (tensor<4xf32>) -> ()
  }) {iree.abi.stub, torch.debug = "y"} : () -> ()
}) {stream.affinity.default = #hal.device.affinity<@gone>, torch.debug = "x"} : () -> ()
"""


def program(text: str = GROUPED) -> Module:
    *others, plain = as_inputs(Module.parse(text), WRITTEN)
    assert [problems(made) for made in (*others, plain)] == [[]] * (1 + len(others))
    return plain


def test_groups_made_by_the_compiler_are_dissolved() -> None:
    lines = body_of(program().text).replace("  %s", "%s").splitlines()
    assert [line.split("(")[0].split("= ")[-1] for line in lines[1:]] == [
        '"t.a"',
        '"t.b"',
        '"t.c"',
        '"util.return"',
    ]


def test_attributes_of_the_compiler_are_dropped_and_those_of_the_program_stay() -> None:
    text = program().text
    assert "iree.abi.stub" not in text
    assert "affinity" not in text
    assert 'torch.debug = "x"' in text
    assert 'torch.debug = "y"' in text


def test_a_partial_name_match_does_not_keep_an_attribute() -> None:
    text = program(GROUPED.replace("iree.abi.stub", "debug, torch")).text
    assert '}) {torch.debug = "y"} : () -> ()' in text


def test_an_unused_global_stays() -> None:
    assert '"util.global"() <{sym_name = "g", type = i64}>' in program().text


def test_results_of_loops_are_returned_to_prevent_fusion() -> None:
    body = """({
      ^bb0(%arg1: f32):
        "t.yield"(%arg1) : (f32) -> ()
      }) : (tensor<4xf32>) -> tensor<4xf32>"""
    text = GROUPED.replace("(%0) : (tensor<4xf32>) -> tensor<4xf32>", f"(%0) {body}")
    returning, plain = as_inputs(Module.parse(text), WRITTEN)
    assert problems(returning) == []
    assert "-> tensor<4xf32>, sym_name" in plain.text
    assert "-> (tensor<4xf32>, tensor<4xf32>), sym_name" in returning.text
    assert body_of(returning.text).splitlines()[-1].startswith('"util.return"(%s1, %s0)')


def test_a_program_without_groups_is_unchanged() -> None:
    (made,) = as_inputs(WRITTEN, WRITTEN)
    assert made.text == WRITTEN.text


def test_a_group_that_cannot_be_dissolved_yields_no_program() -> None:
    text = GROUPED.replace(
        '"flow.return"(%3) : (tensor<4xf32>) -> ()', '"flow.return"() : () -> ()'
    )
    assert as_inputs(Module.parse(text), WRITTEN) == []
