"""The pass after which a program means something else."""

import pytest

from oracles import Command
from reducer.inspection.wrong_pass import first_wrong_pass

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

    assert first_wrong_pass(Command.parse(words), PASSES.__contains__, is_wrong) == guilty
    assert len(asked) <= 2, asked


def test_prefixes_of_a_nested_pipeline() -> None:
    asked: list[str] = []

    def is_wrong(command: Command) -> bool:
        asked.append(command.flags[0])
        return False

    command = Command.parse(["t-opt", "--pass-pipeline=m(a,f(b{p=1},c),d)"])
    assert first_wrong_pass(command, PASSES.__contains__, is_wrong) == "d"
    assert asked == ["--pass-pipeline=m(a,f(b{p=1}))", "--pass-pipeline=m(a,f(b{p=1},c))"]


def test_nobody_may_know() -> None:
    command = Command.parse(["t-opt", "-a", "-b"])
    assert first_wrong_pass(command, PASSES.__contains__, lambda command: None) == ""
    assert first_wrong_pass(Command.parse(["t-opt"]), PASSES.__contains__, lambda c: True) == ""
