"""`--passes-with VERSION`: results must compile with a release that compiles the input."""

from pathlib import Path

import click

from oracles import Command, CompilerOracle, Level, Oracle
from oracles.regression import Regression
from reducer.cli.completion import complete_versions
from reducer.releases.flags import translate
from reducer.releases.told import flags_of
from reducer.session.errors import UsageError
from reducer.toolchain import Toolchain, install

passes_with_option = click.option(
    "--passes-with",
    metavar="VERSION",
    shell_complete=complete_versions,
    help="Keep only what this release of IREE compiles, as it does the input: then no other bug "
    "with the same message can take the place of this one.",
)


def regression(version: str | None, oracle: Oracle) -> Regression | None:
    """The second question about a compiler's failures, if the user asked for it.

    Raises:
        UsageError: what is asked is no compiler of IREE's.
        ToolchainError: the version cannot be had.
    """
    if version is None:
        return None
    if not isinstance(oracle, CompilerOracle) or not Toolchain.provides(oracle.executable.name):
        raise UsageError(
            "--passes-with needs a command of IREE's after --, and none of --test, --match, "
            "--exit-code, --oracle and --wrong-results"
        )
    toolchain = install(version, progress=lambda text: click.echo(text, err=True))
    good = toolchain.tool(oracle.executable.name)
    words = translate(oracle.command.argv, flags_of(good)).words
    command = Command.parse(list(words), directory=Path.cwd())
    # What fails there is not looked at closely: no run more to name the pass.
    plain = CompilerOracle(command, good, limits=oracle.limits, level=Level.LOOSE)
    return Regression(version, plain)
