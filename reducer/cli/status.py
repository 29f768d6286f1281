"""Messages on standard error about what a command is doing, apart from its answer."""

import click


def print_phase(text: str) -> None:
    """Print what begins now."""
    click.echo(f"{text} …", err=True)
