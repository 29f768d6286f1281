"""Dropping flags, with an oracle that depends only on the command."""

import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest

from oracles import Command, Outcome
from reducer.driver.stages.command_parts import CommandParts
from reducer.driver.stages.flags import remarks, shorten, with_smaller_values
from reducer.ir import PlainText
from reducer.search.conditions import ConditionName, Refused
from reducer.search.judge import Judge
from reducer.search.query import Observers
from reducer.search.sequential import SequentialTest
from tests.support.predicate import FAILED, FAILURE, PASSED, Memory, PredicateOracle

DOCUMENT = PlainText('"x.bad"() : () -> ()\n')


class CommandOracle(PredicateOracle):
    """Fails on texts with `x.bad` under the commands that a predicate accepts."""

    def __init__(self, command: Command, needs: Callable[[str], bool]) -> None:
        words = " ".join([*command.launcher, *command.argv])
        super().__init__(lambda text: "x.bad" in text and needs(words))
        self.needs = needs
        self._command = command
        self.key = words

    @property
    def command(self) -> Command:
        return self._command

    def with_command(self, command: Command) -> "CommandOracle":
        return CommandOracle(command, self.needs)


def shortened(words: str, needs: Callable[[str], bool], jobs: int = 1) -> tuple[str, int]:
    """The shortened command, and the number of runs it took; ~ is a space inside a word."""
    split = [word.replace("~", " ") for word in shlex.split(words)]
    oracle = CommandOracle(Command.parse(split), needs)
    changes: list[Judge] = []
    judge = Judge(oracle, Memory(), target=FAILURE, jobs=jobs)
    after = shorten(judge, DOCUMENT, changes.append)
    assert after is (changes[-1] if changes else judge)
    assert shorten(after, DOCUMENT, changes.append) is after, "what is left cannot lose any flag"
    judge.close()
    left = after.oracle.command
    assert left is not None
    return " ".join([*left.launcher, *left.argv]), judge.costs.charged


@pytest.mark.parametrize(
    ("before", "needed", "after"),
    [
        ("tool --a --b=1 -c {}", "", "tool {}"),
        ("tool --a {} --b=1 -c", "--b=1", "tool {} --b=1"),
        ("tool --a -O 3 --in={}", "", "tool --in={}"),
        ("tool run --a {} other", "", "tool run {} other"),
        ("tool --dry-run --verify-only=x --a {}", "", "tool --dry-run --verify-only=x {}"),
        ("tool --list=a,b,c,d,e {}", "e", "tool --list=e {}"),
        ("tool --p=m(f(a,keep{x=1},c),d) {}", "keep", "tool --p=m(f(keep)) {}"),
        ("tool -p a,keep,c {}", "keep", "tool -p keep {}"),
        ("tool -p a{x=1},keep{y=2~z=3} {}", "keep", "tool -p keep {}"),
    ],
    ids=[
        "all",
        "all but one",
        "values",
        "other words",
        "restraints",
        "list",
        "pipeline",
        "list in a word of its own",
        "passes in a word of their own",
    ],
)
def test_what_is_not_needed_goes(before: str, needed: str, after: str) -> None:
    needs = lambda words: needed in words.split(" ", 1)[1]  # noqa: E731
    assert shortened(before, needs)[0] == after
    assert shortened(before, needs, jobs=3) == shortened(before, needs), "workers change nothing"


@pytest.mark.parametrize(
    ("before", "needed", "after"),
    [
        # The options of a pass.
        ("t --pass=a=b {}", "--pass", "t --pass {}"),
        ("t --pass=a=b {}", "--pass=a=b", "t --pass=a=b {}"),
        ("t --pass='a=b c=d' {}", "c=d", "t --pass=c=d {}"),
        ("t --pass='a=b c=true' {}", "=c", "t --pass=c {}"),
        ("x-opt-22 --pass=a {}", "--pass", "x-opt-22 --pass {}"),
        ("t --target=a {}", "--target", "t --target=a {}"),
        ("t --pass-pipeline='any(p{a=b})' {}", "p", "t --pass-pipeline=any(p) {}"),
        ("t --pass-pipeline='p{a=b}' {}", "p", "t --pass-pipeline=p {}"),
        ("t --pass-pipeline='p{a=1,2 b=true}' {}", "a=.* b", "t '--pass-pipeline=p{a=2 b}' {}"),
        # The environment.
        ("env X='--a --b --c' Y=1 cat {}", "--b", "env X=--b cat {}"),
        ("X='--a --b=1,2' cat --c {}", "b=.*2", "env X=--b=2 cat {}"),
        ("env -i -u V W='--a v --b' cat {}", "--a v", "env 'W=--a v' cat {}"),
        ("env -i -u V W=a:b cat --a {}", "a:b", "env W=a:b cat {}"),
        ("env -i PATH=/a:/b cat {}", "-i", "env -i PATH=/a:/b cat {}"),
        ("env X=1 timeout 5 env Y=1 nice cat {}", "", "timeout 5 nice cat {}"),
        ("env X='--dry-run --a' cat {}", "", "env X=--dry-run cat {}"),
        # What a shell runs.
        (
            "bash -c 'x-opt -a --b=c=d < {} | y-opt --e -f | grep -v z'",
            "--b.*--e",
            "bash -c 'x-opt --b < {} | y-opt --e'",
        ),
        (
            'sh -ec \'X="-a -b" Y=1 x-opt --c "--d=x,y" {} -o $O 2>&1 && rm -f y; y-opt --z $V\'',
            "-b.*y {}",
            "sh -ec 'X=\"-b\" x-opt --d=y {} -o $O 2>&1 && rm -f y; y-opt'",
        ),
        ("bash -eo pipefail -c 'x-opt {} | y-opt -a'", "-a", "bash -c 'x-opt {} | y-opt -a'"),
        ("bash -c 'env X=1 x-opt \\\n -a \\\n -b {}'", "-b", "x-opt -b {}"),
        ("bash -c 'x-opt -a $(cat {})' ", "", "bash -c 'x-opt -a $(cat {})'"),
        (
            "bash -c 'for x in 1; do x-opt -a {}; done'",
            "",
            "bash -c 'for x in 1; do x-opt -a {}; done'",
        ),
        ("bash -c 'x-opt -a {} << E\nE'", "", "bash -c 'x-opt -a {} << E\nE'"),
        ("bash -c 'f() { x-opt -a {}; }; f'", "", "bash -c 'f() { x-opt -a {}; }; f'"),
        ("bash -c '\"$@\" 2>e' _ x-opt -a -b {}", "-b", "bash -c '\"$@\" 2>e' _ x-opt -b {}"),
    ],
)
def test_flags_wherever_they_are_written(before: str, needed: str, after: str) -> None:
    left, _ = shortened(before, lambda words: re.search(needed, words, re.S) is not None)
    assert left == " ".join(shlex.split(after))


def test_the_last_option_of_a_pass_takes_one_more_run() -> None:
    assert shortened("t --a=b=c {}", lambda words: "--a=b=c" in words)[1] == 2


def test_options_of_a_pass_and_their_items() -> None:
    before = "tool --pass=a=1~sizes=4,8,16~c {}"
    left, _ = shortened(before, lambda words: "sizes=" in words and "8" in words)
    assert left == "tool --pass=sizes=8 {}"


def test_a_flag_that_only_another_one_needed_goes_with_it() -> None:
    needs = lambda words: "--a" not in words or "--b" in words  # noqa: E731
    assert shortened("tool --b --a --c", needs)[0] == "tool {}"
    needs = lambda words: "--z" in words and ("--a" not in words or "--b" in words)  # noqa: E731
    assert shortened("tool --z --b --a", needs)[0] == "tool --z {}"


def test_few_runs_where_nothing_or_everything_goes() -> None:
    assert shortened("tool --a --b", lambda words: "--a --b" in words)[1] == 2
    many = "tool " + " ".join(f"--f{number}" for number in range(20))
    assert shortened(many, lambda words: True) == ("tool {}", 2)


def test_a_command_that_fails_on_anything_is_no_shorter_one() -> None:
    """Without `--target` the tool fails on any input, with a message that looks the same."""
    oracle = CommandOracle(Command.parse(["tool", "--target=x"]), lambda words: True)
    bare = oracle.with_command(Command.parse(["tool"]))
    bare.fails = lambda text: True
    oracle.with_command = lambda command: bare  # type: ignore[method-assign]
    refused: list[Refused] = []
    judge = Judge(oracle, Memory(), target=FAILURE, observers=Observers(on_refused=refused.append))
    assert shorten(judge, DOCUMENT, lambda shorter: None) is judge
    judge.close()
    assert {one.refusal.condition for one in refused} == {ConditionName.NEEDS_INPUT}


def test_a_command_under_which_the_failure_is_rare_is_not_tried_without_an_input() -> None:
    asked: list[tuple[str, str]] = []

    class Flaky(CommandOracle):
        def run(self, text: str | bytes, **how: Any) -> Outcome:
            asked.append((self.key, str(text)))
            many = asked.count(asked[-1])
            fails = many != 3 if "--a" in self.key else many == 1
            return FAILED if fails and "x.bad" in str(text) else PASSED

        def with_command(self, command: Command) -> CommandOracle:
            return Flaky(command, self.needs)

    judge = Judge(
        Flaky(Command.parse(["tool", "--a", "--b"]), lambda words: True),
        Memory(),
        target=FAILURE,
        test=SequentialTest(0.9),
    )
    after = shorten(judge, DOCUMENT, lambda shorter: None)
    judge.close()
    assert after.oracle.key == "tool --a {}"
    assert {key for key, text in asked if text != DOCUMENT.text} == {"tool --a {}"}


def test_a_script_has_no_flags() -> None:
    judge = Judge(PredicateOracle(lambda text: True), Memory())
    assert shorten(judge, DOCUMENT, lambda shorter: None) is judge
    judge.close()


def test_the_input_is_no_value_of_a_flag() -> None:
    groups = CommandParts(Command.parse(["t", "--a", "{}", "--b", "x", "--c=1", "y"])).groups
    assert [[part.text for part in group] for group in groups] == [["--a"], ["--b", "x"], ["--c=1"]]


def smaller(command: Command, *, keeps_options: bool) -> list[str]:
    found = with_smaller_values(command, keeps_options)
    return [one.argv[1].partition("=")[2] for one in found]


def test_passes_that_may_be_unsafe_without_an_option_keep_them_all() -> None:
    command = Command.parse(
        ["mlir-opt", "-pass-pipeline=builtin.module(a{x=1},func.func(b{y=1},c))"]
    )
    assert set(smaller(command, keeps_options=True)) >= {
        "builtin.module(func.func(b{y=1},c))",
        "builtin.module(a{x=1})",
        "builtin.module(a{x=1},func.func(b{y=1}))",
        "builtin.module(a{x=1},func.func(c))",
    }
    assert all(
        one.count("{") == one.count("a{x=1}") + one.count("b{y=1}")
        for one in smaller(command, keeps_options=True)
    )
    alone = Command.parse(["mlir-opt", "--loop-permutation=map=1,0 check-validity=1"])
    assert smaller(alone, keeps_options=True) == []


def test_passes_of_a_pipeline_that_implies_the_module() -> None:
    command = Command.parse(["mlir-opt-13", "-pass-pipeline=func(cse),a{x=1 y=2},b"])
    shorter = smaller(command, keeps_options=False)
    assert {"a{x=1 y=2},b", "func(cse),b", "func(cse),a{x=1 y=2}", "func(cse),a{y=2},b"} <= {
        *shorter
    }


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("x-opt {}", []),
        ("for x in 1; do x-opt {}; done", ["the command inside bash was not reduced"]),
        ("time -p x-opt -a {}", []),
        ("x-opt {} | grep -v y", ["the flags of grep inside bash were not reduced"]),
        ("x-opt -a {} | y-opt -b", ["of the 2 tools inside bash, 'y-opt -b' fails"]),
    ],
)
def test_what_is_said_about_a_shell(script: str, said: list[str]) -> None:
    """Nothing of it can go."""
    oracle = CommandOracle(Command.parse(["bash", "-c", script]), lambda words: script in words)
    judge = Judge(oracle, Memory(), target=FAILURE)
    found = list(remarks(shorten(judge, DOCUMENT, lambda shorter: None), DOCUMENT))
    judge.close()
    assert len(found) == len(said)
    assert all(one.startswith(other) for one, other in zip(found, said, strict=True))
