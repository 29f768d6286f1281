"""A result that lost a bug of the input: another release compiles it, but not the input."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.health import Health
from reducer.session import choosing
from reducer.session.record import Report
from reducer.session.reduction import Reduction
from reducer.session.settings import Settings
from reducer.toolchain import find
from tests.support.fake_releases import Release, Releases
from tests.support.silent import Silent

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
BUGS = """failed=0
for kind in {kinds}; do
  line=$(grep -n "x.$kind" "$input" | cut -d: -f1 | head -1)
  if [ -n "$line" ]; then echo "$input:{line}:3: error: it is bad" >&2; failed=1; fi
done
[ $failed = 0 ] || exit 1
"""
OPT = """case " $* " in
*debuginfo*) awk '/x[.]/ {print $0 " loc(\\"input.mlir\\":" NR ":3)"; next} 1' "$1" > out.mlir;;
*) cp "$1" out.mlir;;
esac
"""
FLAGS = tuple((f"--{name}", "") for name in ("iree-hal-target-backends", "iree-opt-level"))
NAMED = BUGS.format(kinds="first second", line="$line")
UNNAMED = BUGS.format(kinds="first second", line="1")
STILL_SECOND = BUGS.format(kinds="second", line="$line")
BUSY = "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"
"""Takes more CPU time than all other runs of these scripts."""

NOT_WHOLE = "if has x.filler9 && has x.rest; then exit 0; fi\n"


def reduce(
    folder: Path, newer: str, own: str = NAMED, *, name: str = "out", max_calls: int | None = None
) -> Report:
    """Reduce a program with both bugs on 3.8.0; `newer` is what 3.13.0 does."""
    scripts = {"3.8.0": own, "3.13.0": newer}
    if not (folder / "index").exists():
        Releases(folder, {version: Release(body, OPT, FLAGS) for version, body in scripts.items()})
    found = find("3.8.0")
    assert found is not None
    settings = Settings(
        input=folder / "in.mlir",
        text=PROGRAM,
        output=folder / f"{name}.mlir",
        journal=folder / f"{name}.journal",
        max_calls=max_calls,
        opt=found.opt,
        jobs=1,
        ask_elsewhere=True,
        keep_flags=True,
        keep_generic=True,
        comments=False,
        also_found=False,
    )
    command = Command.parse(["iree-compile", "--iree-hal-target-backends=vmvx"])
    oracle = CompilerOracle(command, found.compile, limits=Limits(20))
    return Reduction(settings, oracle, Silent()).run()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    return tmp_path


def ops(report: Report) -> list[str]:
    return [op for op in dict.fromkeys(OPS) if f'"x.{op}"' in report.text]


def lines_at(folder: Path, version: str) -> list[str]:
    """The log of the runs of one release: version, tool, checksum and size of the input, flags."""
    runs = (folder / "runs").read_text().splitlines()
    return [line for line in runs if line.startswith(f"{version} compile")]


@pytest.mark.parametrize("largest", [0, 500])
def test_of_two_named_ops_the_one_that_still_fails_is_cut_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    monkeypatch.setattr(choosing, "_LARGEST_INPUT", largest)
    report = reduce(folder, STILL_SECOND)
    assert ops(report) == ["second"]
    assert report.verified and report.one_minimal
    health = report.health
    assert health is not None and not health.doubt
    assert health.repairs == 0, "it was chosen before anything was cut around the other op"
    there = {one.name: one for one in health.places}["3.13.0"]
    assert (there.health, there.before, there.required) == (Health.SAME, Health.SAME, True)


def test_the_op_that_was_chosen_keeps_failing_there(folder: Path) -> None:
    """Alone, it would only have the bug that the next release has no more."""
    report = reduce(folder, f"if has x.first; then\n{STILL_SECOND}fi\n")
    assert ops(report) == list(KINDS)
    assert report.health is not None and not report.health.doubt and report.health.repairs == 0


def test_the_input_is_believed_more_than_a_part_of_it(folder: Path) -> None:
    """It compiles there as a whole, so what fails of it alone is no bug of the input there."""
    assert ops(reduce(folder, f"{NOT_WHOLE}{STILL_SECOND}")) == ["first"]


def test_a_large_input_is_not_asked_about_its_ops(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "_LARGEST_INPUT", 0)
    assert ops(reduce(folder, f"{NOT_WHOLE}{STILL_SECOND}")) == ["second"]
    assert not any(int(line.split()[3]) == len(PROGRAM) for line in lines_at(folder, "3.13.0"))


def test_a_release_that_compiles_both_changes_nothing(folder: Path) -> None:
    report = reduce(folder, "")
    assert ops(report) == ["first"]
    assert report.health is not None and report.health.repairs == 0


def test_a_release_that_rejects_both_changes_nothing(folder: Path) -> None:
    report = reduce(folder, NAMED)
    assert ops(report) == ["first"]
    assert report.health is not None and report.health.repairs == 0


def test_without_named_ops_the_input_itself_is_asked(folder: Path) -> None:
    report = reduce(folder, STILL_SECOND, UNNAMED)
    assert ops(report) == ["second"]
    assert report.verified and report.health is not None and not report.health.doubt
    assert any("compiles with 3.13.0" in note and "another bug" in note for note in report.notes)
    assert report.health.repairs == 1
    there = {one.name: one for one in report.health.places}["3.13.0"]
    assert (there.health, there.before, there.required) == (Health.SAME, Health.SAME, True)


def test_a_large_input_is_not_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "_LARGEST_INPUT", 0)
    assert ops(reduce(folder, STILL_SECOND, UNNAMED)) == ["first"]
    asked = lines_at(folder, "3.13.0")
    assert asked and not any(int(line.split()[3]) == len(PROGRAM) for line in asked)


@pytest.mark.parametrize("own", [NAMED, UNNAMED])
def test_no_choice_depends_on_how_long_a_run_takes(folder: Path, own: str) -> None:
    """The input takes most of the time here; the result is the one of a quick compiler."""
    slow = f"if has x.filler9 && has x.rest; then {BUSY}; fi\n{own}"
    assert ops(reduce(folder, STILL_SECOND, slow)) == ["second"]


def test_a_result_is_complete_without_this(folder: Path) -> None:
    """What is asked after the search is no part of it, and no failure to pay for that matters."""
    needed = reduce(folder, "").charged
    budgets = range(needed, needed + 3)  # some of the runs are kept for the result
    reports = [reduce(folder, "", name=f"{most}", max_calls=most) for most in budgets]
    assert ("reduced", needed) in [(report.status, report.charged) for report in reports]
