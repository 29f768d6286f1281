"""The options of `--wrong-results`, and the comparison built from them."""

import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from oracles import Command, Limits
from oracles.command import verifying_tool
from oracles.profiles import RUNTIME
from oracles.values import (
    CommandDisplay,
    Comparison,
    CompilerConfig,
    Implementation,
    Poisoned,
    PythonReference,
    ValuesOracle,
    with_backend,
)
from oracles.values.references import backend_of
from oracles.variants import other_flags
from reducer.cli.call_options import CallOptions, call_options, read_call
from reducer.errors import CommandNotFound, UsageError
from reducer.session.conversions import OptPrinter
from reducer.session.size_audit import SizeAudit
from reducer.toolchain import install, runtime_of

_AUDIT_SECONDS = 60.0


@dataclass(frozen=True)
class WrongResults:
    """What to compare, as given by the user."""

    references: tuple[str, ...] = ()
    tolerance: float | None = None
    python: str | None = None
    call: CallOptions = field(default_factory=CallOptions)

    def oracle(
        self,
        command: Command,
        executable: Path,
        text: str,
        *,
        limits: Limits,
        display: CommandDisplay,
    ) -> ValuesOracle:
        """The oracle for one command.

        Raises:
            UsageError: a reference or an input has invalid syntax.
            ToolchainError: a version or its runtime cannot be installed.
        """
        call = read_call(self.call)
        if call.ignored:
            _print_status(f"ignored flags of --flagfile: {' '.join(call.ignored)}")
        candidate = CompilerConfig(
            "the command",
            command,
            executable,
            runtime_of(executable, progress=_print_status),
            call.device or RUNTIME.device,
            call.parameters,
        )
        chosen = [self._side(name, candidate) for name in self.references]
        fixed = tuple(side for side in chosen if isinstance(side, PythonReference))
        named = [side for side in chosen if not isinstance(side, PythonReference)]
        sides = named or [self._side(default_reference(command), candidate)]
        comparison = Comparison(
            candidate,
            sides[0],
            required=tuple(sides[1:]),
            witnesses=tuple(_witnesses(sides[0], candidate)),
            fixed=fixed,
            named=bool(named),
            function=call.function,
            given=call.given,
            expected=call.expected,
            tolerance=self.tolerance,
            audit=_audit(executable),
        )
        return ValuesOracle(comparison, text, limits=limits, display=display)

    def words(self) -> list[str]:
        """The command line options that produce this value."""
        words = ["--wrong-results"]
        for name in self.references:
            words += ["--reference", _absolute(name)]
        for option, value in (("--tolerance", self.tolerance), ("--python", self.python)):
            words += [] if value is None else [option, str(value)]
        return [*words, *self.call.words()]

    def _side(self, name: str, candidate: CompilerConfig) -> Implementation:
        base = replace(candidate, name=name, device=RUNTIME.reference_device)
        kind, _, rest = name.partition(":")
        if name in RUNTIME.backends:
            return replace(base, command=with_backend(candidate.command, name))
        if kind == "iree" and rest:
            return _of_version(base, *rest.partition("+")[::2])
        if kind == "flags" and rest:
            return replace(base, command=other_flags(candidate.command, shlex.split(rest)))
        if kind == "python" and ":" in rest:
            return self._python(*rest.rpartition(":")[::2])
        raise UsageError(
            f"--reference {name}: give {', '.join(RUNTIME.backends)}, iree:VERSION, "
            'flags:"--some=flag", or python:FILE.py:FUNCTION'
        )

    def _python(self, file: str, function: str) -> PythonReference:
        path = Path(file).absolute()
        if not path.is_file():
            raise CommandNotFound(f"--reference: {file}: no such file")
        interpreter = self.python or sys.executable
        if shutil.which(interpreter) is None:
            raise CommandNotFound(f"--python: '{interpreter}' is not an executable program")
        return PythonReference(path, function, interpreter)


def _of_version(base: CompilerConfig, version: str, backend: str) -> CompilerConfig:
    """The reference for `iree:3.6.0`, or for `iree:3.6.0+vmvx` with another backend."""
    toolchain = install(version, progress=_print_status, runtime=True)
    if backend and backend not in RUNTIME.backends:
        known = " or ".join(RUNTIME.backends)
        raise UsageError(f"--reference: unknown backend '{backend}'; give {known}")
    return replace(
        base,
        command=with_backend(base.command, backend) if backend else base.command,
        executable=toolchain.compile,
        run_module=toolchain.run_module,
    )


def default_reference(command: Command) -> str:
    """Another backend that runs on any machine."""
    return next(name for name in RUNTIME.backends if name != backend_of(command))


def _witnesses(reference: Implementation, candidate: CompilerConfig) -> list[Implementation]:
    """Other ways to compile the module that should agree with the reference."""
    witnesses: list[Implementation] = []
    base = replace(candidate, device=RUNTIME.reference_device)
    if isinstance(reference, CompilerConfig):
        witnesses.append(Poisoned(reference))
        base = reference
    used = {candidate.executable: {backend_of(candidate.command)}}
    used.setdefault(base.executable, set()).add(backend_of(base.command))
    for backend in RUNTIME.backends:
        if backend not in used[base.executable]:
            command = with_backend(base.command, backend)
            witnesses.append(replace(base, name=f"{base.name} on {backend}", command=command))
    plain = other_flags(base.command, RUNTIME.unoptimized)
    name = f"{base.name} at {' '.join(RUNTIME.unoptimized)}"
    witnesses.append(replace(base, name=name, command=plain))
    return witnesses


def _audit(executable: Path) -> SizeAudit | None:
    """An audit that parses modules with the compiler's own tool; None if it has none."""
    opt = verifying_tool(executable)
    return SizeAudit(OptPrinter(opt, Limits(_AUDIT_SECONDS)).generic) if opt else None


def _absolute(name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind != "python":
        return name
    file, _, function = rest.rpartition(":")
    return f"python:{Path(file).absolute()}:{function}"


def wrong_results_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options whose values make a `WrongResults`."""
    options = [
        click.option(
            "--wrong-results",
            is_flag=True,
            help="Preserve a miscompile: COMMAND compiles INPUT, and the compiled program computes "
            "results that differ from a reference.",
        ),
        click.option(
            "--reference",
            "references",
            metavar="REF",
            multiple=True,
            help="Where the expected results come from: vmvx, llvm-cpu, iree:VERSION[+BACKEND], "
            "flags:'--a --b' (added to COMMAND, or replacing flags of the same name), or "
            "python:FILE.py:FUNCTION. Can be repeated; all must agree. [default: vmvx, or llvm-cpu "
            "if COMMAND targets vmvx]",
        ),
        click.option(
            "--tolerance",
            metavar="REL",
            type=click.FloatRange(min=0),
            help="Accepted relative difference. [default: by type]",
        ),
        click.option(
            "--python",
            metavar="PROGRAM",
            help="Interpreter for a python: reference; needs NumPy. [default: this program's]",
        ),
    ]
    function = call_options(function)
    for option in reversed(options):
        function = option(function)
    return function


def _print_status(text: str) -> None:
    click.echo(text, err=True)
