"""Whatever a file, a path, a flag or a compiler says, no output obeys it."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from reducer.cli.options.values import complete_inputs
from tests.support.fake_compilers import Reducer, program, write_script
from tests.support.screen import Screen, on_terminal

ROOT = Path(__file__).parents[2]
MARK = "EVIL"
HOSTILE = (
    f"{MARK}\x1b[8m\x1b]8;;http://evil\x07<img src=x>\x9b2K\u202e\u2066\u200b\xa0\u05d0\u3164`|\x7f"
    "$(touch pwned)"
)
ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\xa0\u05d0\u200b\u202e\u2066\u3164\ud800-\udfff]")
OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\x1b]\(B|\r")  # colors and moves of the cursor
NAME = f"a\x1b[8m\u202e\x9b\xa0\u05d0{MARK}.mlir"  # what fits a file name
BROKEN = os.fsdecode(b"caf\xe9\x1b[8m.mlir")
SAYS = """case "$*" in *--name="$(cat said)"*) ;; *) exit 0 ;; esac
if has x.bad; then
  printf '%s\\n' "$input:1:1: error: failed to legalize operation 'x.bad' $(cat said)" >&2
  exit 1
fi
"""


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    text = program(3).replace(
        "module {", f'// {HOSTILE}\nmodule attributes {{x.s = "{HOSTILE}"}} {{'
    )
    (tmp_path / NAME).write_text(text)
    (tmp_path / "said").write_text(HOSTILE)
    write_script(tmp_path / "fake", SAYS.replace("cat said", f"cat '{tmp_path}/said'"))
    return Reducer(tmp_path)


def assert_inert(text: str, *, terminal: bool = False, mark: bool = True) -> None:
    left = OURS.sub("", text) if terminal else text
    found = ACTIVE.search(left)
    assert found is None, ascii(left[max(0, found.start() - 80) : found.end() + 20])
    assert "\x1b[8m" not in text and "\x1b]" not in text
    assert not mark or MARK in text


COMMAND = ("--", "./fake", f"--name={HOSTILE}")


@pytest.mark.parametrize("command", ["check", "locate", "explain", "bisect"])
def test_no_command_passes_it_on(reducer: Reducer, command: str) -> None:
    reducer.environment["PATH"] = os.environ["PATH"]  # `explain` needs a tool
    done = reducer(command, f"./{NAME}", *COMMAND)
    assert_inert(done.stdout + done.stderr, mark=command != "bisect")
    assert not (reducer.home / "pwned").exists()


def test_no_view_passes_it_on(reducer: Reducer) -> None:
    """A reduction draws the program as well, and ends with a table like all other commands."""
    screen = on_terminal(
        reducer.argv("reduce", f"./{NAME}", "--no-report", "--no-pass-level", *COMMAND),
        columns=100,
        cwd=reducer.home,
        environment=reducer.environment,
    )
    assert_inert(screen.text, terminal=True)
    assert not (reducer.home / "pwned").exists()


def test_no_file_passes_it_on(reducer: Reducer) -> None:
    done = reducer("reduce", f"./{NAME}", "--json", "-", *COMMAND)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["command"][1] == COMMAND[2]
    assert_inert(done.stdout + done.stderr)
    folder = reducer.home / NAME.replace(".mlir", ".reduced") / "report"
    seen = []
    for file in sorted(folder.iterdir()):
        if file.suffix in (".md", ".sh", ".json"):
            seen.append(file.name)
            assert_inert(file.read_text())
    assert {"report.md", "repro.sh", "metadata.json"} <= set(seen)
    script = {**reducer.environment, "FAKE": str(reducer.home / "fake")}
    ran = subprocess.run(
        ["sh", folder / "repro.sh"], env=script, cwd=reducer.home, capture_output=True, text=True
    )
    assert ran.returncode == 2, ran.stdout  # it fails: its words reach the program as they were
    assert_inert(ran.stdout + ran.stderr, mark=False)
    page = reducer("page", f"./{NAME.replace('.mlir', '.reduced.mlir')}", "-o", "page.html")
    assert page.returncode == 0, page.stderr
    assert_inert((reducer.home / "page.html").read_text())
    assert "<img src=x>" not in (reducer.home / "page.html").read_text()
    assert not (reducer.home / "pwned").exists()


def test_no_triage_passes_it_on(reducer: Reducer) -> None:
    inputs = reducer.home / "in\x1b[8m\u202e"
    inputs.mkdir()
    (reducer.home / NAME).rename(inputs / NAME)
    (inputs / BROKEN).write_bytes(b"\xff\x00")
    outputs = ("-o", "t.html", "-o", "t.xml", "--summary", "t.md", "--db", "db.sqlite")
    done = reducer("triage", inputs, "-j", "1", *outputs, *COMMAND)
    assert "1 bug" in done.stdout, done.stdout + done.stderr
    assert_inert(done.stdout + done.stderr)
    for name in ("t.html", "t.xml", "t.md"):
        assert_inert((reducer.home / name).read_text())
    (bucket,) = re.findall(r"^([0-9a-f]{12}) ", done.stdout, re.M)
    for words in (["list"], ["show", bucket], ["note", bucket, HOSTILE], ["note", bucket]):
        told = reducer("buckets", "--db", "db.sqlite", *words)
        assert told.returncode == 0, told.stderr
        assert_inert(told.stdout + told.stderr, mark=len(words) < 3)


def test_the_question_shows_every_character(reducer: Reducer) -> None:
    issue = f"```\nfake-opt '--name=a\x1b[2K\xa0b' {MARK}.mlir\n```\n```mlir\n{program(3)}```\n"
    (reducer.home / "issue.md").write_text(issue)
    (reducer.home / "bin").mkdir()
    write_script(reducer.home / "bin" / "fake-opt", SAYS)
    reducer.environment["PATH"] = f"{reducer.home}/bin:{os.environ['PATH']}"
    asked: list[bool] = []

    def answer_no(screen: Screen) -> None:
        if "Run it?" in screen.text and not asked:
            asked.append(True)
            os.write(screen.controller, b"n\n")

    screen = on_terminal(
        reducer.argv("check", "issue.md"),
        columns=200,
        cwd=reducer.home,
        environment=reducer.environment,
        meanwhile=answer_no,
    )
    assert asked
    assert "--name=a\\x1b[2K\\xa0b" in screen.text
    assert_inert(screen.text, terminal=True, mark=False)


@pytest.mark.parametrize("message", ["no such \x1b[8m option", "--\u202e"])
def test_no_error_message_passes_on_what_was_typed(reducer: Reducer, message: str) -> None:
    for words in (["reduce", message], [message], ["check", NAME, f"--{message}"]):
        done = reducer(*words)
        assert done.returncode == 2 or done.returncode == 66
        assert_inert(done.stdout + done.stderr, mark=False)


def test_the_tab_key_offers_no_line_of_a_file_name(reducer: Reducer) -> None:
    (reducer.home / "b\nplain,$(touch pwned).mlir").write_text("")
    (reducer.home / "b.mlir").write_text("")
    offered = [item.value for item in complete_inputs(f"{reducer.home}/b")]
    assert offered == [f"{reducer.home}/b.mlir"]


def test_there_is_one_way_to_a_terminal() -> None:
    around = re.compile(
        r"click\.echo\(|[^.\w]print\(|print_exception|stdout\.write|[^.]tqdm\.write"
    )
    direct = {
        path.name
        for path in (ROOT / "reducer" / "cli").rglob("*.py")
        if around.search(path.read_text())
    }
    assert direct == {"console.py", "triage.py"}
