"""Flags that a program spells otherwise, or does not have."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from oracles import End, ProcessResult
from oracles.compilers.flag_spelling import Spelling, not_given, run_with


def _refusal(flag: str) -> str:
    return f"tool: Unknown command line argument '{flag}'.  Try: 'tool --help'\n"


def test_a_refused_flag_is_tried_without_its_prefix_and_then_left_out() -> None:
    spelling, flags = Spelling(), ["--mlir-print-ir-before=cse", "--verify-each=false"]
    assert spelling.of(flags) == flags
    assert spelling.learn(_refusal("--mlir-print-ir-before"), flags)
    assert spelling.of(flags) == ["--print-ir-before=cse", "--verify-each=false"]
    assert spelling.learn(_refusal("--print-ir-before"), flags)
    assert spelling.of(flags) == ["--verify-each=false"]
    assert not spelling.learn(_refusal("--print-ir-before"), flags)


def test_a_flag_of_the_user_that_is_refused_is_not_ours_to_change() -> None:
    assert not Spelling().learn(_refusal("--no-such-pass"), ["--mlir-disable-threading"])


def test_the_program_is_run_until_it_takes_all_flags() -> None:
    asked: list[Sequence[str]] = []

    def run(flags: Sequence[str]) -> ProcessResult:
        asked.append(flags)
        refused = [flag for flag in flags if flag.startswith("--mlir-")]
        text = "".join(map(_refusal, refused))
        return ProcessResult(End.EXITED, 1 if text else 0, 0.0, 0.0, 0, "", text)

    program = Path("/no/such/tool")
    assert run_with(program, ["--mlir-a", "--mlir-b", "--c"], run).exit_code == 0
    assert asked == [["--mlir-a", "--mlir-b", "--c"], ["--a", "--b", "--c"]]
    run_with(program, ["--mlir-b"], run)
    assert asked[2:] == [["--b"]], "what was learned is kept"


def test_one_dash_or_two() -> None:
    words = ["mlir-opt", "-mlir-disable-threading", "--a=b", "{}"]
    assert not_given(["--mlir-disable-threading", "--a=c", "--d"], words) == ["--d"]


@pytest.mark.parametrize(
    "refusal",
    [
        "usage: x-opt [-h]\nx-opt: error: unrecognized arguments: --mlir-a --b=c --d\n",  # argparse
        "Error: No such option: --mlir-a\n",  # click
        "error: unexpected argument '--mlir-a' found\n",  # clap
        "x-opt: unknown option `--mlir-a'\n",
    ],
)
def test_programs_refuse_flags_in_many_words(refusal: str) -> None:
    flags = ["--mlir-a", "--b=c", "--e"]
    spelling = Spelling()
    assert spelling.learn(refusal, flags)
    left = ["--e"] if "--b" in refusal else ["--b=c", "--e"]
    assert spelling.of(flags) == ["--a", *left]


def test_a_tool_may_have_a_name_of_its_own_for_a_flag() -> None:
    spelling, name = Spelling(), "very-unsafe-disable-verifier-on-parsing"
    for spelled in (f"--mlir-{name}", f"--{name}", "--disable-verify"):
        assert spelling.of([f"--mlir-{name}"]) == [spelled]
        assert spelling.learn(_refusal(spelled), [f"--mlir-{name}"])
    assert spelling.of([f"--mlir-{name}"]) == []
