"""What `mlir-reducer mcp` takes; `cli/mcp` does the work."""

from pathlib import Path

import click

from reducer.cli.options.base import ReducerCommand
from reducer.cli.options.table import takes
from reducer.errors import Unavailable


@click.command(cls=ReducerCommand)
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[DIR…]")
@takes("mcp")
def mcp(folders: tuple[Path, ...], programs: tuple[str, ...]) -> None:
    """Serve agents over standard input and output (Model Context Protocol).

    Agents work in DIR… (this folder by default) and nowhere else. They may have MLIR tools run,
    in the sandbox, and what --allow names; see docs/agents.md.

    \b
      mlir-reducer mcp ~/bugs --allow ./interesting.sh
    """
    from reducer.cli.mcp.bounds import Bounds

    bounds = Bounds.of(folders or (Path.cwd(),), programs)
    try:
        from reducer.cli.mcp.server import serve
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types"):
            raise
        raise Unavailable(
            "the package mcp is not installed; run: pip install 'mlir-reducer[mcp]'"
        ) from error
    serve(bounds)
