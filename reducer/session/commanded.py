"""What judges the programs of a reduction, made from the words of a failing command."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from oracles import Command, CompilerOracle, Limits
from oracles.base import candidate_name
from oracles.compilers.command import verifying_tool
from oracles.run.memory import memory_limit
from reducer.errors import CommandNotFound
from reducer.session.settings import Settings
from reducer.storage.result_folder import program_suffix
from reducer.toolchain import ToolchainError, resolve_executable


def commanded(
    settings: Settings, words: Sequence[str], timeout: float | None
) -> tuple[Settings, CompilerOracle]:
    """The settings with the compiler's own tool, and the oracle that runs the command.

    Raises:
        CommandNotFound: its first word is no program.
    """
    command = Command.parse(words, source=settings.input, directory=Path.cwd())
    try:
        executable = resolve_executable(command.program)
    except ToolchainError as error:
        raise CommandNotFound(str(error)) from error
    name = candidate_name(program_suffix(settings.input))
    oracle = CompilerOracle(command, executable, name=name, limits=Limits(timeout, memory_limit()))
    return replace(settings, opt=settings.opt or verifying_tool(executable), parses=True), oracle
