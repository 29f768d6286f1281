"""A result that lost a bug of the input: another release compiles it, but not the input."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.driver.records.record import Report
from reducer.identity import multiple_bugs
from reducer.identity.builds import Health
from reducer.identity.builds.record import PlaceRecord
from reducer.toolchain import find
from tests.support.in_process import SUCCESS, Answer, Compiler, Programs, Releases, Run, failing
from tests.support.reducing import reduced_by

KINDS = ("first", "second")
OPS = [*(f"filler{number}" for number in range(100)), *KINDS, *("rest" for _ in range(100))]
PROGRAM = (
    '"builtin.module"() ({\n'
    '"func.func"() <{function_type = () -> (), sym_name = "main"}> ({\n'
    + "".join(f'  "x.{op}"() : () -> ()\n' for op in OPS)
    + '"func.return"() : () -> ()\n'
    "}) : () -> ()\n"
    "}) : () -> ()\n"
)
FLAGS = ["--iree-hal-target-backends", "--iree-opt-level"]


def bugs(*kinds: str, named: bool = True) -> Compiler:
    """Fails at the first op of each of these kinds, or does not say at which."""

    def compiler(run: Run) -> Answer | None:
        bad = [run.text.index(f'"x.{kind}"') for kind in kinds if f'"x.{kind}"' in run.text]
        lines = [run.text[:place].count("\n") + 1 if named else 1 for place in bad]
        said = [failing(run, "it is bad", line, 3).stderr for line in lines]
        return Answer(1, "".join(said)) if bad else None

    return compiler


NAMED, UNNAMED = bugs(*KINDS), bugs(*KINDS, named=False)
STILL_SECOND = bugs("second")


def is_whole(run: Run) -> bool:
    return "x.filler9" in run.text and "x.rest" in run.text


def not_whole(then: Compiler) -> Compiler:
    return lambda run: None if is_whole(run) else then(run)


def slow_if_whole(then: Compiler) -> Compiler:
    return lambda run: replace(then(run) or SUCCESS, cpu=9.0 * is_whole(run))


def locate(run: Run) -> Answer:
    """A tool that prints a module, with the lines of its ops on request."""
    lines = run.text.splitlines()
    if any("debuginfo" in word for word in run.words):
        lines = [
            f'{line} loc("input.mlir":{number}:3)' if "x." in line else line
            for number, line in enumerate(lines, start=1)
        ]
    (run.folder / "out.mlir").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return SUCCESS


@dataclass(frozen=True)
class Narrowed:
    """What became of the program, and what the newer release was asked."""

    report: Report
    sizes: list[int]
    """The sizes of the programs that it was asked to compile."""

    @property
    def ops(self) -> list[str]:
        return [op for op in dict.fromkeys(OPS) if f'"x.{op}"' in self.report.text]

    @property
    def repairs(self) -> int:
        assert self.report.health is not None and not self.report.health.doubt
        return self.report.health.repairs

    @property
    def newer(self) -> PlaceRecord:
        assert self.report.health is not None
        return {one.name: one for one in self.report.health.places}["3.13.0"]


Reduce = Callable[..., Narrowed]


@pytest.fixture
def reduce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reduce:
    """Reduces a program with both bugs on 3.8.0; `newer` is what 3.13.0 does."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    programs = Programs(monkeypatch)

    def run(newer: Compiler, own: Compiler = NAMED, max_calls: int | None = None) -> Narrowed:
        compilers = {"3.8.0": own, "3.13.0": newer}
        releases = Releases(programs, tmp_path / "cache", compilers, FLAGS, locate)
        found = find("3.8.0")
        assert found is not None
        command = Command.parse(["iree-compile", "--iree-hal-target-backends=vmvx"])
        oracle = CompilerOracle(command, found.compile, limits=Limits(20))
        report = reduced_by(
            oracle,
            tmp_path,
            PROGRAM,
            name=f"{max_calls}",
            max_calls=max_calls,
            opt=found.opt,
            jobs=1,
            ask_elsewhere=True,
            keep_flags=True,
            keep_generic=True,
            comments=False,
            also_found=False,
        )
        told = [line.split() for line in releases.runs if line.startswith("3.13.0 compile")]
        return Narrowed(report, [int(words[3]) for words in told])

    return run


@pytest.mark.parametrize("largest", [0, 500])
def test_of_two_named_ops_the_one_that_still_fails_is_cut_out(
    reduce: Reduce, monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    monkeypatch.setattr(multiple_bugs, "_LARGEST_INPUT", largest)
    found = reduce(STILL_SECOND)
    assert found.ops == ["second"]
    assert found.report.verified and found.report.one_minimal
    assert found.repairs == 0, "it was chosen before anything was cut around the other op"
    newer = found.newer
    assert (newer.health, newer.before, newer.required) == (Health.SAME, Health.SAME, True)


def test_the_op_that_was_chosen_keeps_failing_there(reduce: Reduce) -> None:
    """Alone, it would only have the bug that the next release has no more."""
    found = reduce(lambda run: STILL_SECOND(run) if "x.first" in run.text else None)
    assert found.ops == list(KINDS) and found.repairs == 0


def test_the_input_is_believed_more_than_a_part_of_it(reduce: Reduce) -> None:
    """It compiles there as a whole, so what fails of it alone is no bug of the input there."""
    assert reduce(not_whole(STILL_SECOND)).ops == ["first"]


def test_a_large_input_is_not_asked_about_its_ops(
    reduce: Reduce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multiple_bugs, "_LARGEST_INPUT", 0)
    found = reduce(not_whole(STILL_SECOND))
    assert found.ops == ["second"] and len(PROGRAM) not in found.sizes


@pytest.mark.parametrize("newer", [lambda run: None, NAMED], ids=["compiles", "rejects"])
def test_a_release_that_does_the_same_with_both_changes_nothing(
    reduce: Reduce, newer: Compiler
) -> None:
    found = reduce(newer)
    assert found.ops == ["first"] and found.repairs == 0


def test_without_named_ops_the_input_itself_is_asked(reduce: Reduce) -> None:
    found = reduce(STILL_SECOND, UNNAMED)
    assert found.ops == ["second"] and found.repairs == 1
    notes = found.report.notes
    assert any("compiles with 3.13.0" in note and "another bug" in note for note in notes)
    newer = found.newer
    assert (newer.health, newer.before, newer.required) == (Health.SAME, Health.SAME, True)


def test_a_large_input_is_not_asked(reduce: Reduce, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiple_bugs, "_LARGEST_INPUT", 0)
    found = reduce(STILL_SECOND, UNNAMED)
    assert found.ops == ["first"]
    assert found.sizes and len(PROGRAM) not in found.sizes


@pytest.mark.parametrize("own", [NAMED, UNNAMED])
def test_no_choice_depends_on_how_long_a_run_takes(reduce: Reduce, own: Compiler) -> None:
    """The input takes most of the time here; the result is the one of a quick compiler."""
    assert reduce(STILL_SECOND, slow_if_whole(own)).ops == ["second"]


def test_a_result_is_complete_without_this(reduce: Reduce) -> None:
    """What is asked after the search is no part of it, and no failure to pay for that matters."""
    needed = reduce(lambda run: None).report.charged
    budgets = range(needed, needed + 3)  # some of the runs are kept for the result
    reports = [reduce(lambda run: None, max_calls=most).report for most in budgets]
    assert ("reduced", needed) in [(report.status, report.charged) for report in reports]
