"""Write a bug report: the folder, its metadata, and the zip archive."""

import hashlib
import io
import json
import os
import shutil
import stat
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reducer import __version__
from reducer.errors import InternalError, OutputNotWritable
from reducer.report.context import is_shown_output
from reducer.report.facts import AFTER_REWRITE, BEFORE_REWRITE, FILES, OUTPUT, SCHEMA, STEM, Facts
from reducer.report.issue_body import report_text
from reducer.report.lit import regression_test
from reducer.report.repro_script import run_files
from reducer.report.title import title
from reducer.report.trying import SCRIPT, ScriptRuns, as_bytes, runnable
from reducer.report.wording import components, target_of
from reducer.storage.result_folder import archive_of
from reducer.storage.written import LIST, Written

MAX_ARCHIVE_BYTES = 25_000_000
"""GitHub's limit for attachments."""

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time stamp that a zip supports
_UNIX = 3


def zipped(files: Mapping[str, bytes], folder: str) -> bytes:
    """A reproducible zip archive of the files, in a folder of that name. Scripts are executable."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(f"{folder}/{name}", _EPOCH)
            info.create_system = _UNIX
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | mode_of(name)) << 16
            archive.writestr(info, files[name])
    return buffer.getvalue()


def mode_of(name: str) -> int:
    """The permissions of a file in a report."""
    return 0o755 if name.endswith(".sh") else 0o644


def too_large(
    files: Mapping[str, bytes], needed: frozenset[str], most: int = MAX_ARCHIVE_BYTES
) -> list[str]:
    """The files to leave out, largest first, so that a zip of the others has at most `most` bytes.

    `needed` files always stay.
    """
    weights = {name: len(zipped({name: data}, "x")) for name, data in files.items()}
    out: list[str] = []
    for name in sorted(files, key=lambda name: (-weights[name], name)):
        if sum(weights.values()) <= most:
            break
        if name not in needed:
            del weights[name]
            out.append(name)
    return out


MARK = "metadata.json"
"""The file that marks a folder as a report, which may be replaced."""


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files to `folder`, in place of those of an earlier report.

    Raises:
        OutputNotWritable: the folder cannot be written, is not a report, or holds a file of
            somebody else in the place of one of these.
    """
    fresh = folder.with_name(f".{folder.name}.tmp")
    try:
        check_folder(folder)
        _remove(fresh)  # left by a killed run
        fresh.mkdir()
        for name, data in files.items():
            _write(fresh / name, data)
        Written(folder).fill(fresh, files, MARK)
    except OSError as error:
        raise OutputNotWritable(f"cannot write {folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a report, as for `write_folder`. Links are skipped."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name != LIST
    }


def check_folder(folder: Path) -> None:
    """Check that `folder` does not exist, is empty, or is a report.

    Raises:
        OutputNotWritable: it is something else, or its parent does not exist.
    """
    if not folder.parent.is_dir():
        raise OutputNotWritable(f"cannot write {folder}: its parent folder does not exist")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputNotWritable(f"{folder} exists and is not a report")
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if names and names.isdisjoint((MARK, LIST)):
        raise OutputNotWritable(f"the folder {folder} contains other files; choose another with -o")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    umask_keeps = 0o777 if mode_of(path.name) & 0o100 else 0o666
    descriptor = os.open(path, flags, umask_keeps)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(descriptor)


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def metadata(facts: Facts, *, verified: bool) -> dict[str, Any]:
    """The metadata as plain values. Fields of `reduce --json` have the same names here."""
    digest = hashlib.sha256(facts.program.encode(errors="surrogateescape")).hexdigest()
    return {
        **facts.record.to_json(),
        "schema": SCHEMA,
        "tool": {"name": "mlir-reducer", "version": __version__},
        "verified": verified,
        "title": title(facts),
        "kind": str(facts.signature.kind),
        "signature": facts.signature.text,
        "signature_fields": facts.signature.to_json(),
        "bucket": facts.bucket,
        "command": list(facts.command),
        "run": facts.check.run and list(facts.check.run.words),
        "output": {
            "path": facts.check.file,
            "lines": facts.lines,
            "ops": facts.ops,
            "bytes": facts.bytes,
            "sha256": digest,
        },
        "exit_code": facts.exit_code,
        "wall_seconds": round(facts.seconds, 3),
        "messages": list(facts.messages),
        "stack": list(facts.stack),
        "compiler": {
            "name": facts.compiler.name,
            "version": facts.compiler.version,
            "commit": facts.compiler.commit,
            "assertions": facts.compiler.assertions,
            "package": facts.compiler.package,
            "told": list(facts.compiler.lines),
        },
        "target": list(target_of(facts.check.words)),
        "components": list(components(facts.compiler.name, facts.pass_name, facts.signature.op)),
        "pass": facts.pass_name,
        "pass_level": facts.pass_file and facts.pass_file.to_json(),
        "rewrite": facts.rewrite and facts.rewrite.to_json(),
        "levels": [one.to_json() for one in facts.level_files],
        "boundary": facts.boundary and [fact.to_json() for fact in facts.boundary],
        "versions": facts.versions and [asdict(one) for one in facts.versions],
        "source": facts.source,
        "files": sorted(facts.files),
        "notes": list(facts.notes),
    }


def metadata_text(facts: Facts, *, verified: bool) -> str:
    """The metadata as JSON. Keys are sorted, so equal reports yield equal files."""
    return json.dumps(metadata(facts, verified=verified), indent=2, sort_keys=True) + "\n"


REPORT, METADATA = "report.md", "metadata.json"
PASS = "repro.pass.mlir"
REGRESSION = "regression.lit"
NEEDED = frozenset({REPORT, SCRIPT, METADATA})


@dataclass(frozen=True)
class Bundle:
    """A written report. `status` is the exit status of `repro.sh`.

    `left_out` are files that are not in the archive, `lost` headings of the report that was there
    before, and `internal_errors` have cost a part of the work.
    """

    folder: Path
    archive: Path
    facts: Facts
    status: int
    left_out: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    internal_errors: tuple[InternalError, ...] = ()

    @property
    def verified(self) -> bool:
        return self.status == 0


def make_bundle(
    facts: Facts,
    folder: Path,
    *,
    executable: Path | None = None,
    scripts: ScriptRuns | None = None,
    check_leaks: Callable[[Mapping[str, bytes]], None] | None = None,
) -> Bundle:
    """Run `repro.sh` in an empty folder, then write the report atomically.

    Comments that change the failure are left out.

    Args:
        executable: the program under test.
        scripts: runs of `repro.sh` that may have been made before.
        check_leaks: is called with all files before they are written, and may raise.

    Raises:
        OutputNotWritable: the report cannot be written.
    """
    facts, status = (scripts or ScriptRuns()).verified(facts, executable)
    files = _files(facts)
    reproduced = status == 0
    left_out: list[str] = []
    while True:
        text, moved = report_text(facts, verified=reproduced, left_out=left_out)
        files |= {name: as_bytes(content) for name, content in moved.items()}
        files[REPORT] = as_bytes(text)
        files[METADATA] = as_bytes(metadata_text(facts, verified=reproduced))
        packed = {name: data for name, data in files.items() if name not in left_out}
        more = too_large(packed, NEEDED | {facts.check.file} | _needed_by_run(facts))
        if not more:
            break
        left_out += more
    if check_leaks is not None:
        check_leaks(files)
    write_folder(folder, files)
    archive = archive_of(folder)
    Written(folder).write(archive, zipped(packed, f"report-{facts.bucket}"))
    return Bundle(folder, archive, facts, status, tuple(left_out))


def _files(facts: Facts) -> dict[str, bytes]:
    """All files, except those that describe the others, and what they say in full."""
    files, suffix = runnable(facts), facts.check.file.removeprefix(STEM)
    if (fixed := regression_test(facts.check, facts.text, facts.healthy)) is not None:
        files[REGRESSION + suffix] = as_bytes(fixed)
    others = {level.name: level.text for level in facts.level_files}
    if facts.pass_file is not None:
        others[PASS] = facts.pass_file.text
    if facts.rewrite is not None:
        others |= {BEFORE_REWRITE: facts.rewrite.before, AFTER_REWRITE: facts.rewrite.after}
    files |= {name: as_bytes(text) for name, text in others.items() if text}
    long = [text for text in (facts.backtrace, facts.output) if not is_shown_output(text)]
    if long:
        files[OUTPUT] = as_bytes("\n\n".join(long) + "\n")
    return files


def _needed_by_run(facts: Facts) -> frozenset[str]:
    """The files without which the script cannot compare results."""
    run = facts.check.run
    return frozenset(f"{FILES}/{name}" for name in run_files(run)) if run else frozenset()
