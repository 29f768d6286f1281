import pytest

from reducer.ir import Module
from reducer.triage.comparing import (
    all_ops,
    fingerprint,
    fingerprint_but_for_sizes,
    may_contain_ops,
    own_ops,
)

TOPK = """\
"builtin.module"() ({
  "func.func"() <{function_type = (f32) -> f32, sym_name = "main"}> ({
  ^bb0(%arg0: f32):
    %0 = "torch.constant.int"() <{value = 2 : i64}> : () -> i64
    %1:2 = "torch.aten.topk"(%arg0, %0) : (f32, i64) -> (f32, f32)
    %2 = "scf.if"(%arg0) ({
      %3 = "torch.operator"(%1#0) <{name = "onnx.TopK"}> : (f32) -> f32
      "scf.yield"(%3) : (f32) -> ()
    }, {
    }) : (f32) -> f32
    "func.return"(%2) : (f32) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_constants_terminators_and_functions_are_not_what_a_program_is_about() -> None:
    assert own_ops(Module.parse(TOPK)) == {
        "torch.aten.topk",
        "scf.if",
        'torch.operator "onnx.TopK"',
    }


def test_all_ops_have_the_same_names() -> None:
    module = Module.parse(TOPK)
    assert own_ops(module) < all_ops(module)
    assert {"func.func", "scf.yield"} < all_ops(module)


def test_a_store_at_the_end_of_a_block_without_a_terminator_is_taken_for_one() -> None:
    text = '"a.b"() ({\n^bb0(%arg0: i1):\n  "a.put"(%arg0) : (i1) -> ()\n}) : () -> ()\n'
    assert own_ops(Module.parse(text)) == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%0 = torch.aten.topk %a : f32", True),
        ('%0 = "torch.aten.topk"(%a) : f32', True),
        ("%0 = torch.aten.topk_v2 %a : f32", False),
        ("%0 = other.torch.aten.topk %a : f32", False),
        ("%0 = aten.topk %a : !torch.int", True),  # inside of an op whose default dialect it is
        ("%0 = aten.topk %a : f32", False),
    ],
)
def test_an_op_occurs_by_its_whole_name(text: str, found: bool) -> None:
    assert may_contain_ops(text.encode(), ["torch.aten.topk"]) is found


def test_an_op_in_bytecode_has_no_dialect() -> None:
    assert may_contain_ops(b"ML\xefR\0torch\0aten.topk\0aten.sort\0", ["torch.aten.topk"])
    assert not may_contain_ops(b"ML\xefR\0torch\0aten.topk_v2\0", ["torch.aten.topk"])


def test_an_op_that_stands_for_another_is_that_one() -> None:
    text = b'%0 = torch.operator "onnx.TopK"(%a)'
    assert may_contain_ops(text, ['torch.operator "onnx.TopK"'])
    assert not may_contain_ops(text, ['torch.operator "onnx.If"'])


def test_all_must_occur() -> None:
    assert may_contain_ops(b"a.b c.d", ["a.b", "c.d"])
    assert not may_contain_ops(b"a.b c.e", ["a.b", "c.d"])
    assert may_contain_ops(b"", [])


PROGRAM = """
func.func @main(%arg0: tensor<?xf32>) -> i64 {
  %a = "x.y"(%arg0) {sym = @g, text = "@main %a"} : (tensor<?xf32>) -> i64 // why
  return %a : i64
}
"""


@pytest.mark.parametrize(
    "other",
    [
        PROGRAM.replace("%arg0", "%input"),
        PROGRAM.replace("@main(", "@f("),
        PROGRAM.replace("@g", "@other"),
        PROGRAM.replace(" // why", ""),
        "// iree-compile --flag\n" + PROGRAM.replace("\n  ", "\n      "),
    ],
)
def test_names_comments_and_blanks_do_not_count(other: str) -> None:
    assert fingerprint(other) == fingerprint(PROGRAM)


@pytest.mark.parametrize(
    "other",
    [
        PROGRAM.replace("?", "4"),
        PROGRAM.replace("x.y", "x.z"),
        PROGRAM.replace('"@main %a"', '"@f %b"'),
        PROGRAM.replace("@g", "@main"),
    ],
)
def test_everything_else_does(other: str) -> None:
    assert fingerprint(other) != fingerprint(PROGRAM)


SIZES = "func.func @f(%a: tensor<80x?xi4>, %b: vector<4xi8>) {\n  return\n}\n"


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("80x?x", "?x8x", True),
        ("vector<4x", "vector<16x", True),
        ("@f(%a", "@g(%c", True),
        ("80x?xi4", "80xi4", False),
        ("80x?xi4", "80x?xi8", False),
        ("vector<4x", "memref<4x", False),
    ],
)
def test_sizes_may_be_left_out(before: str, after: str, same: bool) -> None:
    other = SIZES.replace(before, after)
    assert other != SIZES
    assert (fingerprint_but_for_sizes(other) == fingerprint_but_for_sizes(SIZES)) is same
