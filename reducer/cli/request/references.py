"""The references of `--wrong-results`: those that are named, and who else is asked."""

import ast
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from oracles import Command, Limits
from oracles.compilers.command import other_flags, values_of, verifying_tool
from oracles.profiles import RUNTIME, TARGETS
from reducer.cli.display.console import print_status
from reducer.conversions import OptPrinter
from reducer.errors import CommandNotFound, UsageError
from reducer.miscompile.interpreter.reference import EvaluatorReference
from reducer.miscompile.mlir_runner.reference import MlirRunner
from reducer.miscompile.mlir_runner.tools import MlirTools, find_tools
from reducer.miscompile.oracle import (
    CompilerConfig,
    Implementation,
    Poisoned,
    PythonReference,
    SizeAudit,
    backend_of,
    runs_on_host,
    with_backend,
)
from reducer.toolchain import Toolchain, install, installed

EVALUATOR = "evaluator"
MLIR_RUNNER = "mlir-runner"
_PYTHON = "python:"
_AUDIT_SECONDS = 60.0
_FRONT_ENDS = 2


def is_fixed(name: str) -> bool:
    """Whether a reference is right for the input only."""
    return name.startswith(_PYTHON)


def reference_of(name: str, candidate: CompilerConfig) -> Implementation:
    """The reference that a user names with `--reference`.

    Raises:
        UsageError: there is no such reference.
        CommandNotFound: a file or program does not exist.
        ToolchainError: a release or its runtime cannot be installed.
    """
    base = replace(candidate, name=name)
    kind, _, rest = name.partition(":")
    if name == EVALUATOR:
        return EvaluatorReference(candidate)
    if name == MLIR_RUNNER:
        return _mlir_runner(candidate)
    if name in RUNTIME.backends:
        return _reproducible(replace(base, command=with_backend(candidate.command, name)))
    if kind == "iree" and rest:
        return _reproducible(_of_version(base, *rest.partition("+")[::2]))
    if kind == "flags" and rest:
        command = other_flags(candidate.command, shlex.split(rest))
        return _reproducible(replace(base, command=command))
    if kind == "python" and ":" in rest:
        return python_reference(name)
    raise UsageError(
        f"--reference {name}: give {EVALUATOR}, {MLIR_RUNNER}, {', '.join(RUNTIME.backends)}, "
        "iree:VERSION, "
        'flags:"--some=flag", or python:FILE.py:FUNCTION'
    )


def _reproducible(reference: CompilerConfig) -> CompilerConfig:
    """On a single thread, if it is the host that runs it."""
    if runs_on_host(reference.command):
        return replace(reference, device=RUNTIME.reference_device)
    return reference


def _mlir_runner(candidate: CompilerConfig) -> MlirRunner:
    tools = find_tools()
    if tools is None:
        raise CommandNotFound("--reference: no mlir-runner with mlir-opt is on PATH")
    return _mlir_runner_beside(tools, candidate)


def python_reference(name: str) -> PythonReference:
    """The reference `python:FILE.py:FUNCTION@PYTHON`, run by an interpreter, by default this one.

    Raises:
        UsageError: the file does not define the function.
        CommandNotFound: the file or the interpreter does not exist.
    """
    file, _, called = name.removeprefix(_PYTHON).rpartition(":")
    function, _, python = called.partition("@")
    path = Path(file).absolute()
    if not path.is_file():
        raise CommandNotFound(f"--reference: {file}: no such file")
    interpreter = python or sys.executable
    if shutil.which(interpreter) is None:
        raise CommandNotFound(f"--reference: '{interpreter}' is not an executable program")
    defined = _functions_in(path)
    if function not in defined and defined:
        raise UsageError(
            f"--reference: {file} defines no function {function}; it has {', '.join(defined)}"
        )
    return PythonReference(path, function, interpreter)


def _functions_in(path: Path) -> list[str]:
    """The functions that a file defines; empty if it may have others, or cannot be read."""
    try:
        body = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return []  # the interpreter says so, with the line
    if not all(isinstance(one, ast.FunctionDef | ast.Import | ast.Expr) for one in body):
        return []
    return [one.name for one in body if isinstance(one, ast.FunctionDef)]


def _of_version(base: CompilerConfig, version: str, backend: str) -> CompilerConfig:
    """The reference for `iree:3.6.0`, or for `iree:3.6.0+vmvx` with another backend."""
    toolchain = install(version, progress=print_status, runtime=True)
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


def witnesses_of(reference: Implementation, candidate: CompilerConfig) -> list[Implementation]:
    """Other ways to compile the module that should agree with the reference."""
    witnesses: list[Implementation] = []
    base = _reproducible(candidate)
    if isinstance(reference, CompilerConfig):
        witnesses.append(Poisoned(reference))
        base = reference
    used = {candidate.executable: {backend_of(candidate.command)}}
    used.setdefault(base.executable, set()).add(backend_of(base.command))
    for backend in RUNTIME.backends:
        if backend not in used[base.executable]:
            command = with_backend(base.command, backend)
            other = replace(base, name=f"{base.name} on {backend}", command=command)
            witnesses.append(_reproducible(other))
    if values_of(base.command, TARGETS.level_flag):  # without this flag, it is not optimized
        plain = other_flags(base.command, RUNTIME.unoptimized)
        name = f"{base.name} at {' '.join(RUNTIME.unoptimized)}"
        witnesses.append(replace(base, name=name, command=plain))
    return witnesses


def releases_beside(candidate: CompilerConfig) -> list[Implementation]:
    """Other installed releases with a runtime, the newest first.

    They compile for another backend, since releases share most defects of a backend.
    """
    backend = default_reference(candidate.command)
    others = (
        replace(
            candidate,
            name=f"{backend} of {one.version}",
            command=with_backend(candidate.command, backend),
            executable=one.compile,
            run_module=one.run_module,
        )
        for one in _others(candidate)
    )
    return list(map(_reproducible, others))


def siblings_of(candidate: CompilerConfig) -> list[Implementation]:
    """The same command without optimizations, if it has any, and with other installed releases."""
    plain: list[Implementation] = []
    if values_of(candidate.command, TARGETS.level_flag):
        command = other_flags(candidate.command, RUNTIME.unoptimized)
        name = f"the same command with {' '.join(RUNTIME.unoptimized)}"
        plain.append(replace(candidate, name=name, command=command))
    return plain + [
        replace(
            candidate,
            name=f"the same command with {one.version}",
            executable=one.compile,
            run_module=one.run_module,
        )
        for one in _others(candidate)
    ]


def front_ends_beside(candidate: CompilerConfig) -> list[Implementation]:
    """What the front ends of the newest and of the oldest other installed release make of a
    program, evaluated: the former has had defects mended, the latter shares the least code.
    """
    others = list(_others(candidate))
    ends = others if len(others) < _FRONT_ENDS else [others[0], others[-1]]
    return [
        EvaluatorReference(
            replace(candidate, executable=one.compile, run_module=one.run_module),
            name=f"the front end of {one.version}",
        )
        for one in ends
    ]


def _others(candidate: CompilerConfig) -> Iterator[Toolchain]:
    """Other installed releases that have a runtime, the newest first."""
    return (one for one in _installed_beside(candidate) if one.run_module.is_file())


def without_runtime(candidate: CompilerConfig) -> str:
    """The newest of the other installed releases if it has no runtime, and how to install that."""
    newest = next(_installed_beside(candidate), None)
    if newest is None or newest.run_module.is_file():
        return ""
    return (
        f"{newest.compile.name} {newest.version}, which is installed without its runtime "
        f"(mlir-reducer toolchain install {newest.version} --runtime)"
    )


def _installed_beside(candidate: CompilerConfig) -> Iterator[Toolchain]:
    for one in reversed(installed()):
        is_other = one.compile.resolve() != candidate.executable.resolve()
        if is_other and one.compile.name == candidate.executable.name:
            yield one


def outside(candidate: CompilerConfig) -> list[Implementation]:
    """Ways to run a module that have nothing to do with the compiler's project."""
    tools = find_tools()
    if tools is None or any(map(RUNTIME.less_exact.match, candidate.command.flags)):
        return []
    return [_mlir_runner_beside(tools, candidate)]


def _mlir_runner_beside(tools: MlirTools, candidate: CompilerConfig) -> MlirRunner:
    converted = RUNTIME.converted_types(candidate.command.flags)
    return MlirRunner(tools, candidate.executable, converted)


def audit_of(executable: Path) -> SizeAudit | None:
    """An audit that parses modules with the compiler's own tool; None if it has none."""
    opt = verifying_tool(executable)
    return SizeAudit(OptPrinter(opt, Limits(_AUDIT_SECONDS)).generic) if opt else None
