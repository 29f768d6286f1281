"""An agent reduces what an issue describes, and no text that it has read can do more with it.

It works in its folders and names MLIR tools, which run in the sandbox. What compilers and issues
say reaches it as data only, in answers that fit into its context.

This file: what is forbidden is refused in a sentence, and changes nothing.
"""

import json
import re
import sys
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from oracles.run.confinement import confinement_ends, landlock
from reducer.cli.mcp.answers import LIMIT, encoded, fitted
from reducer.cli.mcp.bounds import Bounds
from reducer.cli.mcp.jobs import JobTable
from reducer.cli.mcp.tools import ANSWER, TOOLS, UNTRUSTED
from reducer.cli.mcp.worker import Wire, carried_out
from reducer.errors import ReducerError
from tests.support.agents import INERT, SAYS, with_compiler
from tests.support.fake_compilers import FAIL, program

PROGRAM = program(2)


@pytest.fixture
def bugs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for agents, with links that lead out of it."""
    folder = with_compiler(tmp_path, monkeypatch)
    (folder / "in.mlir").write_text(PROGRAM)
    (tmp_path / "mine.mlir").write_text(PROGRAM)
    (tmp_path / "mine").mkdir()
    (folder / "link.mlir").symlink_to(tmp_path / "mine.mlir")
    (folder / "b.mlir").write_text(PROGRAM)
    (folder / "b.reduced").symlink_to(tmp_path / "mine")
    (folder / "models").mkdir()
    (folder / "models" / ".mlir-reducer").symlink_to(tmp_path / "mine")
    (folder / "evil-opt").symlink_to("/bin/sh")
    return folder


def snapshot(folder: Path) -> dict[str, str]:
    """All files, and what they hold."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


FORBIDDEN: list[tuple[str, dict[str, Any], str]] = [
    ("check", {"file": "/etc/passwd"}, "USAGE: .*works nowhere else"),
    ("check", {"file": "../mine.mlir", "command": ["fake-opt"]}, "USAGE: .*works nowhere else"),
    ("check", {"file": "link.mlir", "command": ["fake-opt"]}, "USAGE: .*works nowhere else"),
    ("check", {"file": "none.mlir"}, "NO_INPUT: .*does not exist"),
    ("check", {"file": "in.mlir", "command": ["sh", "-c", "touch pwned"]}, "USAGE: 'sh' is not"),
    ("check", {"file": "in.mlir", "command": ["env", "fake-opt"]}, "USAGE: 'env' is not"),
    ("check", {"file": "in.mlir", "command": ["./evil-opt"]}, "USAGE: './evil-opt' is a path"),
    ("check", {"file": "in.mlir", "command": ["/bin/sh"]}, "USAGE: '/bin/sh' is not"),
    ("reduce", {"file": "in.mlir", "text": "x"}, "USAGE: give either"),
    ("reduce", {}, "USAGE: give either"),
    (
        "reduce",
        {"file": "in.mlir", "command": ["fake-opt"], "output": "../out.mlir"},
        "USAGE: .*works nowhere else",
    ),
    ("reduce", {"file": "b.mlir", "command": ["fake-opt"]}, "USAGE: .*leads to another place"),
    ("locate", {"file": "in.mlir", "command": ["python3"]}, "USAGE: 'python3' is not"),
    ("explain", {"file": "~/.ssh/id_rsa"}, "NO_INPUT: "),
    ("bisect", {"file": "in.mlir", "command": ["bash"]}, "USAGE: 'bash' is not"),
    ("triage", {"folders": ["models"], "command": ["fake-opt"]}, "USAGE: .*leads to another"),
    ("triage", {"folders": ["/"], "command": ["fake-opt"]}, "USAGE: .*works nowhere else"),
    ("triage", {"folders": [], "command": ["fake-opt"]}, "USAGE: folders is empty"),
    ("similar", {"file": "in.mlir", "known": "/etc"}, "USAGE: .*works nowhere else"),
    ("report", {"file": "in\0.mlir"}, "USAGE: .*does not match"),
    ("report", {"file": "in.mlir", "folder": "/tmp"}, "USAGE: .*'folder' was unexpected"),
    ("check", {"file": "in.mlir", "iree": "../../evil"}, "USAGE: iree: .*does not match"),
    ("check", {"file": "in.mlir", "timeout": -1}, "USAGE: timeout: .*minimum"),
    ("check", {"file": ["in.mlir"]}, "USAGE: file: .*not of type 'string'"),
]


@pytest.mark.parametrize(("tool", "arguments", "why"), FORBIDDEN)
def test_what_is_forbidden_is_refused(
    bugs: Path, tool: str, arguments: dict[str, Any], why: str
) -> None:
    before = snapshot(bugs.parent)
    with pytest.raises(ReducerError) as refused:
        TOOLS[tool].check(arguments)
        JobTable(Bounds.of([bugs], ())).start(tool, arguments)
    told = f"{refused.value.exit_code.name}: {refused.value}"
    assert re.match(why, told), told
    assert "\n" not in told.replace("\0", "")
    assert snapshot(bugs.parent) == before


@pytest.mark.parametrize("name", ["in.mlir", "/etc/passwd", "link.mlir", "bin", "../bin/fake-opt"])
def test_only_what_was_written_here_is_read(bugs: Path, name: str) -> None:
    with pytest.raises(ReducerError):
        Bounds.of([bugs], ()).owned(name)


def test_what_a_person_allows_runs_free(bugs: Path) -> None:
    bounds = Bounds.of([bugs], [str(bugs / "evil-opt")])
    assert bounds.runs_free([str(bugs / "evil-opt")]) and bounds.runs_free(["/bin/sh"])
    assert not bounds.runs_free(["fake-opt"])
    with pytest.raises(ReducerError, match="not an executable"):
        Bounds.of([bugs], ["no-such-program"])


def answer_to(bugs: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a worker answers, in this process."""
    values = Bounds.of([bugs], ()).resolved(tool, arguments)
    request = {
        "tool": tool,
        "job": f"{tool} {values['file']}",
        "arguments": values,
        "folder": str(bugs),
        "free": False,
        "readable": [str(bugs)] if "command" in values else [],
    }
    with confinement_ends(), pytest.MonkeyPatch.context() as patch:
        said = StringIO()
        patch.setattr(sys, "stderr", said)
        return carried_out(request, Wire(StringIO()), said)


needs_landlock = pytest.mark.skipif(not landlock(), reason="this kernel has no Landlock")


@needs_landlock
@pytest.mark.parametrize(
    "flag", ["-o={home}/pwned", "--dump={home}/pwned", "--read={home}/secret", "--start=id"]
)
def test_what_an_agent_runs_is_confined(
    bugs: Path, monkeypatch: pytest.MonkeyPatch, flag: str
) -> None:
    """An agent may name any flag; the compiler cannot do what it asks for."""
    home = bugs.parent
    (home / "secret").write_text("secret\n")
    (bugs / "spec").write_text("of the bug\n")
    compiler = home / "bin" / "fake-opt"
    does = 'for f; do case "$f" in *=*) echo x > "${f#*=}"; cat "${f#*=}" >&2; esac; done\n'
    compiler.write_text(
        f"{compiler.read_text().removesuffix(FAIL)}{does}cat {bugs}/spec >&2\n{FAIL}"
    )
    answer = answer_to(bugs, "check", file="in.mlir", command=["fake-opt", flag.format(home=home)])
    assert answer["status"] == "OK", answer
    assert not (home / "pwned").exists() and (home / "secret").read_text() == "secret\n"
    assert "secret" not in encoded(answer).replace(f"{home}/secret", "")


COMMANDS = [
    "fake-opt -o {home}/pwned x.mlir",
    "fake-opt --load-pass-plugin={home}/evil.so x.mlir",
    "fake-opt x.mlir; touch {home}/pwned",
    "sh -c 'touch {home}/pwned'",
    "{home}/bin/fake-opt x.mlir | tee {home}/pwned",
]


def test_there_are_forty_of_them() -> None:
    assert len(set(SAYS)) == 40


@pytest.mark.parametrize("said", SAYS)
def test_no_text_gets_out_of_an_answer(said: str) -> None:
    """Whatever a tool finds is in one value, which no text ends or fills."""
    data = {"signature": said, said: [said] * 50, "messages": {"deep": [{"er": said}]}}
    files = {"result": "/bugs/in.reduced.mlir"}
    answer = {"status": "OK", "says": "it fails", "files": files, UNTRUSTED: data}
    cut = fitted(answer)
    text = encoded(cut)
    assert len(text) <= LIMIT and INERT.fullmatch(text)
    read = json.loads(text)
    assert {**read, UNTRUSTED: {}} == {**answer, UNTRUSTED: {}}
    assert set(read) <= set(ANSWER["properties"])


@needs_landlock
@pytest.mark.parametrize("number", range(len(SAYS)))
def test_no_issue_gets_its_way(bugs: Path, number: int) -> None:
    """An issue that says anything, with a command that asks for anything."""
    said, home = SAYS[number], bugs.parent
    command = COMMANDS[number % len(COMMANDS)].format(home=home)
    text = f"{said}\n\n    {command}\n\n```mlir\n{PROGRAM}```\n{said}\n"
    before = snapshot(home)
    answer = answer_to(bugs, "check", text=text)
    assert said not in answer["says"] and len(encoded(answer)) <= LIMIT
    ours = re.compile("/bugs/(issue-|[.]mlir-reducer/)")
    after = {name: data for name, data in snapshot(home).items() if not ours.search(name)}
    assert after == before
