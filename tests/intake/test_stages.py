"""Commands that hand a module on to each other become one."""

import pytest

from reducer.intake.stages import (
    is_piped,
    merged,
    one_command,
)
from tests.support.opt_tools import find_opt


def test_words_that_a_shell_has_split() -> None:
    words = ["mlir-opt", "a.mlir", "--x=a b", "|", "mlir-opt", "--y"]
    assert is_piped(words)
    assert merged(words).words == ("mlir-opt", "a.mlir", "--x=a b", "--y")
    assert not is_piped(["mlir-opt", "--match=a|b"])
    assert not is_piped(["mlir-opt '--match=a | b"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("T a.mlir --cse --sccp", ["T", "a.mlir", "--cse", "--sccp"]),
        (  # all of them can be flags
            "T a.mlir -pass-pipeline='builtin.module(func.func(canonicalize{max-iterations=3}))'"
            " | T --cse",
            ["T", "a.mlir", "--canonicalize=max-iterations=3", "--cse"],
        ),
        (
            "T a.mlir --pass-pipeline='builtin.module(func.func(tosa-to-linalg{aggressive-reduce-"
            "constant=true}),tosa-to-scf)' | T --split-input-file --affine-loop-tile='tile-size=3 "
            "separate' --cse | T --pass-pipeline=any(cse)",
            [
                "T",
                "--pass-pipeline=builtin.module("
                "func.func(tosa-to-linalg{aggressive-reduce-constant=true}),tosa-to-scf,"
                "func.func(affine-loop-tile{tile-size=3 separate}),cse,any(cse))",
                "a.mlir",
                "--split-input-file",
            ],
        ),
    ],
)
def test_one_command(line: str, words: list[str]) -> None:
    opt = find_opt()
    given = merged([line.replace("T ", f"{opt.name} ")]) if "|" in line else merged(line.split())
    named = [opt.name if word == "T" else word for word in words]
    assert one_command(given.words, opt)[1:] == tuple(named[1:])
