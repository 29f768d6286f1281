"""The help of all commands, one below the other: `mlir-reducer help --all`."""

from collections.abc import Iterator

import click


def reference(command: click.Command, context: click.Context) -> Iterator[str]:
    """The help of a command, and of the commands inside it."""
    yield f"{command.get_help(context)}\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                with click.Context(inner, info_name=name, parent=context) as below:
                    yield from reference(inner, below)
