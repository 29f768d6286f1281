"""The record of a reduction as JSON, and reading records written by others."""

import json
from pathlib import Path
from typing import Any

import pytest

from oracles import Kind, Signature
from reducer.driver.best import OnDisk
from reducer.driver.records.figures import (
    Candidates,
    Checks,
    Costs,
    Failure,
    LevelRecord,
    Origin,
    OtherFailureRecord,
    PassRecord,
)
from reducer.driver.records.history import History
from reducer.driver.records.record import ReductionRecord
from reducer.driver.settings import Size
from reducer.identity.builds.record import HealthRecord, PlaceRecord
from reducer.identity.degenerate import DegenerateChoice
from reducer.identity.sanity import Flakiness
from reducer.locate.blamed import BlamedRewrite
from reducer.search.sequential import Rate
from reducer.storage.json_values import JsonValues

OTHER = Signature(Kind.CRASH, "SIGSEGV", frames=("f",))
RECORD = ReductionRecord(
    status="reduced",
    verified=True,
    failure=Failure("legalization", "legalization: failed to do 't.bad'", "0123456789ab"),
    input_path=Path("models/in.mlir"),
    input=Size(65, 60, 4_000),
    output_path=Path("in.reduced.mlir"),
    output=Size(3, 2, 100),
    on_disk=OnDisk.RESULT,
    costs=Costs(49, 43.51249),
    candidates=Candidates({"same": 9}, 1.23456),
    refused={"passes": 20, "verifier": 2},
    checks=Checks(7, 2, 0.12345),
    wall_seconds=90.80049,
    command=("t-compile", "in.reduced.mlir"),
    one_minimal=True,
    notes=("a note",),
    flaky=Flakiness(Rate(5, 9)),
    also_found=(
        OtherFailureRecord(
            OTHER.bucket, OTHER.text, ("SIGSEGV",), OTHER, ("t-compile",), "also/repro.mlir", 4, 80
        ),
    ),
    also_left_out=1,
    health=HealthRecord(
        "hip",
        "3.8.0",
        (PlaceRecord("release", "3.4.0", "compiles", "compiles", required=True),),
        repairs=1,
        runs=20,
        cpu_seconds=3.14159,
    ),
    degenerate=DegenerateChoice(("an unused result",), kept=True, same_ir=True, pass_name="cse"),
    pass_level=PassRecord(
        pass_name="cse",
        found_by="dce",
        pipeline="builtin.module(cse)",
        level="IR before cse",
        output_path=Path("in.reduced.pass.mlir"),
        output=Size(2, 1, 50),
        failure="crash: SIGSEGV",
        command=("t-opt", "in.reduced.pass.mlir"),
        verified=True,
        costs=Costs(18, 0.65),
    ),
    levels=(
        LevelRecord(
            level="input",
            output_path=Path("in.reduced.input.mlir"),
            output=Size(9, 8, 70),
            command=("t-compile", "in.reduced.input.mlir"),
            verified=True,
            made="its dispatch",
        ),
    ),
    origin=(Origin("t.bad", "in.mlir", 5, 3, "t.bad"), Origin("t.more", "in.mlir")),
)
JSON: dict[str, Any] = {
    "status": "reduced",
    "verified": True,
    "kind": "legalization",
    "signature": "legalization: failed to do 't.bad'",
    "bucket": "0123456789ab",
    "input": {"path": "models/in.mlir", "lines": 65, "ops": 60, "bytes": 4_000},
    "output": {"path": "in.reduced.mlir", "lines": 3, "ops": 2, "bytes": 100},
    "on_disk": "result",
    "oracle": {
        "calls": 49,
        "by_verdict": {"same": 9},
        "cpu_seconds": 43.512,
        "full_run_equivalents": 1.235,
        "compiler_seconds": 43.512,
    },
    "refused": {"passes": 20, "verifier": 2},
    "checks": {"runs": 7, "turned_away": 2, "cpu_seconds": 0.123},
    "wall_seconds": 90.8,
    "command": ["t-compile", "in.reduced.mlir"],
    "one_minimal": True,
    "notes": ["a note"],
    "flaky": {"input": {"failed": 5, "runs": 9}, "result": None},
    "also_found": [
        {
            "bucket": OTHER.bucket,
            "text": "crash: SIGSEGV in f",
            "message": ["SIGSEGV"],
            "signature": OTHER.to_json(),
            "command": ["t-compile"],
            "path": "also/repro.mlir",
            "lines": 4,
            "bytes": 80,
        }
    ],
    "also_left_out": 1,
    "health": {
        "target": "hip",
        "release": "3.8.0",
        "text": "compiles on 3.4.0; fails for hip, on 3.8.0; not tried between 3.4.0 and 3.8.0",
        "places": [
            {
                "kind": "release",
                "name": "3.4.0",
                "health": "compiles",
                "before": "compiles",
                "required": True,
                "of_input": False,
            }
        ],
        "repairs": 1,
        "runs": 20,
        "cpu_seconds": 3.142,
    },
    "degenerate": {
        "features": ["an unused result"],
        "kept": True,
        "same_ir": True,
        "pass": "cse",
        "text": "The result has an unused result where the input has none; in a larger program, "
        "closer to the input, cse receives the same ops and loops.",
    },
    "pass_level": {
        "pass": "cse",
        "found_by": "dce",
        "blame": {
            "kind": "pass",
            "name": "cse",
            "certainty": "shown",
            "how": "it breaks the IR; dce fails on that, and not without it",
            "runs": 0,
            "text": "cse; it breaks the IR; dce fails on that, and not without it",
        },
        "same_program": False,
        "pipeline": "builtin.module(cse)",
        "level": "IR before cse",
        "verified": True,
        "signature": "crash: SIGSEGV",
        "output": {"path": "in.reduced.pass.mlir", "lines": 2, "ops": 1, "bytes": 50},
        "command": ["t-opt", "in.reduced.pass.mlir"],
        "one_minimal": False,
        "oracle": {"calls": 18, "cpu_seconds": 0.65},
        "rewrite": None,
    },
    "levels": [
        {
            "level": "input",
            "verified": True,
            "output": {"path": "in.reduced.input.mlir", "lines": 9, "ops": 8, "bytes": 70},
            "command": ["t-compile", "in.reduced.input.mlir"],
            "made": "its dispatch",
        }
    ],
    "origin": [
        {"op": "t.bad", "file": "in.mlir", "line": 5, "column": 3, "text": "t.bad"},
        {"op": "t.more", "file": "in.mlir"},
    ],
}


def test_the_fields_in_their_order() -> None:
    assert json.dumps(RECORD.to_json(), indent=2) == json.dumps(JSON, indent=2)


def test_what_was_written_is_read() -> None:
    assert ReductionRecord.from_json(JSON).to_json() == JSON


def test_only_what_is_known_is_written() -> None:
    assert ReductionRecord().to_json() == {}
    known = ReductionRecord(input=Size(1, 2, 3), costs=Costs(4, 5.0))
    assert known.to_json() == {
        "input": {"lines": 1, "ops": 2, "bytes": 3},
        "oracle": {"calls": 4, "cpu_seconds": 5.0},
    }


def test_where_the_end_is_known_there_may_be_none_of_some() -> None:
    data = ReductionRecord(status="budget").to_json()
    assert data == {
        "status": "budget",
        "flaky": None,
        "health": None,
        "degenerate": None,
        "pass_level": None,
    }


@pytest.mark.parametrize("key", JSON)
@pytest.mark.parametrize("wrong", [None, 7, "x", ["x"], {"x": "x"}, [{"x": 1}], {"calls": "many"}])
def test_what_is_missing_or_of_another_type_leaves_the_rest(key: str, wrong: object) -> None:
    rest = {name: value for name, value in JSON.items() if name != key}
    without = ReductionRecord.from_json(rest)
    foreign = ReductionRecord.from_json({**JSON, key: wrong, "later": {"x": 1}}).to_json()
    together = {"kind", "signature", "bucket"} if key in ("kind", "signature", "bucket") else {key}
    for name, value in JSON.items():
        if name not in together:
            assert without.to_json()[name] == foreign[name] == value


def test_no_object_at_all_tells_nothing() -> None:
    assert ReductionRecord.from_json([1]) == ReductionRecord()


def test_the_metadata_of_a_bug_report_tells_less_of_the_pass() -> None:
    output = {"path": "repro.pass.mlir", "lines": 2, "ops": 1}
    level = {"pass": "", "pipeline": None, "level": "invalid", "output": output}
    found = ReductionRecord.from_json({"pass_level": level}).pass_level
    assert found is not None and found.output_path == Path("repro.pass.mlir")
    assert (found.pass_name, found.pipeline, found.output.lines) == ("", None, 2)


def test_figures_name_nothing() -> None:
    text = json.dumps(RECORD.figures().to_json())
    assert not [word for word in ("mlir", "t.bad", "t-compile", "SIGSEGV") if word in text]


def test_a_record_takes_over_what_another_knows() -> None:
    other = ReductionRecord(costs=Costs(1, 2.0), one_minimal=False)
    both = RECORD.updated(other)
    assert (both.costs, both.one_minimal) == (Costs(1, 2.0), False)
    assert both.input == RECORD.input


def test_a_report_of_an_earlier_result_says_where_else_it_compiles() -> None:
    places = (PlaceRecord("release", "3.2.0", "compiles"),)
    history = History("in.mlir", Size(65, 60, 4_000), OTHER, health=HealthRecord(places=places))
    history = History.from_json(json.loads(json.dumps(history.to_json())))
    assert ReductionRecord.from_history(history).health == history.health
    assert history.health is not None and history.health.places == places


def test_the_blamed_rewrite_of_a_pass_is_read_back() -> None:
    rewrite = BlamedRewrite("fold", "a.op", 1, "p", sure=True, make=(("a.op", "b.op"),))
    told = {"pass": "p", "level": "x", "output": {"path": "p.mlir", "lines": 1, "ops": 1}}
    read = PassRecord.from_json(JsonValues({**told, "rewrite": rewrite.to_json()}))
    assert read is not None and read.rewrite == rewrite
