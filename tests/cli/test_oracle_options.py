"""`reduce --passes-with`, and what happens without: failures that another release compiles."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oracles import Command, CompilerOracle, Kind
from reducer.cli import main
from reducer.errors import ExitCode
from reducer.toolchain import install
from tests.support.corpus import load_case
from tests.support.fake_compilers import FAIL, program, write_script

BAD, GOOD = "3.4.0", "3.8.0"
FLAGS = ("--iree-hal-target-device=hip", "--iree-hip-target=gfx942")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["reduce", *map(str, words)])


def test_only_iree_has_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_script(tmp_path / "fake", FAIL)
    (tmp_path / "in.mlir").write_text(program())
    result = run("in.mlir", "--passes-with", GOOD, "--", "./fake")
    assert result.exit_code == ExitCode.USAGE
    assert "--passes-with needs an IREE tool" in result.output


@pytest.mark.iree
@pytest.mark.slow
def test_no_other_bug_with_the_same_message_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its message alone, this case loses a rank, and then every later release fails as well."""
    monkeypatch.chdir(tmp_path)
    load_case("seed-20699-topk-bufferize-small").write_input(tmp_path / "in.mlir")
    options = ("--iree", BAD, "--no-report", "--no-pass-level", "--keep-flags")
    command = ("--", "iree-compile", *FLAGS)

    result = run("in.mlir", *options, "--passes-with", BAD, *command)
    assert result.exit_code == ExitCode.NOT_INTERESTING
    assert f"the input also fails with {BAD}" in result.output

    for asked in (("--no-elsewhere", "--passes-with", GOOD), ()):
        assert run("in.mlir", *options, "--fresh", *asked, *command).exit_code == 0
        text = (tmp_path / "in.reduced.mlir").read_text()
        for version, kind in ((BAD, Kind.BUFFERIZATION), (GOOD, Kind.SUCCESS)):
            words = Command.parse(["iree-compile", *FLAGS])
            assert CompilerOracle(words, install(version).compile).run(text).kind is kind
