"""Which compiler a command runs: said aloud when nobody named it, and with its version."""

import shutil
from functools import cache
from pathlib import Path

from oracles import Oracle
from oracles.compilers.compiler import compiler_of
from reducer.cli.layout import Fact
from reducer.cli.shown_command import shown_path
from reducer.cli.status import print_status
from reducer.toolchain import Toolchain, installed


def compiler_facts(oracle: Oracle) -> list[Fact]:
    """The name, version and place of the compiler behind a command; nothing for other programs."""
    inner = compiler_of(oracle)
    if inner is None or not Toolchain.provides(inner.executable.name):
        return []
    program = inner.executable
    version = version_of(program)
    where = "" if _installed(program) else f", {shown_path(program)}"
    return [Fact("compiler", f"{program.name} {version or 'of an unknown version'}{where}")]


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
