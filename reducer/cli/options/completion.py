"""`mlir-reducer completion`: the scripts that let shells ask for completions."""

import click
from click.shell_completion import get_completion_class

from reducer.cli.display.console import echo
from reducer.cli.options.base import ReducerCommand

PROGRAM = "mlir-reducer"
_VARIABLE = "_MLIR_REDUCER_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")

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
    kind = get_completion_class(shell)
    assert kind is not None, "click knows the three shells"
    program = context.find_root().command
    script = kind(program, {}, PROGRAM, _VARIABLE).source()
    for before, after in _CHANGES[shell]:
        assert before in script, "click's script is as we know it"
        script = script.replace(before, after)
    echo(script)
