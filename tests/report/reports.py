"""Reports of made-up failures, as `reports.txt` has them: the first, and how each other differs.

`python -m tests.report.reports` writes that file anew; look at what it changes.
"""

from collections.abc import Mapping
from dataclasses import replace
from difflib import ndiff
from pathlib import Path

from oracles import Kind, Signature
from oracles.evidence import RunCheck
from reducer import __version__
from reducer.driver.records.record import ReductionRecord
from reducer.explain.explainer import Fact
from reducer.identity.builds.record import HealthRecord, PlaceRecord
from reducer.identity.compiler_changed import REPLACED
from reducer.printed_results import VALUES
from reducer.report.facts import CompilerInfo, Facts, PassFile, ReproCheck, Version
from reducer.report.issue_body import report_text
from reducer.search.candidate import Verdict
from tests.report.facts import COMMAND, facts

FILE = Path(__file__).with_suffix(".txt")

_WORDS = ("iree-compile", "--v", "repro.mlir", "-o", "a.vmfb")
_CALL = ("iree-run-module", "--module=a.vmfb", "--function=f", "--input=2xi8=1 2")
_SEEN = RunCheck(
    (*_CALL, "--expected_output=2xi8=7 8"),
    _CALL,
    VALUES,
    expected="result[0]: 2xi8=7 8\n",
    is_seen=True,
)
_UNSEEN = replace(_SEEN, words=_CALL, is_seen=False, expected="result[0]: 2xi8=7 _\n")
_WRONG = facts(
    signature=Signature(Kind.MISCOMPILE, "wrong values"),
    check=ReproCheck(_WORDS, run=_SEEN),
    messages=("error: result 0, element 1: 31, expected 8, in @f(2xi8=1 2)",),
)
_BOUNDARY = (
    Fact("size", "tensor<4xf32> dim 0", "4", None, "3", Verdict.NOT_INTERESTING, "success"),
    Fact("flag", "--x", "", None, "dropped", Verdict.OTHER_FAILURE, "other: a | b"),
    Fact("op", "x.bad", "", 3, "", Verdict.SAME, "", ("deleted",)),
)
_RECORD = ReductionRecord.from_json(
    {
        "input": {"lines": 655, "ops": 652, "bytes": 55080},
        "oracle": {"calls": 49, "cpu_seconds": 43.5},
        "wall_seconds": 90.8,
        "one_minimal": True,
        "also_found": [{"bucket": "3eedea585bff", "text": "legalization: other"}],
        "origin": [{"op": "x.bad", "file": "model.mlir", "line": 519, "text": "%1 = x.bad | y"}],
    }
)
_ASKED = HealthRecord(
    "hip",
    "3.13.0",
    (PlaceRecord("target", "cpu", "compiles"), PlaceRecord("release", "3.4.0", "compiles")),
)
_LINE = {"3.4.0": "not asked", "3.11.0": "good", "3.12.0": "bad", "3.13.0": "bad"}
_COMPILES = PlaceRecord("release", "3.8.0", "compiles", "compiles")
_LOST = PlaceRecord("release", "3.9.0", "the same failure", "compiles")
_TWO = (Version("3.8.0", "good"), Version("3.9.0", "bad"))
_CUT = facts(
    signature=Signature(Kind.ASSERTION, "idx < size()"),
    messages=("cc: StorageUniquerSupport.h:180: static ConcreteT …",),
)
_HANG = facts(
    signature=Signature(Kind.TIMEOUT, stage="pipeline CSEPass"),
    check=ReproCheck(COMMAND, seconds=8.0),
    pass_name="CSEPass",
)


def _of(program: str) -> Facts:
    check = ReproCheck((program, "--cse", "repro.mlir"), 1)
    return facts(compiler=CompilerInfo(program), check=check)


def _level(name: str, pipeline: str | None) -> Facts:
    return facts(pass_file=PassFile(name, pipeline, "some IR", "// RUN: x\n", 1, 1))


REPORTS: Mapping[str, Facts] = {
    "an error": facts(),
    "a compiler that was replaced": facts(record=ReductionRecord(notes=(REPLACED,))),
    "a crash": facts(
        signature=Signature(Kind.CRASH, "SIGSEGV", frames=("a::f", "b::g")),
        check=ReproCheck(COMMAND, -11),
        exit_code=-11,
        stack=("#4  a::f", "    … 2 frames"),
        messages=("SIGSEGV",),
    ),
    "wrong results": _WRONG,
    "two backends": replace(_WRONG, signature=Signature(Kind.DISAGREEMENT, "wrong values")),
    "wrong results that the runtime's tool does not see": replace(
        _WRONG, check=ReproCheck(_WORDS, run=_UNSEEN)
    ),
    "what it takes to fail": facts(boundary=_BOUNDARY),
    "nothing could be changed": facts(boundary=()),
    "versions, origin, cost and other failures": facts(
        record=_RECORD,
        source="model.mlir",
        versions=(Version("3.8.0", "compiles"), Version("3.9.0", "fails", "first bad")),
        pass_file=PassFile("x-pass", "builtin.module(x)", "IR before x", "// RUN: x\n", 1, 1),
    ),
    "what the reduction asked of releases": facts(record=ReductionRecord(health=_ASKED)),
    "what a bisection asked, too, which may be more": facts(
        record=ReductionRecord(health=_ASKED),
        versions=tuple(Version(version, verdict) for version, verdict in _LINE.items()),
    ),
    "releases are not listed twice": facts(
        versions=_TWO, record=ReductionRecord(health=HealthRecord("hip", "3.13.0", (_COMPILES,)))
    ),
    "unless a larger program does otherwise there": facts(
        versions=_TWO,
        record=ReductionRecord(health=HealthRecord("hip", "3.13.0", (_COMPILES, _LOST))),
    ),
    "IR before a pass": _level("x-pass", "builtin.module(x-pass)"),
    "IR that a pass makes invalid": _level("x-pass", None),
    "IR that is invalid": _level("", None),
    "no message": facts(
        check=ReproCheck(COMMAND, 1, silent=True),
        pass_name="FooPass",
        messages=("other-error: silent failure",),
    ),
    "an assertion whose line is cut before the condition": _CUT,
    "an assertion": replace(_CUT, messages=("cc: a.h:1: Assertion `idx < size()' failed.",)),
    "a check with other numbers": replace(_CUT, messages=("a.cc:1] Check failed: idx < 3",)),
    "a hang": _HANG,
    "no memory": replace(
        _HANG, signature=Signature(Kind.MEMORY), check=ReproCheck(COMMAND, memory=1 << 30)
    ),
    "LLVM has no form": _of("mlir-opt-22"),
    "the form of Triton": _of("triton-opt"),
    "the form of StableHLO": _of("stablehlo-opt"),
    "not verified, and a file left out": facts(),
}


def written() -> str:
    """All of the file."""
    parts, base = [], ""
    for name, known in REPORTS.items():
        is_whole = "left out" not in name
        text, _ = report_text(known, verified=is_whole, left_out=() if is_whole else ["output.txt"])
        text = text.replace(__version__, "VERSION")
        lines = ndiff(base.splitlines(), text.splitlines()) if base else text.splitlines()
        parts += [f"=== {name}", *(line for line in lines if not base or line[0] in "+-"), ""]
        base = base or text
    return "\n".join(parts)


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
