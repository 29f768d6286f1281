"""The calls that run now, each in a process of its own, and what they have answered."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from reducer.cli.mcp.bounds import Bounds, command_of
from reducer.cli.mcp.tools import RUNNING, UNTRUSTED, Arguments
from reducer.errors import JournalBusy, UsageError

Answer = dict[str, Any]
MOST = 4
"""Calls that run at once."""
_END_SECONDS = 30.0
"""How long a process may take to end its compilers and to save what it has."""


class Job:
    """A process that carries out one call."""

    def __init__(self, name: str, arguments: Arguments, request: Mapping[str, Any]) -> None:
        self.name = name
        self.arguments = arguments
        self.progress: dict[str, Any] = {}
        self.done = threading.Event()
        self._answer: Answer | None = None
        words = [sys.executable, "-P", "-m", "reducer.cli.mcp.worker"]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            values = json.loads(line)
            self._answer = values.pop("answer", self._answer)
            self.progress |= values
        self._process.wait()
        self.done.set()

    def end(self) -> None:
        """Have it end its work; what it has reached stays."""
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    @property
    def answer(self) -> Answer:
        """What it has answered, or how far it is."""
        if not self.done.is_set():
            says = "it runs; call wait"
            return {"status": RUNNING, "says": says, "job": self.name, UNTRUSTED: self.progress}
        lost = "the process of this call has ended without an answer; call again"
        return self._answer or {"status": "INTERNAL", "says": lost, UNTRUSTED: {}}


class JobTable:
    """All calls since the server began, by name: of each, the last one."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._jobs: dict[str, Job] = {}

    def start(self, tool: str, arguments: Arguments) -> Job:
        """Start a call; the one that runs already if it is the same.

        Raises:
            ReducerError: it is not allowed, or something else runs in its place.
        """
        values = self._bounds.resolved(tool, arguments)
        free, readable = False, False
        for words, typed in command_of(values):
            free, readable = self._bounds.runs_free(words, typed=typed), True
            if free and typed and "/" in words[0]:  # as seen from here, whatever it is elsewhere
                values["command"] = [os.path.realpath(words[0]), *words[1:]]
        name = self._name(tool, values)
        if (job := self._jobs.get(name)) is not None and not job.done.is_set():
            if job.arguments == values:
                return job
            raise JournalBusy(f"{name} runs with other arguments; cancel it, or wait for it")
        if sum(not one.done.is_set() for one in self._jobs.values()) >= MOST:
            raise JournalBusy(f"{MOST} jobs run already; wait for one, or cancel it")
        near = values["folders"][0] if "folders" in values else values["file"]
        folders = self._bounds.folders
        request = {
            "tool": tool,
            "job": name,
            "arguments": values,
            "folder": str(next(one for one in folders if Path(near).is_relative_to(one))),
            "free": free,
            "readable": list(map(str, folders)) if readable else [],
        }
        self._jobs[name] = Job(name, values, request)
        return self._jobs[name]

    def find(self, name: str) -> Job | Answer:
        """A job, or the answer for a reduction that an earlier server has begun.

        Raises:
            ReducerError: there is none of this name.
        """
        if (job := self._jobs.get(name)) is not None:
            return job
        from reducer.storage.result_folder import ResultFolder

        with suppress(UsageError):
            result = self._bounds.inside(name, exists=False)
            folder = ResultFolder.of(result)
            if folder.is_ours:
                files = {"result": str(result)} if result.is_file() else {}
                says = "it does not run; the same call of reduce goes on from its journal"
                return {"status": "INTERRUPTED", "says": says, "job": name, "files": files} | {
                    UNTRUSTED: {}
                }
        raise UsageError("there is no such job")

    def close(self) -> None:
        """End all calls, and wait for that."""
        for job in self._jobs.values():
            job.end()
        for job in self._jobs.values():
            job.done.wait(_END_SECONDS)

    def _name(self, tool: str, values: Mapping[str, Any]) -> str:
        """What a job is called: a reduction by its result."""
        from reducer.storage.result_folder import default_output

        if tool == "reduce":
            return str(values.get("output") or default_output(Path(values["file"])))
        return f"{tool} {values['folders'][0] if 'folders' in values else values['file']}"
