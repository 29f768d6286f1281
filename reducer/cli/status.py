"""Messages on standard error about what a command is doing, apart from its answer."""

import click


def print_status(text: str) -> None:
    """Print what is being done."""
    click.echo(text, err=True)


def print_phase(text: str) -> None:
    """Print what begins now."""
    print_status(f"{text} …")
