"""The pass after which a program means something else."""

import re

import pytest

from oracles import Command
from reducer.miscompile.locate.wrong_pass import first_wrong_pass, sole_pass_of

PASSES = {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    "words",
    [
        ["t-opt", "-a", "--keep=x", "--b=p=1 q", "-c", "--d"],
        ["t-opt", "--keep=x", "--pass-pipeline=m(a,f(b{p=1},c),d)"],
    ],
)
@pytest.mark.parametrize("guilty", sorted(PASSES))
def test_it_is_found_in_few_runs(words: list[str], guilty: str) -> None:
    asked: list[tuple[str, ...]] = []

    def is_wrong(command: Command) -> bool:
        asked.append(command.flags)
        assert "--keep=x" in command.flags
        text = " ".join(command.flags).replace("pass-pipeline", "").replace("keep=x", "")
        return guilty in text.replace("p=1 q", "").replace("{p=1}", "")

    found = first_wrong_pass(Command.parse(words), PASSES.__contains__, is_wrong)
    assert found is not None
    assert found.name == guilty
    assert len(asked) <= 2, asked


def test_prefixes_of_a_nested_pipeline() -> None:
    asked: list[str] = []

    def is_wrong(command: Command) -> bool:
        asked.append(command.flags[0])
        return False

    command = Command.parse(["t-opt", "--pass-pipeline=m(a,f(b{p=1},c),d)"])
    found = first_wrong_pass(command, PASSES.__contains__, is_wrong)
    assert found is not None
    assert found.name == "d"
    assert asked == ["--pass-pipeline=m(a,f(b{p=1}))", "--pass-pipeline=m(a,f(b{p=1},c))"]


def test_nobody_may_know() -> None:
    command = Command.parse(["t-opt", "-a", "-b"])
    assert first_wrong_pass(command, PASSES.__contains__, lambda command: None) is None
    nothing = Command.parse(["t-opt"])
    assert first_wrong_pass(nothing, PASSES.__contains__, lambda c: True) is None


@pytest.mark.parametrize(
    ("words", "guilty", "before", "alone"),
    [
        (["-a", "--k", "-b=p=1"], "a", None, ["-a", "--k"]),
        (["-a", "--k", "-b=p=1"], "b", ["-a", "--k"], ["--k", "-b=p=1"]),
        (["--p=m(a,f(b{p=1},c),d)"], "b", ["--p=m(a)"], ["--p=m(f(b{p=1}))"]),
        (["--p=m(a,f(b{p=1},c),d)"], "c", ["--p=m(a,f(b{p=1}))"], ["--p=m(f(c))"]),
        (["--p=m(a,f(b,c),d)"], "d", ["--p=m(a,f(b,c))"], ["--p=m(d)"]),
        (["--p=m(f(a))"], "a", None, ["--p=m(f(a))"]),
    ],
)
def test_the_passes_before_it_and_the_pass_alone(
    words: list[str], guilty: str, before: list[str] | None, alone: list[str]
) -> None:
    words, alone = ([w.replace("--p=", "--pass-pipeline=") for w in ws] for ws in (words, alone))

    def is_wrong(command: Command) -> bool:
        return any(f"{guilty}" in re.split(r"\W+", word) for word in command.flags)

    found = first_wrong_pass(Command.parse(["t-opt", *words]), PASSES.__contains__, is_wrong)
    assert found is not None
    assert list(found.alone.flags) == alone
    if before is None:
        assert found.before is None
    else:
        assert found.before is not None
        ends = [word.replace("--p=", "--pass-pipeline=") for word in before]
        assert list(found.before.flags) == ends


@pytest.mark.parametrize(
    ("word", "pipeline"),
    [
        ("-b", "b"),
        ("--b=p=1 q", "b{p=1 q}"),
        ("--pass-pipeline=m(f(b{p=1},c))", "m(f(b{p=1}))"),
    ],
)
def test_what_runs_as_a_pipeline(word: str, pipeline: str) -> None:
    command = Command.parse(["t-opt", word])
    found = first_wrong_pass(command, PASSES.__contains__, lambda shorter: True)
    assert found is not None
    assert found.pipeline == pipeline


def test_a_command_of_one_pass() -> None:
    def sole(*words: str) -> str | None:
        return sole_pass_of(Command.parse(["t-opt", *words]), PASSES.__contains__)

    assert sole("-a", "--k") == "a"
    assert sole("--pass-pipeline=m(f(b{p=1}))") == "b"
    assert sole("-a", "-b") is None
    assert sole("--k") is None
