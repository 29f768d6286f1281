"""The program `mlir-reducer` with its commands."""

import io
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from reducer.cli.ending import run_and_exit
from reducer.cli.lazy import Deferred, LazyGroup

_COMMANDS = {
    "reduce": Deferred(
        "reducer.cli.reduce:reduce",
        "Cut INPUT down to a small file that fails in the same way.",
    ),
    "check": Deferred(
        "reducer.cli.check:check",
        "Run COMMAND once on INPUT and say what a reduction would keep.",
    ),
    "locate": Deferred(
        "reducer.cli.locate:locate",
        "Say where COMMAND fails on INPUT, without reducing it.",
    ),
    "explain": Deferred(
        "reducer.cli.explain:explain",
        "Say for everything that is left in INPUT which change makes the failure go away.",
    ),
    "triage": Deferred(
        "reducer.cli.triage:triage",
        "Turn folders of failing inputs into a short list of bugs.",
    ),
    "buckets": Deferred(
        "reducer.cli.buckets:buckets",
        "The bugs that `mlir-reducer triage` has found.",
    ),
    "worker": Deferred(
        "reducer.cli.cluster:worker",
        "Run compilers for the Dask scheduler at ADDRESS (tcp://HOST:PORT).",
    ),
    "page": Deferred(
        "reducer.cli.page:page",
        "Draw how RESULT came about, as one HTML file.",
    ),
    "bisect": Deferred(
        "reducer.cli.bisect:bisect",
        "Find the first bad and the last good release of the compiler for a failure.",
    ),
    "report": Deferred(
        "reducer.cli.report:bug_report",
        "Write a bug report about INPUT: a folder, and a zip to attach.",
    ),
    "toolchain": Deferred(
        "reducer.cli.toolchain:toolchain",
        "Versions of the IREE compiler, installed side by side.",
    ),
    "completion": Deferred(
        "reducer.cli.completion:completion",
        "Print the script that makes SHELL complete commands, options, versions and file names.",
    ),
}


class _Program(LazyGroup):
    """A group that turns every ending, also an unforeseen one, into a message and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may know fewer characters than we
            sys.stdout.reconfigure(errors="backslashreplace")
        run_and_exit(lambda: super(_Program, self).main(*args, **kwargs))

    def invoke(self, ctx: click.Context) -> Any:
        # What explains errors comes first: later there may be no file left to open for it.
        import_module("reducer.cli.reasons")
        return super().invoke(ctx)


def _show_versions(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from reducer.cli.toolchain import versions  # `--help` can do without

        click.echo(versions())
        context.exit()


@click.group(
    cls=_Program,
    deferred=_COMMANDS,
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
