"""Run the program and end it with an exit code, and a message if something went wrong."""

import os
import re
import signal
import sys
from collections.abc import Callable
from difflib import get_close_matches
from typing import NoReturn

import click

from reducer.cli.display.console import echo, print_colored
from reducer.errors import ExitCode
from reducer.escaping import shell_joined

_READER_GONE = 128 + signal.SIGPIPE
"""As a shell reports a program that ends this way; 1 would be an answer of `check`."""


class ReaderGone(Exception):
    """Whoever read our output has closed the pipe. Click would exit with 1 on BrokenPipeError."""


def run_and_exit(body: Callable[[], object]) -> NoReturn:
    """Run `body`, whose value is the exit code (None for 0), and exit."""
    try:
        code = body()
        sys.stdout.flush()
    except (BrokenPipeError, ReaderGone):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_READER_GONE)
    except click.ClickException as error:
        sys.exit(_refused(error))
    except Exception as error:
        from reducer.cli.reasons import explain  # not needed for `--help`

        code = explain(error)
    except KeyboardInterrupt:
        code = interrupted()
    if code == ExitCode.INTERRUPTED:
        echo(f"next: {next_call(('--fresh', ''))}", err=True)
    sys.exit(code if isinstance(code, int) else 0)


def interrupted() -> int:
    """Report the signal that ended the program; return the exit code."""
    echo("interrupted", err=True)
    return ExitCode.INTERRUPTED


def next_call(*changes: tuple[str, str]) -> str:
    """This call as a shell takes it, its own words changed by regular expressions."""
    own, dashes, command = shell_joined(sys.argv[1:]).partition(" -- ")
    for pattern, instead in changes:
        own = re.sub(rf"(?:\s|^)(?:{pattern})(?!\S)", instead, own)
    return f"mlir-reducer {own.strip()}{dashes}{command}".rstrip()


def print_error(text: str) -> None:
    """Print why the program ends: "error: what is wrong; what to do"."""
    print_colored("error:", text)


def mistake_in(error: click.ClickException) -> str:
    """What is wrong with the command line, and the option that the user probably meant."""
    if not isinstance(error, click.NoSuchOption):
        text = in_words(error.format_message())
        return text[:1].lower() + text[1:]
    text = f"no such option '{error.option_name}'"
    close = get_close_matches(error.option_name, error.possibilities or (), n=1, cutoff=0.75)
    return f"{text}; did you mean {close[0]}?" if close else text


def in_words(message: str) -> str:
    """A message of click in one line, without the names of its types.

    >>> in_words("'x' is not a valid integer range.")
    "'x' is not a whole number"
    """
    text = " ".join(message.split()).removesuffix(".")
    text = text.replace("a valid integer range", "a whole number")
    return text.replace("a valid float range", "a number")


def _refused(error: click.ClickException) -> int:
    """Report that the command line is wrong; return the exit code."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    text = mistake_in(error)
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None and "?" not in text and ";" not in text:
        text += f"; see {context.command_path} --help"
    print_error(text)
    return error.exit_code
