"""`mlir-reducer toolchain`, and the versions that `--version` prints."""

import shutil
import subprocess
from pathlib import Path

import click

from oracles.profiles import DEFAULT
from reducer import __version__
from reducer.cli.completion import complete_versions
from reducer.errors import Unavailable
from reducer.toolchain import ToolchainError, find, install, installed, remove, toolchains_folder


@click.group()
def toolchain() -> None:
    """Versions of the IREE compiler, installed side by side.

    They lie in the user's cache folder, or under $MLIR_REDUCER_CACHE, 350 to 500 MB each.
    `--iree VERSION` of other commands installs what is missing by itself.
    """


@toolchain.command("install")
@click.argument("version", default="newest")
@click.option("--runtime", is_flag=True, help="Add the runtime, which runs compiled programs.")
def install_command(version: str, runtime: bool) -> None:
    """Install VERSION (3.13.0, say; the newest release if not given)."""
    found = install(version, progress=lambda text: click.echo(text, err=True), runtime=runtime)
    click.echo(f"{found.version}  {found.compile}")


@toolchain.command("list")
def list_command() -> None:
    """List the installed versions."""
    versions = installed()
    for one in versions:
        click.echo(f"{one.version:<10}  {one.root}")
    if not versions:
        click.echo(f"none is installed in {toolchains_folder()}", err=True)


@toolchain.command("remove")
@click.argument("version", shell_complete=complete_versions)
def remove_command(version: str) -> None:
    """Delete VERSION from the cache."""
    if not remove(version):
        raise ToolchainError(f"version {version} is not installed")


@toolchain.command("path", short_help="Print where the compiler of VERSION lies.")
@click.argument("version", default="newest", shell_complete=complete_versions)
@click.option(
    "--tool", default=DEFAULT.compiler, metavar="NAME", help=f"[default: {DEFAULT.compiler}]"
)
def path_command(version: str, tool: str) -> None:
    """Print where the compiler of VERSION lies (of the newest installed one if not given)."""
    found = find(version)
    if found is None:
        raise Unavailable(
            f"version {version} is not installed; mlir-reducer toolchain install {version}"
        )
    if not found.provides(tool):
        raise Unavailable(f"a compiler package has no tool '{tool}'")
    click.echo(found.tool(tool))


_VERSION_TIMEOUT = 10.0  # seconds


def versions() -> str:
    """One line for this program, one for the compiler on PATH, one for those installed by it."""
    lines = [f"mlir-reducer {__version__}"]
    if found := shutil.which(DEFAULT.compiler):
        lines.append(f"{DEFAULT.compiler} on PATH: {compiler_version(Path(found))}")
    known = " ".join(toolchain.version for toolchain in installed())
    lines.append(f"installed {DEFAULT.name} compilers: {known or 'none'}")
    return "\n".join(lines)


def compiler_version(executable: Path) -> str:
    """What a compiler says of its version, on one line."""
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
        return f"{executable} does not tell ({error})"
    lines = [line.strip() for line in answer.stdout.splitlines()]
    return next((line for line in lines if "version" in line), " ".join(lines) or "unknown")
