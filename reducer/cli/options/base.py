"""The class of all commands: options in groups, from the environment, and from a file."""

import os
import re
from collections.abc import Iterable
from importlib import import_module
from inspect import cleandoc
from typing import Any

import click

from reducer.cli.display.console import echo
from reducer.cli.ending import mistake_in
from reducer.cli.options.configuration import (
    apply_configuration,
    show_configuration,
    without_contradictions,
)
from reducer.cli.options.table import KEYS, ROWS, grouped, name_of

_PREFIX = "MLIR_REDUCER_"
_TYPED = ("config", "brief")  # not from the environment: --config is the program's


_HYPHEN = "\N{NON-BREAKING HYPHEN}"


class _WholeWords(click.HelpFormatter):
    """Help whose lines end between words, and not at the hyphens of an option or a file."""

    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", _HYPHEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().write_dl([(name, text.replace("-", _HYPHEN)) for name, text in rows], *args)

    def getvalue(self) -> str:
        return super().getvalue().replace(_HYPHEN, "-")


class HelpContext(click.Context):
    """What all commands and groups run in."""

    formatter_class = _WholeWords


class ReducerCommand(click.Command):
    """A command whose options may also be given by the environment or a configuration file."""

    context_class = HelpContext

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = {name_of(one) for one in self.params if isinstance(one, click.Option)}
        self._is_configured = bool(names & KEYS)
        if len(self.params) > _SHOWN:
            self.params.append(_brief_option())
        for option in self.params:
            if isinstance(option, click.Option) and name_of(option) not in _TYPED:
                option.envvar = _PREFIX + name_of(option).replace("-", "_").upper()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self._is_configured and not {"-h", "--help"}.intersection(args):
            apply_configuration(ctx)
        try:
            rest = super().parse_args(ctx, [*args])
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
        for title, some in grouped(options).items():
            records = [record for one in some if (record := one.get_help_record(ctx))]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:
        # The module that explains errors: later, it may be impossible to open more files.
        import_module("reducer.cli.reasons")
        show_configuration(ctx)
        ctx.params = self.handed(ctx.params)
        return super().invoke(ctx)

    def handed(self, params: dict[str, Any]) -> dict[str, Any]:
        """What the function of the command is called with."""
        return params


class ReducerGroup(click.Group):
    """A group of such commands."""

    command_class = ReducerCommand
    context_class = HelpContext


def _is_file_like_option(word: str) -> bool:
    """Whether a word was read as options, although it is the name of a file."""
    return word.startswith("-") and word.strip("-") != "" and os.path.lexists(word)


_SHOWN = 10  # options of `-h` at most
_WIDTH = 78


def _brief_option() -> click.Option:
    """`-h`; click's own `--help` has all options."""
    return click.Option(
        ["-h", "brief"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        hidden=True,
        callback=_show_brief,
    )


def _show_brief(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """What most people need to know of a command, on one screen of 80 by 24."""
    if not wanted or ctx.resilient_parsing:
        return
    command = ctx.command
    options = [option for option in command.params if isinstance(option, click.Option)]
    needed = {option: ROWS[name].brief for option in options if (name := option.name) in ROWS}
    chosen = sorted((option for option in needed if needed[option]), key=needed.__getitem__)
    lines = [command.get_usage(ctx), "", f"  {command.get_short_help_str(_WIDTH)}", ""]
    records = [record for each in chosen[:_SHOWN] if (record := each.get_help_record(ctx))]
    wide = max(24, *(len(name) for name, _ in records))
    lines += [f"  {name:{wide}}  {_cut(text, _WIDTH - 4 - wide)}" for name, text in records]
    lines += ["", *_examples(command.help or ""), "", f"All options: {ctx.command_path} --help"]
    echo("\n".join(lines))
    ctx.exit()


def _cut(text: str, width: int) -> str:
    """The first sentence of a help, or what fits of it."""
    first = re.split(r"(?<=\w)[.:;] |[.]$|, (?=such|instead)| \[|, \$|\(", text)[0].strip()
    return first if len(first) <= width else f"{first[: width - 1].rsplit(' ', 1)[0]} …"


def _examples(text: str) -> list[str]:
    """The first two command lines of a help."""
    examples: list[list[str]] = []
    for line in cleandoc(text).splitlines():
        if examples and examples[-1][-1].endswith("\\"):
            examples[-1].append(line.rstrip())
        elif line.startswith("  mlir-reducer "):
            examples.append([line.rstrip()])
    return [line for one in examples[:2] for line in one]
