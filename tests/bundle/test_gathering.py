"""What the outcome of a run says about the program of a report."""

from oracles import Diagnostic, Kind, Outcome, Signature
from reducer.bundle.gathering import place_in

PROGRAM = "// a-tool\nfunc.func @f() {\n  a.loop {\n  }\n}\n"


def pointing(file: str, shown: str) -> Outcome:
    stderr = f"{file}:3:3: error: failed to legalize operation 'b.for'\n{shown}\n  ^\n"
    error = Diagnostic(file, 3, 3, "error", "failed to legalize operation 'b.for'")
    signature = Signature(Kind.LEGALIZATION)
    return Outcome(Kind.LEGALIZATION, signature, stderr=stderr, diagnostics=(error,))


def test_a_tool_may_call_the_program_by_another_name() -> None:
    head = PROGRAM.splitlines(keepends=True)[0]
    assert place_in(pointing("/tmp/x/repro.mlir", "other"), PROGRAM, head) == 2
    assert place_in(pointing("<stdin>", "  a.loop {"), PROGRAM, head) == 2
    assert place_in(pointing("<stdin>", "  b.other"), PROGRAM, head) is None
