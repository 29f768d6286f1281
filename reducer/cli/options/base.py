"""The class of all commands: options in groups, from the environment, and from a file."""

import os
from importlib import import_module
from typing import Any

import click

from reducer.cli.ending import mistake_in
from reducer.cli.options.configuration import (
    KEYS,
    VERBOSE,
    apply_configuration,
    show_configuration,
    without_contradictions,
)
from reducer.cli.options.groups import grouped, name_of

_PREFIX = "MLIR_REDUCER_"


class ReducerCommand(click.Command):
    """A command whose options may also be given by the environment or a configuration file."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = {name_of(one) for one in self.params if isinstance(one, click.Option)}
        if names & KEYS:
            self.params += _configuration_options(verbose="verbose" not in names)
        for option in self.params:
            if isinstance(option, click.Option) and name_of(option) != "no-config":
                option.envvar = _PREFIX + name_of(option).replace("-", "_").upper()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            rest = super().parse_args(ctx, list(args))  # click empties its list
        except click.UsageError as error:
            taken = next((word for word in args if _is_file_like_option(word)), None)
            if taken is None:
                raise
            text = mistake_in(error)
            raise click.UsageError(f"{text}; for the file {taken}, write ./{taken}", ctx) from error
        without_contradictions(ctx)
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        for title, some in grouped(options):
            records = [record for one in some if (record := one.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:
        # The module that explains errors: later, it may be impossible to open more files.
        import_module("reducer.cli.reasons")
        show_configuration(ctx)
        return super().invoke(ctx)


class ReducerGroup(click.Group):
    """A group of such commands."""

    command_class = ReducerCommand


def _is_file_like_option(word: str) -> bool:
    """Whether a word was read as options, although it is the name of a file."""
    return word.startswith("-") and word.strip("-") != "" and os.path.lexists(word)


def _configuration_options(*, verbose: bool) -> list[click.Parameter]:
    """`--config` and `--no-config`; eager, since the values of other options depend on them.

    With `verbose`, also an option that says which file was read.
    """
    options: list[click.Parameter] = [
        click.Option(
            ["--config"],
            metavar="FILE",
            type=click.Path(),
            is_eager=True,
            expose_value=False,
            callback=apply_configuration,
            help="Read defaults of options from this file. [default: mlir-reducer.toml, or "
            "[tool.mlir-reducer] in pyproject.toml, in this folder or the nearest above]",
        ),
        click.Option(
            ["--no-config"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=apply_configuration,
            help="Read no configuration file.",
        ),
    ]
    if verbose:
        options.append(
            click.Option(
                ["-v", "--verbose"],
                is_flag=True,
                expose_value=False,
                callback=_remember_verbose,
                help="Say which configuration file was read.",
            )
        )
    return options


def _remember_verbose(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.meta[VERBOSE] = value
