"""What the outcome of a run says about the program of a report."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Diagnostic, Kind, Outcome, Signature
from reducer.report.gathering import healthy_output, place_in
from tests.report.facts import facts
from tests.support.fake_compilers import write_script

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


@pytest.mark.parametrize(
    ("body", "printed"),
    [("echo module", "module\n"), ("echo module; exit 1", None), ("echo", None), ("kill $$", None)],
)
def test_what_a_release_prints_counts_if_it_succeeds(
    body: str, printed: str | None, tmp_path: Path
) -> None:
    tool = write_script(tmp_path / "mlir-opt", f"{body}\n")
    oracle = CompilerOracle(Command.parse([tool.name, "{}"]), tool)
    found = healthy_output("3.8.0", oracle, facts())
    assert (found.output if found else None) == printed
