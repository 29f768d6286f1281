"""Find the inputs in folders. The identity of an input is the hash of its content, not its path.

Nothing in a file or its name is ever executed or used as one of our paths.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from reducer.errors import BadInput, MissingInput, ReducerError
from reducer.escaping import one_line
from reducer.ir import PlainText
from reducer.storage.files import (
    BYTECODE_MAGIC,
    COMPRESSED_SUFFIXES,
    read_data,
    require_text,
)
from reducer.storage.result_folder import ResultFolder

_SUFFIXES = (".mlir", ".mlirbc")


@dataclass(frozen=True)
class InputFile:
    """A file, with its path relative to the folder given by the user."""

    path: Path
    below: PurePath

    @property
    def shown(self) -> str:
        """The relative path, escaped so that any terminal and file can hold it."""
        return printable(self.below)


@dataclass(frozen=True)
class Input:
    """One content, possibly in several files. `ops` counts the lines that look like ops.

    `is_empty` is whether it holds no program: nothing but comments and modules.
    """

    digest: str
    places: tuple[InputFile, ...]
    size: int
    ops: int
    bytecode: bool
    is_empty: bool = False

    def data(self) -> bytes:
        """The decompressed content.

        Raises:
            BadInput: no file has this content any more.
            MissingInput: none of the files can be read.
        """
        problem: ReducerError | None = None
        for place in self.places:
            try:
                data = read_data(place.path)
            except ReducerError as error:
                problem = error
                continue
            if content_digest(data) == self.digest:
                return data
        raise problem or BadInput(f"{self.places[0].path} changed during the triage")


@dataclass(frozen=True)
class UnreadableFile:
    """A file that cannot be used as an input, and why."""

    place: InputFile
    reason: str


def content_digest(data: bytes) -> str:
    """The SHA-256 of a content, which serves as its name."""
    return hashlib.sha256(data).hexdigest()


def printable(path: PurePath | str) -> str:
    """A path as text, with undecodable bytes and unprintable characters escaped."""
    return one_line(os.fsencode(path).decode(errors="backslashreplace"))


def find_inputs(
    folders: Iterable[Path], known: frozenset[Path] = frozenset()
) -> tuple[list[Input], list[UnreadableFile]]:
    """All MLIR files in the folders (or given directly), sorted by path, and the unreadable ones.

    Hidden files and folders are skipped, and so are the folders in which reductions keep things,
    and the absolute paths that are `known` to be something else.

    Raises:
        MissingInput: a folder does not exist, or none has an input.
    """
    folders = tuple(folders)
    places: dict[str, list[InputFile]] = {}
    facts: dict[str, tuple[int, int, bool, bool]] = {}
    unreadable = []
    for place in _places(folders):
        if place.path.absolute() in known:
            continue
        try:
            data = _content(place.path)
            bytecode = data.startswith(BYTECODE_MAGIC)
            ops = 0 if bytecode else _ops(data, place.path)
        except ReducerError as error:
            unreadable.append(UnreadableFile(place, printable(str(error))))
            continue
        digest = content_digest(data)
        places.setdefault(digest, []).append(place)
        facts[digest] = len(data), ops, bytecode, _holds_no_op(data)
    inputs = [Input(digest, tuple(found), *facts[digest]) for digest, found in places.items()]
    if not inputs and not unreadable and not known:
        named = ", ".join(map(str, folders))
        raise MissingInput(f"no inputs in {named}: no file ends in .mlir or .mlirbc")
    return inputs, unreadable


def _content(path: Path) -> bytes:
    """The decompressed content of a file that may be an input.

    Raises:
        ReducerError: it cannot be read, or it is empty.
    """
    if not path.is_file():  # opening a pipe would wait for ever
        link = path.is_symlink() and not path.exists()
        raise BadInput(f"{path} is a dangling link" if link else f"{path} is not a regular file")
    data = read_data(path)
    require_text(data, path)
    return data


_NO_OP = re.compile(
    rb"""\s*(?: //.* | [#!^].* | [})].*
            | (?: "builtin\.module" | (?:builtin\.)?module\b ) .* \{ (?: \s*\}.* )? )? \s*""",
    re.X,
)
"""A line with a comment, an alias, a label, a module, or an end."""


def _holds_no_op(data: bytes) -> bool:
    return all(map(_NO_OP.fullmatch, data.splitlines()))


def _ops(data: bytes, path: Path) -> int:
    if b"\0" in data:
        raise BadInput(f"{path} is a binary file, not MLIR")
    return PlainText(data.decode(errors="surrogateescape")).op_count


def _places(folders: Iterable[Path]) -> Iterator[InputFile]:
    seen: set[Path] = set()
    for folder in folders:
        if not folder.exists():
            raise MissingInput(f"{folder}: no such file or folder")
        found = [InputFile(folder, PurePath(folder.name))] if folder.is_file() else _below(folder)
        for place in found:
            if place.path.absolute() not in seen:
                seen.add(place.path.absolute())
                yield place


def _below(folder: Path) -> list[InputFile]:
    paths = [path for path in files_below(folder) if _is_mlir(path.name)]
    return [InputFile(path, path.relative_to(folder)) for path in paths]


def files_below(folder: Path) -> Iterator[Path]:
    """All files but the hidden ones, and those in the folders in which reductions keep things."""
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not ResultFolder(Path(root, name)).is_ours
        )
        yield from (Path(root, name) for name in sorted(files) if not name.startswith("."))


def _is_mlir(name: str) -> bool:
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return name.endswith(_SUFFIXES)
