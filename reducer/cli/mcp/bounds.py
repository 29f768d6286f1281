"""What an agent may do: which folders it works in, and which programs it may have run.

An agent may have been talked into a call by a text that it has read. So it names files in the
folders of the server only, whatever links say, and programs that are MLIR tools found on PATH.
These run in the sandbox (`oracles.run.confinement`), whoever names them. What the server was
started with is what a person has typed, and runs free.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from reducer.cli.mcp.tools import Arguments
from reducer.errors import BadInput, CommandNotFound, MissingInput, UsageError
from reducer.storage.result_folder import (
    ResultFolder,
    archive_of,
    bisect_journal_of,
    default_output,
    report_folder_of,
)
from reducer.storage.written import Written

OURS = ".mlir-reducer"
"""The folder for what belongs to no result."""
_PATHS = ("file", "known", "output")


@dataclass(frozen=True)
class Bounds:
    """The folders, and the programs that run free, both as they really are."""

    folders: tuple[Path, ...]
    programs: frozenset[str]

    @staticmethod
    def of(folders: Sequence[Path], programs: Sequence[str]) -> "Bounds":
        """Raises MissingInput or CommandNotFound for what does not exist."""
        for folder in folders:
            if not folder.is_dir():
                raise MissingInput(f"{folder} is no folder")
        found = {name: shutil.which(name) for name in programs}
        for name, path in found.items():
            if path is None:
                raise CommandNotFound(f"--allow: '{name}' is not an executable program")
        real = frozenset(os.path.realpath(path) for path in found.values() if path)
        return Bounds(tuple(folder.resolve() for folder in folders), real)

    def resolved(self, tool: str, arguments: Arguments) -> dict[str, Any]:
        """The arguments with real paths; a text has become a file.

        Raises:
            ReducerError: something is not there, or not allowed.
        """
        values = dict(arguments)
        if tool in ("check", "reduce"):
            if ("file" in values) == ("text" in values):
                raise UsageError("give either file or text")
            if "text" in values:
                values["file"] = str(self._saved(values.pop("text")))
        for name in (name for name in _PATHS if name in values):
            values[name] = str(self.inside(values[name], exists=name != "output"))
        if "folders" in values:
            if not values["folders"]:
                raise UsageError("folders is empty")
            places = [self.inside(name) for name in values["folders"]]
            values["folders"] = [str(place) for place in places]
            self._check_links(places)
        if "known" in values:
            self._check_links([Path(values["known"])])
        if "file" in values and tool != "read":
            self._check_links(_written_for(Path(values["file"]), values.get("output")))
        return values

    def inside(self, name: str, *, exists: bool = True) -> Path:
        """The real path of a file or folder.

        Raises:
            UsageError: it is in none of the folders.
            MissingInput: it does not exist.
            BadInput: it is neither file nor folder.
        """
        try:
            path = (self.folders[0] / name).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise MissingInput(f"cannot open {name}") from error
        if not self._holds(path):
            places = " and ".join(map(str, self.folders))
            raise UsageError(f"{name} is not in {places}, and this server works nowhere else")
        if exists and not path.exists():
            raise MissingInput(f"{name} does not exist")
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise BadInput(f"{name} is neither a file nor a folder")
        return path

    def owned(self, name: str) -> Path:
        """The real path of a file that this program has written.

        Raises:
            UsageError: somebody else has written it, or it is elsewhere.
        """
        path = self.inside(name)
        folders = (ResultFolder.of(path).path, *path.parents)
        if not path.is_file() or not any(
            Written(folder).holds(path) for folder in folders if self._holds(folder)
        ):
            raise UsageError(f"{name} was not written by mlir-reducer, or has been changed since")
        return path

    def runs_free(self, words: Sequence[str], *, typed: bool = True) -> bool:
        """Whether a command runs outside the sandbox, because its program was allowed.

        Args:
            typed: whether an agent gives the command; else the record of the user's result has it.

        Raises:
            UsageError: it may not run at all.
        """
        from reducer.intake.commands import is_compiler

        found = shutil.which(words[0])
        if found is not None and os.path.realpath(found) in self.programs:
            return True
        if is_compiler(words[0]) and not (typed and "/" in words[0]):
            return False
        why = "is a path" if is_compiler(words[0]) else "is not a known MLIR tool"
        raise UsageError(
            f"'{words[0]}' {why}, so it may not run; whoever starts this server may allow it: "
            f"mlir-reducer mcp --allow {words[0]}"
        )

    def _saved(self, text: str) -> Path:
        """A text as a file, whose name is that of its content."""
        data = text.encode(errors="replace")
        path = self.folders[0] / f"issue-{sha256(data).hexdigest()[:12]}.md"
        if self.inside(str(path), exists=False) != path:
            raise UsageError(f"{path} is a link")
        if not path.exists():
            path.write_bytes(data)
        return path

    def _holds(self, path: Path) -> bool:
        return any(path.resolve().is_relative_to(folder) for folder in self.folders)

    def _check_links(self, places: Sequence[Path]) -> None:
        """Raise UsageError if a link leads from what will be read or written to another place."""
        for place in places:
            inner = place.rglob("*") if place.is_dir() else ()
            for path in (place, *(one for one in inner if one.is_symlink())):
                if not self._holds(path):
                    raise UsageError(f"{path} leads to another place than this server works in")


def _written_for(file: Path, output: str | None) -> list[Path]:
    """What a command may write for a file: beside it, and in the folder of its result."""
    file = ResultFolder.result_of(file)
    results = (file, Path(output) if output else default_output(file))
    folders = [ResultFolder.of(result).path for result in results]
    report = report_folder_of(file)
    return [*results, *folders, report, archive_of(report), bisect_journal_of(file)]


def command_of(arguments: Arguments) -> Iterator[tuple[list[str], bool]]:
    """The commands of a call, and whether the agent gives them: the record of a result is ours."""
    if words := arguments.get("command"):
        yield words, True
    elif "file" in arguments:
        from reducer.cli.request.recorded import ResultRecord

        request = ResultRecord.of(ResultFolder.result_of(Path(arguments["file"]))).request or {}
        if request.get("test"):
            yield [request["test"]], False
        elif request.get("words") and not request.get("from_file"):
            yield list(request["words"]), False
