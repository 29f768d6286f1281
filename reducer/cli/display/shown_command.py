"""Command lines as a person reads and pastes them, and which compiler they run.

A compiler in the cache of mlir-reducer has a path of a hundred characters, which says its version
somewhere in the middle. `mlir-reducer toolchain path VERSION` says the same, and is pasted as well.
"""

import shlex
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from oracles import Oracle
from oracles.base import capabilities_of
from oracles.profiles import DEFAULT
from reducer.cli.display.console import print_status
from reducer.cli.display.layout import NamedValue, Style
from reducer.escaping import shell_quoted
from reducer.toolchain import Toolchain, installed, toolchains_folder

_NAME = "mlir-reducer"


def command_fact(name: str, words: Sequence[str]) -> NamedValue:
    """A command line that can be pasted into a shell."""
    return NamedValue(name, shell_line(words), Style.COMMAND)


def shell_line(words: Sequence[str]) -> str:
    """The words quoted for a shell, with short spellings of paths."""
    return " ".join(map(_shell_word, words))


def shown_path(path: Path) -> str:
    """The path with `~` for the home folder, for a message."""
    return _with_tilde(str(path))


def _shell_word(word: str) -> str:
    return _from_cache(word) or _with_tilde(word)


def _with_tilde(word: str) -> str:
    home = f"{Path.home()}/"
    if home == "//" or not word.startswith(home) or word == home:
        return shell_quoted(word)
    return f"~/{shell_quoted(word[len(home) :])}"


def _own_name() -> str:
    """How a shell here starts this program; '' if that is not known."""
    if shutil.which(_NAME) is not None:
        return _NAME
    started = Path(sys.argv[0])
    return _with_tilde(str(started)) if started.name == _NAME and started.is_file() else ""


def _from_cache(word: str) -> str:
    """The call that prints this path, if it is a tool of an installed compiler."""
    own = _own_name()
    if not own or not word.startswith(f"{toolchains_folder()}/"):
        return ""
    path = Path(word)
    for one in installed():
        if path.is_relative_to(one.root) and one.has(path.name) and one.tool(path.name) == path:
            tool = "" if path.name == DEFAULT.compiler else f" --tool {shlex.quote(path.name)}"
            return f'"$({own} toolchain path {shlex.quote(one.version)}{tool})"'
    return ""


def compiler_facts(oracle: Oracle) -> list[NamedValue]:
    """The name, version and place of the compiler behind a command; nothing for other programs."""
    inner = capabilities_of(oracle).compiler
    if inner is None or not Toolchain.provides(inner.executable.name):
        return []
    program = inner.executable
    version = version_of(program)
    where = "" if _installed(program) else f", {shown_path(program)}"
    return [NamedValue("compiler", f"{program.name} {version or 'of an unknown version'}{where}")]


def version_of(program: Path) -> str:
    """The version of a compiler; '' if it does not tell."""
    if found := _installed(program):
        return found.version
    from reducer.bisect.builds import read_builds

    return read_builds([("", program)], ())[0].version


def say_choice(name: str, program: Path) -> None:
    """Say which compiler was chosen if `name`, as the user typed it, is not one by itself."""
    found = _installed(program)
    if found is not None and shutil.which(name) is None:
        _say_once(f"{name} is not on PATH; running {found.version}, the newest installed version")


@cache
def _say_once(text: str) -> None:
    print_status(text)


def _installed(program: Path) -> Toolchain | None:
    """The installed version that the program belongs to."""
    return next((one for one in installed() if program.is_relative_to(one.root)), None)
