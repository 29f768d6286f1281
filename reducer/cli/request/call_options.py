"""The options that say how to call a compiled program, and what it should give."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oracles.profiles import RUNTIME
from reducer.errors import MissingInput, UsageError
from reducer.miscompile.oracle import parameter_file
from reducer.miscompile.values.input_files import (
    InputFileReader,
    RunFlags,
    expected_value,
    flags_among,
    read_flags,
)
from reducer.miscompile.values.programs import UNKNOWN, Value
from reducer.miscompile.values.user_inputs import InputSpec

_ENTRY = re.compile(r"^--?(?:e|entry-point)(?==)")
"""How MLIR's tool spells the function to call."""

_NOT_ASKED = ("--module=", "--output=")
"""Flags of a run command that say nothing about the call."""

_SIGNS = ("@", "+", "*")


@dataclass(frozen=True)
class CallOptions:
    """How to call the program, as given by the user."""

    run: tuple[str, ...] = ()
    """A tool that runs programs with its flags, or flags of IREE's tool alone."""
    inputs: tuple[str, ...] = ()
    """Values of `--input`, which replace those of the tool."""

    def input_words(self) -> list[str]:
        """The values of `--input`, for any folder."""
        return [f"--input={_absolute(one)}" for one in self.inputs]

    def run_words(self) -> list[str]:
        """The tool with its flags, for any folder; empty if the user names neither."""
        flags = [*map(_in_any_folder, flags_of(self.run))]
        return [self.program, *flags] if flags else []

    @property
    def program(self) -> str:
        """The tool, as the user writes it."""
        return RUNTIME.program if not self.run or self.run[0].startswith("-") else self.run[0]

    @property
    def without_answers(self) -> "CallOptions":
        """Without the expected results, which are those of the input alone."""
        kept = [one for one in flags_of(self.run) if not one.startswith(RUNTIME.expected_flag)]
        return replace(self, run=(self.program, *kept) if kept else ())


def flags_of(words: Sequence[str]) -> list[str]:
    """The flags of a run command, each in one word.

    >>> flags_of(["iree-run-module", "--device", "hip", "--module=x.vmfb"])
    ['--device=hip', '--module=x.vmfb']
    >>> flags_of(["mlir-runner-22", "-e", "main"])
    ['-e=main']
    """
    flags: list[str] = []
    for word in words if words and words[0].startswith("-") else words[1:]:
        if flags and "=" not in flags[-1] and not word.startswith("-"):
            flags[-1] += f"={word}"
        elif word.startswith("-"):
            flags.append(word)
    return flags


@dataclass(frozen=True)
class CallSpec:
    """How to call the program: the values of `CallOptions`, with all files read."""

    function: str | None
    given: tuple[InputSpec, ...]
    expected: tuple[Value, ...] | None
    parameters: tuple[str, ...]
    device: str | None
    ignored: tuple[str, ...] = ()
    program: Path | None = None
    """The tool that runs compiled programs, if the user names its file."""


def read_call(options: CallOptions) -> CallSpec:
    """The call that the options describe.

    Raises:
        UsageError: a value has invalid syntax, or its file holds other values.
        MissingInput: a file of flags or parameters cannot be read.
    """
    words = [_ENTRY.sub(RUNTIME.function_flag, one) for one in flags_of(options.run)]
    files = [one for one in words if one.startswith(f"{RUNTIME.flagfile_flag}=")]
    own, file = flags_among(one for one in words if one not in files), _file_of(files)
    given = [*_read("--input", options.inputs or own.inputs)]
    expected = [*_expected(own.expected)] or [*_expected(file.expected, file.folder)]
    archives = [*map(absolute_archive, own.parameters)]
    archives = archives or [absolute_archive(one, file.folder) for one in file.parameters]
    for archive in archives:
        if not parameter_file(archive).is_file():
            raise MissingInput(f"--parameters: {parameter_file(archive)}: no such file")
    return CallSpec(
        own.function or file.function,
        tuple(given or _read("--input", file.inputs, file.folder)),
        tuple(expected) or None,
        tuple(archives),
        own.device or file.device,
        tuple(file.ignored + [one for one in own.ignored if not one.startswith(_NOT_ASKED)]),
        Path(options.program).absolute() if "/" in options.program else None,
    )


def _file_of(flags: Sequence[str]) -> RunFlags:
    """The last file that `--flagfile` names."""
    if not flags:
        return RunFlags(Path())
    path = flags[-1].partition("=")[2]
    try:
        return read_flags(Path(path))
    except OSError as error:
        raise MissingInput(f"--flagfile: {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"--flagfile: {path}: {error}") from error


def _read(option: str, specs: Iterable[str], folder: Path | None = None) -> list[InputSpec]:
    reader = InputFileReader(folder)
    try:
        return [one for spec in specs for one in reader.read(spec)]
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error


def _expected(specs: Iterable[str], folder: Path | None = None) -> list[Value]:
    reader = InputFileReader(folder)
    values: list[Value] = []
    try:
        for spec in specs:
            ignored = spec == RUNTIME.ignored_output
            values += [UNKNOWN] if ignored else map(expected_value, reader.read(spec))
    except ValueError as error:
        raise UsageError(f"{RUNTIME.expected_flag}: {error}") from error
    return values


def _in_any_folder(flag: str) -> str:
    """The flag, with the file that it names by its absolute path."""
    name, _, value = flag.partition("=")
    if name == RUNTIME.flagfile_flag:
        return f"{name}={Path(value).absolute()}"
    if name == RUNTIME.parameters_flag:
        return f"{name}={absolute_archive(value)}"
    return (
        f"{name}={_absolute(value)}"
        if name in (RUNTIME.input_flag, RUNTIME.expected_flag)
        else flag
    )


def _absolute(spec: str) -> str:
    """The spec, with the file that it names by its absolute path."""
    type_, equals, rest = spec.partition("=")
    if not equals:
        type_, rest = "", spec
    if rest[:1] not in _SIGNS or len(rest) < 2:
        return spec
    return f"{type_}{equals}{rest[0]}{Path(rest[1:]).absolute()}"


def absolute_archive(archive: str, folder: Path | None = None) -> str:
    """An archive of parameters by its absolute path; relative ones are in `folder`."""
    scope, equals, file = archive.rpartition("=")
    return f"{scope}{equals}{((folder or Path()) / file).absolute()}"
