"""Messages on standard error about what a command is doing, apart from its answer."""

from collections.abc import Callable

import click

from reducer.cli.console import echo


def print_status(text: str) -> None:
    """Print what is being done, unless the command is to be --quiet."""
    status_printer()(text)


def status_printer() -> Callable[[str], None]:
    """`print_status` for another thread, which does not know what command runs."""
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("quiet"):
        return lambda text: None
    return lambda text: echo(text, err=True)


def print_phase(text: str) -> None:
    """Print what begins now."""
    print_status(f"{text} …")
