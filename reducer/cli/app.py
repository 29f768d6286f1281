"""The program `mlir-reducer` with its commands."""

import io
import sys
from typing import Any, NoReturn

import click

from reducer.cli.bisect import bisect
from reducer.cli.buckets import buckets
from reducer.cli.bug_report import bug_report
from reducer.cli.check import check
from reducer.cli.cluster import worker
from reducer.cli.completion import completion
from reducer.cli.ending import end_with
from reducer.cli.explain import explain
from reducer.cli.locate import locate
from reducer.cli.page import page
from reducer.cli.reduce import reduce
from reducer.cli.toolchain import toolchain
from reducer.cli.triage import triage
from reducer.cli.versions import versions


class _Program(click.Group):
    """A group that turns every ending, also an unforeseen one, into a message and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may know fewer characters than we
            sys.stdout.reconfigure(errors="backslashreplace")
        end_with(lambda: super(_Program, self).main(*args, **kwargs))


def _show_versions(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(versions())
        context.exit()


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_versions,
    help="Show the version of this program and of the compilers it finds.",
)
def main() -> None:
    """Cuts a failing MLIR input down to a small one that fails in the same way.

    Take the command that fails, leave out the input file, and put it after two dashes:

    \b
      iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942 model.mlir
      mlir-reducer reduce model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    The result is model.reduced.mlir, beside the input. Not sure what it will look for? Ask first:

    \b
      mlir-reducer check model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    Each command explains itself: mlir-reducer reduce --help
    """


main.add_command(reduce)
main.add_command(check)
main.add_command(locate)
main.add_command(explain)
main.add_command(triage)
main.add_command(buckets)
main.add_command(worker)
main.add_command(page)
main.add_command(bisect)
main.add_command(bug_report)
main.add_command(toolchain)
main.add_command(completion)
