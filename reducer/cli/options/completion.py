"""`mlir-reducer completion`, and the completions that the Tab key offers."""

from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from reducer.cli.display.console import echo
from reducer.cli.options.base import ReducerCommand

PROGRAM = "mlir-reducer"
_VARIABLE = "_MLIR_REDUCER_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")
_PATH = "path"
"""The type of completions that are paths, which shells quote. click knows only *any* file."""

_CHANGES = {
    "bash": [
        (
            "COMPREPLY+=($value)\n",
            """COMPREPLY+=("$value")
        elif [[ $type == 'path' ]]; then
            COMPREPLY+=("${value%/}")
            compopt -o filenames
""",
        )
    ],
    "zsh": [
        (
            'elif [[ "$type" == "dir" ]]; then',
            """elif [[ "$type" == "path" ]]; then
            if [[ "$key" == */ ]]; then
                compadd -U -S '' -- "$key"
            else
                compadd -U -- "$key"
            fi
        elif [[ "$type" == "dir" ]]; then""",
        )
    ],
    "fish": [
        ('string split ","', 'string split --max 1 ","'),  # lists of versions contain commas
        ('$metadata[1] = "plain"', '$metadata[1] = "plain" -o $metadata[1] = "path"'),
    ],
}
"""Changes of click's scripts."""


@click.command(cls=ReducerCommand)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the tab-completion script for SHELL.

    \b
      bash    eval "$(mlir-reducer completion bash)"   in ~/.bashrc
      zsh     eval "$(mlir-reducer completion zsh)"    in ~/.zshrc, after compinit
      fish    mlir-reducer completion fish > \\
                  ~/.config/fish/completions/mlir-reducer.fish
    """
    found = get_completion_class(shell)
    assert found is not None, "click knows the three shells"
    program = context.find_root().command
    script = found(program, {}, PROGRAM, _VARIABLE).source()
    for before, after in _CHANGES[shell]:
        assert before in script, "click's script is as we know it"
        script = script.replace(before, after)
    echo(script)


def complete_versions(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Installed compilers, newest first; in a comma-separated list, completes the last item."""
    from reducer.toolchain import NEWEST, installed  # not needed for other completions

    before, comma, last = incomplete.rpartition(",")
    versions = [NEWEST, *reversed([one.version for one in installed()])]
    return [CompletionItem(before + comma + one) for one in versions if one.startswith(last)]


_NO_INPUTS = (".zip", ".journal", ".sqlite", ".json", ".html", ".toml", ".py", ".sh", ".so", ".o")
"""Suffixes of files that are no inputs, many of them our own. Crash logs may have any other."""

_FOLDERS = (".reduced", ".report", ".pages")
"""Suffixes of folders that hold what we have written."""


def complete_inputs(incomplete: str) -> list[CompletionItem]:
    """Files that may be inputs, and folders that may contain some."""
    head, slash, start = incomplete.rpartition("/")
    folder = head + slash
    try:
        entries = sorted(Path(folder or ".").expanduser().iterdir())
    except OSError:
        return []
    wanted = [one for one in entries if one.name.startswith(start)]
    listed = [one for one in wanted if one.name.isprintable()]  # a line is an answer of its own
    shown = [one for one in listed if start or not one.name.startswith(".")]
    return [
        CompletionItem(f"{folder}{one.name}{'/' if one.is_dir() else ''}", type=_PATH)
        for one in shown
        if not one.name.endswith(_FOLDERS if one.is_dir() else _NO_INPUTS)
    ]


def complete_words(incomplete: str, *, first: bool) -> list[CompletionItem]:
    """Completions for words after the two dashes: a program first, then files."""
    from oracles.profiles import RELEASES  # not needed for other completions

    wanted = first and incomplete
    tools = [name for name in RELEASES.tools if wanted and name.startswith(incomplete)]
    return [CompletionItem(name) for name in tools] or [CompletionItem(incomplete, type="file")]
