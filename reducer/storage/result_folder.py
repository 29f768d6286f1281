"""Where a reduction keeps what: its result, and one folder next to it with everything else.

    model.mlir                      the input
    model.reduced.mlir              the result
    model.reduced/                  everything else:
        journal                     every verdict
        before-pass.mlir            the reproducer for the failing pass
        input-level.mlir            a program in the input's dialects, if the result is in others
        record.json                 what shows its failure, and what is known of that
        files/                      what is left of other modules that the command reads
        inputs.txt                  inputs of the compiled program that are too long for a command
        also-found/BUCKET/          other failures
        report/, report.zip         the bug report
        page.html                   what `page` wrote
        bisect.journal              what `bisect` ran
        .written                    the hashes of all these files except the journals

This module owns all of these names.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from reducer.errors import OutputNotWritable
from reducer.storage.files import COMPRESSED_SUFFIXES, STDIN, is_plain
from reducer.storage.written import LIST, Written

_PROGRAM = ".mlir"
_DOCUMENTS = ".md", ".markdown", ".txt", ".log", ".html"  # programs are quoted in them
_BYTECODE = re.compile(r"(?<=\w)bc$")  # what is reduced is the text of it
_SUFFIX = re.compile(r"(?<=.)(?:\.mlir)?\.[A-Za-z]\w*$")
_REDUCED = ".reduced"
_OTHERWISE = ".files"  # what is appended to the name of a result without the usual suffix
_JOURNAL = "journal"
_REPORT = "report"
_RESULT = "result"  # only as a temporary file
_DATABASE = b"SQLite format 3\0"
_NAMES = frozenset(
    {
        _JOURNAL,
        "before-pass.mlir",
        "before-rewrite.mlir",
        "after-rewrite.mlir",
        "input-level.mlir",
        "inputs.txt",
        "record.json",
        "files",
        "also-found",
        _REPORT,
        "report.zip",
        "page.html",
        "bisect.journal",
        _RESULT,
        LIST.removeprefix("."),
    }
)
_ENDINGS = ("-wal", "-shm", "-journal", ".damaged", ".tmp", ".old")


def default_output(input: Path) -> Path:
    """The default path of the result: model.mlir.xz -> model.reduced.mlir."""
    suffix = program_suffix(input)
    stem = _stem(input)
    if suffix != _PROGRAM or stem.endswith(_DOCUMENTS):
        stem = _SUFFIX.sub("", stem)
    return _named(input).parent / f"{stem}{_REDUCED if suffix else '-reduced'}{suffix}"


def program_suffix(program: Path) -> str:
    """The suffix of a program's text: model.mlirbc.xz -> .mlir, kernel.ttir -> .ttir.

    >>> [program_suffix(Path(name)) for name in ("a.v2/x.mlir.txt", "x", "x.ttir.gz", "issue.md")]
    ['.mlir.txt', '', '.ttir', '.mlir']
    """
    name = _unpacked(program)
    if program == STDIN or name.endswith(_PROGRAM):
        return _PROGRAM
    found = _SUFFIX.search(name)
    suffix = _BYTECODE.sub("", found[0]) if found else ""
    return _PROGRAM if suffix in _DOCUMENTS else suffix


@dataclass(frozen=True)
class ResultFolder:
    """The folder of a result. Nothing is created until `create` is called."""

    path: Path

    @staticmethod
    def of(result: Path, input: Path | None = None) -> "ResultFolder":
        """model.reduced.mlir -> model.reduced/, and out.txt -> out.txt.files/

        A result in a device, such as /dev/null, has that of the default result of `input`.
        """
        if input is not None and not is_plain(result):
            result = default_output(input)
        stem = result.name.removesuffix(_PROGRAM)
        own = stem and stem != result.name
        return ResultFolder(result.with_name(stem if own else f"{result.name}{_OTHERWISE}"))

    @staticmethod
    def result_of(path: Path) -> Path:
        """The result that a folder belongs to; the path itself if that is no such folder."""
        names = (path.name.removesuffix(_OTHERWISE), f"{path.name}{_PROGRAM}")
        results = [path.with_name(name) for name in names] if path.name and path.is_dir() else []
        own = (one for one in results if one.is_file() and ResultFolder.of(one).path == path)
        return next(own, path)

    # ---- names -----------------------------------------------------------------------------

    @property
    def journal(self) -> Path:
        return self.path / _JOURNAL

    @property
    def before_pass(self) -> Path:
        """The reproducer for the failing pass."""
        return self.path / "before-pass.mlir"

    @property
    def before_rewrite(self) -> Path:
        """What the failing pass has made of its program before the rewrite at fault."""
        return self.path / "before-rewrite.mlir"

    @property
    def after_rewrite(self) -> Path:
        """The same after that rewrite."""
        return self.path / "after-rewrite.mlir"

    @property
    def input_level(self) -> Path:
        """A program in the dialects of the input, if the result is in others."""
        return self.path / "input-level.mlir"

    @property
    def own_shapes(self) -> Path:
        """A program with the sizes or element types of the input, if the result has others."""
        return self.path / "own-shapes.mlir"

    @property
    def inputs(self) -> Path:
        """The inputs of the compiled program, if they are too long for a command line."""
        return self.path / "inputs.txt"

    def other_file(self, number: int, name: str) -> Path:
        """What is left of another module after so many reductions of it."""
        return self.path / "files" / (name if number == 1 else f"{number}-{name}")

    @property
    def record(self) -> Path:
        """What shows the failure of the result, and what is known of that."""
        return self.path / "record.json"

    @property
    def also_found(self) -> Path:
        """The folder of other failures."""
        return self.path / "also-found"

    @property
    def report(self) -> Path:
        """The folder of the bug report."""
        return self.path / _REPORT

    @property
    def page(self) -> Path:
        """The page about the reduction."""
        return self.path / "page.html"

    @property
    def bisect_journal(self) -> Path:
        """The verdicts of other releases on the result."""
        return self.path / "bisect.journal"

    @property
    def temporary(self) -> Path:
        """The next content of the result, while it is written."""
        return self.path / f".{_RESULT}.tmp"

    @property
    def written(self) -> Written:
        """What was written to this folder, and the result next to it."""
        return Written(self.path)

    # ---- on disk ---------------------------------------------------------------------------

    @property
    def is_ours(self) -> bool:
        """Whether a reduction has written this folder."""
        return self.path.is_dir() and any(self.path.iterdir()) and self._holds_only_ours()

    def check(self) -> None:
        """Check that nothing of anybody else is in the way.

        Raises:
            OutputNotWritable: there is a file of this name, or a folder that is not from here.
        """
        try:
            if self.path.is_dir():
                fine = self._holds_only_ours()
            else:
                fine = not self.path.exists() and not self.path.is_symlink()
        except OSError as error:
            raise OutputNotWritable(f"cannot read {self.path}: {error.strerror}") from error
        if not fine:
            raise OutputNotWritable(f"{self.path} has other files; choose another result with -o")

    def create(self) -> None:
        """Make the folder, if it does not exist.

        Raises:
            OutputNotWritable: that is not possible, or it belongs to somebody else.
        """
        self.check()
        try:
            self.path.mkdir(exist_ok=True)
        except OSError as error:
            raise OutputNotWritable(f"cannot create {self.path}: {error.strerror}") from error

    def remove_if_empty(self) -> None:
        """Leave no trace of a reduction that has not begun."""
        if self.path.is_dir() and not self.path.is_symlink() and not any(self.path.iterdir()):
            self.path.rmdir()

    def forget_earlier_result(self) -> None:
        """Delete what was made of an earlier result, because another program replaces that.

        What somebody else wrote or changed stays, the journal too, and other failures take care of
        themselves.
        """
        if not self.is_ours:
            return
        rewrites = self.before_rewrite, self.after_rewrite
        others = self.input_level, self.own_shapes, self.inputs, self.record, self.page
        self.written.remove(self.before_pass, *rewrites, *others)
        if not self.report.is_symlink():
            Written(self.report).remove_all()

    def remove_all(self) -> None:
        """Delete what was written here, with the result; what somebody else wrote stays."""
        if not self.is_ours:
            return
        self.forget_earlier_result()
        for journal in (self.journal, self.bisect_journal):
            for suffix in ("", "-wal"):
                journal.with_name(journal.name + suffix).unlink(missing_ok=True)
        self.written.remove_all()

    def _holds_only_ours(self) -> bool:
        """Whether a reduction has written what is inside; others may have added to it."""
        if _is_database(self.journal):
            return True
        return all(_is_ours(path.name) for path in self.path.iterdir())


def report_folder_of(program: Path) -> Path:
    """The default folder of a bug report: that of the result, if `program` is one.

    model.mlir -> model.report
    """
    place = ResultFolder.of(program)
    return (
        place.report if place.is_ours else _named(program).with_name(f"{_stem(program)}.{_REPORT}")
    )


def bisect_journal_of(program: Path) -> Path:
    """The journal of verdicts of other releases: in the folder of the result, if it is one.

    model.mlir.xz -> model.bisect.journal
    """
    place = ResultFolder.of(program)
    if place.is_ours:
        return place.bisect_journal
    return _named(program).with_name(f"{_stem(program)}.{place.bisect_journal.name}")


def _named(program: Path) -> Path:
    """The program; standard input has the name `stdin` in the folder where the user stands."""
    return Path(program.name) if program == STDIN else program


def archive_of(folder: Path) -> Path:
    """The archive of a report: report -> report.zip."""
    return folder.with_name(f"{folder.name}.zip")


def _stem(path: Path) -> str:
    """The name without the suffixes of programs: model.mlir.xz -> model."""
    return _unpacked(path).removesuffix(".mlirbc").removesuffix(_PROGRAM)


def _unpacked(path: Path) -> str:
    """The name without the suffixes of compressed files."""
    name = path.name
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def _is_ours(name: str) -> bool:
    """Whether a name, or that of a temporary file, is one of those above."""
    name = name.removeprefix(".")
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name in _NAMES
