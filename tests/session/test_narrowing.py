"""A result that lost a bug of the input: another release compiles it, but not the input."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.health import Health
from reducer.session import Reduction, Report, Settings, narrowing
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


def share(monkeypatch: pytest.MonkeyPatch, clean: float, in_doubt: float) -> None:
    """Set what a run of the input may cost; real shares depend on the machine."""
    monkeypatch.setattr(narrowing, "_SHARE", clean)
    monkeypatch.setattr(narrowing, "_SHARE_IN_DOUBT", in_doubt)


@pytest.mark.parametrize("in_doubt", [0.0, 1.0])
def test_of_two_named_ops_the_one_that_still_fails_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, in_doubt: float
) -> None:
    share(monkeypatch, 0.0, in_doubt)
    report = reduce(folder, STILL_SECOND)
    assert ops(report) == ["second"]
    assert report.verified and report.one_minimal
    assert any("compiles with 3.13.0" in note and "another bug" in note for note in report.notes)
    health = report.health
    assert health is not None and health.repairs == 1 and not health.doubt
    there = {one.name: one for one in health.places}["3.13.0"]
    assert (there.health, there.before, there.required) == (Health.SAME, Health.SAME, True)


def test_the_input_is_believed_more_than_a_part_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It compiles there as a whole, so what fails of it alone is no bug of the input there."""
    share(monkeypatch, 0.0, 1.0)
    assert ops(reduce(folder, f"{NOT_WHOLE}{STILL_SECOND}")) == ["first"]


def test_a_release_that_compiles_both_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share(monkeypatch, 0.0, 1.0)
    report = reduce(folder, "")
    assert ops(report) == ["first"]
    assert report.health is not None and report.health.repairs == 0


def test_without_named_ops_the_input_itself_is_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share(monkeypatch, 1.0, 1.0)
    report = reduce(folder, STILL_SECOND, UNNAMED)
    assert ops(report) == ["second"]
    assert report.verified and report.health is not None and not report.health.doubt


def test_an_input_that_costs_much_is_not_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share(monkeypatch, 0.0, 0.0)
    assert ops(reduce(folder, STILL_SECOND, UNNAMED)) == ["first"]
    asked = [line for line in (folder / "runs").read_text().splitlines() if "3.13.0 comp" in line]
    assert asked and not any(int(line.split()[3]) == len(PROGRAM) for line in asked)


def test_a_result_is_complete_without_this(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of both ops is run last, and no failure to pay for that matters."""
    share(monkeypatch, 0.0, 0.0)
    needed = reduce(folder, "").charged
    budgets = range(needed, needed + 3)  # some of the runs are kept for the result
    reports = [reduce(folder, "", name=f"{most}", max_calls=most) for most in budgets]
    assert ("reduced", needed - 1) in [(report.status, report.charged) for report in reports]
