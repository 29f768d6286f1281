"""The record of a reduction says what was done and at what cost, and is read back as written.

What another version has written is read as far as it is known.

This file: the history in the journal.
"""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits, Signature
from reducer.conversions import CompilerPasses
from reducer.driver.records.history import (
    FELL_BACK,
    KEY,
    History,
    HistoryRecorder,
    RefusedBy,
    Spent,
    read_history,
    reading,
)
from reducer.driver.settings import Size
from reducer.driver.stages.levels import CUT_ORIGIN as CUT
from reducer.driver.stages.levels import DISPATCH_ORIGIN as DISPATCH
from reducer.errors import BadInput, JournalBusy, MissingInput
from reducer.ir import Module, PlainText
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import ConditionName, Refusal, Refused
from reducer.storage.journal import Journal
from reducer.toolchain import Toolchain
from tests.support.histories import ORIGINAL, history
from tests.support.reducing import reduced_by
from tests.support.sides import function

TEXT = PlainText("a\nb\n")


class Meter:
    """Costs that a test sets by hand."""

    def __init__(self) -> None:
        self.now = Spent()
        self.saved: list[str] = []

    def spend(self, calls: int, seconds: float = 1.0) -> None:
        self.now = self.now + Spent(calls, seconds / 2, seconds)

    def recorder(self, earlier: History | None = None) -> HistoryRecorder:
        start = History("in.mlir", Size(10, 8, 1000), Signature(Kind.CRASH))
        return HistoryRecorder(start, None, lambda: self.now, self.saved.append, earlier)


def play(recorder: HistoryRecorder, meter: Meter) -> None:
    """A phase of two runs: a candidate that fails and one that is accepted; then a milestone."""
    recorder.phase("run the input")
    meter.spend(2)
    recorder.phase("delete ops")
    for verdict in (Verdict.NOT_INTERESTING, Verdict.SAME):
        meter.spend(1)
        recorder.judged(Candidate(TEXT, "delete ops"), verdict)
    recorder.accepted(TEXT, Size(2, 2, 100), "delete ops")
    meter.spend(1)
    recorder.phase("verify")


def test_costs_belong_to_what_caused_them() -> None:
    meter = Meter()
    recorder = meter.recorder()
    play(recorder, meter)
    tries = recorder.history.tries
    assert tries["run the input"].calls == 2
    assert (tries["delete ops"].tried, tries["delete ops"].accepted) == (2, 1)
    assert (tries["delete ops"].ops, tries["delete ops"].bytes) == (6, 900)
    assert sum(each.calls for each in tries.values()) == meter.now.calls == 5
    (moment,) = recorder.history.moments
    assert (moment.ops, moment.bytes, moment.spent.calls) == (2, 100, 4)


def test_the_end_is_saved_with_its_facts() -> None:
    meter = Meter()
    recorder = meter.recorder()
    play(recorder, meter)
    recorder.finished(TEXT, Size(2, 2, 60), status="reduced", verified=True)
    read = read_history(meter.saved[-1])
    assert read == recorder.history
    assert read.verified and read.moments[-1].origin == "print"
    assert read.total == meter.now


def test_falling_back_is_told() -> None:
    meter = Meter()
    recorder = meter.recorder()
    play(recorder, meter)
    recorder.rolled_back(TEXT, Size(10, 8, 1000))
    assert recorder.history.moments[-1].origin == FELL_BACK
    assert recorder.history.tries[FELL_BACK].bytes == -900


@pytest.mark.parametrize("origin", [CompilerPasses.name, CUT, DISPATCH])
def test_names_of_values_tell_nothing_of_what_the_compiler_printed(origin: str) -> None:
    text = function(
        """
        %0 = "t.a"(%arg0) : (f32) -> f32
        %1 = "t.b"(%0) : (f32) -> f32
        %2 = "t.b"(%1) : (f32) -> f16
        "func.return"() : () -> ()
        """,
        arguments="%arg0: f32",
    )
    after = function(
        """
        %1 = "t.b"(%arg0) : (f32) -> f16
        "func.return"() : () -> ()
        """,
        arguments="%arg0: f32",
    )
    before, smaller = Module.parse(text), Module.parse(after)
    recorder = HistoryRecorder(
        History("in.mlir", Size(5, 5, 500), Signature(Kind.CRASH)), before, Spent, lambda text: None
    )
    recorder.accepted(smaller, Size(3, 3, 300), origin)
    recorder.finished(smaller, Size(3, 3, 300))
    (made,) = (op for op, name in enumerate(smaller.t.name) if name == "t.b")
    assert before.header(recorder.history.origins[made]).strip().startswith("%2 = ")


def test_a_resumed_reduction_keeps_the_costs_that_steps_had() -> None:
    before = Meter()
    first = before.recorder()
    play(first, before)
    earlier = read_history(before.saved[-1])
    after = Meter()
    second = after.recorder(earlier)
    second.accepted(TEXT, Size(2, 2, 100), "delete ops")  # from the journal, at no cost
    after.spend(3)
    second.judged(Candidate(TEXT, "drop dims"), Verdict.SAME)
    second.accepted(TEXT, Size(2, 2, 90), "drop dims")
    calls = [moment.spent.calls for moment in second.history.moments]
    assert earlier is not None
    assert calls == [4, earlier.total.calls + 3]
    assert second.history.tries["run the input"].calls == 2


def test_json_and_back() -> None:
    known = history(refused={"passes": RefusedBy(3, "delete ops"), "syntax": RefusedBy(1)})
    assert read_history(json.dumps(known.to_json())) == known


def test_a_journal_from_before_refusals_were_counted() -> None:
    data = history().to_json()
    del data["refused"]
    assert read_history(json.dumps(data)) == history()


def test_refusals_are_counted_by_condition() -> None:
    recorder = Meter().recorder()
    for name in ("delete ops", "drop dims"):
        refusal = Refusal(ConditionName.SAME_FAILURE, f"crash after {name}")
        recorder.refused(Refused(name, refusal, 2))
    recorder.refused(Refused("drop dims", Refusal(ConditionName.SYNTAX)))
    assert recorder.history.refused_most_first() == [
        ("other failure", RefusedBy(2, "delete ops", "crash after delete ops")),
        ("syntax", RefusedBy(1, "drop dims")),
    ]


def test_what_is_no_history() -> None:
    for text in (
        None,
        "",
        "[]",
        "{}",
        '{"version": 99}',
        json.dumps({**history().to_json(), "version": 2}),
    ):
        assert read_history(text) is None


@pytest.mark.iree
def test_a_real_reduction(tmp_path: Path, iree_toolchain: Callable[..., Toolchain]) -> None:
    toolchain = iree_toolchain()
    text = """\
func.func @f(%arg0: tensor<1x1x1xf32>, %arg1: tensor<1x1x1x1xf32>) -> tensor<1x1x1xf32> {
  %0 = math.absf %arg0 : tensor<1x1x1xf32>
  %1 = linalg.batch_matmul ins(%0, %arg1 : tensor<1x1x1xf32>, tensor<1x1x1x1xf32>) \
outs(%arg0 : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return %1 : tensor<1x1x1xf32>
}
"""
    command = Command.parse(["iree-compile", "--iree-hal-target-backends=llvm-cpu"])
    oracle = CompilerOracle(command, toolchain.compile, limits=Limits(memory=8 << 30))
    report = reduced_by(oracle, tmp_path, text, opt=toolchain.opt)
    with reading(tmp_path / "out.journal") as reader:
        told = reader.history()
        lineage = reader.lineage(text)
    original = lineage.original
    assert original is not None and report.lineage.original is not None
    assert report.lineage.original.text == original.text
    assert replace(report.lineage, original=original) == lineage
    assert told.verified and told.status == report.status
    assert told.total.calls == report.costs.calls == sum(t.calls for t in told.tries.values())
    assert told.moments[-1].bytes == report.output.bytes
    names = {original.t.name[op] for op in told.origins.values()}
    assert "linalg.batch_matmul" in names and "math.absf" not in names
    final = Module.parse(told.final)
    assert [final.t.name[op] for op in told.failing] == ["linalg.batch_matmul"]


def write(path: Path, **texts: str) -> Path:
    with Journal.open(path, identity={"input": "x"}) as journal:
        for key, text in texts.items():
            journal.put_text(key, text)
    return path


def test_what_a_journal_tells(tmp_path: Path) -> None:
    told = history(generic="k")
    path = write(tmp_path / "odd ?#% name", **{KEY: json.dumps(told.to_json()), "k": ORIGINAL})
    before = path.read_bytes()
    with reading(path) as reader:
        assert reader.history() == told
        module = reader.module("k")
        assert module is not None and module.text == ORIGINAL
        assert reader.module("") is None and reader.module("none") is None
    assert path.read_bytes() == before


def test_a_journal_without_history_says_what_to_do(tmp_path: Path) -> None:
    with (
        reading(write(tmp_path / "j")) as reader,
        pytest.raises(BadInput, match="run the same command again"),
    ):
        reader.history()


def test_no_journal(tmp_path: Path) -> None:
    with pytest.raises(MissingInput, match="--journal"), reading(tmp_path / "none"):
        pass


def test_other_files(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at" * 50)
    with sqlite3.connect(tmp_path / "foreign") as foreign:
        foreign.execute("CREATE TABLE t (x)")
    for name in ("text", "foreign"):
        with pytest.raises(BadInput, match="not the journal"), reading(tmp_path / name) as reader:
            reader.history()


def test_a_journal_in_use(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with (
        Journal.open(path, identity={}),
        pytest.raises(JournalBusy),
        reading(path) as reader,
    ):
        reader.history()
