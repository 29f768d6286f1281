"""Command lines as a person reads and pastes them.

A compiler in the cache of mlir-reducer has a path of a hundred characters, which says its version
somewhere in the middle. `mlir-reducer toolchain path VERSION` says the same, and is pasted as well.
"""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from oracles.profiles import DEFAULT
from reducer.cli.layout import Fact, Style
from reducer.toolchain import installed, toolchains_folder


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
        return shlex.quote(word)
    return f"~/{shlex.quote(word[len(home) :])}"


def _from_cache(word: str) -> str:
    """The call that prints this path, if it is a tool of an installed compiler."""
    if not word.startswith(f"{toolchains_folder()}/") or shutil.which("mlir-reducer") is None:
        return ""
    path = Path(word)
    for one in installed():
        if (
            path.is_relative_to(one.root)
            and one.provides(path.name)
            and one.tool(path.name) == path
        ):
            tool = "" if path.name == DEFAULT.compiler else f" --tool {shlex.quote(path.name)}"
            return f'"$(mlir-reducer toolchain path {shlex.quote(one.version)}{tool})"'
    return ""
