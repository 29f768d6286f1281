"""A result that fails where its original compiles is another bug: the reduction goes back."""

import re
from collections.abc import Callable, Mapping
from contextlib import closing
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from oracles import Command, CompilerOracle, Level, Limits
from reducer.driver.records.history import FELL_BACK, KEY, read_history
from reducer.driver.records.record import Report
from reducer.identity.audit import Audit
from reducer.identity.builds import Health
from reducer.identity.builds.configs import release_config
from reducer.identity.builds.cross_check import CrossCheck
from reducer.identity.conditions import Loss
from reducer.storage.journal import Journal
from reducer.toolchain import find
from tests.support.in_process import Answer, Compiler, Programs, Releases, Run, failing
from tests.support.predicate import Memory
from tests.support.reducing import reduced_by

OPS = ("a", "guard", "b", "bad", "c", "other", "d")
PROGRAM = (
    '"builtin.module"() ({\n'
    + "".join(f'  "x.{op}"() : () -> ()\n' for op in OPS)
    + "}) : () -> ()\n"
)
FLAGS = [f"--iree-{name}" for name in ("hal-target-backends", "rocm-target", "opt-level")]


def bug(run: Run) -> Answer | None:
    return failing(run, "failed to legalize operation 'x.bad'") if "x.bad" in run.text else None


def needs_guard(run: Run) -> Answer | None:
    """A second bug with the same message, which a program has only once it lost its guard."""
    return None if "x.guard" in run.text else bug(run)


def unreadable(run: Run) -> Answer:
    return failing(run, "custom op is unknown")


def behind(then: Compiler) -> Compiler:
    """Another failure comes first."""
    return lambda run: failing(run, "'x.other' op is bad") if "x.other" in run.text else then(run)


def only_for(there: Compiler, *flags: str) -> Compiler:
    """Has the bug, but does something else with any of these flags."""
    return lambda run: (there if any(one in " ".join(run.words) for one in flags) else bug)(run)


def guarded_only(run: Run) -> Answer | None:
    return bug(run) if "x.guard" in run.text else None


class BuildConfig:
    """A folder with some releases and one input that fails on 3.8.0."""

    def __init__(
        self, folder: Path, programs: Programs, others: Mapping[str, Compiler], own: Compiler
    ) -> None:
        self.releases = Releases(programs, folder / "cache", {"3.8.0": own, **others}, FLAGS)
        self.folder = folder

    def reduce(
        self,
        *,
        jobs: int = 1,
        name: str = "out",
        ask: bool = True,
        max_calls: int | None = None,
        level: Level = Level.NORMAL,
    ) -> Report:
        own = find("3.8.0")
        assert own is not None
        command = Command.parse(["iree-compile", "--iree-hal-target-backends=vmvx"])
        oracle = CompilerOracle(command, own.compile, limits=Limits(20), level=level)
        return reduced_by(
            oracle,
            self.folder,
            PROGRAM,
            name=name,
            opt=own.opt,
            jobs=jobs,
            ask_elsewhere=ask,
            keep_flags=True,
            keep_generic=True,
            comments=False,
            also_found=False,
            max_calls=max_calls,
        )

    def history(self, name: str = "out") -> list[str]:
        with closing(Journal.reopen(self.folder / f"{name}.journal")) as journal:
            history = read_history(journal.get_text(KEY))
        assert history is not None
        return [moment.origin for moment in history.moments]

    def asked(self, version: str) -> list[str]:
        return [run for run in self.releases.runs if run.startswith(f"{version} compile")]


Make = Callable[..., BuildConfig]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    programs = Programs(monkeypatch)
    return lambda own=bug, **others: BuildConfig(
        tmp_path, programs, {name[1:].replace("_", "."): f for name, f in others.items()}, own
    )


@pytest.fixture
def place(make: Make) -> BuildConfig:
    return make(_3_4_0=needs_guard, _3_13_0=bug)


def ops(report: Report) -> list[str]:
    return [op for op in OPS if f'"x.{op}"' in report.text]


def test_what_keeps_another_release_healthy_stays(place: BuildConfig) -> None:
    assert ops(place.reduce(ask=False, name="alone")) == ["bad"]
    report = place.reduce()
    assert ops(report) == ["guard", "bad"]
    assert report.verified and report.one_minimal and FELL_BACK in place.history()
    assert report.output_path.read_text() == report.text
    assert any("3.4.0" in note and "another bug" in note for note in report.notes)

    health = report.health
    assert health is not None and health.repairs == 1 and not health.doubt
    assert report.lineage.history.health == health
    own = re.compile(r"3\.8\.0 (opt|compile \d+ \d+ --iree-hal-target-backends=vmvx \S+\.mlir)")
    assert health.runs == sum(own.match(run) is None for run in place.releases.runs)
    assert {one.name: (one.health, one.before, one.required) for one in health.places} == {
        **dict.fromkeys(("llvm-cpu", "vulkan", "cuda"), (Health.SAME, Health.SAME, False)),
        **dict.fromkeys(("hip", "3.13.0"), (Health.SAME, Health.SAME, False)),
        "O3": (Health.SAME, "", False),
        **dict.fromkeys(("O1", "O2"), (Health.NOT_ASKED, "", False)),
        "3.4.0": (Health.COMPILES, Health.COMPILES, True),
    }
    assert health.sentence == (
        "compiles on 3.4.0; fails for vmvx, llvm-cpu, vulkan, cuda and hip, on 3.8.0 and 3.13.0; "
        "not tried between 3.4.0 and 3.8.0"
    )

    # A second run asks nothing again.
    runs = len(place.releases.runs)
    again = place.reduce()
    assert again.text == report.text
    assert again.health is not None and again.health.runs == 0
    printed = [run for run in place.releases.runs[runs:] if " opt " not in run]
    assert len(printed) <= 1, "only the printed command is run again"


def test_the_first_audit_asks_every_release(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest one shows nothing. Later, the result would have been made 1-minimal in vain."""
    went_back: list[Loss | None] = []
    audit = Audit._lost

    def watched(*arguments: Any) -> Loss | None:
        went_back.append(audit(*arguments))
        return went_back[-1]

    monkeypatch.setattr(Audit, "_lost", watched)
    assert ops(make(_3_4_0=needs_guard, _3_6_0=bug).reduce()) == ["guard", "bad"]
    assert went_back[0] and not any(went_back[1:])


@pytest.mark.parametrize("lost", [(), ("compiles on 3.4.0",)])
def test_what_may_not_fail_at_all_is_confirmed_before_going_back(
    monkeypatch: pytest.MonkeyPatch, lost: tuple[str, ...]
) -> None:
    """Only then: it takes a run of the whole command."""
    asked: list[str] = []
    monkeypatch.setattr(Audit, "_losses", lambda *_: lost)
    monkeypatch.setattr(Audit, "_loss", lambda *_: asked.append("go back"))
    Audit(Mock(), Mock(), Mock(repairs=0))._lost((), 0, lambda: asked.append("confirm"))
    assert asked == (["confirm", "go back"] if lost else [])


def test_targets_are_asked_about_what_no_release_tells_apart(make: Make) -> None:
    """A release has shown that the first result is another bug, so no target is asked about it."""
    place = make(_3_3_0=needs_guard, _3_4_0=bug, _3_13_0=bug)
    assert ops(place.reduce()) == ["guard", "bad"]
    cuda = [line for line in place.releases.runs if "=cuda" in line]
    assert len(cuda) == 2, "the last result, and what it was made from"


@pytest.mark.parametrize(
    ("answer", "runs"),
    [(Answer(cpu=inf, seconds=inf), 1), (Answer(seconds=inf), 2)],
    ids=["it computes", "it waits, as on a busy machine"],
)
def test_a_place_that_takes_too_long_is_asked_again_only_if_it_hardly_computed(
    make: Make, answer: Answer, runs: int
) -> None:
    """It takes as long for the next program, and says nothing about that one either."""
    place = make(_3_4_0=lambda _: answer, _3_13_0=needs_guard)
    report = place.reduce()
    assert ops(report) == ["guard", "bad"], "which took another audit"
    assert len(place.asked("3.4.0")) == runs
    assert report.health is not None and "timed out on 3.4.0" in report.health.sentence


def busy_at_first(then: Compiler) -> Compiler:
    runs: list[Run] = []

    def compiler(run: Run) -> Answer | None:
        runs.append(run)
        return Answer(seconds=inf) if len(runs) == 1 else then(run)

    return compiler


def test_what_ran_out_of_time_on_a_busy_machine_is_asked_again_before_the_end(make: Make) -> None:
    report = make(_3_4_0=busy_at_first(needs_guard)).reduce()
    assert ops(report) == ["guard", "bad"]
    assert report.health is not None and not report.health.doubt


def test_a_candidate_that_takes_too_long_where_it_must_compile_is_one_of_many(make: Make) -> None:
    """The place is asked about the next candidate all the same; a busy machine's, even twice."""
    too_long = Answer(cpu=inf, seconds=inf)
    make(_3_4_0=lambda run: needs_guard(run) and too_long, _3_13_0=busy_at_first(lambda run: None))
    own = find("3.8.0")
    assert own is not None
    oracle = CompilerOracle(Command.parse(["iree-compile"]), own.compile)
    elsewhere = CrossCheck(oracle, oracle.run(PROGRAM).signature, Memory())

    def health(version: str, text: str) -> Health:
        found = find(version)
        assert found is not None
        return elsewhere.health(release_config(found, "iree-compile"), text)

    assert health("3.4.0", PROGRAM.replace("x.guard", "x.gone")) is Health.TIMED_OUT
    assert [health(version, PROGRAM) for version in ("3.4.0", "3.13.0")] == [Health.COMPILES] * 2


@pytest.mark.parametrize(
    ("own", "sentence", "note"),
    [
        (
            only_for(needs_guard, "vulkan"),
            "compiles for vulkan; fails for vmvx, llvm-cpu, cuda and hip",
            "vulkan",
        ),
        (only_for(guarded_only, "=O3"), "", "compiles with O3"),
    ],
    ids=["it compiles for a target", "it fails alike at a level"],
)
def test_another_target_or_level_counts_like_another_release(
    make: Make, own: Compiler, sentence: str, note: str
) -> None:
    """A failure that goes away elsewhere is another bug, too."""
    report = make(own).reduce()
    assert ops(report) == ["guard", "bad"]
    assert report.health is not None and sentence in report.health.sentence
    assert any(note in said for said in report.notes)


def test_a_place_that_was_required_is_told_though_the_result_was_not_asked_there(
    make: Make,
) -> None:
    """O2 was the nearest level to differ; as the result fails at O3, nobody asks between."""
    health = make(only_for(guarded_only, "=O2", "=O3")).reduce().health
    assert health is not None
    levels = {one.name: (one.health, one.required) for one in health.places if one.kind == "level"}
    assert levels == {
        "O3": (Health.SAME, False),
        "O2": (Health.SAME, True),
        "O1": (Health.NOT_ASKED, False),
    }


@pytest.mark.parametrize("level", [Level.STRICT, Level.LOOSE])
def test_failures_elsewhere_are_judged_at_the_same_level_by_any_number_of_workers(
    place: BuildConfig, level: Level
) -> None:
    one, three = (place.reduce(level=level, jobs=jobs, name=f"{jobs}") for jobs in (1, 3))
    assert (one.text, one.charged) == (three.text, three.charged)
    assert one.health is not None
    assert {asked.name: asked.health for asked in one.health.places}["3.13.0"] == Health.SAME


@pytest.mark.parametrize("there", [unreadable, bug, behind(unreadable)])
def test_a_release_that_cannot_tell_changes_nothing(make: Make, there: Compiler) -> None:
    report = make(_3_4_0=there).reduce()
    assert ops(report) == ["bad"]
    assert report.health is not None and report.health.repairs == 0


def test_health_may_show_only_once_another_failure_is_gone(make: Make) -> None:
    """The input fails in another way there, but some programs on the way compile."""
    report = make(_3_4_0=behind(needs_guard)).reduce()
    assert ops(report) == ["guard", "bad"]
    assert report.health is not None
    there = {one.name: one for one in report.health.places}["3.4.0"]
    assert (there.health, there.before) == (Health.COMPILES, Health.COMPILES)


def test_a_condition_that_no_step_left_meets(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was met by a step that the reduction went back beyond, for the sake of another place."""
    monkeypatch.setattr(Audit, "_meets", lambda *arguments: False)
    steps: list[Any] = [object() for _ in range(6)]
    assert Audit(Mock(), Mock(), Mock())._last_that_meets(steps, Mock()) == -1
    monkeypatch.setattr(Audit, "_meets", lambda self, step, wanted: step is steps[0])
    assert Audit(Mock(), Mock(), Mock())._last_that_meets(steps, Mock()) == 0


def test_a_budget_may_end_before_the_audit(place: BuildConfig) -> None:
    """Nothing is repaired then, but what is lost is told."""
    needed = place.reduce(ask=False, name="alone").charged
    report = place.reduce(max_calls=needed - 1)
    assert report.status == "budget" and report.health is not None
    assert (ops(report) == ["bad"]) == ("3.4.0" in report.health.doubt)
