"""Facts about an invented reduction, for pages."""

from oracles import Kind, Signature
from reducer.driver.records.history import History, Moment, Spent, Tries
from reducer.driver.settings import Size
from reducer.explain.explainer import Fact
from reducer.identity.builds.record import HealthRecord, PlaceRecord
from reducer.ir import Module
from reducer.report.facts import Version
from reducer.report.page import Findings, ReductionFacts
from reducer.search.candidate import Verdict

ORIGINAL = """\
"builtin.module"() ({
  "func.func"() <{function_type = (f32) -> f32, sym_name = "f"}> ({
  ^bb0(%arg0: f32):
    %0 = "t.constant"() <{value = 8 : i64}> : () -> i64
    %1 = "t.before"(%arg0) : (f32) -> f32
    %2 = "t.bad"(%1, %0) : (f32, i64) -> f32
    %3 = "t.after"(%2) : (f32) -> f32
    "func.return"(%3) : (f32) -> ()
  }) : () -> ()
}) : () -> ()
"""
FINAL = """\
"builtin.module"() ({
  "func.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: f32):
    %s0 = "t.made"() : () -> i64
    %2 = "t.bad"(%arg0, %s0) : (f32, i64) -> f32
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
RESULT = """\
// t-compile f.reduced.mlir
func.func @f(%arg0: f32) {
  %0 = t.made : i64
  %1 = t.bad %arg0, %0 : f32
  return
}
// error: failed to do 't.bad'
"""
HEALTH = HealthRecord(
    "hip",
    "3.13.0",
    (
        PlaceRecord("target", "llvm-cpu", "compiles"),
        PlaceRecord("target", "vulkan", "another failure"),
        PlaceRecord("release", "3.8.0", "compiles", "the same failure"),
        PlaceRecord("release", "3.11.0", "the same failure"),
        PlaceRecord("level", "O3", "cannot tell"),
    ),
)
FINDINGS = Findings(
    (
        Fact("flag", "--flag", "", None, "dropped", Verdict.SAME, "", ("dropped",)),
        Fact("op", "t.bad", "", 4, "deleted", Verdict.NOT_INTERESTING, "success"),
        Fact("size", "dim 1 of %0", "?", 3, "2", Verdict.NOT_INTERESTING, "success", ("4", "8")),
        Fact("element type", "%arg0", "f32", 2, "f16", Verdict.OTHER_FAILURE, "no `f16` here"),
        Fact("attribute", "value of t.made", "8", 3, "dropped", Verdict.INVALID, ""),
    ),
    (Version("3.9.0", "another failure", "failed to undo"), Version("3.12.0", "bad")),
)
ORIGINS = {1: 1, 3: 4, 4: 6}


def history(**changes: object) -> History:
    """A finished history of two steps."""
    fields: dict[str, object] = {
        "name": "f.mlir",
        "input": Size(65, 60, 4_000),
        "signature": Signature(Kind.LEGALIZATION, "failed to do 't.bad'", op="t.bad"),
        "moments": [
            Moment(8, 400, "carve", Spent(3, 2.0, 4.0)),
            Moment(3, 100, "delete ops", Spent(9, 3.0, 70.0)),
        ],
        "tries": {
            "run the input": Tries(calls=2, compiler_seconds=1.5),
            "carve": Tries(2, 1, 52, 3_600, 2, 0.5),
            "delete ops": Tries(5, 1, 5, 300, 5, 1.0),
            "drop dims": Tries(1, 0, 0, 0, 1, 0.1),
        },
        "total": Spent(10, 3.1, 80.0),
        "origins": dict(ORIGINS),
        "final": FINAL,
        "failing": [3],
        "health": HEALTH,
        "status": "reduced",
        "verified": True,
        "one_minimal": True,
        "command": ["/opt/somewhere/bin/t-compile", "--flag", "f.reduced.mlir"],
    }
    return History(**{**fields, **changes})  # type: ignore[arg-type]


def facts(**changes: object) -> ReductionFacts:
    """Facts of that history."""
    fields: dict[str, object] = {
        "name": "f.reduced.mlir",
        "text": RESULT,
        "history": history(),
        "original": Module.parse(ORIGINAL),
        "final": Module.parse(FINAL),
        "findings": FINDINGS,
    }
    return ReductionFacts(**{**fields, **changes})  # type: ignore[arg-type]
