"""Command lines as a person reads and pastes them.

A compiler in the cache of mlir-reducer has a path of a hundred characters, which says its version
somewhere in the middle. `mlir-reducer toolchain path VERSION` says the same, and is pasted as well.
"""

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from oracles.profiles import DEFAULT
from reducer.cli.layout import Fact, Style
from reducer.escaping import shell_quoted
from reducer.toolchain import installed, toolchains_folder

_NAME = "mlir-reducer"


def command_fact(name: str, words: Sequence[str]) -> Fact:
    """A command line that can be pasted into a shell."""
    return Fact(name, shell_line(words), Style.COMMAND)


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
