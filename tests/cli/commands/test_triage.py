"""`mlir-reducer triage`: a folder of inputs becomes bugs, which the next run knows.

It runs only what is new, says what is new, known, fixed or back, and reduces one input of each bug.
"""

import gzip
import json
import signal
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import FAIL, Reducer, program, wait_until, write_script
from tests.support.triages import write_all

COUNT = "cksum < $input >> {home}/runs\n"
_REDUCED = '"{}"() : () -> ()\n'
OTHER = """if has x.worse; then
  echo "$input:1:1: error: 'x.worse' op is even worse" >&2
  exit 1
fi
"""


class Bench:
    """A folder of inputs, and a compiler that counts its runs by content."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.inputs = home / "inputs"
        self.inputs.mkdir()
        self.compiler("")

    def compiler(self, body: str) -> None:
        write_script(self.home / "cc.sh", COUNT.format(home=self.home) + body + FAIL + OTHER)

    def __call__(self, *words: object, code: int = 0) -> dict[str, Any]:
        """Run a triage to completion and return its JSON."""
        target = self.home / "out.json"
        result = run(*self.words(*words, "--json", target))
        assert result.exit_code == code, result.output
        loaded: dict[str, Any] = json.loads(target.read_text())
        return loaded

    def words(self, *words: object) -> tuple[object, ...]:
        return ("triage", "inputs", *words, "--", "./cc.sh")

    def runs(self) -> Counter[str]:
        """How often each content was compiled."""
        path = self.home / "runs"
        return Counter(path.read_text().splitlines() if path.exists() else [])


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def states(report: dict[str, Any]) -> list[str]:
    return sorted(bug["state"] for bug in report["bugs"])


@pytest.fixture
def bench(tmp_path: Path, nothing_installed: None) -> Bench:
    made = Bench(tmp_path)
    write_all(
        made.inputs,
        {
            "bad.mlir": program(6),
            "worse bad.mlir.gz": gzip.compress(program(60).encode()),
            "worse.mlir": program(3).replace("x.bad", "x.worse"),
            "good.mlir": program(3).replace("x.bad", "x.fine"),
        },
    )
    return made


def test_failures_become_buckets_with_reproducers_and_later_only_what_is_new_is_run(
    bench: Bench,
) -> None:
    report = bench("-j", 2)
    assert report["states"] == {"new": 2, "known": 0, "fixed": 0, "reopened": 0}
    sizes = {}
    for bug in report["bugs"]:
        inputs = sorted(one["input"] for one in bug["failures"])
        sizes[tuple(inputs)] = bug["reproducer"]["text"]
        assert bug["reproducer"]["verified"]
    assert sizes == {
        ("bad.mlir", "worse bad.mlir.gz"): _REDUCED.format("x.bad"),
        ("worse.mlir",): _REDUCED.format("x.worse"),
    }

    before = bench.runs()
    second = bench()
    assert bench.runs() == before
    assert (second["compiler_runs"], second["reduction_calls"]) == (0, 0)
    assert states(second) == ["known", "known"]
    assert [bug["bucket"] for bug in second["bugs"]] == [bug["bucket"] for bug in report["bugs"]]

    write_all(bench.inputs, {"copy.mlir": program(6), "new.mlir": program(7)})
    third = bench()
    assert third["compiler_runs"] == 1
    assert sum((bench.runs() - before).values()) == 1
    assert third["states"]["new"] == 0


@pytest.mark.parametrize(
    "part",
    [
        "triage.representatives.reduce_case",
        "driver.stages.preparing.prefetch_search",
        "report.bucket_files.make_bundle",
    ],
)
def test_the_exit_code_tells_of_an_internal_error(
    part: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr(f"reducer.{part}", fails)
    (bench.inputs / "worse.mlir").unlink()
    assert bench("--report", code=70)["states"]["new"] == 1


def test_what_cannot_be_read_is_told_at_the_end(bench: Bench) -> None:
    write_all(bench.inputs, {"cut.mlir.gz": gzip.compress(b"x" * 99)[:-9]})
    report = bench("--no-reduce", "-o", "junit.xml", code=65)
    assert [one["input"] for one in report["unreadable"]] == ["cut.mlir.gz"]
    assert report["states"]["new"] == 2
    suite, _ = ET.parse("junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("4", "3")


@pytest.fixture
def reducer(bench: Bench) -> Reducer:
    return Reducer(bench.home)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_what_was_done_before_an_end_is_not_done_again(
    bench: Bench, reducer: Reducer, number: int
) -> None:
    bench.compiler("sleep 0.05\n")
    with reducer.start(*bench.words("-j", 1)) as process:
        assert wait_until(lambda: sum(bench.runs().values()) >= 7)
        process.send_signal(number)
        process.wait(timeout=30)
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    report = bench("-j", 1)
    assert report["states"]["new"] == 2  # not reported before
    again = sum(count - 1 for count in bench.runs().values())
    fresh = _repetitions(bench)
    assert again <= fresh + 1  # at most the run that was in progress
    reducer.assert_clean()


def _repetitions(bench: Bench) -> int:
    """The number of runs that an uninterrupted triage repeats to check that failures are stable."""
    before = bench.runs()
    bench("--db", "other.sqlite")
    return sum(count - 1 for count in (bench.runs() - before).values())


def test_a_second_triage_of_the_same_database_is_refused_until_the_first_is_dead(
    bench: Bench, reducer: Reducer
) -> None:
    bench.compiler(f"while [ -e {bench.home}/hold ]; do sleep 0.05; done\n")
    hold = bench.home / "hold"
    hold.touch()
    with reducer.start(*bench.words("-j", 1)) as first:
        assert wait_until(lambda: bench.runs().total() == 1)
        refused = run(*bench.words("-j", 1))
        assert refused.exit_code == 75
        assert "another triage is using" in refused.stderr
        assert "--db" in refused.stderr
        database = bench.inputs / ".mlir-reducer" / "triage.sqlite"
        assert run("buckets", "--db", database, "list").exit_code == 0
        first.kill()
        first.wait(timeout=30)
    hold.unlink()
    assert bench("-j", 1)["states"]["new"] == 2


def by_luck(bench: Bench, seed: int) -> None:
    """A compiler that fails in about half of its runs, always in the same ones for a seed."""
    (bench.inputs / "worse.mlir").unlink()
    write_all(bench.inputs, {"worse bad.mlir.gz": gzip.compress(program(7).encode())})
    count = f"n=$(wc -l < {bench.home}/runs)\n"
    bench.compiler(f"{count}[ $(((n * 37 + {seed}) % 100)) -lt 50 ] || exit 0\n")


def test_an_intermittent_failure_is_found_and_reduced_if_asked(bench: Bench) -> None:
    by_luck(bench, 23)
    report = bench("-j", 1, "--flaky")
    (bug,) = report["bugs"]
    assert bug["reproducer"]["verified"]
    assert "intermittent: the input fails in 5 of 9 runs" in bug["reproducer"]["note"]
    assert len({one["input"] for one in bug["failures"]}) == 2
    database = bench.inputs / ".mlir-reducer" / "triage.sqlite"
    shown = run("buckets", "--db", database, "show", bug["bucket"]).stdout
    assert f"\n{bug['reproducer']['note']}\n" in shown
    again = bench("-j", 1, "--flaky")
    assert again["compiler_runs"] == again["reduction_calls"] == 0


def test_an_intermittent_failure_is_reduced_if_it_is_found_by_chance(bench: Bench) -> None:
    by_luck(bench, 40)
    report = bench("-j", 1)
    (bug,) = report["bugs"]
    assert bug["reproducer"]["status"] == "reduced"
    assert "intermittent: the input fails in" in bug["reproducer"]["note"]


@pytest.mark.parametrize(
    ("flag", "code"), [("--dump-to=/tmp/x", 2), ("--load-pass-plugin=x.so", 2), ("--level=3", 0)]
)
def test_a_database_beside_the_inputs_brings_no_flag_that_may_do_harm(
    bench: Bench, flag: str, code: int
) -> None:
    earlier = bench.words("--no-reduce")
    assert run(*earlier, flag).exit_code == 0
    again = run(*earlier)
    assert again.exit_code == code, again.output
    assert code == 0 or f"may do harm: {flag}" in again.output
    assert run(*earlier, flag).exit_code == 0, "it is typed"
