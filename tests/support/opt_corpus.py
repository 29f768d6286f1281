"""Failures of `…-opt` tools other than IREE's compiler, under corpus/opt/ (see its cases.toml)."""

import shutil
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from oracles import Command, CompilerOracle, Limits, Oracle
from oracles.compilers.command import verifying_tool
from reducer.cli.request.wrong_results import pipeline_comparison
from reducer.miscompile.oracle import ValuesOracle
from reducer.toolchain import find
from tests.support.triton import install_triton, triton_command
from tests.support.wheels import extracted

FOLDER = Path(__file__).parents[2] / "corpus" / "opt"
HANGING = 4.0
"""Seconds after which a run is taken for a hang."""


@dataclass(frozen=True)
class OptCase:
    """One failure of one release of a tool."""

    name: str
    title: str
    issue: str
    tool: str
    package: str
    version: str
    flags: tuple[str, ...]
    kind: str
    message: str = ""

    @property
    def text(self) -> str:
        """The issue's program."""
        return (FOLDER / f"{self.name}.mlir").read_text(encoding="utf-8")

    @cached_property
    def command(self) -> list[str] | None:
        """The command without the input; None if the tool is not installed.

        Raises:
            CalledProcessError: it is in a wheel that cannot be had.
        """
        if self.package == "triton":
            return [*triton_command(install_triton(self.version)), *self.flags]
        if self.package == "heir-py":
            return [str(extracted(self.package, self.version, f"heir/{self.tool}")), *self.flags]
        if self.package == "iree-base-compiler":
            installed = find(self.version)
            return [str(installed.tool(self.tool)), *self.flags] if installed else None
        return [self.tool, *self.flags] if shutil.which(self.tool) else None

    @property
    def limits(self) -> Limits:
        return Limits(seconds=HANGING if self.kind == "timeout" else 60.0, memory=8 << 30)

    @property
    def is_wrong(self) -> bool:
        """Whether the passes end well, but the program then means something else."""
        return self.kind == "miscompile"

    def oracle(self, text: str | None = None) -> Oracle:
        """An oracle for the failure, of the issue's program or another; needs the tool."""
        assert self.command is not None
        program = Path(shutil.which(self.command[0]) or self.command[0])
        command = Command.parse(self.command)
        if self.is_wrong:
            comparison = pipeline_comparison(command, program, ())
            return ValuesOracle(comparison, text or self.text, limits=self.limits)
        return CompilerOracle(command, program, limits=self.limits)

    def opt(self) -> Path | None:
        """The tool that prints the program in generic form."""
        assert self.command is not None
        return verifying_tool(Path(shutil.which(self.command[0]) or self.command[0]))


def opt_cases() -> list[OptCase]:
    """All of them, in the order of the file."""
    tables = tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8"))
    return [
        OptCase(name=name, **{**table, "flags": tuple(table["flags"])})
        for name, table in tables.items()
    ]
