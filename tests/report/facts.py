"""Facts for reports, made without a compiler."""

from typing import Any

from oracles import Kind, Signature
from reducer.report.facts import CompilerInfo, Facts, ReproCheck
from reducer.report.patterns import Pattern

PROGRAM = """func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = x.cst
  %1 = "x.bad"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
COMMAND = ("iree-compile", "--iree-hal-target-device=hip", "repro.mlir", "-o", "/dev/null")


def facts(**changes: Any) -> Facts:
    """Facts about a legalization failure, with some fields changed."""
    given: dict[str, Any] = {
        "head": "// iree-compile repro.mlir\n",
        "text": PROGRAM,
        "signature": Signature(Kind.LEGALIZATION, "failed to legalize operation 'x.bad'", "x.bad"),
        "check": ReproCheck(COMMAND, 1, Pattern.of("failed to legalize operation 'x.bad'")),
        "compiler": CompilerInfo(
            "iree-compile", ("IREE compiler version 3.13.0 @ 89ece87b",), "3.13.0"
        ),
        "messages": ("error: failed to legalize operation 'x.bad'",),
        "log": "repro.mlir:4:8: error: failed to legalize operation 'x.bad'",
        "stack": (),
        "exit_code": 1,
        "seconds": 0.5,
        "lines": 5,
        "ops": 4,
        "failure_line": 3,
    }
    return Facts(**{**given, **changes})
