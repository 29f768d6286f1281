"""The command line: parses arguments, shows what happens, and ends with an exit code."""

from reducer.cli.app import main

__all__ = ["main"]
