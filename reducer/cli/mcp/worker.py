"""One call of a tool, in a process of its own: `python -m reducer.cli.mcp.worker`.

What a call may run and reach holds for a process, and so do its temporary files and what ends it.
The process gets the request on its first line of input, writes what it knows meanwhile and then the
answer, each in a line of JSON, and ends its work when its input ends: the server is gone, or wants
it to.
"""

import io
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from oracles.run.confinement import Confinement, confine, landlock
from reducer.arguments import cores
from reducer.cli.display.console import echo
from reducer.cli.ending import mistake_in
from reducer.cli.mcp.answers import encoded, fitted
from reducer.cli.mcp.bounds import OURS
from reducer.cli.mcp.tools import UNTRUSTED, Arguments
from reducer.cli.reasons import explain
from reducer.driver.settings import Progress
from reducer.errors import ExitCode, JournalBusy, OutputNotWritable, UsageError
from reducer.report.writing import REPORT
from reducer.storage.result_folder import ResultFolder, default_output
from reducer.storage.written import Written
from reducer.units import plural

if TYPE_CHECKING:
    from reducer.cli.request.oracle_options import OracleOptions

_REFUSED = {
    ExitCode.NOT_INTERESTING: "there is no failure that depends on the program",
    ExitCode.USAGE: "the request cannot be carried out as it is",
    ExitCode.BUDGET: "the budget is spent; the same call with more goes on from here",
    ExitCode.FLAKY: "the failure does not show reliably, so nothing is verified",
    ExitCode.CANNOT_JUDGE: "nothing can tell whether the program is right",
    ExitCode.INTERNAL: "something in mlir-reducer is broken",
    ExitCode.BUSY: "another process works on the same",
    ExitCode.INTERRUPTED: "the work was ended; the same call goes on from here",
}
_BUSY_SECONDS = 20.0
"""How long a killed server may take to end what it has started."""
_SAID = 40
"""Lines of what a command says meanwhile."""
_OF_A_REDUCTION = "signature", "bucket", "verified", "one_minimal", "command", "run", "notes"
"""What an agent asks of its record first; the file has all."""


@dataclass(frozen=True)
class Result:
    """What a call has found: how it ended, what that means, the data, and what was written."""

    code: int
    says: str
    data: dict[str, Any]
    files: dict[str, str | Path] = field(default_factory=dict)


class Wire:
    """The display of work that an agent waits for: lines of JSON to the server."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._next = 0.0

    def send(self, **values: Any) -> None:
        with self._lock, suppress(OSError, ValueError):  # the server may be gone
            self._stream.write(json.dumps(values, default=str) + "\n")
            self._stream.flush()

    def phase(self, name: str, total: int = 0) -> None:
        self.send(doing=name)

    def step(self, text: str = "") -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def progress(self, event: Progress) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.2
            self.send(ops=event.best.ops, runs=event.calls, cpu_seconds=round(event.cpu_seconds, 1))

    def message(self, text: str) -> None:
        echo(text, err=True)

    def stands(self, result: str) -> None:
        self.send(doing="the result is complete; writing what follows")

    def stopping(self) -> bool:
        return True

    def restore(self) -> None:
        pass

    def close(self) -> None:
        pass


def main() -> None:
    wire = Wire(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # whatever else is printed
    stdin = io.FileIO(0, closefd=False)  # its lock would not let the process end
    request = json.loads(stdin.readline())
    threading.Thread(target=_end_with, args=(stdin.read,), daemon=True).start()
    said = sys.stderr = io.StringIO()
    wire.send(answer=carried_out(request, wire, said))


def carried_out(request: dict[str, Any], wire: Wire, said: io.StringIO) -> dict[str, Any]:
    """The answer to a request; in a file, too, if it is too long."""
    result = _result(request, wire, said)
    files = {name: str(path) for name, path in result.files.items() if Path(path).exists()}
    messages = _lines(said)
    answer = {
        "status": ExitCode(result.code).name if result.code else "OK",
        "says": result.says,
        "job": request["job"],
        "files": files,
        UNTRUSTED: {**result.data, **({"messages": messages} if messages else {})},
    }
    if len(encoded(fitted(answer))) < len(encoded(answer)) and (path := _kept(request, answer)):
        files["answer"] = path
    return fitted(answer)


def _lines(said: io.StringIO) -> list[str]:
    """What a command has said, each line once."""
    return list(dict.fromkeys(filter(None, said.getvalue().split("\n"))))[-_SAID:]


def _end_with(read: Callable[[], bytes]) -> None:
    """Interrupt this process as Ctrl-C does when its input ends."""
    read()
    os.kill(os.getpid(), signal.SIGINT)


def _kept(request: dict[str, Any], answer: dict[str, Any]) -> str:
    """The file with all of an answer."""
    folder = Path(request["folder"], OURS)
    name = re.sub(r"\W+", "-", request["job"]).strip("-")[-80:]
    path = folder / "answers" / f"{name}.json"
    try:
        if folder.resolve() != folder:
            return ""
        path.parent.mkdir(parents=True, exist_ok=True)
        Written(folder).write(path, json.dumps(answer, indent=2, default=str) + "\n")
    except (OSError, OutputNotWritable):
        return ""
    return str(path)


def _result(request: dict[str, Any], wire: Wire, said: io.StringIO) -> Result:
    try:
        os.chdir(request["folder"])
        if not request["free"]:
            if not landlock():
                raise UsageError(
                    "this kernel has no Landlock to confine what runs; only programs that the "
                    "server was started with may run (--allow PROGRAM)"
                )
            confine(Confinement(files=tuple(request["readable"])))
        return _TOOLS[request["tool"]](request["arguments"], wire)
    except click.ClickException as error:
        code, reason = error.exit_code, mistake_in(error)
    except Exception as error:
        code = explain(error)
        reason = "".join(_lines(said)[-1:]).removeprefix("error: ") or str(error)
    except KeyboardInterrupt:
        code, reason = ExitCode.INTERRUPTED, "interrupted"
    return _refused(code, {"reason": reason})


def _refused(code: int, data: dict[str, Any]) -> Result:
    says = _REFUSED.get(ExitCode(code), f"{UNTRUSTED}.reason says what is in the way")
    return Result(code, says, data)


_SETTINGS = (
    "iree",
    "match",
    "timeout",
    "max_calls",
    "max_seconds",
    "fresh",
    "parts",
    "good",
    "bad",
)


def _request(arguments: Arguments, **settings: Any) -> "OracleOptions":
    """What is asked about one program, with what has no default of a person."""
    from reducer.cli.request.oracle_options import OracleOptions

    return OracleOptions(
        source=Path(arguments["file"]),
        words=tuple(arguments.get("command", ())),
        **{name: arguments[name] for name in _SETTINGS if name in arguments},
        **settings,
    )


def _check(arguments: Arguments, wire: Wire) -> Result:
    from reducer.cli.commands.check import checked, ending

    found, it, _, asked = checked(_request(arguments, yes=True))
    code, why = ending(found, it, asked)
    data = found.to_json() | ({"reason": why} if why else {})
    if code:
        return _refused(code, data)
    return Result(code, "it fails, and reduce would keep this failure", data)


def _reduce(arguments: Arguments, wire: Wire) -> Result:
    from reducer.cli.commands.reduce import reduced

    asked = _request(arguments, yes=True, elsewhere=False, workers=cores())
    output = Path(arguments.get("output") or default_output(asked.source))
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            done = reduced(asked, output, lambda: wire)
            break
        except JournalBusy:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)
    report, folder = done.report, ResultFolder.of(output)
    known = report.to_json()
    data = {name: known[name] for name in _OF_A_REDUCTION if name in known}
    data["text"] = report.text
    data["problems"] = [*report.problems, *map(str, report.internal_errors)]
    files: dict[str, str | Path] = {
        "result": output,
        "record": folder.record,
        "before_pass": folder.before_pass,
    }
    if done.bundle is not None:
        files |= {"report": done.bundle.folder / REPORT, "archive": done.bundle.archive}
    if done.code:
        return Result(done.code, _refused(done.code, data).says, data, files)
    says = f"reduced from {report.input.ops} to {report.output.ops} ops, and verified"
    return Result(done.code, says, data, files)


def _locate(arguments: Arguments, wire: Wire) -> Result:
    from reducer.cli.commands.locate import located

    found = located(_request(arguments))
    return Result(0, "this is where it fails", found.to_json(Path(arguments["file"]).name))


def _explain(arguments: Arguments, wire: Wire) -> Result:
    from reducer.cli.commands.explain import explained

    explanation = explained(_request(arguments))
    return Result(0, "these are the parts that the failure needs", explanation.to_json())


def _bisect(arguments: Arguments, wire: Wire) -> Result:
    from reducer.cli.commands.bisect import bisected

    found = bisected(_request(arguments))
    if not found.result.decided:
        return _refused(ExitCode.UNAVAILABLE, found.to_json())
    return Result(0, "these releases have the failure", found.to_json())


def _triage(arguments: Arguments, wire: Wire) -> Result:
    from reducer.cli.commands.triage import ending, triaged
    from reducer.cli.options.table import Options
    from reducer.triage.database import default_database

    folders = tuple(map(Path, arguments["folders"]))
    database = default_database(folders[0])
    asked = Options(
        folders=folders,
        words=tuple(arguments.get("command", ())),
        versions=",".join(arguments.get("releases", ())) or None,
        patience=arguments.get("timeout", 600.0),
        max_calls=arguments.get("max_calls"),
    )
    summary = triaged(asked, database, wire)
    says = plural(len(summary.bugs), "bug")
    if summary.answers:
        says += f", and {plural(len(summary.answers), 'known failure')} asked again"
    return Result(ending(summary), says, summary.to_json(), {"database": database})


def _report(arguments: Arguments, wire: Wire) -> Result:
    from reducer import api
    from reducer.cli.commands.report import as_json, ending, reported
    from reducer.report.similar import read_known

    others = read_known(Path(arguments["known"])) if "known" in arguments else None
    bundle = reported(_request(arguments, add=tuple(arguments.get("add", ()))))
    signature = bundle.facts.signature
    data: dict[str, Any] = {"signature": signature.text, "bucket": signature.bucket}
    if others is not None:
        data |= as_json(api.similar(bundle.facts, others, own=bundle.folder))
    files: dict[str, str | Path] = {
        "report": bundle.folder / REPORT,
        "archive": bundle.archive,
    }
    if code := ending(bundle):
        return Result(code, _refused(code, data).says, data, files)
    return Result(0, "verified: the script of the report shows the failure", data, files)


_TOOLS: dict[str, Callable[[Arguments, Wire], Result]] = {
    "check": _check,
    "reduce": _reduce,
    "locate": _locate,
    "explain": _explain,
    "bisect": _bisect,
    "triage": _triage,
    "report": _report,
    "similar": _report,
}

if __name__ == "__main__":
    main()
