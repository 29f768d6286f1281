"""The options that select the failure: releases, and inputs of other formats."""

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oracles import Command, CompilerOracle, Kind
from oracles.run.confinement import current_confinement
from reducer.cli import main
from reducer.cli.request.oracle_options import OracleOptions
from reducer.errors import BadInput, ExitCode
from reducer.storage.files import BYTECODE_MAGIC
from reducer.toolchain import install
from tests.support.corpus import load_case
from tests.support.fake_compilers import write_script

BAD, GOOD = "3.4.0", "3.8.0"
NEWEST_TESTED = "3.13.0"
FLAGS = ("--iree-hal-target-device=hip", "--iree-hip-target=gfx942")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["reduce", *map(str, words)])


@pytest.mark.iree
@pytest.mark.slow
def test_no_other_bug_with_the_same_message_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its message alone, this case loses a rank, and then every later release fails as well."""
    monkeypatch.chdir(tmp_path)
    load_case("seed-20699-topk-bufferize-small").write_input(tmp_path / "in.mlir")
    options = ("--iree", BAD, "--no-report", "--no-pass-level", "--keep=flags")
    command = ("--", "iree-compile", *FLAGS)

    assert run("in.mlir", *options, *command).exit_code == 0
    text = (tmp_path / "in.reduced.mlir").read_text()
    for version, kind in ((BAD, Kind.BUFFERIZATION), (GOOD, Kind.SUCCESS)):
        words = Command.parse(["iree-compile", *FLAGS])
        assert CompilerOracle(words, install(version).compile).run(text).kind is kind


@pytest.mark.iree
def test_bytecode_is_checked_and_reduced_as_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    load_case("cat-zero-width").write_input(tmp_path / "text.mlir")
    packed = tmp_path / "in.mlirbc"
    subprocess.run(
        [install(NEWEST_TESTED).opt, "--emit-bytecode", "text.mlir", "-o", packed], check=True
    )
    options = ("--iree", NEWEST_TESTED, "--no-report", "--no-pass-level", "--no-elsewhere")
    command = ("--", "iree-compile", "--iree-hal-target-backends=llvm-cpu")
    result = run("in.mlirbc", *options, *command)
    assert result.exit_code == 0, result.output
    assert "torch.aten.cat" in Path("in.reduced.mlir").read_text()
    packed.write_bytes(BYTECODE_MAGIC + b"damaged")
    refused = run("in.mlirbc", *options, *command)
    assert refused.exit_code == ExitCode.BAD_INPUT
    assert "is MLIR bytecode that the compiler's tool cannot read" in refused.output


@pytest.mark.parametrize("words", [(), ("mlir-opt",)])
def test_bytecode_is_read_confined_where_nobody_has_typed_a_command(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    confined: list[bool] = []
    (tmp_path / "a.mlirbc").write_bytes(BYTECODE_MAGIC)
    monkeypatch.setattr(OracleOptions, "_executable", lambda self, name: Path(name))

    def opt(self: OracleOptions, text: str, executable: Path | None = None) -> None:
        confined.append(current_confinement() is not None)

    monkeypatch.setattr(OracleOptions, "_opt", opt)
    with pytest.raises(BadInput):
        OracleOptions(tmp_path / "a.mlirbc", words).read()
    assert confined == [not words]
    assert current_confinement() is None


TOOL = """\
for word; do if [ -f "$word" ]; then exec < "$word"; fi; done
text=$(cat)
case "$* $text" in
  *--first*bad*) echo "a.mlir:1:1: error: 't.op' op is bad" >&2; exit 1 ;;
  *--second*worse*) echo "a.mlir:2:1: error: 't.op' op is worse" >&2; exit 1 ;;
  *--third*bad*)
    echo 'Stack dump:' >&2
    echo ' #0 0x0000000000001000 llvm::sys::RunSignalHandlers() (/b/x+0x1000)' >&2
    echo ' #1 0x0000000000002000 (/lib/libc.so.6+0x3c050)' >&2
    echo ' #2 0x0000000000003000 a::Pattern::matchAndRewrite() (/b/x+0x3000)' >&2
    kill -SEGV $$ ;;
esac
case $* in *--hide*) text=${text#bad or } ;; esac
echo "$text"
"""


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("T --cse {} | T --first", "--cse {} --first"),
        ("T {} --cse | T --third 2>&1", "{} --cse --third"),  # whose stack the pipe has lost
        ("cat {} | T --cse | T - --first 2>&1 >/dev/null", "--cse {} --first"),
        ("T --first {} | T --cse", None),  # the pipe does not fail
        ("T --first {} | T --second", None),  # nor does this one
        ("T --hide {} | T --first --second", None),  # one command fails in another way
        ("T --cse {} | cat | T --first", None),
        ("T --cse {} | T --first | grep bad", None),
    ],
)
def test_a_pipe_of_one_tool_that_fails_alike_is_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, flags: str | None
) -> None:
    monkeypatch.setattr(OracleOptions, "_opt", lambda *_: None)
    tool = write_script(tmp_path / "toy", TOOL)
    (source := tmp_path / "in.mlir").write_text(text := "bad or worse\n", encoding="utf-8")
    words = ("bash", "-c", line.replace("T ", f"{tool} "))
    oracle, _ = OracleOptions(source, words).oracle(text)
    assert oracle.command is not None
    wanted = words[1:] if flags is None else tuple(flags.split())
    assert oracle.command.argv[1:] == wanted
