"""Messages on standard error about what a command is doing, apart from its answer."""

import click


def print_status(text: str) -> None:
    """Print what is being done, unless the command is to be --quiet."""
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("quiet"):
        return
    click.echo(text, err=True)


def print_phase(text: str) -> None:
    """Print what begins now."""
    print_status(f"{text} …")
