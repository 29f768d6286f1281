"""What `mlir-reducer check` takes; `cli/commands/check.py` does the work."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from reducer.cli.options.table import takes
from reducer.cli.options.trailing import TrailingCommand, input_argument


class _CheckCommand(TrailingCommand):
    """Even a misspelled option must not look like a bad build to `git bisect run`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = args[: args.index("--")] if "--" in args else args
        with _exit_codes(any(word.partition("=")[0] == "--bisect" for word in own)):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with _exit_codes(ctx.params.get("bisect") is not None):
            return super().invoke(ctx)


def _exit_codes(for_git: bool) -> AbstractContextManager[None]:
    if not for_git:
        return nullcontext()
    from reducer.cli.commands.check_bisect import exit_codes_for_git

    return exit_codes_for_git()


@click.command(cls=_CheckCommand)
@input_argument
@takes("check")
def check(asked: Any) -> int:
    """Run COMMAND once on INPUT and print the failure a reduction would preserve.

    Two inputs in the same bucket fail the same way. INPUT may also be what `mlir-reducer reduce`
    takes without a COMMAND: a crash log, a crash reproducer, an issue, or a lit test.

    \b
      mlir-reducer check model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942
      mlir-reducer check model.mlir --iree 3.13.0 --json - -- iree-compile

    Exits with 0 if the command fails, with 1 if it does not or fails on an empty module in the same
    way, and with 5 if nothing can tell whether the results of the compiled program are right
    (--wrong-results). With --bisect, it exits with 0 if the build is good, 1 if it has the failure
    that is looked for, 125 if it cannot be run, fails in another way, or fails on any input, and
    128 if the request is invalid.
    """
    from reducer.cli.commands.check import check

    return check(asked)
