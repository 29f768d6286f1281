"""A result that fails where its original compiles is another bug: the reduction goes back."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from oracles import Command, CompilerOracle, Level, Limits
from reducer.errors import NotInteresting
from reducer.health import Health
from reducer.health.elsewhere import Elsewhere
from reducer.health.places import release_place
from reducer.session import auditing
from reducer.session.history import FELL_BACK, KEY, read_history
from reducer.session.record import Report
from reducer.session.reduction import Reduction
from reducer.session.settings import Settings
from reducer.storage.journal import Journal
from reducer.toolchain import find
from tests.support.fake_releases import Release, Releases
from tests.support.predicate import Memory
from tests.support.silent import Silent

OPS = ("a", "guard", "b", "bad", "c", "other", "d")
PROGRAM = (
    '"builtin.module"() ({\n'
    + "".join(f'  "x.{op}"() : () -> ()\n' for op in OPS)
    + "}) : () -> ()\n"
)
LEGALIZE = "echo \"$input:1:1: error: failed to legalize operation 'x.bad'\" >&2; exit 1; fi\n"
BUG = f"if has x.bad; then {LEGALIZE}"
NEEDS_GUARD = f"if has x.bad && ! has x.guard; then {LEGALIZE}"
"""A second bug with the same message, which a program has only once it lost its guard."""

BEHIND = "if has x.other; then echo \"$input:1:1: error: 'x.other' op is bad\" >&2; exit 1; fi\n"
COPY = 'cp "$1" out.mlir; exit 0\n'
"""An `…-opt` tool for inputs in generic form."""

UNREADABLE = 'echo "$input:1:1: error: custom op is unknown" >&2; exit 1\n'
FLAGS = tuple(
    (f"--{name}", "") for name in ("iree-hal-target-backends", "iree-rocm-target", "iree-opt-level")
)


def release(compile: str) -> Release:
    return Release(compile, COPY, FLAGS)


class Place:
    """A folder with some releases and one input that fails on 3.8.0."""

    def __init__(self, folder: Path, others: dict[str, str], own: str = BUG) -> None:
        everything = {"3.8.0": release(own)}
        everything |= {version: release(script) for version, script in others.items()}
        self.releases = Releases(folder, everything)
        self.folder = folder

    def reduce(
        self,
        *,
        jobs: int = 1,
        name: str = "out",
        passes_with: Sequence[str] = (),
        ask: bool = True,
        max_calls: int | None = None,
        level: Level = Level.NORMAL,
    ) -> Report:
        own = find("3.8.0")
        assert own is not None
        command = Command.parse(["iree-compile", "--iree-hal-target-backends=vmvx"])
        settings = Settings(
            input=self.folder / "in.mlir",
            text=PROGRAM,
            output=self.folder / f"{name}.mlir",
            journal=self.folder / f"{name}.journal",
            opt=own.opt,
            jobs=jobs,
            ask_elsewhere=ask,
            passes_with=tuple(
                release_place(found, "iree-compile")
                for version in passes_with
                if (found := find(version)) is not None
            ),
            keep_flags=True,
            keep_generic=True,
            comments=False,
            also_found=False,
            max_calls=max_calls,
        )
        oracle = CompilerOracle(command, own.compile, limits=Limits(20), level=level)
        return Reduction(settings, oracle, Silent()).run()

    def history(self, name: str = "out") -> list[str]:
        with closing(Journal.reopen(self.folder / f"{name}.journal")) as journal:
            history = read_history(journal.get_text(KEY))
        assert history is not None
        return [moment.origin for moment in history.moments]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    return Place(tmp_path, {"3.4.0": NEEDS_GUARD, "3.13.0": BUG})


def ops(report: Report) -> list[str]:
    return [op for op in OPS if f'"x.{op}"' in report.text]


def test_what_keeps_another_release_healthy_stays(place: Place) -> None:
    assert ops(place.reduce(ask=False, name="alone")) == ["bad"]
    report = place.reduce()
    assert ops(report) == ["guard", "bad"]
    assert report.verified and report.one_minimal and FELL_BACK in place.history()
    assert report.output_path.read_text() == report.text
    assert any("3.4.0" in note and "another bug" in note for note in report.notes)

    health = report.health
    assert health is not None and health.repairs == 1 and not health.doubt
    assert report.lineage.history.health == health
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


def test_the_first_audit_asks_every_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest one shows nothing. Later, the result would have been made 1-minimal in vain."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    went_back: list[bool] = []
    audit = auditing._audit

    def watched(*arguments: Any) -> bool:
        went_back.append(audit(*arguments))
        return went_back[-1]

    monkeypatch.setattr(auditing, "_audit", watched)
    place = Place(tmp_path, {"3.4.0": NEEDS_GUARD, "3.6.0": BUG})
    assert ops(place.reduce()) == ["guard", "bad"]
    assert went_back[0] and not any(went_back[1:])


@pytest.mark.parametrize("lost", [(), ("compiles on 3.4.0",)])
def test_what_may_not_fail_at_all_is_confirmed_before_going_back(
    monkeypatch: pytest.MonkeyPatch, lost: tuple[str, ...]
) -> None:
    """Only then: it takes a run of the whole command."""
    asked: list[str] = []
    monkeypatch.setattr(auditing, "_losses", lambda *_: lost)
    monkeypatch.setattr(auditing, "_steps", lambda _: ())
    monkeypatch.setattr(auditing, "_go_back", lambda *_: not asked.append("go back"))
    context, check = Mock(), Mock(repairs=0)
    back = auditing._audit(context, check, (), 0, lambda: asked.append("confirm"))
    assert back is bool(lost)
    assert asked == (["confirm", "go back"] if lost else [])


def test_targets_are_asked_about_what_no_release_tells_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release has shown that the first result is another bug, so no target is asked about it."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    place = Place(tmp_path, {"3.3.0": NEEDS_GUARD, "3.4.0": BUG, "3.13.0": BUG})
    report = place.reduce()
    assert ops(report) == ["guard", "bad"]
    cuda = [line for line in place.releases.runs if "=cuda" in line]
    assert len(cuda) == 2, "the last result, and what it was made from"


@pytest.mark.parametrize(
    ("script", "runs"),
    [("while :; do :; done\n", 1), ("sleep 60\n", 2)],
    ids=["it computes", "it waits, as on a busy machine"],
)
def test_a_place_that_takes_too_long_is_asked_again_only_if_it_hardly_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, runs: int
) -> None:
    """It takes as long for the next program, and says nothing about that one either."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("reducer.health.elsewhere._CPU_SECONDS", 0.5)
    monkeypatch.setattr("reducer.health.elsewhere._SECONDS", 0.5)
    place = Place(tmp_path, {"3.4.0": script, "3.13.0": NEEDS_GUARD})
    report = place.reduce()
    assert ops(report) == ["guard", "bad"], "which took another audit"
    asked = [line for line in place.releases.runs if line.startswith("3.4.0 compile")]
    assert len(asked) == runs
    assert report.health is not None and "timed out on 3.4.0" in report.health.sentence


def test_what_ran_out_of_time_on_a_busy_machine_is_asked_again_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("reducer.health.elsewhere._CPU_SECONDS", 0.5)
    monkeypatch.setattr("reducer.health.elsewhere._SECONDS", 0.5)
    busy = f'[ -e "{tmp_path}/idle" ] || {{ touch "{tmp_path}/idle"; sleep 60; }}\n'
    place = Place(tmp_path, {"3.4.0": f"{busy}{NEEDS_GUARD}"})
    report = place.reduce()
    assert ops(report) == ["guard", "bad"]
    assert report.health is not None and not report.health.doubt


def test_a_candidate_that_takes_too_long_where_it_must_compile_is_one_of_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place is asked about the next candidate all the same."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("reducer.health.elsewhere._CPU_SECONDS", 0.1)
    monkeypatch.setattr("reducer.health.elsewhere._SECONDS", 0.3)
    place = Place(tmp_path, {"3.4.0": "if has x.bad && ! has x.guard; then sleep 60; fi\n"})
    assert ops(place.reduce(passes_with=["3.4.0"])) == ["guard", "bad"]


def test_a_candidate_that_a_busy_machine_kept_waiting_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    busy = f'if [ -e "{tmp_path}/busy" ]; then rm "{tmp_path}/busy"; sleep 60; fi\n'
    Releases(tmp_path, {"3.4.0": release(busy), "3.8.0": release(BUG)})
    found, own = find("3.4.0"), find("3.8.0")
    assert found is not None and own is not None
    oracle = CompilerOracle(Command.parse(["iree-compile"]), own.compile)
    elsewhere = Elsewhere(oracle, oracle.run(PROGRAM).signature, Memory())
    monkeypatch.setattr("reducer.health.elsewhere._CPU_SECONDS", 0.1)
    monkeypatch.setattr("reducer.health.elsewhere._SECONDS", 0.5)
    (tmp_path / "busy").touch()
    there = release_place(found, "iree-compile")
    assert elsewhere.health(there, PROGRAM) is Health.COMPILES


def test_another_target_counts_like_another_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    own = f'case " $* " in *vulkan*) {NEEDS_GUARD.strip()}; exit 0;; esac\n{BUG}'
    report = Place(tmp_path, {}, own).reduce()
    assert ops(report) == ["guard", "bad"]
    assert report.health is not None
    assert report.health.sentence == ("compiles for vulkan; fails for vmvx, llvm-cpu, cuda and hip")


def test_a_failure_that_goes_away_elsewhere_is_another_bug_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The input fails in the same way at every level; without its guard it does not."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    own = f'case " $* " in *=O3*) has x.guard || exit 0;; esac\n{BUG}'
    report = Place(tmp_path, {}, own).reduce()
    assert ops(report) == ["guard", "bad"]
    assert any("compiles with O3" in note for note in report.notes)


def test_a_place_that_was_required_is_told_though_the_result_was_not_asked_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """O2 was the nearest level to differ; as the result fails at O3, nobody asks between."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    own = f'case " $* " in *=O2*|*=O3*) has x.guard || exit 0;; esac\n{BUG}'
    health = Place(tmp_path, {}, own).reduce().health
    assert health is not None
    levels = {one.name: (one.health, one.required) for one in health.places if one.kind == "level"}
    assert levels == {
        "O3": (Health.SAME, False),
        "O2": (Health.SAME, True),
        "O1": (Health.NOT_ASKED, False),
    }


def test_the_same_result_for_any_number_of_workers(place: Place) -> None:
    results = [place.reduce(jobs=jobs, name=f"{jobs}") for jobs in (1, 3)]
    assert results[0].text == results[1].text
    assert results[0].charged == results[1].charged


@pytest.mark.parametrize("level", [Level.STRICT, Level.LOOSE])
def test_failures_elsewhere_are_judged_at_the_same_level(place: Place, level: Level) -> None:
    report = place.reduce(level=level)
    assert report.health is not None
    assert {one.name: one.health for one in report.health.places}["3.13.0"] == Health.SAME


def test_a_second_run_asks_nothing_again(place: Place) -> None:
    first = place.reduce()
    runs = len(place.releases.runs)
    again = place.reduce()
    assert again.text == first.text
    assert again.health is not None and again.health.runs == 0
    printed = [run for run in place.releases.runs[runs:] if " opt " not in run]
    assert len(printed) <= 1, "only the printed command is run again"


@pytest.mark.parametrize("script", [UNREADABLE, BUG, f"{BEHIND}{UNREADABLE}"])
def test_a_release_that_cannot_tell_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    report = Place(tmp_path, {"3.4.0": script}).reduce()
    assert ops(report) == ["bad"]
    assert report.health is not None and report.health.repairs == 0


def test_health_may_show_only_once_another_failure_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The input fails in another way there, but some programs on the way compile."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    report = Place(tmp_path, {"3.4.0": f"{BEHIND}{NEEDS_GUARD}"}).reduce()
    assert ops(report) == ["guard", "bad"]
    assert report.health is not None
    there = {one.name: one for one in report.health.places}["3.4.0"]
    assert (there.health, there.before) == (Health.COMPILES, Health.COMPILES)


def test_a_condition_that_no_step_left_meets(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was met by a step that the reduction went back beyond, for the sake of another place."""
    monkeypatch.setattr(auditing, "_meets", lambda *arguments: False)
    steps: list[Any] = [object() for _ in range(6)]
    assert auditing._last_that_meets(Mock(), Mock(), steps, Mock()) == -1
    monkeypatch.setattr(auditing, "_meets", lambda context, check, step, wanted: step is steps[0])
    assert auditing._last_that_meets(Mock(), Mock(), steps, Mock()) == 0


def test_a_release_that_must_compile_everything(place: Place) -> None:
    report = place.reduce(ask=False, passes_with=["3.4.0"])
    assert ops(report) == ["guard", "bad"]
    with pytest.raises(NotInteresting, match=r"the input also fails with 3\.13\.0"):
        place.reduce(ask=False, passes_with=["3.13.0"], name="other")


def test_a_budget_may_end_before_the_audit(place: Place) -> None:
    """Nothing is repaired then, but what is lost is told."""
    needed = place.reduce(ask=False, name="alone").charged
    report = place.reduce(max_calls=needed - 1)
    assert report.status == "budget" and report.health is not None
    assert (ops(report) == ["bad"]) == ("3.4.0" in report.health.doubt)
