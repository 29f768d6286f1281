"""`mlir-reducer completion`, and the completions that the Tab key offers."""

import click
from click.shell_completion import CompletionItem, get_completion_class

from oracles.profiles import RELEASES
from reducer.toolchain import NEWEST, installed

PROGRAM = "mlir-reducer"
_VARIABLE = "_MLIR_REDUCER_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the tab-completion script for SHELL.

    \b
      bash    eval "$(mlir-reducer completion bash)"      in ~/.bashrc
      zsh     eval "$(mlir-reducer completion zsh)"       in ~/.zshrc, after compinit
      fish    mlir-reducer completion fish > ~/.config/fish/completions/mlir-reducer.fish
    """
    found = get_completion_class(shell)
    assert found is not None, "click knows the three shells"
    program = context.find_root().command
    script = found(program, {}, PROGRAM, _VARIABLE).source()
    if shell == "fish":  # values such as lists of versions contain commas
        script = script.replace('string split ","', 'string split --max 1 ","')
    click.echo(script)


def complete_versions(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Installed compilers, newest first; in a comma-separated list, completes the last item."""
    before, comma, last = incomplete.rpartition(",")
    versions = [NEWEST, *reversed([one.version for one in installed()])]
    return [CompletionItem(before + comma + one) for one in versions if one.startswith(last)]


def complete_words(incomplete: str, *, first: bool) -> list[CompletionItem]:
    """Completions for words after the two dashes: a program first, then files."""
    wanted = first and incomplete
    tools = [name for name in RELEASES.tools if wanted and name.startswith(incomplete)]
    return [CompletionItem(name) for name in tools] or [CompletionItem(incomplete, type="file")]
