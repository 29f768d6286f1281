"""Whether the input is rejected, and by what."""

import pytest

from oracles import End, Kind, ProcessResult
from oracles.classify import classify
from oracles.stage import PARSE_ONLY, input_stage


def _result(stderr: str) -> ProcessResult:
    return ProcessResult(End.EXITED, 1, 0.1, 0.1, 0, "", stderr)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Dialect `foo' not found for custom op 'foo.bar'", Kind.INVALID_INPUT),
        ("type of return operand 0 ('f64') does not match", Kind.VERIFIER),
    ],
)
def test_a_tool_that_cannot_leave_out_the_verifier(message: str, kind: Kind) -> None:
    """Before LLVM 20, the words alone tell the parser from the verifier."""
    stderr = f"a.mlir:2:8: error: {message}\n"
    refusal = f"mlir-opt: Unknown command line argument '{PARSE_ONLY[0]}'.  Try: --help\n"
    classification = classify(_result(stderr))
    stage = input_stage(classification, lambda flags: _result(refusal if flags else stderr))
    assert stage == ("input", kind)
