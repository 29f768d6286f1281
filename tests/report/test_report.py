"""`report.md`: the order of the form, the content of each section, and hostile text."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from oracles import Kind, Signature
from reducer.driver.records.figures import Origin, OtherFailureRecord
from reducer.driver.records.record import ReductionRecord
from reducer.driver.settings import Size
from reducer.explain.explainer import Fact
from reducer.report import issue_body as report
from reducer.report.facts import Facts, PassFile, ReproCheck, Version
from reducer.report.markdown import MAX_CHARACTERS, length
from reducer.search.candidate import Verdict
from tests.report import reports
from tests.report.facts import facts

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


def test_each_report_is_what_its_file_says() -> None:
    assert reports.written() == reports.FILE.read_text(encoding="utf-8")


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
