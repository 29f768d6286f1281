"""Commands that take another program's command line after `--`."""

from collections.abc import Sequence

import click

from reducer.search.sequential import MOST_RUNS

_OPTIONAL = {"--flaky": MOST_RUNS}
"""Options whose number may be left out; what follows is then another word, and not the number."""

_HINT = "a compiler's command goes after two dashes: INPUT -- iree-compile --its-flags"


class TrailingCommand(click.Command):
    """Hands everything after the first `--` unread, flags and all, to its function as `words`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        position = args.index("--") if "--" in args else len(args)
        words = tuple(args[position + 1 :])
        try:
            rest = super().parse_args(ctx, _with_numbers(args[:position]))
        except click.UsageError as error:
            if position < len(args) or isinstance(error, click.BadParameter):
                raise
            message = f"{error.format_message().rstrip('.')}; {_HINT}"
            raise click.UsageError(message, ctx) from error
        ctx.params["words"] = words
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "-- COMMAND..."]


def _with_numbers(args: Sequence[str]) -> list[str]:
    """The words with a number after every option that needs one."""
    following = [*args[1:], ""]
    return [
        f"{word}={_OPTIONAL[word]}" if word in _OPTIONAL and not after.isdecimal() else word
        for word, after in zip(args, following, strict=False)
    ]
