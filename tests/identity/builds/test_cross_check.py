"""What a program does at another place."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle
from reducer.identity.builds import BuildKind, Health, configs_of
from reducer.identity.builds.cross_check import CrossCheck
from reducer.toolchain import installed
from tests.support.fake_releases import BAD, Release, Releases
from tests.support.predicate import Memory

TWO = """if has x.bad; then
  echo "$input:1:1: error: failed to legalize operation 'x.also'" >&2
  echo "$input:1:1: error: failed to translate executables" >&2
  echo "$input:2:1: error: failed to legalize operation 'x.bad'" >&2
  exit 1
fi
"""
PROGRAM = '"x.bad"() : () -> ()\n'


def test_the_failure_may_be_one_of_several_on_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    releases = Releases(tmp_path, {"3.3.0": Release(TWO), "3.4.0": Release(BAD)})
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(releases.cache))
    program = next(one.compile for one in installed() if one.version == "3.4.0")
    oracle = CompilerOracle(Command.parse(["iree-compile"]), program)
    (place,) = [one for one in configs_of(oracle) if one.kind is BuildKind.RELEASE]
    elsewhere = CrossCheck(oracle, oracle.run(PROGRAM).signature, Memory())
    assert elsewhere.health(place, PROGRAM) is Health.SAME
