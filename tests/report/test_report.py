"""`report.md`: the order of the form, the content of each section, and hostile text."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from oracles import Kind, Signature
from oracles.evidence import RunCheck
from reducer.driver.records.figures import Origin, OtherFailureRecord
from reducer.driver.records.record import ReductionRecord
from reducer.driver.settings import Size
from reducer.explain.explainer import Fact
from reducer.identity.builds.record import HealthRecord, PlaceRecord
from reducer.identity.compiler_changed import REPLACED
from reducer.printed_results import VALUES
from reducer.report import issue_body as report
from reducer.report.facts import CompilerInfo, Facts, PassFile, ReproCheck, Version
from reducer.report.markdown import MAX_CHARACTERS, length
from reducer.search.candidate import Verdict
from tests.report.facts import COMMAND, PROGRAM, facts

FORM = [
    "What happened?",
    "Steps to reproduce your issue",
    "What component(s) does this issue relate to?",
    "Version information",
    "Additional context",
]


def report_text(known: Facts, *, verified: bool, left_out: Sequence[str] = ()) -> str:
    return report.report_text(known, verified=verified, left_out=left_out)[0]


def heads(text: str, level: int = 3) -> list[str]:
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    return re.findall(rf"<h{level}>(.*?)</h{level}>", page)


def test_it_has_the_parts_of_the_form_in_their_order() -> None:
    text = report_text(facts(), verified=True)
    assert heads(text) == FORM
    assert text.startswith("<!-- Title: Failed to legalize operation `x.bad` (hip) -->\n")
    assert not heads(text, 1) and not heads(text, 2)


def test_the_essentials_are_at_the_top() -> None:
    screen = "\n".join(report_text(facts(), verified=True).splitlines()[:40])
    for part in ("failed to legalize operation 'x.bad'", PROGRAM, " ".join(COMMAND), "3.13.0"):
        assert part in screen


def test_an_unverified_report_says_so() -> None:
    assert "Not verified" in report_text(facts(), verified=False)
    assert "Not verified" not in report_text(facts(), verified=True)


def test_a_compiler_that_was_replaced_is_told() -> None:
    record = ReductionRecord(notes=(REPLACED,))
    assert f"**Caution:** {REPLACED}." in report_text(facts(record=record), verified=True)


def test_a_crash_with_its_stack() -> None:
    crash = facts(
        signature=Signature(Kind.CRASH, "SIGSEGV", frames=("a::f", "b::g")),
        check=ReproCheck(COMMAND, -11),
        exit_code=-11,
        stack=("#4  a::f", "    … 2 frames"),
        messages=("SIGSEGV",),
    )
    text = report_text(crash, verified=True)
    assert "`iree-compile` crashes with SIGSEGV in `a::f`" in text.splitlines()[0]
    assert "crashes with SIGSEGV on the 4 ops below" in text
    assert "#4  a::f" in text
    assert heads(text, 4) == ["Stack"]


def test_wrong_results_come_with_plain_commands() -> None:
    call = ("iree-run-module", "--module=a.vmfb", "--function=f", "--input=2xi8=1 2")
    seen = RunCheck(
        (*call, "--expected_output=2xi8=7 8"),
        call,
        VALUES,
        expected="result[0]: 2xi8=7 8\n",
        is_seen=True,
    )
    words = ("iree-compile", "--v", "repro.mlir", "-o", "a.vmfb")
    wrong = facts(
        signature=Signature(Kind.MISCOMPILE, "wrong values"),
        check=ReproCheck(words, run=seen),
        messages=("error: result 0, element 1: 31, expected 8, in @f(2xi8=1 2)",),
    )
    text = report_text(wrong, verified=True)
    assert "\niree-compile --v repro.mlir -o a.vmfb\niree-run-module --module=a.vmfb" in text
    assert "'--input=2xi8=1 2' '--expected_output=2xi8=7 8'\n" in text
    assert "result[0]: 2xi8=7 8" in text
    assert "miscompiles the 4 ops below" in text
    assert "does not catch this difference" not in text
    assert "Expected output:" in text
    other = replace(wrong, signature=Signature(Kind.DISAGREEMENT, "wrong values"))
    text = report_text(other, verified=True)
    assert "Title: Backends disagree" in text and "miscompiles" not in text
    assert "other results than another backend does" in text
    assert "Output on the other backend:" in text and "Expected output:" not in text
    unseen = replace(seen, words=call, is_seen=False, expected="result[0]: 2xi8=7 _\n")
    text = report_text(replace(wrong, check=ReproCheck(words, run=unseen)), verified=True)
    assert "`--expected_output` does not catch this difference" in text
    assert "`_` marks an element whose value is unspecified" in text


def test_the_boundary_and_the_nearest_program_that_compiles() -> None:
    boundary = (
        Fact("size", "tensor<4xf32> dim 0", "4", None, "3", Verdict.NOT_INTERESTING, "success"),
        Fact("flag", "--x", "", None, "dropped", Verdict.OTHER_FAILURE, "other: a | b"),
        Fact("op", "x.bad", "", 3, "", Verdict.SAME, "", ("deleted",)),
    )
    text = report_text(facts(boundary=boundary), verified=True)
    assert "It compiles with `3` in place of `4`." in text
    assert "| size `tensor<4xf32> dim 0` | `4` | `3` | passes |" in text
    assert "fails differently: `other: a \\| b`" in text
    assert "| op `x.bad` (line 3) |  | deleted | still fails |" in text
    assert "No part of the program could be changed" in report_text(
        facts(boundary=()), verified=True
    )


def test_versions_origin_cost_and_other_failures() -> None:
    record = {
        "input": {"lines": 655, "ops": 652, "bytes": 55080},
        "oracle": {"calls": 49, "cpu_seconds": 43.5},
        "wall_seconds": 90.8,
        "one_minimal": True,
        "also_found": [{"bucket": "3eedea585bff", "text": "legalization: other"}],
        "origin": [{"op": "x.bad", "file": "model.mlir", "line": 519, "text": "%1 = x.bad | y"}],
    }
    known = facts(
        record=ReductionRecord.from_json(record),
        source="model.mlir",
        versions=(Version("3.8.0", "compiles"), Version("3.9.0", "fails", "first bad")),
        pass_file=PassFile("x-pass", "builtin.module(x)", "IR before x", "// RUN: x\n", 1, 1),
    )
    text = report_text(known, verified=True)
    assert heads(text, 4) == [
        "IR before the failing pass: <code>x-pass</code>",
        "Releases",
        "Where it is in the original input",
        "Reduction",
    ]
    for part in (
        "model.mlir:519",
        "652 | 4",
        "49 compiler runs",
        "3eedea585bff",
        "`3.9.0` | fails",
    ):
        assert part in text


def test_the_sentence_about_releases_is_that_of_the_bisection() -> None:
    """The reduction asked fewer releases, and perhaps others."""
    asked = [PlaceRecord("target", "cpu", "compiles"), PlaceRecord("release", "3.4.0", "compiles")]
    record = ReductionRecord(health=HealthRecord("hip", "3.13.0", tuple(asked)))
    text = report_text(facts(record=record), verified=True)
    assert "not tried between 3.4.0 and 3.13.0.**" in text
    line = {"3.4.0": "not asked", "3.11.0": "good", "3.12.0": "bad", "3.13.0": "bad"}
    versions = tuple(Version(version, verdict) for version, verdict in line.items())
    text = report_text(facts(record=record, versions=versions), verified=True)
    assert "**Compiles for cpu, on 3.11.0; fails for hip since 3.12.0.**" in text


@pytest.mark.parametrize(
    ("name", "pipeline", "head"),
    [
        ("x-pass", "builtin.module(x-pass)", "IR before the failing pass: <code>x-pass</code>"),
        ("x-pass", None, "Invalid IR after the pass <code>x-pass</code>"),
        ("", None, "Invalid IR"),
    ],
)
def test_which_ir_the_pass_level_is(name: str, pipeline: str | None, head: str) -> None:
    found = PassFile(name, pipeline, "some IR", "// RUN: x\n", 1, 1)
    text = report_text(facts(pass_file=found), verified=True)
    assert heads(text, 4)[0] == head
    assert ("IR that the verifier rejects" in text) is (pipeline is None)


def test_an_invalid_record_is_ignored() -> None:
    for data in ({"origin": 1, "also_found": "x"}, {"input": {"ops": "many"}}, {"oracle": []}):
        record = ReductionRecord.from_json(data)
        assert heads(report_text(facts(record=record), verified=True)) == FORM


HOSTILE = ["```\n# owned\n```", "`owned`", "</details>\n\n# owned", "a | b\n|---|\n# owned", "$(x)"]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_changes_the_structure(text: str) -> None:
    signature = Signature(Kind.OTHER_ERROR, text, text, frames=(text,))
    hostile = facts(
        text=text,
        head="",
        signature=signature,
        messages=tuple(text.split("\n")),
        log=text,
        stack=(text,),
        pass_name=text,
        source=text,
        notes=(text,),
        failure_line=1,
        check=ReproCheck(("iree-compile", f"--iree-x-target={text}", "repro.mlir"), 1),
        files={text: Path("x")},
        record=ReductionRecord(
            input=Size(1, 3, 1),
            origin=(Origin(text, text, 1, 1, text),),
            also_found=(OtherFailureRecord(text, text),),
        ),
        boundary=(Fact("op", text, text, 1, text, Verdict.OTHER_FAILURE, text, (text,)),),
        versions=(Version(text, text, text),),
        pass_file=PassFile(text, text, text, text, 1, 1),
    )  # fmt: skip
    whole = report_text(hostile, verified=True)
    assert heads(whole) == FORM
    assert not heads(whole, 1)
    assert length(whole) <= MAX_CHARACTERS


def test_a_large_program_stays_in_its_file() -> None:
    long = "".join(f'  "x.op{n}"() : () -> ()\n' for n in range(5000))
    text = report_text(facts(text=long, lines=5000, ops=5000), verified=True)
    assert length(text) < MAX_CHARACTERS
    assert "5,001 lines in all; see `repro.mlir`" in text


def test_what_is_too_long_is_in_files_that_the_text_names() -> None:
    long = "x" * 80
    huge = facts(
        messages=tuple(f"error: {n} {long}" for n in range(2000)),
        stack=(long,) * 999,
        backtrace="\n".join([f"0 libX.so 0x01 {long}"] * 2000),
        output="\n".join([long] * 2000),
        check=ReproCheck(("iree-compile", *[f"--x={long}"] * 999, "repro.mlir"), 1),
        files={f"{n}": Path("x") for n in range(92000)},
        remarks=(long * 999,),
        notes=(),
        pass_name=long * 99,
        boundary=tuple([Fact("op", long, "", 1, "y", Verdict.SAME, "")] * 2000),
        versions=tuple([Version("3.9.0", "fails", long)] * 2000),
        record=ReductionRecord(
            also_found=tuple([OtherFailureRecord("0123456789ab", long)] * 2000),
            origin=tuple([Origin("x.bad", long * 9, 1, 1, long)] * 2000),
        ),
    )
    text, files = report.report_text(huge, verified=True)
    assert length(text) <= MAX_CHARACTERS
    assert heads(text) == FORM
    assert set(files) == {
        "also-found.md",
        "boundary.md",
        "messages.txt",
        "releases.md",
        "stack.txt",
    }
    for name in (*files, "output.txt", "repro.sh"):
        assert f"`{name}` in the zip" in text
    assert files["boundary.md"].count("still fails") == 2000
    assert files["messages.txt"].splitlines() == list(huge.messages)


def test_releases_are_not_listed_twice() -> None:
    """Unless a larger program does otherwise there."""
    compiles = PlaceRecord("release", "3.8.0", "compiles", "compiles")
    lost = PlaceRecord("release", "3.9.0", "the same failure", "compiles")
    versions = (Version("3.8.0", "good"), Version("3.9.0", "bad"))
    for places, tables in (((compiles,), 1), ((compiles, lost), 2)):
        record = ReductionRecord(health=HealthRecord("hip", "3.13.0", places))
        text = report_text(facts(versions=versions, record=record), verified=True)
        assert text.count("`3.8.0`") == 1
        assert text.count("`3.9.0`") == tables
        assert ("**Caution:**" in text) == (tables == 2)


def test_a_failure_without_a_message() -> None:
    silent = ReproCheck(COMMAND, 1, silent=True)
    known = facts(check=silent, pass_name="FooPass", messages=("other-error: silent failure",))
    text = report_text(known, verified=True)
    assert "fails on the 4 ops below, in the pass `FooPass`, without printing an error." in text
    assert "other-error: silent" not in text.partition("Additional context")[0]


def test_an_assertion_whose_line_is_cut_before_the_condition() -> None:
    cut = facts(
        signature=Signature(Kind.ASSERTION, "idx < size()"),
        messages=("cc: StorageUniquerSupport.h:180: static ConcreteT …",),
    )
    assert "ConcreteT …\nAssertion failed: idx < size()\n" in report_text(cut, verified=True)
    whole = replace(cut, messages=("cc: a.h:1: Assertion `idx < size()' failed.",))
    assert report_text(whole, verified=True).count("Assertion failed") == 0
    folded = replace(cut, messages=("a.cc:1] Check failed: idx < 3",))
    assert report_text(folded, verified=True).count("Assertion failed") == 0


def test_runs_that_a_limit_ended() -> None:
    words = ("iree-compile", "repro.mlir")
    hang = facts(
        signature=Signature(Kind.TIMEOUT, stage="pipeline CSEPass"),
        check=ReproCheck(words, seconds=8.0),
        pass_name="CSEPass",
    )
    text = report_text(hang, verified=True)
    assert (
        "`iree-compile` 3.13.0 hangs on the 4 ops below (last seen in the pass `CSEPass`): it does "
        "not finish within 8.0 s.\n\n**Expected:** The command should finish.\n"
    ) in text
    greedy = replace(
        hang, signature=Signature(Kind.MEMORY), check=ReproCheck(words, memory=1 << 30)
    )
    assert "runs out of memory on the 4 ops below" in report_text(greedy, verified=True)
    assert ": it uses more than 1.1 GB." in report_text(greedy, verified=True)


def test_llvm_has_no_form_and_others_have_their_own() -> None:
    def of(program: str) -> str:
        command = (program, "--cse", "repro.mlir")
        known = facts(compiler=CompilerInfo(program), check=ReproCheck(command, 1))
        return report_text(known, verified=True)

    free = of("mlir-opt-22")
    assert heads(free) == ["Version", "Additional context"]
    assert free.index("mlir-opt-22` fails on") < free.index("### Version")
    assert heads(of("triton-opt")) == ["Describe the bug", "Environment details"]
    assert heads(of("stablehlo-opt")) == [*FORM[:2], FORM[3]]


def test_omitted_files_are_listed() -> None:
    assert "`output.txt`" in report_text(facts(), verified=True, left_out=["output.txt"])
