"""Scripts as oracles."""

from pathlib import Path

import pytest

from oracles import Kind, Limits, ScriptOracle


def script(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "test.sh"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (0, Kind.SCRIPT),
        (1, Kind.SUCCESS),
        (77, Kind.SUCCESS),
        (101, Kind.OTHER_ERROR),
        (124, Kind.TIMEOUT),
    ],
)
def test_exit_codes(tmp_path: Path, code: int, kind: Kind) -> None:
    outcome = ScriptOracle(script(tmp_path, f"exit {code}")).run("")
    assert (outcome.kind, outcome.signature.kind, outcome.exit_code) == (kind, kind, code)


def test_file_is_the_first_argument_in_a_private_folder(tmp_path: Path) -> None:
    path = script(tmp_path, 'test -f "$1" && grep -q needle "$1" && test "$(ls | wc -l)" = 1')
    it = ScriptOracle(path, name="case.mlir")
    assert it.run("hay needle hay").kind is Kind.SCRIPT
    assert it.run("hay").kind is Kind.SUCCESS


@pytest.mark.parametrize("own", [None, "1"])
def test_the_script_has_the_users_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str | None
) -> None:
    """What it greps for in a stack is what the user sees."""
    name = "LLVM_DISABLE_SYMBOLIZATION"
    monkeypatch.delenv(name, raising=False)
    if own is not None:
        monkeypatch.setenv(name, own)
    it = ScriptOracle(script(tmp_path, f'test "${{{name}-unset}}" = "{own or "unset"}"'))
    assert it.run("").kind is Kind.SCRIPT


def test_hanging_script(tmp_path: Path) -> None:
    it = ScriptOracle(script(tmp_path, "sleep 600"), limits=Limits(0.2))
    outcome = it.run("")
    assert (outcome.kind, outcome.exit_code) == (Kind.TIMEOUT, None)


def test_two_interesting_inputs_share_a_bucket(tmp_path: Path) -> None:
    it = ScriptOracle(script(tmp_path, 'cat "$1" >&2'))
    assert it.run("a").signature == it.run("b").signature


def test_display_and_key(tmp_path: Path) -> None:
    it = ScriptOracle(script(tmp_path, "exit 0"))
    assert it.display("x.mlir") == [str(tmp_path / "test.sh"), "x.mlir"]
    before = it.key
    script(tmp_path, "exit 1 # other")
    assert it.key == before
    assert ScriptOracle(it.script).key != before
