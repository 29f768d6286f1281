"""Find an `…-opt` tool that can print the input, for a script or a compiler without one."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from oracles import Limits
from oracles.compilers.command import script_text
from oracles.profiles import DEFAULT, opt_tools
from reducer.cli.display.console import status_printer
from reducer.errors import CommandNotFound
from reducer.identity.advice import saying_later
from reducer.ir import GenericSyntaxError, Module
from reducer.toolchain import ToolchainError, find, resolve_executable
from reducer.units import duration

_OPT_NAME = re.compile(r"(?<![\w-])[\w./-]*-opt(?:-\d+)?(?![\w=-])")
_SECONDS = 60.0
"""The time in which a tool must have printed the input to be taken, or all that are guessed."""

_SHARE_OF_SEARCH = 6
"""The part of the time of a whole reduction that a search for a tool may take: a sixth."""

_SECONDS_OF_STRANGERS = 10.0
"""The same for a program of which nobody says that it is such a tool."""

_PATIENCE = 2.0
"""Seconds after which is said what tool is tried."""


def given_opt(name: str) -> Path:
    """The tool that the user named.

    Raises:
        CommandNotFound: there is none.
    """
    try:
        return resolve_executable(name)
    except ToolchainError as error:
        raise CommandNotFound(f"MLIR_REDUCER_OPT: {error}") from error


def named_opt(command: str, text: str) -> Path | None:
    """The first tool on PATH that a script or a shell's command names and that prints the input.

    It is of the release that fails; another one may print what that one cannot read.
    """
    for name in dict.fromkeys(_OPT_NAME.findall(command)):
        if (there := shutil.which(name)) and _printed_by(Path(there), text):
            return Path(there)
    return None


def opt_beside(executable: Path, text: str) -> Path | None:
    """The first `…-opt` tool in the folder of a program that prints the input.

    A compiler and the tool that reads its IR may share no part of their names. A folder on PATH has
    tools of any make, of which this says nothing, and bytecode (no `text`) is for a known tool.
    """
    folder = executable.resolve().parent
    on_path = {Path(one).resolve() for one in os.get_exec_path()}
    if not text or folder in on_path:
        return None
    for path in sorted(folder.glob("*-opt*")):
        is_tool = _OPT_NAME.fullmatch(path.name) and os.access(path, os.X_OK)
        if is_tool and _is_printed(_printed_by(path, text, _SECONDS_OF_STRANGERS)):
            return path
    return None


def _printed_by(tool: Path, text: str, seconds: float = _SECONDS) -> str | None:
    """The input in generic form, if a tool prints it in time."""
    said = (
        f"looking for a tool that prints the input: a run of {tool.name} may take "
        f"{duration(seconds)}; MLIR_REDUCER_OPT names the right one"
    )
    with saying_later(status_printer(), lambda: said, _PATIENCE):
        from reducer.conversions import OptPrinter  # imports all transformations

        return OptPrinter(tool, Limits(seconds)).generic(text)


def _is_printed(generic: str | None) -> bool:
    """Whether a program has printed a module, and not how to use it."""
    try:
        return generic is not None and Module.parse(generic).op_count > 0
    except GenericSyntaxError:
        return False


def text_of_script(program: str) -> str:
    """The text of a program that is a script; '' otherwise."""
    path = shutil.which(program)
    return "" if path is None else script_text(Path(path))


def some_opt(text: str, max_seconds: float | None = None) -> Path | None:
    """Any known tool, on PATH or installed, that can print the input; None if there is none.

    The first that is found is taken as it is if there is no other. `max_seconds` are those of the
    whole reduction, if they are limited.
    """
    found = list(_known_tools())
    if len(found) < 2:
        return found[0] if found else None
    left = _SECONDS if max_seconds is None else min(_SECONDS, max_seconds / _SHARE_OF_SEARCH)
    until = time.monotonic() + left
    for tool in found:
        if left > 0 and _printed_by(tool, text, left):
            return tool
        left = until - time.monotonic()
    return None


def default_opt() -> Path | None:
    """The tool of the default compiler, on PATH or installed; None if there is none."""
    if there := shutil.which(DEFAULT.opt):
        return Path(there)
    newest = find("newest")
    return newest.opt if newest else None


def _known_tools() -> Iterator[Path]:
    """Tools that profiles name, the newest release of each first."""
    for name in opt_tools():
        if there := shutil.which(name):
            yield Path(there)
        for _, path in sorted(_releases(name), reverse=True):
            yield path
    if newest := find("newest"):
        yield newest.opt


def _releases(name: str) -> Iterator[tuple[int, Path]]:
    """The tools with a release in their name, as in `mlir-opt-22`, and the releases."""
    pattern = re.compile(rf"{re.escape(name)}-(\d+)")
    for folder in os.get_exec_path():
        for path in Path(folder).glob(f"{name}-*"):
            if (match := pattern.fullmatch(path.name)) and os.access(path, os.X_OK):
                yield int(match[1]), path
