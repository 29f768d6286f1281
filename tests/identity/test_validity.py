"""The compiler's own tool separates invalid from valid programs, many in one process."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import (
    Command,
    CompilerOracle,
    End,
    Kind,
    Limits,
    PatternOracle,
    ProcessResult,
    ScriptOracle,
    Signature,
)
from reducer.identity.validity import VerifierScreen, screen_for
from reducer.toolchain import Toolchain
from tests.conftest import WHEELS

pytestmark = pytest.mark.iree

WANTED = Signature(Kind.LEGALIZATION, "failed", "", "pipeline", ())
VALID = """\
"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
  ^bb0(%arg0: i32):
    "func.return"(%arg0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""
WRONG_TYPE = VALID.replace("-> i32,", "-> i64,")
NO_SYNTAX = VALID.replace('"func.return"(', '"func.return"((')
UNDECLARED = VALID.replace('"(%arg0)', '"(%x)')
UNKNOWN_OP = VALID.replace('    "func.return"', '    "a.b"() : () -> ()\n    "func.return"')
BARE = "!t = i32\nfunc.func @f(%arg0: !t) -> !t {\n  return %arg0 : !t\n}\n"
BARE_WRONG = BARE.replace("-> !t", "-> i64")
ELSEWHERE = """\
module {
  func.func @f(%arg0: i32) -> i64 {
    return %arg0 : i32 loc("model.py":1:2)
  }
}
"""
RESOURCES = """\
"builtin.module"() ({
  "util.global"() <{initial_value = dense_resource<b> : tensor<1xi64>, sym_name = "g", \
type = tensor<1xi64>}> : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      b: "0x080000000100000000000000"
    }
  }
#-}
"""
SEPARATED = VALID + "// -----\n" + VALID
SEPARATED_WRONG = SEPARATED.replace("(i32) -> ()", "(i64) -> ()")

ALL = {
    VALID: True,
    WRONG_TYPE: False,
    NO_SYNTAX: False,
    UNKNOWN_OP: True,
    UNDECLARED: False,
    RESOURCES: True,
    RESOURCES.replace("<b>", "<b> b"): False,
    BARE: True,
    BARE_WRONG: False,
    "": True,
    SEPARATED_WRONG: False,
    VALID + "\n\n": True,
}


class Texts(dict[str, str]):
    """A cache in place of the journal."""

    def get_text(self, key: str) -> str | None:
        return self.get(key)

    def put_text(self, key: str, text: str) -> None:
        self[key] = text


def oracle_of(toolchain: Toolchain, *flags: str) -> CompilerOracle:
    return CompilerOracle(Command.parse(["iree-compile", *flags]), toolchain.compile)


def screen_of(oracle: CompilerOracle, texts: Texts | None = None) -> VerifierScreen:
    kept = Texts() if texts is None else texts
    found = screen_for(oracle, WANTED, kept, Limits(), threading.Event())
    assert found is not None
    return found


@pytest.mark.parametrize("version", WHEELS)
def test_invalid_programs_are_told_apart(
    version: str, iree_toolchain: Callable[..., Toolchain]
) -> None:
    screen = screen_of(oracle_of(iree_toolchain(version)))
    assert screen.passes(list(ALL), VALID) == list(ALL.values())
    assert screen.runs == 2  # texts that contain a separator are checked alone
    assert screen.rejected == list(ALL.values()).count(False)
    assert screen.seconds > 0


def test_they_are_those_that_the_oracle_calls_invalid(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    oracle = oracle_of(iree_toolchain(), "--iree-hal-target-backends=vmvx")
    for text in (WRONG_TYPE, NO_SYNTAX, UNDECLARED, BARE_WRONG):
        assert oracle.run(text).signature.stage == "input"
    for text in (VALID, BARE):
        assert not oracle.run(text).failed


def test_answers_are_remembered(iree_toolchain: Callable[..., Toolchain]) -> None:
    texts = Texts()
    oracle = oracle_of(iree_toolchain())
    screen_of(oracle, texts).passes([VALID, WRONG_TYPE], VALID)
    again = screen_of(oracle, texts)
    assert again.passes([WRONG_TYPE, VALID], VALID) == [False, True]
    assert again.runs == 0


def test_nothing_is_turned_away_if_the_tool_does_not_take_the_best_so_far(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    screen = screen_of(oracle_of(iree_toolchain()))
    assert screen.passes([VALID, WRONG_TYPE], UNDECLARED) == [True, True]
    assert screen.rejected == 0


def test_an_error_elsewhere_is_found_by_halving(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    screen = screen_of(oracle_of(iree_toolchain()))
    texts = [VALID, UNKNOWN_OP, ELSEWHERE, BARE]
    assert screen.passes(texts, VALID) == [True, True, False, True]
    assert screen.runs > 1


def test_a_tool_that_crashes_says_nothing(iree_toolchain: Callable[..., Toolchain]) -> None:
    oracle = oracle_of(iree_toolchain())
    plain = oracle.runner

    def crashing(
        argv: Sequence[str],
        *,
        cwd: Path,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> ProcessResult:
        if "a.b" in (cwd / argv[1]).read_text():
            return ProcessResult(End.EXITED, -11, 0.0, 0.0, 0, "", "")
        return plain(argv, cwd=cwd, limits=limits, cancel=cancel)

    screen = screen_of(replace(oracle, runner=crashing))
    texts = [VALID, UNDECLARED, UNKNOWN_OP, WRONG_TYPE]
    assert screen.passes(texts, BARE) == [True, False, True, False]
    assert [screen.takes(text, BARE) for text in texts] == [True, False, False, False]
    assert screen.takes(UNKNOWN_OP, UNDECLARED), "it does not take the other one either"


def test_where_being_invalid_is_the_point_nothing_is_screened(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    invalid = Signature(Kind.VERIFIER, "type of return operand", "func.return", "input", ())
    oracle = oracle_of(iree_toolchain())
    stop = threading.Event()
    assert screen_for(oracle, invalid, Texts(), Limits(), stop) is None
    lenient = oracle_of(iree_toolchain(), "--mlir-very-unsafe-disable-verifier-on-parsing")
    assert screen_for(lenient, WANTED, Texts(), Limits(), stop) is None
    pattern = PatternOracle(oracle, regex="failed")
    assert screen_for(pattern, WANTED, Texts(), Limits(), stop) is not None


def test_nobody_knows_what_a_script_takes(tmp_path: Path) -> None:
    script = tmp_path / "test.sh"
    script.write_text("#!/bin/sh\nexit 0\n")
    script.chmod(0o755)
    oracle = ScriptOracle(script)
    assert screen_for(oracle, WANTED, Texts(), Limits(), threading.Event()) is None
