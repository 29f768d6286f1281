"""Templates: which parts of a message identify the bug, and which depend on the input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.signature.templates import (
    failing_operation,
    fold_operation,
    printed_operation,
    quoted_operation,
    template_of,
)

SAME = [
    # sizes and byte counts
    ("uses -512 bytes of shared memory", "uses 36028797018963968 bytes of shared memory"),
    # types, shapes, layouts
    ("but got 'vector<1xi8>'", "but got 'f8E4M3FNUZ'"),
    ("got tensor<4x?xf32, #x.y<[1]>>", "got memref<2xf16, #gpu.address_space<global>>"),
    ("type '!torch.vtensor<[?,3],f32>'", "type '!torch.int'"),
    ("cannot tile a shape of 4x?x8", "cannot tile a shape of 16x2"),
    ("(tensor<1xf32>, i32) -> vector<4xf16>", "(tensor<2xindex>) -> tensor<1xf32>"),
    # operand numbers, SSA names, blocks
    ("operand #0 of %arg1 in ^bb0", "operand #13 of %23#1 in ^bb12"),
    # symbols and dispatch names
    ("in function 'f$async_dispatch_1_sort_DxDxf32'", "in function 'main'"),
    ("cannot select G_ADD (in function: main_dispatch_0)", "cannot select G_ADD (in function: f)"),
    ("'a.call' op undefined callee: ext", "'a.call' op undefined callee: foo.bar"),
    ("calls @main$async_dispatch_0", 'calls @"another one"::@nested'),
    ("redefinition of symbol named 'f'", "redefinition of symbol named 'torch.f'"),
    # places
    ("see /home/a/b.cpp:12:3", "see /usr/x/b.cpp:7"),
    ('at loc("a.mlir":1:2)', 'at loc(callsite("f" at "g"))'),
    ("no buffer of get-tuple-element.3.", "no buffer of add.12."),
    # names and digests that are new in each run
    ("cannot link a-1f2e3d.so of 9f86d081884c7d65", "cannot link a-123456.so of 0f86d081884c7d65"),
    (
        "session 123e4567-e89b-12d3-a456-426614174000 ended",
        "session 99999999-1111-2222-3333-426614174abc ended",
    ),
    # a shape without dimensions, a function without results
    ("shape [1, ?] of dims {0, 1}", "shape [] of dims {}"),
    ("type (i32, tensor<3xf32>) -> ()", "type () -> (i1, i2)"),
    # instructions of LLVM: registers, sizes
    (
        "unable to legalize instruction: G_STORE %7:_(s96), %0:_(p1) :: (store (s96) into %ir.p)",
        "unable to legalize instruction: G_STORE %2:_(s1), %4:_(p3) :: (store (s1) into %ir.0 + 8)",
    ),
    (
        "unable to translate instruction: call llvm.vector.reduce.fmax.v97bf16 (in function: f)",
        "unable to translate instruction: call llvm.vector.reduce.fmax.f32 (in function: f)",
    ),
    # shapes of XLA
    ("no kernel for (pred[<=2], f8e4m3fn[1])", "no kernel for (u4[3]{0:T(8,128)}, c64[])"),
    # the printed operation
    ('no adjoint of %0 = "a.b"(%1) : (i32) -> i32', 'no adjoint of "a.b"(%1, %2) {x = 1} : (i1'),
    ('no adjoint of "a.b"() <{x = 1}> : () -> i32', 'no adjoint of "a.b"() : () -> ()'),
    ("failed to legalize operation 'a.b': a.b %x : i32", "failed to legalize operation 'a.b'"),
    (
        "got Condition: (a.2: (s32[4], pred[])) -> pred[]; body: (b: (s32[])) -> ((s32[]), f32[2])",
        "got Condition: (c: (f32[])) -> pred[]; body: (d.1: (f32[7]{0})) -> f32[7]",
    ),
    # sizes and types in Python
    ("allocate 4.00 GiB of float32", "allocate 16 TiB of int8"),
    ("no rule for torch.float16", "no rule for torch.int64"),
    ("no rule for fp8e4nv", "no rule for fp32"),
    # names in a circuit, and those that a linker prints
    ('sink "w.a" not fully initialized', 'sink "x.y.z" not fully initialized'),
    ("(function f: .text+0x12): out of range", "(function main_0: .text+0x9): out of range"),
    # maps and intrinsics
    ("2 subscripts for map (d0, d1)[s0] -> (d0 + (s0), 3)", "2 subscripts for map (d0) -> (d0)"),
    ('no intrinsic: "llvm.foo.i32"', 'no intrinsic: "llvm.foo.v4f64"'),
    ("kernel container 'f.k' is undefined", "kernel container 'main' is undefined"),
    ('backend #hal.executable.target<"rocm", {a = "b>"}>', "backend #hal.executable.target<>"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same_template(one: str, other: str) -> None:
    assert template_of(one) == template_of(other)


DIFFERENT = [
    # opcodes of XLA, which have no dialect
    ("HLO opcode `send` is not supported", "HLO opcode `recv` is not supported"),
    ("'rocdl.mfma.f32.4x4x1f32' op is bad", "'rocdl.mfma.f32.16x16x1f32' op is bad"),
    ("'a-b' does not refer to a registered pass", "'a-c' does not refer to a registered pass"),
    ('no intrinsic: "llvm.foo.i32"', 'no intrinsic: "llvm.bar.i32"'),
    ("called `Result::unwrap()` on nothing", "called `Option::unwrap()` on nothing"),
    ("Check failed: (false) is false: no rule", "Check failed: (false) is false: no type"),
    ("'vector.contract' op failed", "'vector.shape_cast' op failed"),
    ("failed to bufferize op", "failed to legalize op"),
    ('dialect "seq" not supported', 'dialect "hwarith" not supported'),
    ("requires attribute 'axis'", "requires attribute 'dim'"),
    ("Cannot select: intrinsic %llvm.amdgcn.readlane", "Cannot select: intrinsic %llvm.amdgcn.wqm"),
    (
        "no rule: G_INTRINSIC intrinsic(@llvm.amdgcn.end.cf), %7:vgpr(i32) (in function: f)",
        "no rule: G_INTRINSIC intrinsic(@llvm.amdgcn.wqm), %7:vgpr(i32) (in function: f)",
    ),
    (
        "unable to translate instruction: call: '  %5 = call i32 @llvm.f(i32 1)' (in function: f)",
        "unable to translate instruction: call: '  %5 = call i32 @llvm.g(i32 1)' (in function: f)",
    ),
    (
        "unable to translate instruction: call llvm.maxnum.bf16 (in function: f)",
        "unable to translate instruction: call llvm.minnum.bf16 (in function: f)",
    ),
    ("expects facade of a12", "expects decade of a12"),
    ("'FHE.mul_eint' op failed", "'FHE.add_eint' op failed"),
    ("expected '[]'", "expected '[1]'"),
    ("cannot read x[1] of s[2]", "cannot read y[1] of t[2]"),
    ("Can't add pass 'APass' here", "Can't add pass 'BPass' here"),
    ("set '--iree-input-type=x'", "set '--iree-other=x'"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_template(one: str, other: str) -> None:
    assert template_of(one) != template_of(other)


def test_operation_names_survive() -> None:
    message = "'linalg.batch_matmul' op expected operand rank (4) to match indexing_map #1 (3)"
    expected = "'linalg.batch_matmul' op expected operand rank (N) to match indexing_map #N (N)"
    assert template_of(message) == expected


def test_apostrophe_is_no_quote() -> None:
    assert template_of("shape's dimension isn't 4") == "shape's dimension isn't N"


@given(st.text(max_size=200))
def test_any_text_gives_a_bounded_line(text: str) -> None:
    """Messages contain parts of the input, so they can contain any text."""
    template = template_of(text)
    assert len(template) <= 300
    assert "\n" not in template


@given(st.text(alphabet="<>(){}[]'\"#!%@x1 .->", max_size=80))
def test_unbalanced_brackets_do_no_harm(text: str) -> None:
    assert len(template_of(text)) <= 300


def test_operation_of_a_message() -> None:
    assert quoted_operation("'func.func' op failed near 'a'") == "func.func"
    assert quoted_operation("'FHE.add_eint' op failed") == "FHE.add_eint"
    assert quoted_operation("no name here") == ""


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ('%22 = "bufferization.alloc_tensor"(%18) : (i1) -> i1', "bufferization.alloc_tensor"),
        ('"hal.executable.variant"() <{sym_name = "x"}> ({', "hal.executable.variant"),
        ("%0 = torch.constant.int 1", "torch.constant.*"),
        ("", ""),
    ],
)
def test_name_of_a_printed_operation(printed: str, name: str) -> None:
    assert printed_operation(printed) == name


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ('"torch.operator"(%0) <{name = "onnx.If"}> : (i1) -> i1', 'torch.operator "onnx.If"'),
        (
            '%0 = "stablehlo.custom_call"(%a) <{api_version = 2 : i32, call_target_name = "lu"}>',
            'stablehlo.custom_call "lu"',
        ),
        ('"tosa.custom"(%0) <{domain_name = "d", operator_name = "f"}>', 'tosa.custom "f"'),
        # A name that is no op's is that of a variable, say.
        ('"x.load"() <{name = "weights"}> : () -> i1', "x.load"),
        ('"x.call"() <{call_target_name = "f"}> : () -> i1', "x.call"),
    ],
)
def test_an_op_that_stands_for_another(printed: str, name: str) -> None:
    assert failing_operation("", printed) == name


@pytest.mark.parametrize(
    "message",
    ['no adjoint of %0 = "a.b"(%1) : (i32) -> i32', 'no adjoint of "a.b"(%1) : (i32) -> ()'],
)
def test_an_op_that_the_message_prints(message: str) -> None:
    """It says more than what the compiler prints with the message, such as the function."""
    assert failing_operation(message, "") == failing_operation(message, '"x.f"() ({') == "a.b"
    assert template_of(message) == "no adjoint of"
    stands_for = message.replace("a.b", "tosa.custom").replace(" :", ' {operator_name = "f"} :')
    assert failing_operation(stands_for, '"x.f"() ({') == 'tosa.custom "f"'


def test_only_families_of_constants_fold() -> None:
    assert fold_operation("llvm.mlir.constant") == "llvm.mlir.constant"
    assert fold_operation("x.constant.y") == "x.constant.*"
