"""Run `repro.sh` in an empty folder, as whoever receives the report will."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from oracles import Kind, Limits, Oracle, Outcome, Signature, run_process
from oracles.base import outcome_digest, outcome_of_process
from oracles.run.confinement import current_confinement
from oracles.run.reaper_client import python
from oracles.run.run_process import End, ProcessResult
from reducer.escaping import shell_joined
from reducer.report.facts import FILES, OURSELVES, Facts
from reducer.report.gathering import as_reported, gather
from reducer.report.portable_command import program_of
from reducer.report.repro_script import compiler_asked, repro_script, run_files, variable_of
from reducer.search.plan import Errand

SCRIPT = "repro.sh"

_KILLED = -1
_MAX_BUNDLED_BYTES = 100_000_000  # of a file that the command refers to
_TIMEOUT_FACTOR = 4  # relative to the time of the failing run


class ScriptRuns:
    """Runs `repro.sh`, possibly before anyone asks for it, and remembers how it exits."""

    def __init__(self) -> None:
        self._known: dict[frozenset[tuple[str, bytes]], int] = {}  # exit statuses by all files

    def verified(self, facts: Facts, executable: Path | None) -> tuple[Facts, int]:
        """The facts for which `repro.sh` reproduces the failure, and its exit status.

        Tries without comments, which may change a failure, and without the crash trace, which may
        differ between runs. If nothing helps, the original facts and their status are returned. The
        status of a script that was killed is -1.
        """
        lenient = replace(facts, check=facts.check.lenient)
        weaker = [lenient, replace(facts, head=""), replace(lenient, head="")]
        status = _KILLED
        for one in [facts, *(other for other in weaker if other != facts)]:
            status = self._status(one, executable)
            if status == 0:
                return one, status
        return facts, status

    def _status(self, facts: Facts, executable: Path | None) -> int:
        files = runnable(facts)
        known = self._known.get(frozenset(files.items()))
        return status_of(try_script(files, executable, facts)) if known is None else known

    # ---- for idle workers ------------------------------------------------------------------------

    def program(self, oracle: Oracle, text: str) -> tuple[str, str]:
        """See `as_reported`."""
        return as_reported(oracle, text)

    def script(self, oracle: Oracle, text: str, outcome: Outcome) -> Errand:
        """The run of `repro.sh` for a program with this outcome."""

        def run(cancel: threading.Event, limits: Limits) -> Outcome:
            facts = gather(text, oracle, ahead=outcome)
            files = runnable(facts)
            result = try_script(files, program_of(oracle), facts, cancel)
            status = status_of(result)
            if result.end is End.CANCELLED:
                signature = Signature(Kind(str(result.end)))
            else:
                self._known[frozenset(files.items())] = status
                signature = (outcome.turned_down() if status else outcome).signature
            return outcome_of_process(result, signature, exit_code=status)

        return Errand(f"{SCRIPT} {oracle.key} {outcome_digest(text)}", run)


def try_script(
    files: Mapping[str, bytes],
    executable: Path | None,
    facts: Facts,
    cancel: threading.Event | None = None,
) -> ProcessResult:
    """Run `repro.sh` in a folder with only these files."""
    run = facts.check.run
    allowed = (facts.seconds, facts.check.seconds or 0, (run and run.seconds) or 0)
    limits = Limits(30 + _TIMEOUT_FACTOR * max(allowed), layout=None)
    with tempfile.TemporaryDirectory(prefix="report-") as outer:
        place = Path(outer, "empty")
        place.mkdir()
        for name, data in files.items():
            path = place / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            if name == SCRIPT or facts.check.words[0] == f"./{name}":
                path.chmod(0o755)
        environment = _environment(facts, executable, Path(outer))
        how = current_confinement()
        if how is not None:
            named = (one for name, one in environment.items() if os.environ.get(name) != one)
            how = replace(how, programs=(sys.executable, *map(str, facts.programs), *named))
        words, env = ["sh", SCRIPT], environment
        return run_process(words, cwd=place, limits=limits, env=env, cancel=cancel, confinement=how)


def status_of(result: ProcessResult) -> int:
    """The exit status of a script; -1 if it was killed."""
    return result.exit_code if result.end is End.EXITED else _KILLED


def runnable(facts: Facts) -> dict[str, bytes]:
    """`repro.sh` and the files that it needs."""
    carried = {
        f"{FILES}/{name}": path.read_bytes()
        for name, path in facts.files.items()
        if path.stat().st_size <= _MAX_BUNDLED_BYTES
    }
    check = facts.check
    if check.run is not None:
        texts = run_files(check.run).items()
        carried |= {f"{FILES}/{name}": as_bytes(content) for name, content in texts}
    script = repro_script(check, facts.signature.text)
    return {check.file: as_bytes(facts.program), SCRIPT: as_bytes(script), **carried}


def as_bytes(text: str) -> bytes:
    """A text as it is written to a file; bytes that are no UTF-8 stay what they were."""
    return text.encode(errors="surrogateescape")


def _environment(facts: Facts, executable: Path | None, folder: Path) -> dict[str, str]:
    """The environment that makes the script run the compiler under test and this `mlir-reducer`.

    A released compiler is found by its version, as it will be on other machines.
    """
    words = facts.check.words
    if words[0] != OURSELVES:
        chosen = {words[0]: executable}
        if facts.check.run is not None:
            chosen[facts.check.run.words[0]] = facts.runtime
        if facts.check.passes is not None:
            chosen[facts.check.passes.runner] = facts.runtime
    else:
        ourselves = folder / OURSELVES
        start = shell_joined(python("-m", "reducer"))
        ourselves.write_text(f'#!/bin/sh\nexec {start} "$@"\n', encoding="utf-8")
        ourselves.chmod(0o755)
        chosen = {OURSELVES: ourselves}
        if compiler := compiler_asked(words):
            chosen[compiler] = None if "--iree" in words else executable
    named = {variable_of(name): str(path.absolute()) for name, path in chosen.items() if path}
    return {**_without_variables(chosen), **named, "PATH": _path_to(facts.programs)}


def _path_to(programs: Iterable[Path]) -> str:
    """PATH with the folders of these programs first, where whoever has them may have others."""
    folders = dict.fromkeys(str(program.parent) for program in programs)
    return os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)])


def _without_variables(programs: Iterable[str]) -> dict[str, str]:
    """The environment without the variables that override programs of the script."""
    variables = {variable_of(program) for program in programs}
    return {name: value for name, value in os.environ.items() if name not in variables}
