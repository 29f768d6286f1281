"""Whether the input is rejected, and by what."""

import os
import shutil
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, End, Kind, ProcessResult
from oracles.signature.classify import classify
from oracles.signature.stage import PARSE_ONLY, input_stage
from tests.support.fake_compilers import write_script
from tests.support.samples import samples


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


def test_an_opt_tool_may_know_more_dialects() -> None:
    """`mlir-translate` cannot parse `arith`, and `mlir-opt` can: no pass has failed."""
    classification = classify(samples()["mlir/no-dialect"].result)
    accepted = ProcessResult(End.EXITED, 0, 0.1, 0.1, 0, "", "")
    assert input_stage(classification, lambda flags: accepted) == ("input", Kind.INVALID_INPUT)


def test_other_words_of_a_pass_are_its_own() -> None:
    classification = classify(_result("a.mlir:2:8: error: unknown conversion\n"))
    accepted = ProcessResult(End.EXITED, 0, 0.1, 0.1, 0, "", "")
    assert input_stage(classification, lambda flags: accepted) == ("pipeline", Kind.OTHER_ERROR)


@pytest.mark.parametrize(
    "message",
    ["operand #1 does not dominate this use", "empty block: expect at least a terminator"],
)
def test_a_pass_may_break_the_structure_of_ir(message: str) -> None:
    """The verifier says so without the name of an op, after the pass as well as of the input."""
    classification = classify(_result(f"a.mlir:2:8: error: {message}\n"))
    accepted = ProcessResult(End.EXITED, 0, 0.1, 0.1, 0, "", "")
    assert input_stage(classification, lambda flags: accepted) == ("pipeline", Kind.VERIFIER)


def test_a_file_that_a_pass_loads_is_not_the_input(tmp_path: Path, iree_compile: Path) -> None:
    """Neither for `iree-opt`, which knows that the input is valid, nor for a tool without one."""
    library = tmp_path / "library.mlir"
    library.write_text("nosuch.op\n")
    words = [f"--transform-preload-library=transform-library-paths={library}"]
    opt = iree_compile.with_name("iree-opt")
    outcome = CompilerOracle(Command.parse([opt.name, *words]), opt).run("module {\n}\n")
    assert (outcome.kind, outcome.signature.stage) == (Kind.OTHER_ERROR, "pipeline")
    assert outcome.diagnostics[0].file == str(library)

    classification = classify(_result(outcome.stderr))
    assert input_stage(classification, lambda flags: None, lambda file: file == "input.mlir") == (
        "",
        Kind.OTHER_ERROR,
    )


def test_the_candidate_by_whatever_name(iree_compile: Path) -> None:
    opt = iree_compile.with_name("iree-opt")
    for script in (f"{opt} < {{}}", f"{opt} ./{{}}", f"cat {{}} | {opt} -"):
        command = Command.parse(["sh", "-c", script])  # the tool itself, if that is all
        oracle = CompilerOracle(command, Path(shutil.which(command.program) or ""))
        assert oracle.run("nosuch.op\n").kind is Kind.INVALID_INPUT


def test_the_candidate_that_a_script_copies(tmp_path: Path, iree_compile: Path) -> None:
    """Its new name is not that of the input, but no word of the command, either."""
    opt = iree_compile.with_name("iree-opt")
    script = write_script(tmp_path / "copies", f'sed s/a/b/ "$1" > new.mlir; {opt} new.mlir\n')
    oracle = CompilerOracle(Command.parse([script.name]), script)
    outcome = oracle.run("nosuch.op\n")
    assert outcome.diagnostics[0].file == "new.mlir"
    assert outcome.kind is Kind.INVALID_INPUT


@pytest.mark.parametrize("flag", ["--lib={}", "--lib=path={},other", "{}"])
@pytest.mark.parametrize("named", ["library.mlir", "."])
def test_a_file_that_the_command_names(tmp_path: Path, flag: str, named: str) -> None:
    script = _that_rejects(_library(tmp_path))
    words = [script.name, flag.replace("{}", f"{tmp_path}/{named}"), "{}"]
    assert CompilerOracle(Command.parse(words), script).run("").kind is Kind.OTHER_ERROR


def test_a_file_that_only_a_script_names(tmp_path: Path) -> None:
    script = _that_rejects(_library(tmp_path))
    for words in ([script.name], ["sh", "-c", f"{script} {tmp_path}/library.mlir {{}}"]):
        program = script if len(words) == 1 else Path("/bin/sh")
        oracle = CompilerOracle(Command.parse(words), program)
        assert oracle.run("").kind is Kind.OTHER_ERROR


@pytest.mark.parametrize("removed", ["", "rm"])
def test_a_copy_in_a_folder_that_the_command_names(tmp_path: Path, removed: str) -> None:
    """In another run, a copy of another candidate may have been there."""
    copy = _library(tmp_path)
    script = _that_rejects(copy, f'cp "$2" {copy}', f"{removed or ':'} {copy}")
    oracle = CompilerOracle(Command.parse([script.name, str(tmp_path), "{}"]), script)
    assert oracle.run("").kind is Kind.INVALID_INPUT


def _library(folder: Path) -> Path:
    """A file that was there before the candidate."""
    library = folder / "library.mlir"
    library.write_text("nosuch.op\n")
    os.utime(library, (1, 1))
    return library


def _that_rejects(file: Path, before: str = ":", after: str = ":") -> Path:
    """A compiler that says that a file is not valid, with a line to run before and after."""
    said = f"{file}:1:1: error: Dialect \\`nosuch' not found for custom op 'nosuch.op'"
    lines = f'{before}\necho "{said}" >&2\n{after}\nexit 1\n'
    return write_script(file.with_name("rejects"), lines)
