"""Commands that hand a module on to each other become one."""

import pytest

from reducer.intake.stages import (
    NotOnePipeline,
    Stages,
    is_piped,
    merged,
    one_command,
    pipeline_of_shell,
)
from tests.support.opt_tools import find_opt


@pytest.mark.parametrize(
    ("line", "words", "entry"),
    [
        ("mlir-opt a.mlir --cse", "mlir-opt a.mlir --cse", None),
        (
            "mlir-opt a.mlir -cse | mlir-opt -sccp -canonicalize - 2>/dev/null",
            "mlir-opt a.mlir -cse -sccp -canonicalize",
            None,
        ),
        (
            "bin/mlir-opt a.mlir -pass-pipeline='builtin.module(func.func(tosa-to-linalg),cse)' |"
            " /other/mlir-opt -one-shot-bufferize=bufferize-function-boundaries"
            " | mlir-cpu-runner-19 -e f -entry-point-result=void",
            "bin/mlir-opt a.mlir -pass-pipeline=builtin.module(func.func(tosa-to-linalg),cse)"
            " | /other/mlir-opt -one-shot-bufferize=bufferize-function-boundaries",
            "f",
        ),
        (
            "mlir-opt -pass-pipeline any(cse) | mlir-runner",
            "mlir-opt -pass-pipeline=any(cse)",
            "main",
        ),
        ("cat a.mlir | mlir-opt --cse - | mlir-opt", "mlir-opt --cse a.mlir", None),
        ("mlir-opt a.mlir --cse | mlir-runner", "mlir-opt a.mlir --cse", "main"),
        ("mlir-opt a.mlir | mlir-runner --entry-point=g", "mlir-opt a.mlir", "g"),
        (
            "mlir-opt-22 | mlir-translate-22 --mlir-to-llvmir | lli-22 --entry-function=g",
            "mlir-opt-22",
            "g",
        ),
        (
            "mlir-opt a.mlir --cse | mlir-translate -mlir-to-llvmir | mlir-runner -e f",
            "mlir-opt a.mlir --cse",
            "f",
        ),
    ],
)
def test_stages_are_merged(line: str, words: str, entry: str | None) -> None:
    assert merged([line] if "|" in line else line.split()) == Stages(tuple(words.split()), entry)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["bash", "-c", "A {} | mlir-runner"], "A {} | mlir-runner"),
        (["/bin/sh", "-euc", "A {} | mlir-translate --x | lli -"], None),
        (["zsh", "-o", "pipefail", "-c", "A {} 2>&1 | mlir-cpu-runner-16 -e f"], None),
        (["bash", "-c", "A {} | llc"], ""),
        (["bash", "-c", "A {} | mlir-runner > x"], ""),
        (["bash", "-c", "A '{} | mlir-runner"], ""),
        (["bash", "-c", "A {} | mlir-runner", "more"], ""),
        (["env", "X=1", "bash", "-c", "A {} | mlir-runner"], ""),
        (["mlir-opt", "--cse"], ""),
    ],
)
def test_the_pipeline_that_a_shell_runs_is_found(words: list[str], line: str | None) -> None:
    wanted = words if line == "" else [line or words[-1]]
    assert pipeline_of_shell(words, runs=True) == wanted


def test_words_that_a_shell_has_split() -> None:
    words = ["mlir-opt", "a.mlir", "--x=a b", "|", "mlir-opt", "--y"]
    assert is_piped(words)
    assert merged(words).words == ("mlir-opt", "a.mlir", "--x=a b", "--y")
    assert not is_piped(["mlir-opt", "--match=a|b"])
    assert not is_piped(["mlir-opt '--match=a | b"])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("torch-mlir-opt a.mlir | mlir-opt --cse", "different tools"),
        ("mlir-opt a.mlir | mlir-opt --cse > out", "it uses >"),
        ("mlir-opt a.mlir |", "empty"),
        ("mlir-opt a.mlir | mlir-opt '--cse", "a quote is not closed"),
        ("mlir-opt a.mlir | mlir-opt --pass-pipeline=f(", "no name"),
    ],
)
def test_what_is_not_one_pipeline(line: str, why: str) -> None:
    with pytest.raises(NotOnePipeline, match=why):
        merged([line])


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
