"""The program `mlir-reducer` with its commands, each of which is imported on first use."""

import io
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from reducer.cli.display.console import echo
from reducer.cli.ending import ReaderGone, run_and_exit
from reducer.cli.options.base import HelpContext
from reducer.cli.options.configuration import config_option


class LazyGroup(click.Group):
    """A group that imports a command when it is run or its help is requested.

    `deferred` has the short help of each.
    """

    context_class = HelpContext

    def __init__(self, *args: Any, deferred: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.deferred = deferred

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.deferred)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.deferred and cmd_name not in self.commands:
            folder = "commands" if cmd_name in _WITH_THEIR_WORK else "options"
            command = getattr(import_module(f"reducer.cli.{folder}.{cmd_name}"), cmd_name)
            command.short_help = self.deferred[cmd_name]
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:  # click itself knows only commands that were imported
            close = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not close or "Did you mean" in error.message:
                raise
            raise click.UsageError(
                f"no such command '{args[0]}'; did you mean '{close[0]}'?", ctx
            ) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self.deferred.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [
            CompletionItem(name, help=self.deferred[name])
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]


_COMMANDS = {
    "reduce": "Reduce INPUT to a small program that fails the same way.",
    "check": "Run COMMAND once on INPUT and print the failure a reduction would preserve.",
    "locate": "Find where COMMAND fails on INPUT without reducing it.",
    "explain": "Show which change to each part of a small INPUT makes the failure go away.",
    "triage": "Turn folders of failing inputs into a short list of bugs.",
    "buckets": "List, show, and export the bugs found by `mlir-reducer triage`.",
    "worker": "Run compilers for the Dask scheduler at ADDRESS (tcp://HOST:PORT).",
    "page": "Show how RESULT was reduced as a single HTML page.",
    "bisect": "Find the release that introduced a failure, and the one that fixed it.",
    "report": "Write a bug report for INPUT: a folder and a zip file to attach.",
    "mcp": "Serve agents over standard input and output (Model Context Protocol).",
    "toolchain": "Manage side-by-side installations of the IREE compiler.",
    "completion": "Print the tab-completion script for SHELL.",
}
_WITH_THEIR_WORK = ("worker", "page", "toolchain")  # those that take little


_TURN = 0.0005
"""Seconds after which Python gives another thread a turn; by default 0.005.

After each system call, a worker that starts or watches a program waits for its turn, as long as the
search makes candidates. Only a command sets it: it holds for the whole process.
"""


class _CommandGroup(LazyGroup):
    """A group that turns every outcome, even an unexpected one, into a message and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        sys.setswitchinterval(_TURN)
        _open_closed_streams()
        _forget_current_folder()
        if isinstance(sys.stdout, io.TextIOWrapper):  # the terminal's encoding may lack characters
            sys.stdout.reconfigure(errors="backslashreplace")
        if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:  # inherited; `wait` would then fail
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # Background jobs ignore SIGQUIT, and so would a compiler that they start: it would survive
        # being asked for its stack. A handler is not inherited.
        if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
            signal.signal(signal.SIGQUIT, lambda *_: None)
        run_and_exit(lambda: super(_CommandGroup, self).main(*args, **kwargs))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:2] == ["help", "--all"]:
            echo("\n".join(reference(self, ctx)))
            ctx.exit()
        if args[:1] == ["help"]:  # as other tools have it: `help reduce`
            named = [word for word in args[1:] if not word.startswith("-") and word != "help"]
            args = [*named, "--help"]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if len(args) == 1 or "did you mean" in error.message:
                raise
            raise click.UsageError(
                f"no such command '{args[0]}'; to reduce what a command fails on: "
                f"{ctx.command_path} reduce INPUT -- COMMAND",
                ctx,
            ) from error

    def invoke(self, ctx: click.Context) -> object:
        try:
            done: object = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderGone from error
        return done


def _forget_current_folder() -> None:
    """Look for programs and packages, here and in children, neither here nor relative to here."""
    for name in ("PATH", "PYTHONPATH"):
        if name in os.environ:
            kept = filter(os.path.isabs, os.environ[name].split(os.pathsep))
            os.environ[name] = os.pathsep.join(kept)
    os.environ["PATH"] = os.environ.get("PATH") or os.defpath  # an empty one means this folder


def _open_closed_streams() -> None:
    """Let standard streams that the caller has closed lead nowhere.

    Python has no object for them, and the next file that is opened would get their number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8")
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def _show_versions(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from reducer.cli.commands.toolchain import versions  # not needed for `--help`

        echo(versions())
        context.exit()


@click.group(
    cls=_CommandGroup,
    deferred=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@config_option
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_versions,
    help="Show the versions of mlir-reducer and of the compilers it finds.",
)
def main() -> None:
    """Reduce a failing MLIR input to a small one that fails the same way.

    Put the failing command after two dashes and leave out the input file:

    \b
      iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942 \\
          model.mlir
      mlir-reducer reduce model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    The result is written to model.reduced.mlir, next to the input. To see first which failure
    would be preserved:

    \b
      mlir-reducer check model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    For the options of a command: mlir-reducer reduce --help; of all: mlir-reducer help --all
    """


def reference(command: click.Command, context: click.Context) -> Iterator[str]:
    """The help of a command, and of the commands inside it."""
    yield f"{command.get_help(context)}\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                with HelpContext(inner, info_name=name, parent=context) as below:
                    yield from reference(inner, below)
