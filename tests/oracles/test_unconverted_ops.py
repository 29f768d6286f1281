"""A constant is left because of an op without a lowering, and that op names the bug."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from oracles import Command, CompilerOracle, End, Level, Limits, ProcessResult, Signature
from oracles.signature.classify import classify
from oracles.signature.derive import derive

INT = '%0 = "d.constant.int"() <{value = 1 : i64}> : () -> !d.int'
PLAIN = "failed to legalize operation 'd.constant.int'"


def failed(*lines: str) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return (
        f"// -----// IR Dump After Last Failed: last //----- //\n{body}\n"
        "// -----// IR Dump After Around Failed: around //----- //\n"
        '  "d.other"(%0) : (!d.int) -> ()'
    )


class Probes:
    """A compiler that prints the IR when it is asked."""

    def __init__(self, ir: str) -> None:
        self.ir = ir
        self.asked = 0

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        return None

    def name_pass(self) -> ProcessResult:
        self.asked += 1
        return result(self.ir)


def result(stderr: str) -> ProcessResult:
    return ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", stderr)


ERROR = f"a.mlir:1:1: error: {PLAIN}: {INT}\na.mlir:1:1: note: see current operation: {INT}\n"
IR = failed(INT, '%1 = "d.use"(%a, %0) : (!d.tensor, !d.int) -> !d.tensor')


@pytest.mark.parametrize(
    ("level", "asks", "text"),
    [
        (Level.NORMAL, True, "legalization: failed to legalize operation 'd.use' (pipeline)"),
        (Level.STRICT, True, f"legalization: {PLAIN} [d.use] (pipeline Last)"),
        (Level.LOOSE, False, "legalization: failed to legalize operation '<op>' (pipeline)"),
    ],
)
def test_the_signature_is_about_the_op_that_is_supplied(
    level: Level, asks: bool, text: str
) -> None:
    probes = Probes(IR)
    assert derive(classify(result(ERROR)), level, probes).text == text
    assert bool(probes.asked) == asks


def test_a_run_that_prints_the_ir_is_enough() -> None:
    probes = Probes("")
    found = derive(classify(result(ERROR + IR)), Level.NORMAL, probes, names_pass=True)
    assert (found.op, probes.asked) == ("d.use", 0)
    unknown = derive(classify(result(ERROR)), Level.NORMAL, probes, names_pass=True)
    assert (unknown.op, probes.asked) == ("d.constant.*", 0)


DEFORM_CONV = """\
func.func @f(%x: !torch.vtensor<[1,1,3,3],f32>, %w: !torch.vtensor<[1,1,2,2],f32>,
    %o: !torch.vtensor<[1,8,2,2],f32>, %b: !torch.vtensor<[1],f32>,
    %m: !torch.vtensor<[1,4,2,2],f32>) -> !torch.vtensor<[1,1,2,2],f32>
    attributes {{torch.onnx_meta.opset_version = 19 : si64}} {{
  %0 = torch.operator "onnx.DeformConv"({operands})
    {{torch.onnx.kernel_shape = [2 : si64, 2 : si64],
      torch.onnx.pads = [0 : si64, 0 : si64, 0 : si64, 0 : si64]}} : ({types})
      -> !torch.vtensor<[1,1,2,2],f32>
  return %0 : !torch.vtensor<[1,1,2,2],f32>
}}
"""
TYPES = (
    "!torch.vtensor<[1,1,3,3],f32>, !torch.vtensor<[1,1,2,2],f32>, !torch.vtensor<[1,8,2,2],f32>, "
    "!torch.vtensor<[1],f32>"
)
MASK = ", !torch.vtensor<[1,4,2,2],f32>"
REDUCE = """\
func.func @f(%x: !torch.vtensor<[3,2,2],f32>, %axes: !torch.vtensor<[1],si64>)
    -> !torch.vtensor<[3,1,2],f32> attributes {{torch.onnx_meta.opset_version = 18 : si64}} {{
  %0 = torch.operator "onnx.{name}"(%x, %axes) {{torch.onnx.keepdims = 1 : si64}} :
    (!torch.vtensor<[3,2,2],f32>, !torch.vtensor<[1],si64>) -> !torch.vtensor<[3,1,2],f32>
  return %0 : !torch.vtensor<[3,1,2],f32>
}}
"""


@pytest.mark.iree
def test_operators_that_leave_the_same_constants(iree_toolchain: Callable[..., Any]) -> None:
    oracle = CompilerOracle(
        Command.parse(["iree-compile", "--iree-hal-target-backends=llvm-cpu"]),
        iree_toolchain("3.13.0").compile,
        limits=Limits(120),
    )

    def failure(text: str) -> tuple[str, Signature]:
        outcome = oracle.run(text)
        return outcome.diagnostics[0].message.partition(":")[0], outcome.signature

    said, largest = failure(REDUCE.format(name="ReduceMax"))
    said_too, smallest = failure(REDUCE.format(name="ReduceMin"))
    assert said == said_too == "failed to legalize operation 'torch.constant.bool'"
    assert (largest.op, smallest.op) == ("torch.aten.amax", "torch.aten.amin")

    operands = "%x, %w, %o, %b"
    said, plain = failure(DEFORM_CONV.format(operands=operands, types=TYPES))
    said_too, masked = failure(DEFORM_CONV.format(operands=f"{operands}, %m", types=TYPES + MASK))
    assert said == "failed to legalize operation 'torch.vtensor.literal'" != said_too
    assert plain == masked
    assert plain.op == "torch.torchvision.deform_conv2d"
