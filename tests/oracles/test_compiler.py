"""The compiler oracle, with real compilers and with scripts that misbehave on demand."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oracles import (
    Command,
    CompilerOracle,
    Kind,
    Limits,
    Oracle,
    Outcome,
    PatternOracle,
    ScriptOracle,
)
from oracles.run.scratch import clear_private_folders
from oracles.signature.derive import Level
from oracles.stacks.symbols import load_index

PASSES = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }"
CPU = "--iree-hal-target-backends=llvm-cpu"
HIP = ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")

TOPK = """
func.func @f(%x: !torch.vtensor<[?,{n}],f32>) -> !torch.vtensor<[?,3],si64> {{
  %k = torch.constant.int 3
  %d = torch.constant.int 1
  %t = torch.constant.bool true
  %v, %i = torch.aten.topk %x, %k, %d, %t, %t : !torch.vtensor<[?,{n}],f32>, !torch.int,
    !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[?,3],f32>, !torch.vtensor<[?,3],si64>
  return %i : !torch.vtensor<[?,3],si64>
}}
"""

# Once produced by a compiler pass: a batch_matmul whose operand has too many dimensions.
BATCH_MATMUL = """
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @f(%a: tensor<{m}x4x8xf16>, %b: tensor<{m}x2x8x4xf16>, %o: tensor<{m}x4x4xf32>) {{
  %0 = linalg.batch_matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<{m}x4x8xf16>,
    tensor<{m}x2x8x4xf16>) outs(%o : tensor<{m}x4x4xf32>) -> tensor<{m}x4x4xf32>
  return
}}
"""


RESHAPE = """
func.func @f(%x: tensor<?x?xf32>, %s: tensor<3xindex>) -> tensor<?x?x?xf32> {
  %r = tensor.reshape %x(%s) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}
"""


def fake(tmp_path: Path, body: str, name: str = "fake-compile") -> Path:
    """A compiler that misbehaves in a way no real one does on demand."""
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def oracle(path: Path, *flags: str, **options: Any) -> CompilerOracle:
    return CompilerOracle(Command.parse([path.name, *flags]), path, **options)


def test_private_folder_is_removed(tmp_path: Path) -> None:
    path = fake(tmp_path, f'pwd > {tmp_path}/where; cat "$1" > {tmp_path}/input; echo x > dump')
    outcome = oracle(path).run("text\n")
    assert outcome.kind is Kind.SUCCESS
    assert (tmp_path / "input").read_text() == "text\n"
    folder = Path((tmp_path / "where").read_text().strip())
    assert folder != tmp_path and not list(folder.iterdir())
    clear_private_folders()
    assert not folder.exists()


def test_folder_is_removed_when_the_compiler_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(OSError):
        oracle(tmp_path / "missing").run("")
    assert list(tmp_path.iterdir()) == []


def test_bytes_reach_the_compiler_unchanged(tmp_path: Path) -> None:
    path = fake(tmp_path, f'cat "$1" > {tmp_path}/input')
    oracle(path).run(b"\xff\x00ML\xefR")
    assert (tmp_path / "input").read_bytes() == b"\xff\x00ML\xefR"


def test_time_limit(tmp_path: Path) -> None:
    path = fake(tmp_path, "sleep 600")
    assert oracle(path, limits=Limits(0.2)).run("").kind is Kind.TIMEOUT
    assert oracle(path).run("", limits=Limits(0.2)).signature.kind is Kind.TIMEOUT


def test_cancelled(tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    assert oracle(fake(tmp_path, "sleep 600")).run("", cancel=cancel).kind is Kind.CANCELLED


def test_a_confirmation_can_be_cancelled(tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    path = fake(tmp_path, "sleep 600")
    compiler = oracle(path)
    asked: list[Oracle] = [compiler, PatternOracle(compiler, regex="x"), ScriptOracle(path)]
    for one in asked:
        outcome = one.confirm("", "small.mlir", limits=Limits(), cancel=cancel)
        assert outcome.kind is Kind.CANCELLED


def test_shell_that_reports_a_signal(tmp_path: Path) -> None:
    outcome = oracle(fake(tmp_path, "exit 139")).run("")
    assert (outcome.kind, outcome.exit_code) == (Kind.CRASH, -11)


def test_without_a_sibling_the_text_decides_what_does_not_parse(tmp_path: Path) -> None:
    path = fake(tmp_path, "echo 'input.mlir:1:2: error: expected operation name' >&2; exit 1")
    assert oracle(path).run("").kind is Kind.INVALID_INPUT


def test_outcome_survives_a_journal(tmp_path: Path) -> None:
    path = fake(tmp_path, "echo \"input.mlir:1:2: error: 'a.b' op x\" >&2; exit 1")
    outcome = oracle(path).run("")
    assert Outcome.from_json(outcome.to_json()) == outcome


def test_key_changes_with_what_decides_the_outcome(tmp_path: Path) -> None:
    path = fake(tmp_path, "exit 0")
    before = oracle(path, "--a").key
    assert oracle(path, "--a", limits=Limits(1.0)).key == before
    assert oracle(path, "--b").key != before
    strict = oracle(path, "--a", level=Level.STRICT).key
    assert strict.replace(f" {Level.STRICT} ", " ") == before, "the usual level has no name in it"
    fake(tmp_path, "exit 1 # rebuilt")
    assert oracle(path, "--a").key != before


def test_the_key_is_that_of_the_files_when_it_was_first_asked_for(tmp_path: Path) -> None:
    path = fake(tmp_path, "exit 0")
    it = oracle(path, "--a")
    before = it.key
    fake(tmp_path, "exit 1 # rebuilt")
    assert it.key == before
    again = it.with_command(it.command)
    assert again.key == oracle(path, "--a").key != before


def test_display_names_the_program_as_a_shell_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    it: Oracle = oracle(fake(tmp_path, ""), "--a")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert it.display("small.mlir") == ["fake-compile", "--a", "small.mlir", "-o", "/dev/null"]
    monkeypatch.setenv("PATH", "/nowhere")
    assert it.display("-x.mlir")[:3] == [str(tmp_path / "fake-compile"), "--a", "./-x.mlir"]


def test_confirm_runs_what_is_displayed_in_an_empty_folder(tmp_path: Path) -> None:
    program = fake(tmp_path, 'echo "$@" >&2; ls >&2; exit 1')
    outcome = oracle(program, "--a").confirm("text", "small.mlir", limits=Limits())
    assert outcome.stderr.split() == ["--a", "small.mlir", "-o", "/dev/null", "small.mlir"]


def test_pass_names_a_failure_without_a_message(tmp_path: Path) -> None:
    """Two silent bugs differ only in the pass; if it is expected, no second run is needed."""
    path = fake(
        tmp_path,
        f"""echo run >> {tmp_path}/runs
        case "$*" in *print-ir-after-failure*)
          echo "// -----// IR Dump After $(cat "$1") Failed (x) //----- //" >&2;; esac
        exit 1""",
    )
    it = oracle(path)
    first = it.run("PassA")
    it.expect(first)
    second = it.run("PassB")
    assert first.signature.stage == "pipeline PassA"
    assert second.signature.stage == "pipeline PassB"
    assert first.signature.bucket != second.signature.bucket
    assert (tmp_path / "runs").read_text().count("run") == 3


def test_what_ran_before_does_not_change_a_signature(tmp_path: Path) -> None:
    """Which of two failing dispatches is reported first depends on the threads."""
    path = fake(
        tmp_path,
        """case "$(cat "$1") $*" in
        silent*print-ir-after-failure*)
          echo "// -----// IR Dump After PassA Failed (x) //----- //" >&2;;
        two*disable-threading*) echo "$1:1:1: error: the first dispatch" >&2;;
        two*) echo "$1:2:2: error: the second dispatch" >&2;;
        esac
        exit 1""",
    )
    alone = oracle(path).run("two")
    it = oracle(path)
    it.expect(alone)
    assert it.run("silent").signature.stage == "pipeline PassA"
    assert it.run("two").signature == alone.signature


def test_what_is_expected_is_expected_of_any_command_and_after_a_resume(tmp_path: Path) -> None:
    path = fake(
        tmp_path,
        f"""echo run >> {tmp_path}/runs
        case "$*" in *print-ir-after-failure*)
          echo "// -----// IR Dump After PassA Failed (x) //----- //" >&2;; esac
        exit 1""",
    )
    first = oracle(path).run("")
    it = oracle(path)
    it.expect(Outcome.from_json(first.to_json()))
    assert it.with_extra_flags(["--more"]).run("").signature == first.signature
    assert (tmp_path / "runs").read_text().count("run") == 2 + 1


def real(iree_toolchain: Callable[..., Any], *flags: str) -> CompilerOracle:
    return CompilerOracle(
        Command.parse(["iree-compile", *flags]),
        iree_toolchain("3.13.0").compile,
        limits=Limits(120),
    )


@pytest.mark.iree
def test_success(iree_toolchain: Callable[..., Any]) -> None:
    outcome = real(iree_toolchain, CPU).run(PASSES)
    assert (outcome.kind, outcome.exit_code) == (Kind.SUCCESS, 0)
    assert outcome.cpu_seconds > 0 and outcome.peak_memory > 1 << 24


@pytest.mark.iree
@pytest.mark.parametrize(
    "text",
    [
        "func.func @f( {",
        "func.func @f() { return %x : f32 }",
        'func.func @f() { "linalg.generic"',
        "func.func @f() { nodialect.op }",
    ],
)
def test_text_that_does_not_parse(iree_toolchain: Callable[..., Any], text: str) -> None:
    outcome = real(iree_toolchain, CPU).run(text)
    assert (outcome.kind, outcome.signature.stage) == (Kind.INVALID_INPUT, "input")


@pytest.mark.iree
def test_verifier_rejects_the_input(iree_toolchain: Callable[..., Any]) -> None:
    it = real(iree_toolchain, CPU)
    one, other = it.run(BATCH_MATMUL.format(m=4)), it.run(BATCH_MATMUL.format(m=31))
    assert (one.kind, one.signature.stage) == (Kind.VERIFIER, "input")
    assert one.signature.op == "linalg.batch_matmul"
    assert one.signature == other.signature


@pytest.mark.iree
def test_verifier_fails_after_a_pass(iree_toolchain: Callable[..., Any]) -> None:
    """The input is valid, but index tensors are not supported at the ABI."""
    outcome = real(iree_toolchain, CPU).run(RESHAPE)
    assert (outcome.kind, outcome.signature.stage) == (Kind.VERIFIER, "pipeline")
    assert outcome.signature.op == "hal.element_type"


HANDLER = r"""
#0 0x01 llvm::sys::PrintStackTrace (/lib/libLLVM.so+0x1)
#1 0x02 llvm::sys::RunSignalHandlers (/lib/libLLVM.so+0x2)
"""
STACK = rf"""{HANDLER}#2 0x03 (/lib/libc.so.6+0x3)
#3 0x04 a::Fold::matchAndRewrite (/bin/tool+0x4)
#4 0x05 mlir::detail::OpToOpPassAdaptor::run (/bin/tool+0x5)
#5 0x06 __libc_start_main (/lib/libc.so.6+0x6)
"""


@pytest.mark.parametrize("printed", ["", "PLEASE submit a bug report", HANDLER])
def test_a_stack_that_another_crash_cuts_is_printed_on_one_thread(
    printed: str, tmp_path: Path
) -> None:
    """The handler of one crash is killed by the crash of another thread."""
    path = fake(
        tmp_path,
        f"""case "$*" in *--mlir-disable-threading*) stack='{STACK}';; *) stack='{printed}';; esac
        echo "$stack" >&2; kill -SEGV $$""",
    )
    it = oracle(path)
    outcome = it.run("text")
    assert outcome.signature.frames == ("a::Fold::matchAndRewrite",)
    it.expect(outcome)
    assert it.run("text").signature == outcome.signature
    assert oracle(path, "--mlir-disable-threading").run("text").signature == outcome.signature


WORKER = STACK.replace("mlir::detail::OpToOpPassAdaptor::run", "llvm::StdThreadPool::processTasks")


@pytest.mark.parametrize(
    ("alone", "code", "op"),
    [
        (f"t:2:2: error: 'b.op' op is bad\nno rank\nUNREACHABLE executed!\n{STACK}", 134, "b.op"),
        ("t:1:1: error: 'a.op' op is bad\n", 1, ""),  # that is what ends it then
    ],
)
def test_the_error_of_another_thread_does_not_say_why_a_program_stops(
    alone: str, code: int, op: str, tmp_path: Path
) -> None:
    both = f"t:1:1: error: 'a.op' op is bad\nno rank\nUNREACHABLE executed!\n{WORKER}"
    (tmp_path / "alone").write_text(alone)
    (tmp_path / "both").write_text(both)
    body = f"""case "$*" in *--mlir-disable-threading*) cat {tmp_path}/alone >&2; exit {code};; esac
        cat {tmp_path}/both >&2; exit 134"""
    outcome = oracle(fake(tmp_path, body)).run("text")
    assert (outcome.kind, outcome.signature.op) == (Kind.ASSERTION, op)
    assert outcome.signature.template == "no rank"


def test_what_crashes_only_on_several_threads_is_a_crash(tmp_path: Path) -> None:
    body = 'case "$*" in *--mlir-disable-threading*) exit 0;; esac; kill -SEGV $$'
    outcome = oracle(fake(tmp_path, body)).run("text")
    assert (outcome.kind, outcome.signature.frames) == (Kind.CRASH, ())


def test_a_program_without_stacks_is_asked_for_one_once(tmp_path: Path) -> None:
    it = oracle(fake(tmp_path, f"echo x >> {tmp_path}/runs; kill -SEGV $$"))
    outcome = it.run("text")
    it.expect(outcome)
    assert it.run("text").signature == outcome.signature
    assert (tmp_path / "runs").read_text() == "x\nx\nx\n"


def test_a_program_that_is_started_by_a_link_has_symbols(tmp_path: Path) -> None:
    """Debian's `mlir-opt-19` is a link, and its stacks have that name."""
    link = tmp_path / "tool-19"
    link.symlink_to(Path(sys.executable).resolve())
    if load_index(link) is None:
        pytest.skip("a stripped interpreter")
    assert oracle(link).symbols("tool-19") is load_index(link)
    command = Command.parse(["env", f"LD_LIBRARY_PATH={tmp_path}", "x-opt", "{}"])
    assert CompilerOracle(command, tmp_path / "bin" / "x-opt").symbols("tool-19") is load_index(
        link
    )


@pytest.mark.iree
def test_one_bug_at_two_sizes(iree_toolchain: Callable[..., Any]) -> None:
    it = real(iree_toolchain, *HIP)
    one, other = it.run(TOPK.format(n=40)), it.run(TOPK.format(n=77))
    assert one.kind is Kind.BUFFERIZATION
    assert one.signature == other.signature
    assert one.diagnostics[0].line == 6


@pytest.mark.iree
def test_crash_has_frames_without_a_symbolizer(iree_toolchain: Callable[..., Any]) -> None:
    """An op of an unknown dialect crashes dispatch creation in this release."""
    outcome = real(iree_toolchain, CPU).run('func.func @f() { "no.op"() : () -> () return }')
    assert (outcome.kind, outcome.exit_code) == (Kind.CRASH, -11)
    assert outcome.signature.template == "SIGSEGV"
    first = outcome.signature.frames[0]
    assert first == "mlir::iree_compiler::DispatchCreation::decideFusableLinalgOps"
