"""Sessions of an agent with `mlir-reducer mcp`, by the client of the protocol's own package."""

import json
import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp import Client, StdioServerParameters, stdio_client

from reducer.cli import main
from reducer.cli.mcp.tools import TOOLS, UNTRUSTED
from tests.support.agents import ISSUE, SAYS, connected, until_done, with_compiler
from tests.support.fake_compilers import FAIL, program

PAGE = Path(__file__).parents[3] / "docs" / "agents.md"
SLOW = f"sleep 0.1\n{FAIL}"


def test_from_an_issue_to_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bugs = with_compiler(tmp_path, monkeypatch)

    async def session() -> None:
        async with connected("bugs") as call:
            seen = await call("check", text=ISSUE)
            assert seen["status"] == "OK", seen
            assert "x.bad" in seen[UNTRUSTED]["signature"]
            assert seen[UNTRUSTED]["messages"][0].startswith("command found in issue-")
            job = await call("reduce", text=ISSUE)
            assert job["status"] == "RUNNING"
            done = await until_done(call, job["job"])
            assert (done["status"], done[UNTRUSTED]["text"]) == ("OK", '"x.bad"() : () -> ()\n')
            result = done["files"]["result"]
            for tool in ("locate", "report"):
                answer = await call(tool, file=result)
                assert answer["status"] == "OK", answer
            (bugs / "known.md").write_text("# Broken\nfailed to legalize operation 'x.bad'\n")
            like = await call("similar", file=result, known="known.md")
            assert like[UNTRUSTED]["similar"][0]["score"] > 0, like
            page = await call("read", file=answer["files"]["report"])
            assert "fake-opt" in page[UNTRUSTED]["text"]
            bugs_found = await call("triage", folders=["."], command=["fake-opt", "--fast"])
            assert "asked again" in bugs_found["says"], bugs_found
            explained = await call("explain", file=result)
            assert explained["status"] in ("OK", "BAD_INPUT"), explained
            refused = await call("bisect", file=result)
            assert refused["status"] == "USAGE", refused

    anyio.run(session)


def test_a_killed_server_leaves_what_the_next_one_goes_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bugs = with_compiler(tmp_path, monkeypatch, SLOW)
    (bugs / "in.mlir").write_text(program(40))
    arguments = {"file": "in.mlir", "command": ["fake-opt"]}

    async def killed() -> str:
        words = ["-c", "echo $$ > pid; exec mlir-reducer mcp bugs"]
        server = StdioServerParameters(command="/bin/sh", args=words, env={**os.environ})
        with suppress(Exception):  # whatever a client says of a server that is gone
            async with Client(stdio_client(server)) as client:
                job = (await client.call_tool("reduce", arguments)).structured_content["job"]
                while not Path("bugs/in.reduced.mlir").exists():
                    told = (
                        await client.call_tool("wait", {"job": job, "seconds": 0})
                    ).structured_content
                    assert told["status"] == "RUNNING", told
                    await anyio.sleep(0.1)
                os.kill(int(Path("pid").read_text()), signal.SIGKILL)
                await client.call_tool("wait", {"job": job})
        return str(job)

    async def again(job: str) -> dict[str, Any]:
        async with connected("bugs") as call:
            before = await call("wait", job=job, seconds=0)
            assert before["status"] == "INTERRUPTED", before
            assert "goes on" in before["says"]
            assert (await call("reduce", **arguments))["job"] == job
            return await until_done(call, job)

    done = anyio.run(again, anyio.run(killed))
    assert done["status"] == "OK" and done[UNTRUSTED]["verified"], done
    assert "x.bad" in Path("bugs/in.reduced.mlir").read_text()
    messages = "\n".join(done[UNTRUSTED]["messages"])
    assert "reusing" in messages and "from an earlier run" in messages


def test_a_job_can_be_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bugs = with_compiler(tmp_path, monkeypatch, SLOW)
    (bugs / "in.mlir").write_text(program(200))

    async def session() -> None:
        async with connected("bugs") as call:
            job = (await call("reduce", file="in.mlir", command=["fake-opt"]))["job"]
            busy = await call("reduce", file="in.mlir", command=["fake-opt", "--other"])
            assert busy["status"] == "BUSY"
            while (told := await call("wait", job=job, seconds=0.2))["status"] == "RUNNING":
                if told[UNTRUSTED].get("runs", 0) > 6:
                    break
            ended = await call("cancel", job=job)
            assert ended["status"] == "INTERRUPTED", ended

    anyio.run(session)
    assert "x.bad" in (bugs / "in.reduced.mlir").read_text()


def test_nothing_that_is_said_leaves_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiler and issues say all of it, and every tool passes it on as data only."""
    said = "\n".join(one for one in SAYS if "\0" not in one and one.isprintable())
    message = f"""if has x.bad; then cat >&2 <<'END_OF_THIS'
x.mlir:1:1: error: failed to legalize 'x.bad' {said}
END_OF_THIS
exit 1; fi
"""
    bugs = with_compiler(tmp_path, monkeypatch, message)
    (bugs / "known.md").write_text(f"# {said}\n")
    answers: list[dict[str, Any]] = []

    async def session() -> None:
        async with connected("bugs") as call:
            answers.append(await call("check", text=f"{said}\n{ISSUE}{said}"))
            job = await call("reduce", text=f"{said}\n{ISSUE}{said}")
            answers.append(await until_done(call, job["job"]))
            result = answers[-1]["files"]["result"]
            for tool in ("locate", "explain", "bisect", "report"):
                answers.append(await call(tool, file=result))
            answers.append(await call("similar", file=result, known="known.md"))
            answers.append(await call("triage", folders=["."], command=["fake-opt"]))
            answers.append(await call("read", file=answers[-2]["files"]["report"]))
            answers.append(await call("wait", job=job["job"]))
            answers.append(await call("cancel", job=job["job"]))

    anyio.run(session)
    assert answers[0]["status"] == answers[1]["status"] == "OK"
    assert len(answers) == len(TOOLS)
    first = SAYS[0][:20]
    assert first in json.dumps(answers[0][UNTRUSTED])
    for answer in answers:
        trusted = json.dumps({**answer, UNTRUSTED: {}})
        assert not any(one[:20] in trusted for one in SAYS)


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_compiler(tmp_path, monkeypatch)
    monkeypatch.setattr("mcp.client.stdio.get_default_environment", lambda: {**os.environ})
    text = PAGE.read_text(encoding="utf-8")
    assert len(text) <= 4_000
    (example,) = re.findall(r"```python\n(.*?)```", text, re.S)
    names: dict[str, Any] = {}
    exec(example, names)
    report = anyio.run(names["report_on"], ISSUE)
    assert "failed to legalize operation 'x.bad'" in report
    assert all(re.search(rf"[`\"]{tool}[`\"]", text) for tool in TOOLS)
    assert json.loads(re.findall(r"```json\n(.*?)```", text, re.S)[0])["servers"]


def test_it_says_how_to_install_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    monkeypatch.delitem(sys.modules, "reducer.cli.mcp.server", raising=False)
    done = CliRunner().invoke(main, ["mcp", str(tmp_path)])
    assert done.exit_code == 69 and "pip install 'mlir-reducer[mcp]'" in done.output
