"""The options that say how to call a compiled program, and what it should give."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from oracles.profiles import RUNTIME
from reducer.errors import MissingInput, UsageError
from reducer.miscompile.oracle.execution import parameter_file
from reducer.miscompile.values.input_files import (
    InputFileReader,
    RunFlags,
    expected_value,
    read_flags,
)
from reducer.miscompile.values.programs import UNKNOWN, Value
from reducer.miscompile.values.user_inputs import InputSpec

_SIGNS = ("@", "+", "*")


@dataclass(frozen=True)
class CallOptions:
    """How to call the program, as given by the user."""

    function: str | None = None
    inputs: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    flagfile: str | None = None
    parameters: tuple[str, ...] = ()
    device: str | None = None

    def words(self) -> list[str]:
        """The command line options that produce this value, for any folder."""
        flagfile = () if self.flagfile is None else (str(Path(self.flagfile).absolute()),)
        lists = (
            ("--flagfile", flagfile),
            ("--input", map(_absolute, self.inputs)),
            ("--expected-output", map(_absolute, self.expected)),
            ("--parameters", map(absolute_archive, self.parameters)),
        )
        words = [f"{option}={value}" for option, values in lists for value in values]
        for option, value in (("--function", self.function), ("--device", self.device)):
            words += [] if value is None else [option, value]
        return words


@dataclass(frozen=True)
class CallSpec:
    """How to call the program: the values of `CallOptions`, with all files read."""

    function: str | None
    given: tuple[InputSpec, ...]
    expected: tuple[Value, ...] | None
    parameters: tuple[str, ...]
    device: str | None
    ignored: tuple[str, ...] = ()


def read_call(options: CallOptions) -> CallSpec:
    """The call that the options describe. Options override the file of flags.

    Raises:
        UsageError: a value has invalid syntax, or its file holds other values.
        MissingInput: a file of flags or parameters cannot be read.
    """
    flags = _flags(options.flagfile)
    given = [*_read("--input", options.inputs)] or [*_read("--input", flags.inputs, flags.folder)]
    expected = [*_expected(options.expected)] or [*_expected(flags.expected, flags.folder)]
    archives = [*map(absolute_archive, options.parameters)]
    archives = archives or [absolute_archive(one, flags.folder) for one in flags.parameters]
    for archive in archives:
        if not parameter_file(archive).is_file():
            raise MissingInput(f"--parameters: {parameter_file(archive)}: no such file")
    return CallSpec(
        options.function or flags.function,
        tuple(given),
        tuple(expected) or None,
        tuple(archives),
        options.device or flags.device,
        tuple(flags.ignored),
    )


def _flags(path: str | None) -> RunFlags:
    if path is None:
        return RunFlags(Path())
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
    found: list[Value] = []
    try:
        for spec in specs:
            ignored = spec == RUNTIME.ignored_output
            found += [UNKNOWN] if ignored else map(expected_value, reader.read(spec))
    except ValueError as error:
        raise UsageError(f"--expected-output: {error}") from error
    return found


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
