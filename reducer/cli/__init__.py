"""The command line: parses arguments, shows progress, and ends with an exit code."""

from reducer.cli.app import main

__all__ = ["main"]
