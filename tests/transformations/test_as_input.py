"""IR from the middle of the pipeline, and the program that it becomes."""

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


def test_what_the_compiler_has_put_together_stands_alone_again() -> None:
    lines = body_of(program().text).replace("  %s", "%s").splitlines()
    assert [line.split("(")[0].split("= ")[-1] for line in lines[1:]] == [
        '"t.a"',
        '"t.b"',
        '"t.c"',
        '"util.return"',
    ]


def test_marks_of_the_compiler_go_and_those_of_the_program_stay() -> None:
    text = program().text
    assert "iree.abi.stub" not in text
    assert "affinity" not in text
    assert 'torch.debug = "x"' in text
    assert 'torch.debug = "y"' in text


def test_part_of_a_name_in_the_program_is_no_mark_of_it() -> None:
    text = program(GROUPED.replace("iree.abi.stub", "debug, torch")).text
    assert '}) {torch.debug = "y"} : () -> ()' in text


def test_a_global_stays_though_nothing_private_uses_it() -> None:
    assert '"util.global"() <{sym_name = "g", type = i64}>' in program().text


def test_what_loops_make_is_returned_lest_they_are_fused() -> None:
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


def test_a_program_without_groups_is_the_same() -> None:
    (made,) = as_inputs(WRITTEN, WRITTEN)
    assert made.text == WRITTEN.text


def test_a_group_that_cannot_be_undone_makes_no_program() -> None:
    text = GROUPED.replace(
        '"flow.return"(%3) : (tensor<4xf32>) -> ()', '"flow.return"() : () -> ()'
    )
    assert as_inputs(Module.parse(text), WRITTEN) == []
