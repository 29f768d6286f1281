"""Files of flags for the runtime's tool: how to call a program, and what it should give."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from oracles.profiles import RUNTIME


@dataclass
class RunFlags:
    """The flags that say what to call, on what, and with which results; the others are `ignored`.

    `folder` is where relative paths in them start.
    """

    folder: Path
    inputs: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    function: str | None = None
    device: str | None = None
    ignored: list[str] = field(default_factory=list)


def read_flags(path: Path) -> RunFlags:
    """The flags in a file: one per line; those after a `#` are comments.

    Raises:
        OSError: the file, or one that it includes, cannot be read.
        ValueError: it is not text, or includes itself.
    """
    found = RunFlags(path.absolute().parent)
    _read(path, found, ())
    return found


def _read(path: Path, found: RunFlags, including: tuple[Path, ...]) -> None:
    if path in including:
        raise ValueError(f"{path} includes itself")
    takes: dict[str, Callable[[str], None]] = {
        RUNTIME.input_flag: found.inputs.append,
        RUNTIME.expected_flag: found.expected.append,
        RUNTIME.parameters_flag: found.parameters.append,
        RUNTIME.function_flag: lambda value: setattr(found, "function", value),
        RUNTIME.device_flag: lambda value: setattr(found, "device", value),
        RUNTIME.flagfile_flag: lambda value: _read(path.parent / value, found, (*including, path)),
    }
    for line in path.read_text(encoding="utf-8").splitlines():
        flag, equals, value = line.strip().partition("=")
        if not flag or flag.startswith("#"):
            continue
        if equals and flag in takes:
            takes[flag](value)
        else:
            found.ignored.append(line.strip())
