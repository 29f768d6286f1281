"""What options and arguments take: how a value is read, and what the Tab key offers for it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from reducer.errors import OutputNotWritable, UsageError

if TYPE_CHECKING:
    from reducer.toolchain import PackageSource

STDIN = Path("/dev/stdin")  # as in reducer.storage.files, importing which takes long
_ADDRESS = re.compile(r"(?:\w+://)?(?:\[[\da-fA-F:.]+\]|[^\s:/,\[\]]+):\d+")
_WORKERS = re.compile(rf"(?:[1-9]\d*,)?{_ADDRESS.pattern}")
_PATH = "path"
"""The type of completions that are paths, which shells quote. click knows only *any* file."""

LEVELS = ("strict", "normal", "loose")
"""The values of `oracles.Level`, importing which would slow down `--help`."""


class SignatureType(click.Choice[str]):
    """How closely failures must match, or any exit code to preserve instead."""

    def __init__(self) -> None:
        super().__init__((*LEVELS, "exit=1"))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        is_code = re.fullmatch(r"exit=-?\d+", str(value))
        return is_code[0] if is_code else super().convert(value, param, ctx)


class InputPath(click.Path):
    """A file, or `-` for standard input; Tab offers what may be an input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return STDIN if value == "-" else Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return complete_inputs(incomplete)


class StoredPath(InputPath):
    """A file or folder that is read again later, as standard input cannot be."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if value == "-":
            self.fail("standard input cannot be read twice; save it to a file first", param, ctx)
        return Path(value)


class OutputFile(click.Path):
    """A file that is written at the end. Where it cannot be is said before any work is done."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if value == "-" and not self.allow_dash:
            raise UsageError(f"{_name_of(param)} needs a file, and cannot write to standard output")
        if value != "-" and not (ctx is not None and ctx.resilient_parsing):
            if path.is_dir():
                raise OutputNotWritable(f"cannot write {value}: it is a folder")
            if not path.absolute().parent.is_dir():
                raise OutputNotWritable(f"cannot write {value}: its folder does not exist")
        return super().convert(value, param, ctx)


def _name_of(param: click.Parameter | None) -> str:
    """The option as it is usually given, such as `-o`."""
    return param.opts[0] if param is not None else "this option"


class SchedulerAddress(click.types.StringParamType):
    """The address of a Dask scheduler."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not _ADDRESS.fullmatch(value):
            self.fail(f"{value!r} is not an address such as tcp://127.0.0.1:8786", param, ctx)
        return str(value)


class Jobs(click.IntRange):
    """How many compilers may run at once: N, the address of a scheduler if `remote`, or both."""

    def __init__(self, *, remote: bool) -> None:
        super().__init__(min=1)
        self.remote = remote

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not self.remote or str(value).lstrip("-").isdecimal():
            return super().convert(value, param, ctx)
        if not _WORKERS.fullmatch(str(value)):
            said = f"{value!r} is not a whole number or an address such as tcp://127.0.0.1:8786"
            self.fail(said, param, ctx)
        return str(value)


class Words(click.ParamType[Any]):
    """Some of the given words, separated by commas."""

    name = "words"

    def __init__(self, *known: str) -> None:
        self.known = known

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        words = value if isinstance(value, tuple) else tuple(str(value).split(","))
        if unknown := [word for word in words if word not in self.known]:
            self.fail(f"{unknown[0]!r} is not one of {', '.join(self.known)}", param, ctx)
        return words

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, word = incomplete.rpartition(",")
        found = (f"{before}{comma}{one}" for one in self.known if one.startswith(word))
        return [CompletionItem(one) for one in found]


def by_suffix(files: Iterable[Path], *suffixes: str) -> dict[str, Path]:
    """The files of `--output` by what they end in.

    Raises:
        UsageError: one ends in something else.
    """
    found = {file.suffix: file for file in files}
    if unknown := [file for suffix, file in found.items() if suffix not in suffixes]:
        raise UsageError(f"--output: {unknown[0]} does not end in {' or '.join(suffixes)}")
    return found


def package_source(find_links: tuple[str, ...], *, pre: bool) -> "PackageSource":
    """The places that `--find-links` and `--pre` name.

    Raises:
        UsageError: one does not exist.
    """
    from reducer.toolchain import PackageSource

    source = PackageSource(find_links, pre)
    if source.missing:
        raise UsageError(f"--find-links: {source.missing[0]}: no such file or folder")
    return source


def complete_versions(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Installed compilers, newest first; in a comma-separated list, completes the last item."""
    from reducer.toolchain import NEWEST, installed  # not needed for other completions

    before, comma, last = incomplete.rpartition(",")
    versions = [NEWEST, *reversed([one.version for one in installed()])]
    return [CompletionItem(before + comma + one) for one in versions if one.startswith(last)]


_NO_INPUTS = (".zip", ".journal", ".sqlite", ".json", ".html", ".toml", ".py", ".sh", ".so", ".o")
"""Suffixes of files that are no inputs, many of them our own. Crash logs may have any other."""

_FOLDERS = (".reduced", ".report", ".pages")
"""Suffixes of folders that hold what we have written."""


def complete_inputs(incomplete: str) -> list[CompletionItem]:
    """Files that may be inputs, and folders that may contain some."""
    head, slash, start = incomplete.rpartition("/")
    folder = head + slash
    try:
        entries = sorted(Path(folder or ".").expanduser().iterdir())
    except OSError:
        return []
    wanted = [entry for entry in entries if entry.name.startswith(start)]
    listed = [
        entry for entry in wanted if entry.name.isprintable()
    ]  # a line is an answer of its own
    shown = [entry for entry in listed if start or not entry.name.startswith(".")]
    return [
        CompletionItem(f"{folder}{entry.name}{'/' if entry.is_dir() else ''}", type=_PATH)
        for entry in shown
        if not entry.name.endswith(_FOLDERS if entry.is_dir() else _NO_INPUTS)
    ]


def complete_words(incomplete: str, *, first: bool) -> list[CompletionItem]:
    """Completions for words after the two dashes: a program first, then files."""
    from oracles.profiles import RELEASES  # not needed for other completions

    wanted = first and incomplete
    tools = [name for name in RELEASES.tools if wanted and name.startswith(incomplete)]
    return [CompletionItem(name) for name in tools] or [CompletionItem(incomplete, type="file")]
