"""Commands that take another program's command line after `--`."""

import os
import shlex
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import click
from click.shell_completion import CompletionItem

from reducer.cli.ending import mistake_in
from reducer.cli.options.base import ReducerCommand
from reducer.cli.options.table import NumberOption
from reducer.cli.options.values import STDIN, InputPath, complete_words
from reducer.errors import NotInteresting

_TRAILING = "reducer.cli.options.trailing"  # whether the command line contains `--`

input_argument = click.argument("source", type=InputPath(), metavar="INPUT")

_HINT = "put the compiler command after two dashes: INPUT -- iree-compile FLAGS"


class TrailingCommand(ReducerCommand):
    """Takes everything after the first `--`, flags included, as `words`.

    Its function is called with what is asked for, as `OracleOptions`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        position = args.index("--") if "--" in args else len(args)
        words, run = _split_commands(args[position + 1 :])
        try:
            rest = super().parse_args(ctx, _with_numbers(args[:position], self._numbers(ctx)))
        except click.UsageError as error:
            if isinstance(error, click.MissingParameter) and (hint := _input_among(words)):
                text = mistake_in(error)
                raise click.UsageError(f"{text}; {hint}", ctx) from error
            if position < len(args) and "extra argument" in error.format_message():
                text = f"{mistake_in(error)}; {self.name} takes one INPUT"
                hint = _unquoted(args[:position]) or "and triage takes many"
                raise click.UsageError(f"{text}, {hint}", ctx) from error
            text = mistake_in(error)  # no log is a command without its dashes
            is_value = isinstance(error, click.BadParameter) and "[LOG]" not in text
            if position < len(args) or is_value:
                raise
            hint = f" If not, {_HINT}" if text.endswith("?") else f"; {_HINT}"
            raise click.UsageError(text + hint, ctx) from error
        if ctx.params.get("source") == STDIN:  # tools call it `-`, too
            words = tuple("{}" if word == "-" else word for word in words)
        if words and not ctx.resilient_parsing:
            from oracles.compilers.command import unwrapped  # these are not for `--help`
            from reducer.cli.request.other_input import in_place_of_missing

            words = in_place_of_missing(tuple(unwrapped(words)), ctx.params.get("source"))
        ctx.params["words"] = with_program(words)
        if run and "wrong_results" not in ctx.params:
            raise click.UsageError(f"{self.name} takes one command; leave out {run[0]}", ctx)
        if run:
            measured = ctx.params.get("metric") is not None
            run = (*run, *ctx.params.get("run", ()))
            ctx.params |= {"run": run, "wrong_results": not measured}
        ctx.meta[_TRAILING] = position < len(args)
        return rest

    def _numbers(self, ctx: click.Context) -> dict[str, int | str]:
        """The options whose number may be omitted, and what it is then."""
        some = (one for one in self.get_params(ctx) if isinstance(one, NumberOption))
        return {word: option.omitted for option in some for word in option.opts}

    def handed(self, params: dict[str, Any]) -> dict[str, Any]:
        from reducer.cli.request.oracle_options import OracleOptions  # not for `--help`

        return {"asked": OracleOptions(**params)}

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except NotInteresting as error:
            from reducer.cli.request.intake import assertions_hint
            from reducer.cli.request.other_input import input_beside

            asked = ctx.params["asked"]
            given = asked.source
            own = [name for option in self.get_params(ctx) for name in option.opts]
            misplaced = [
                word
                for word in asked.words
                if word.partition("=")[0] in own and word.partition("=")[0] in str(error)
            ]
            hint = (
                f"{misplaced[0]} is an option of mlir-reducer; put it before the two dashes"
                if misplaced
                else input_beside(asked.words, given) or assertions_hint(given, asked.words)
            )
            if not hint:
                raise
            raise NotInteresting(f"{str(error).rstrip('.')}; {hint}") from error

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if ctx.meta.get(_TRAILING):
            return complete_words(incomplete, first=not ctx.params["words"])
        return super().shell_complete(ctx, incomplete)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "-- COMMAND..."]


def _split_commands(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The failing command, and the one after a second `--` that runs what it compiles.

    Other programs have a `--` of their own, so it counts only before a tool that runs programs.

    >>> _split_commands(["iree-compile", "-x", "--", "iree-run-module", "--device=hip"])
    (('iree-compile', '-x'), ('iree-run-module', '--device=hip'))
    """
    if "--" in words:
        from oracles.profiles import RUNTIME  # not needed for `--help`

        for at, word in enumerate(words[:-1]):
            if word == "--" and at and RUNTIME.callers.fullmatch(words[at + 1]):
                return tuple(words[:at]), tuple(words[at + 1 :])
    return tuple(words), ()


def _input_among(words: Sequence[str]) -> str:
    """What to say if the input is in the command after the two dashes and nowhere else."""
    given = next((word for word in words[1:] if os.path.isfile(word)), None)  # noqa: PTH113 - Path raises
    return f"it goes before the two dashes: {shlex.quote(given)} -- COMMAND" if given else ""


def _unquoted(words: Sequence[str]) -> str:
    """What to say if several words are the name of one file; '' if they are not."""
    for start, end in combinations(range(len(words) + 1), 2):
        name = " ".join(words[start:end])
        if end - start > 1 and os.path.isfile(name):  # noqa: PTH113 - Path raises
            return f"so put its name in quotes: {shlex.quote(name)}"
    return ""


def with_program(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command; bare flags are those of the default compiler."""
    if not words or not words[0].startswith("-"):
        return words
    from oracles.profiles import DEFAULT  # not needed for `--help`

    return (DEFAULT.compiler, *words)


def _with_numbers(args: Sequence[str], omitted: Mapping[str, int | str]) -> list[str]:
    """The words with a number after every option that needs one."""
    following = [*args[1:], ""]
    return [
        f"{word}={omitted[word]}" if word in omitted and not after.isdecimal() else word
        for word, after in zip(args, following, strict=False)
    ]
