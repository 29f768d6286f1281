"""`mlir-reducer toolchain`, and the versions that `--version` prints."""

import shutil
import subprocess
from pathlib import Path

import click

from oracles.profiles import DEFAULT
from reducer import __version__
from reducer.cli.display.console import echo, print_status, show, write_out
from reducer.cli.display.layout import Table
from reducer.cli.options.base import ReducerGroup
from reducer.cli.options.table import takes
from reducer.cli.options.values import complete_versions, package_source
from reducer.errors import Unavailable
from reducer.toolchain import (
    NEWEST,
    ToolchainError,
    disk_use,
    find,
    install,
    installed,
    published,
    remove,
    toolchains_folder,
)
from reducer.units import plural, size


@click.group(cls=ReducerGroup)
def toolchain() -> None:
    """Manage side-by-side installations of the IREE compiler.

    They are kept in the user's cache folder, or in $MLIR_REDUCER_CACHE, and take 350 to 500 MB
    each. Other commands install missing versions by themselves when given `--iree VERSION`.
    """


@toolchain.command("install", short_help="Install a version, by default the newest release.")
@click.argument("version", default="newest")
@takes("toolchain-install")
def install_command(version: str, runtime: bool, find_links: tuple[str, ...], pre: bool) -> None:
    """Install VERSION, such as 3.13.0 or 3.14.0rc20260420 (default: the newest release)."""
    source = package_source(find_links, pre=pre)
    found = install(version, progress=print_status, runtime=runtime, source=source)
    echo(f"{found.version}  {found.compile}")


@toolchain.command("list")
@takes("toolchain-list")
def list_command(available: bool, find_links: tuple[str, ...], pre: bool) -> None:
    """List installed versions, or those that can be installed.

    The runtime is what --wrong-results runs, and the symbols are the table
    that names the frames of a crash; the first crash of a version makes it.
    """
    if available or find_links or pre:
        for version in published(print_status, package_source(find_links, pre=pre)):
            echo(version)
        return
    versions = installed()
    if not versions:
        echo(f"no versions are installed in {toolchains_folder()}", err=True)
        return
    used = [disk_use(one) for one in versions]
    rows = [
        (one.version, size(use.compiler), _size(use.runtime), _size(use.symbols), str(one.root))
        for one, use in zip(versions, used, strict=True)
    ]
    head = ("version", "size", "runtime", "symbols", "folder")
    show(Table(rows, head, right=frozenset({1, 2, 3})))
    whole = size(sum(use.total for use in used))
    echo(f"{plural(len(used), 'version')}, {whole}", err=True)


def _size(count: int | None) -> str:
    return "-" if count is None else size(count)


@toolchain.command("remove", short_help="Delete versions with their runtime and symbols.")
@click.argument(
    "versions", metavar="VERSION…", nargs=-1, required=True, shell_complete=complete_versions
)
def remove_command(versions: tuple[str, ...]) -> None:
    """Delete each VERSION with its runtime and symbols from the cache; none if one is missing."""
    wanted = {version: find(version) for version in versions}
    missing = [version for version, release in wanted.items() if release is None]
    if missing:
        verb = "are" if len(missing) > 1 else "is"
        word = "versions" if len(missing) > 1 else "version"
        raise ToolchainError(f"{word} {', '.join(missing)} {verb} not installed")
    for release in {one.version: one for one in wanted.values() if one is not None}.values():
        freed = disk_use(release).total
        remove(release.version)
        echo(f"removed {release.version} ({size(freed)})", err=True)


@toolchain.command("path", short_help="Print the path of an installed compiler.")
@click.argument("version", default="newest", shell_complete=complete_versions)
@takes("toolchain-path")
def path_command(version: str, tool: str | None) -> None:
    """Print the path of the compiler of VERSION (default: the newest installed one)."""
    release, tool = find(version), tool or DEFAULT.compiler
    if release is None:
        missing = "no version is" if version == NEWEST else f"version {version} is not"
        wanted = "" if version == NEWEST else f" {version}"
        raise Unavailable(f"{missing} installed; run: mlir-reducer toolchain install{wanted}")
    if not release.has(tool):
        raise Unavailable(f"{release.version} has no {tool}, but {', '.join(release.tools)}")
    write_out(f"{release.tool(tool)}\n")


_VERSION_TIMEOUT = 10.0  # seconds


def versions() -> str:
    """One line for this program, one for the compiler on PATH, one for all installed compilers."""
    lines = [f"mlir-reducer {__version__}"]
    if found := shutil.which(DEFAULT.compiler):
        lines.append(f"{DEFAULT.compiler} on PATH: {compiler_version(Path(found))}")
    known = " ".join(toolchain.version for toolchain in installed())
    lines.append(f"installed {DEFAULT.name} compilers: {known or 'none'}")
    return "\n".join(lines)


def compiler_version(executable: Path) -> str:
    """The compiler's version output, in one line."""
    try:
        answer = subprocess.run(
            [executable, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_VERSION_TIMEOUT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"unknown version ({error})"
    lines = [line.strip() for line in answer.stdout.splitlines()]
    return next((line for line in lines if "version" in line), " ".join(lines) or "unknown")
