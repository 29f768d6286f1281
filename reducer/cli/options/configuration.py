"""Defaults of options from `mlir-reducer.toml` or `[tool.mlir-reducer]` in `pyproject.toml`.

A file is found by where the user stands, as those of ruff and black are, so it may have come with
an untrusted input. Its keys (`KEYS`) therefore only say how much is done and how it is shown: none
names a program, a script, a host, a package index, or a file.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from reducer.cli.display.console import echo
from reducer.cli.ending import in_words
from reducer.cli.options.table import DEFAULTS, KEYS, ROWS, name_of
from reducer.errors import MissingInput, UsageError

OWN, SHARED = "mlir-reducer.toml", "pyproject.toml"
_TABLE = "mlir-reducer"  # below [tool] in the shared file

_GIVEN = "reducer.cli.options.configuration.given"
_READ = "reducer.cli.options.configuration.read"


@dataclass(frozen=True)
class ConfigurationFile:
    """The values of one file: for all commands, and for some."""

    path: Path
    common: Mapping[str, Any]
    sections: Mapping[str, Mapping[str, Any]]

    def of(self, command: str) -> dict[str, Any]:
        """The values for a command; its own section comes first."""
        return {**self.common, **self.sections.get(command, {})}


config_option = click.option(
    "--config",
    metavar="FILE",
    type=click.Path(),
    envvar="MLIR_REDUCER_CONFIG",
    expose_value=False,
    callback=lambda ctx, _, value: ctx.meta.__setitem__(_GIVEN, value),
    help="Read defaults of options from this file, or from none. [default: mlir-reducer.toml, or "
    "[tool.mlir-reducer] in pyproject.toml, in this folder or the nearest above]",
)
"""An option of the program, whose commands then read the file."""


def apply_configuration(ctx: click.Context) -> None:
    """Take defaults from the file that the program is given, or from the nearest one."""
    given = ctx.meta.get(_GIVEN)
    if not ctx.resilient_parsing and given != "none" and (path := _chosen(given)) is not None:
        found = read_configuration(path, _commands(ctx))
        values = found.of(ctx.command.name or "")
        ctx.default_map = _defaults(ctx, found.path, values)
        ctx.meta[_READ] = found.path, [name for name in values if _option(ctx, name)]


def show_configuration(ctx: click.Context) -> None:
    """Say what this command takes from which file, unless it is to be `--quiet`."""
    path, taken = ctx.meta.get(_READ, (None, ()))
    if path and (ctx.params.get("verbose") or (taken and not ctx.params.get("quiet"))):
        echo(f"configuration: {path} ({', '.join(taken) or 'nothing'})", err=True)


def without_contradictions(ctx: click.Context) -> None:
    """Drop defaults that cannot be combined with what this call asks for."""
    rows = [(setting, ROWS[setting]) for setting in ctx.params if setting in ROWS]
    typed = {row.name: row for setting, row in rows if is_given(ctx, setting)}
    for setting, row in rows:
        others = {*row.excludes, *row.yields}.intersection(typed)
        if row.name not in typed and (
            others or any(row.name in x.excludes for x in typed.values())
        ):
            ctx.params[setting] = DEFAULTS[setting]
    if str(ctx.params.get("signature")).startswith("exit=") and "profile-with" not in typed:
        ctx.params |= {"profile_with": ()} if "profile_with" in ctx.params else {}


def is_given(ctx: click.Context, parameter: str) -> bool:
    """Whether the user gave an option in this call, and not once for all calls."""
    return ctx.get_parameter_source(parameter) is ParameterSource.COMMANDLINE


def find_configuration(start: Path) -> Path | None:
    """The nearest file with a configuration, in `start` or a folder above.

    Raises:
        MissingInput: a file that may have one cannot be read.
        UsageError: such a file is not TOML.
    """
    for folder in (start, *start.parents):
        if (folder / OWN).is_file():
            return folder / OWN
        shared = folder / SHARED
        if shared.is_file() and _table(shared) is not None:
            return shared
    return None


def read_configuration(path: Path, commands: Iterable[str]) -> ConfigurationFile:
    """The values in a file; `commands` are the names that sections may have.

    Raises:
        MissingInput: it cannot be read.
        UsageError: it is not TOML, or has a key or section that is not known or not allowed.
    """
    table = _table(path) or {}
    common = {key: value for key, value in table.items() if not isinstance(value, dict)}
    sections = {key: value for key, value in table.items() if isinstance(value, dict)}
    for key in common:
        _check_key(path, key, key)
    for name, values in sections.items():
        if name not in commands:
            raise UsageError(f"{path}: there is no command {name}{_near(name, commands)}")
        for key in values:
            _check_key(path, key, f"{name}.{key}")
    return ConfigurationFile(path, common, sections)


def _chosen(given: str | None) -> Path | None:
    if given is None:
        return find_configuration(Path.cwd())
    if not Path(given).is_file():
        raise MissingInput(f"--config: {given}: no such file")
    return Path(given)


def _table(path: Path) -> dict[str, Any] | None:
    """Our part of a file; None if it is a shared file without one."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise MissingInput(f"cannot read {path}: {reason}") from error
    shared = path.name == SHARED
    if shared and _TABLE not in text:  # whatever else is wrong with it is not our business
        return None
    import tomllib  # most folders have no configuration

    try:
        values: Any = tomllib.loads(text, parse_float=_Written)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            f"{path} is not TOML: {error}; correct it, or use mlir-reducer --config none"
        ) from error
    if shared:
        tool = values.get("tool")
        values = tool.get(_TABLE) if isinstance(tool, dict) else None
    return values if isinstance(values, dict) else None


def _check_key(path: Path, key: str, shown: str) -> None:
    if key in KEYS:
        return
    if key in {row.name for row in ROWS.values()}:
        variable = f"MLIR_REDUCER_{key.replace('-', '_').upper()}"
        raise UsageError(
            f"{path}: {shown} cannot be set in a file; give --{key}, or set {variable}"
        )
    raise UsageError(f"{path}: there is no key {shown}{_near(key, KEYS)}")


def _near(name: str, known: Iterable[str]) -> str:
    """What the user may have meant."""
    close = get_close_matches(name, sorted(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else f"; there are {', '.join(sorted(known))}"


def _commands(ctx: click.Context) -> list[str]:
    root = ctx.find_root().command
    return root.list_commands(ctx) if isinstance(root, click.Group) else [ctx.command.name or ""]


def _option(ctx: click.Context, name: str) -> click.Option | None:
    """The option of the command that a key sets."""
    options = (one for one in ctx.command.params if isinstance(one, click.Option))
    return next((one for one in options if name_of(one) == name), None)


def _defaults(ctx: click.Context, path: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values by the names that click knows the options by.

    Raises:
        UsageError: a value is not one that the option takes.
    """
    found = {}
    for name, value in values.items():
        option = _option(ctx, name)
        if option is not None and option.name is not None:
            found[option.name] = _checked(ctx, path, option, value)
    return found


class _Written(float):
    """A number that remembers how it is written: 3.20 is a version, but as a number it is 3.2."""

    def __new__(cls, text: str) -> "_Written":
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str

    def __str__(self) -> str:
        return self.text


def _require_text(path: Path, name: str, value: Any, *, listed: bool) -> None:
    """Check that a version is in quotes.

    Raises:
        UsageError: it is a number, or a list where one string is taken.
    """
    items = value if isinstance(value, list) else [value]
    if all(isinstance(one, str) for one in items) and (listed or items is not value):
        return
    cure = [str(one) for one in items] if listed else ",".join(map(str, items))
    shown = f"[{', '.join(map(str, items))}]" if items is value else str(value).lower()
    raise UsageError(
        f"{path}: {name} = {shown} is no version; put it in quotes: {name} = {json.dumps(cure)}"
    )


def _checked(ctx: click.Context, path: Path, option: click.Option, value: Any) -> Any:
    """The value, as a list where the option can be repeated."""
    name, listed = name_of(option), isinstance(value, list)
    if isinstance(option.type, click.types.StringParamType):
        _require_text(path, name, value, listed=option.multiple)
    if option.is_flag != isinstance(value, bool) or (listed and not option.multiple):
        wanted = "true or false" if option.is_flag else "a number or a string"
        given = str(value).lower() if isinstance(value, bool) else repr(value)
        raise UsageError(f"{path}: {name} is {given}; it takes {wanted}")
    if option.multiple and not listed:
        value = [value]
    try:
        found = option.type_cast_value(ctx, value)
    except click.BadParameter as error:
        raise UsageError(f"{path}: {name}: {in_words(error.message)}") from error
    if name == "jobs" and isinstance(found, str):
        raise UsageError(f"{path}: {name} is {value!r}; a file cannot name a scheduler")
    return value
