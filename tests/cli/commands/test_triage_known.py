"""`triage` on what is known: results, reports and issues are asked again on another compiler.

Each gets an answer, what changed comes first, and nothing of it is reduced.
"""

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reducer.cli import main
from tests.support.fake_compilers import write_script

FAILS = """if has x.{name}; then
  echo "$input:1:1: error: failed to legalize operation 'x.{name}'" >&2
  exit 1
fi
"""
OTHERWISE = """if has x.other; then
  echo "$input:1:1: error: failed to legalize operation 'x.size'" >&2
  exit 1
fi
"""
BEFORE = "".join(FAILS.format(name=name) for name in ("alike", "other", "gone"))
AFTER = FAILS.format(name="alike") + OTHERWISE
ISSUE = """# Cannot legalize {name}

```mlir
"x.{name}"() : () -> ()
```

`{program} --canonicalize input.mlir` says

```
input.mlir:1:1: error: failed to legalize operation 'x.{name}'
```
"""


def run(*words: object) -> int:
    return CliRunner().invoke(main, [str(word) for word in words]).exit_code


def compiler(home: Path, body: str, name: str = "toy-opt") -> None:
    asked = "case $1 in --help*) echo '  --canonicalize - simplify'; exit ;; esac\n"
    named = (
        "case $* in *--cse*) echo \"t: Unknown command line argument '--cse'\" >&2; exit 1; esac\n"
    )
    named += "for word; do case $word in *.mlir) input=$word ;; esac; done\n"
    write_script(home / name, f"{asked}{named}echo $* >> {home}/runs\n{body}")


def asked(home: Path, *words: object) -> tuple[list[tuple[str, str]], dict[str, Any], int]:
    """What was answered, the whole summary, and how often the compiler ran."""
    (home / "runs").write_text("")
    target = home / "out.json"
    run("triage", "known", *words, "--json", target, "--", "./toy-opt")
    summary = json.loads(target.read_text())
    answers = [(one["place"], one["verdict"]) for one in summary["known"]]
    return answers, summary, len((home / "runs").read_text().splitlines())


@pytest.fixture
def home(tmp_path: Path, nothing_installed: None) -> Path:
    """A folder of results of three failures."""
    compiler(tmp_path, BEFORE)
    known = tmp_path / "known"
    known.mkdir()
    for name in ("alike", "other", "gone"):
        program = tmp_path / f"{name}.mlir"
        program.write_text(f'"x.fine"() : () -> ()\n"x.{name}"() : () -> ()\n')
        run("reduce", program, "-o", known / f"{name}.mlir", "--", "./toy-opt", program)
    return tmp_path


def test_results_are_answered_on_two_compilers(home: Path) -> None:
    names = ("alike", "other", "gone")
    for number in range(9):
        name, copy = names[number % 3], home / "known" / f"copy{number}.mlir"
        text = (home / "known" / f"{name}.mlir").read_text()
        copy.write_text(f"{text}// {number}\n")
        shutil.copytree(home / "known" / name, copy.with_suffix(""))
    answers, summary, runs = asked(home)
    assert {verdict for _, verdict in answers} == {"still fails alike"}
    assert len(answers) == 12 and runs <= 18
    assert not summary["bugs"] and not summary["reduction_calls"]
    assert asked(home)[2] == 0
    compiler(home, AFTER)
    answers, summary, runs = asked(home, "-o", home / "out.xml", "--summary", home / "out.md")
    expected = ["compiles"] * 4 + ["fails otherwise"] * 4 + ["still fails alike"] * 4
    assert [verdict for _, verdict in answers] == expected
    assert ("gone.mlir", "compiles") in answers and ("other.mlir", "fails otherwise") in answers
    assert runs <= 18 and not summary["reduction_calls"]
    suite = ET.parse(home / "out.xml").find("testsuite[@name='known failures']")
    assert suite is not None
    counts = [suite.get(name) for name in ("tests", "failures", "skipped", "errors")]
    assert counts == ["12", "4", "4", "0"]
    page = (home / "out.md").read_text()
    assert page.index("`gone.mlir`") < page.index("`other.mlir`") < page.index("`alike.mlir`")


def test_a_report_alone_is_answered(home: Path) -> None:
    (home / "reports").mkdir()
    for name in ("alike", "other", "gone"):
        run("report", home / "known" / f"{name}.mlir", "-o", home / "reports" / name)
    shutil.rmtree(home / "known")
    (home / "reports").rename(home / "known")
    record = home / "known" / "alike" / "metadata.json"
    found = json.loads(record.read_text())
    found["command"] = ["setarch", "-R", *found["command"]]  # as everything runs anyhow
    record.write_text(json.dumps(found))
    compiler(home, AFTER)
    answers, summary, runs = asked(home)
    assert answers == [
        ("gone/metadata.json", "compiles"),
        ("other/metadata.json", "fails otherwise"),
        ("alike/metadata.json", "still fails alike"),
    ]
    assert summary["compiler_runs"] == 3 and not summary["bugs"]
    assert runs == 0, "the script has written outside of its folder"


def test_an_issue_is_answered_by_what_it_quotes(home: Path) -> None:
    shutil.rmtree(home / "known")
    (home / "known").mkdir()
    texts = {f"{name}.md": ISSUE.format(name=name, program="toy-opt") for name in ("alike", "gone")}
    texts["other.txt"] = ISSUE.format(name="other", program="toy-opt")
    texts["none.md"] = "# Notes\n\nNothing here fails.\n"
    texts["elsewhere.log"] = ISSUE.format(name="alike", program="strange-opt")
    texts["quiet.md"] = ISSUE.format(name="alike", program="toy-opt").split("` says")[0] + "`\n"
    texts["hostile.md"] = ISSUE.format(name="alike", program="toy-opt --load-pass-plugin=evil.so")
    texts["flag.md"] = ISSUE.format(name="alike", program="toy-opt --cse")
    for name, text in texts.items():
        (home / "known" / name).write_text(text)
    compiler(home, AFTER.replace("exit 1", f"echo > {home}/written; exit 1"))
    answers, summary, _ = asked(home)
    assert answers == [
        ("gone.md", "compiles"),
        ("other.txt", "fails otherwise"),
        ("elsewhere.log", "cannot tell"),
        ("flag.md", "cannot tell"),
        ("hostile.md", "cannot tell"),
        ("quiet.md", "cannot tell"),
        ("alike.md", "still fails alike"),
    ]
    says = {one["place"]: one["says"] for one in summary["known"]}
    assert says["elsewhere.log"] == "its command runs strange-opt, not toy-opt"
    assert "load-pass-plugin" in says["hostile.md"]
    assert not (home / "written").exists()


def test_what_is_no_own_result_or_about_more_than_a_command_cannot_be_told(home: Path) -> None:
    record = home / "known" / "alike" / "record.json"
    record.write_text(record.read_text() + "\n")
    (home / "known" / "gone" / "journal").write_text("damaged")
    answers, summary, _ = asked(home)
    assert answers[:2] == [("alike.mlir", "cannot tell"), ("gone.mlir", "cannot tell")]
    assert summary["known"][0]["says"] == "its record is not this user's own"
