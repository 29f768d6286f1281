"""Commands that take another program's command line after `--`."""

import click

_HINT = "a compiler's command goes after two dashes: INPUT -- iree-compile --its-flags"


class TrailingCommand(click.Command):
    """Hands everything after the first `--` unread, flags and all, to its function as `words`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        position = args.index("--") if "--" in args else len(args)
        words = tuple(args[position + 1 :])
        try:
            rest = super().parse_args(ctx, args[:position])
        except click.UsageError as error:
            if position < len(args) or isinstance(error, click.BadParameter):
                raise
            message = f"{error.format_message().rstrip('.')}; {_HINT}"
            raise click.UsageError(message, ctx) from error
        ctx.params["words"] = words
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "-- COMMAND..."]
