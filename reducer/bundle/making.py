"""Writes a bug report: the folder, and the zip of it."""

import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Limits, run_process
from oracles.process import End
from reducer.bundle.archive import too_large, zipped
from reducer.bundle.check import FILES, OURSELVES, REPRO
from reducer.bundle.facts import Facts
from reducer.bundle.folder import write_folder
from reducer.bundle.lit import lit_test
from reducer.bundle.metadata import metadata_text
from reducer.bundle.report import report_text
from reducer.bundle.script import compiler_asked, repro_script, variable_of
from reducer.session.files import write_atomic

REPORT, SCRIPT, METADATA = "report.md", "repro.sh", "metadata.json"
PASS, LIT, PAGE = "repro.pass.mlir", "repro.lit.mlir", "report.html"
NEEDED = frozenset({REPORT, SCRIPT, METADATA, REPRO})

_MOST_CARRIED = 100_000_000  # bytes of one file that the command names
_PATIENCE = 4  # times as long as the failing run took


@dataclass(frozen=True)
class Bundle:
    """What was written. `status` is that of `repro.sh`; `left_out` is not in the archive."""

    folder: Path
    archive: Path
    facts: Facts
    status: int
    left_out: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        return self.status == 0


def bundle_folder(program: Path) -> Path:
    """model.reduced.mlir -> model.reduced.report"""
    return program.with_name(f"{program.name.removesuffix('.mlir')}.report")


def archive_of(folder: Path) -> Path:
    """model.reduced.report -> model.reduced.report.zip"""
    return folder.with_name(f"{folder.name}.zip")


def make_bundle(
    facts: Facts,
    folder: Path,
    *,
    executable: Path | None = None,
    page: str | None = None,
    look: Callable[[Mapping[str, bytes]], None] | None = None,
) -> Bundle:
    """Runs `repro.sh` in an empty folder, then writes everything, whole or not at all.

    `executable` is the program under test, `page` the reduction as HTML if there is one. `look`
    sees all files before they are written, and may raise. Comments that change the failure are
    left out. Raises OutputNotWritable.
    """
    facts, status = _verified(facts, executable)
    files = _files(facts, page)
    verified = status == 0
    left_out: list[str] = []
    while True:
        files[REPORT] = _bytes(report_text(facts, verified=verified, left_out=left_out))
        files[METADATA] = _bytes(metadata_text(facts, verified=verified))
        packed = {name: data for name, data in files.items() if name not in left_out}
        more = too_large(packed, NEEDED)
        if not more:
            break
        left_out += more
    if look is not None:
        look(files)
    write_folder(folder, files)
    archive = archive_of(folder)
    write_atomic(archive, zipped(packed, f"report-{facts.bucket}"))
    return Bundle(folder, archive, facts, status, tuple(left_out))


def run_script(files: dict[str, bytes], executable: Path | None, facts: Facts) -> int:
    """The exit status of `repro.sh` among nothing but the files that it needs."""
    seconds = 30 + _PATIENCE * max(facts.seconds, facts.check.seconds or 0)
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
        result = run_process(["sh", SCRIPT], cwd=place, limits=Limits(seconds), env=environment)
    return result.exit_code if result.end is End.EXITED else -1


def _environment(facts: Facts, executable: Path | None, folder: Path) -> dict[str, str]:
    """What tells the script which programs to run: the compiler under test, and this very program.

    A release of the compiler is found by its version, as it is elsewhere.
    """
    words = facts.check.words
    if words[0] != OURSELVES:
        chosen = {words[0]: executable}
    else:
        ourselves = folder / OURSELVES
        python = shlex.quote(sys.executable)
        ourselves.write_text(f'#!/bin/sh\nexec {python} -m reducer "$@"\n', encoding="utf-8")
        ourselves.chmod(0o755)
        chosen = {OURSELVES: ourselves}
        if compiler := compiler_asked(words):
            chosen[compiler] = None if "--iree" in words else executable
    named = {variable_of(name): str(path.absolute()) for name, path in chosen.items() if path}
    return {**_without_variables(chosen), **named}


def _without_variables(programs: Iterable[str]) -> dict[str, str]:
    """The environment without what the script would take for somebody's choice of a program."""
    variables = {variable_of(program) for program in programs}
    return {name: value for name, value in os.environ.items() if name not in variables}


def _verified(facts: Facts, executable: Path | None) -> tuple[Facts, int]:
    """The facts with which `repro.sh` ends well, if any do, and how it ends.

    Comments may change a failure, and a stack may differ from run to run.
    """
    lenient = replace(facts, check=facts.check.lenient)
    weaker = [lenient, replace(facts, head=""), replace(lenient, head="")]
    status = -1
    for one in [facts, *(other for other in weaker if other != facts)]:
        status = run_script(_runnable(one), executable, one)
        if status == 0:
            return one, status
    return facts, status


def _runnable(facts: Facts) -> dict[str, bytes]:
    """What `repro.sh` needs, and itself."""
    carried = {
        f"{FILES}/{name}": path.read_bytes()
        for name, path in facts.files.items()
        if path.stat().st_size <= _MOST_CARRIED
    }
    script = repro_script(facts.check, facts.signature.text, facts.files)
    return {REPRO: _bytes(facts.program), SCRIPT: _bytes(script), **carried}


def _files(facts: Facts, page: str | None) -> dict[str, bytes]:
    """Every file but those that tell what became of the others."""
    files = _runnable(facts)
    test = lit_test(facts.check, facts.text, facts.signature.text)
    if test is not None:
        files[LIT] = _bytes(test)
    if facts.pass_file is not None:
        files[PASS] = _bytes(facts.pass_file.text)
    if page is not None:
        files[PAGE] = _bytes(page)
    return files


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")
