"""Options of the release before this one: hidden, each with a warning that says what replaces it.

They are set on the command line, by the environment or in a file, and turn into today's options.
"""

from collections.abc import Callable, Sequence
from typing import Any

import click
from click.core import ParameterSource

from reducer.cli.display.console import print_colored
from reducer.errors import UsageError

Values = dict[str, Any]


class Renamed(click.Option):
    """An option of the former release. `today` is what replaces it; '' if nothing has to."""

    def __init__(
        self,
        *args: Any,
        today: str = "",
        sets: Callable[[Values, Any], None] | None = None,
        quiet: ParameterSource = ParameterSource.DEFAULT,
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **{**attributes, "hidden": True})
        self.today = today
        self.sets = sets
        self.quiet = (ParameterSource.DEFAULT, quiet)

    def translate(self, ctx: click.Context) -> None:
        """Set today's option in the values of a call, and warn, if this one is given."""
        assert self.name is not None
        source = ctx.get_parameter_source(self.name)
        value = ctx.params.get(self.name)
        if self.sets is not None:
            ctx.params.pop(self.name)
        if source is None or source in self.quiet or ctx.resilient_parsing:
            return
        if self.sets is not None:
            self.sets(ctx.params, value)
        name = max(self.opts, key=len)
        instead = f"give {self.today} instead" if self.today else "it is not needed any more"
        print_colored("warning:", f"{name} will be gone in the next release; {instead}")


def renamed(*names: str, **attributes: Any) -> Callable[[Any], Any]:
    """An option of the former release, as a decorator."""
    return click.option(*names, cls=Renamed, **attributes)


def adds(name: str, word: str) -> Callable[[Values, Any], None]:
    """Add a word to the list in another option if the switch is on."""

    def add(values: Values, is_on: Any) -> None:
        values[name] = (*values.get(name, ()), *([word] if is_on else []))

    return add


def runs(flag: str) -> Callable[[Values, Any], None]:
    """Add a flag with the value, or one for each of them, to the run command."""

    def add(values: Values, given: Sequence[str] | str) -> None:
        listed = [given] if isinstance(given, str) else given
        values["run"] = (*values.get("run", ()), *(f"{flag}={one}" for one in listed))

    return add


def _python(values: Values, program: str) -> None:
    values["references"] = tuple(
        f"{one}@{program}" if one.startswith("python:") else one for one in values["references"]
    )


def _zeros(values: Values, is_on: bool) -> None:
    given = values["tolerance"]
    word = "signed-zeros" if is_on else "any-zeros"
    values["tolerance"] = f"{given},{word}" if given else word


def _exit(values: Values, code: int) -> None:
    if values["signature"] != "normal":
        raise UsageError("--exit-code and --signature were both given; leave one of them out")
    values["signature"] = f"exit={code}"


def _set(name: str) -> Callable[[Values, Any], None]:
    return lambda values, value: values.__setitem__(name, value)


_CALL = "a second -- and the command that runs the program"

ORACLE = [
    renamed("--exit-code", type=int, today="--signature exit=N", sets=_exit),
    renamed("--oracle", today="--test NAME", sets=_set("test")),
    renamed(
        "--opt",
        today="the environment variable MLIR_REDUCER_OPT",
        quiet=ParameterSource.ENVIRONMENT,
    ),
    renamed("--function", today=_CALL, sets=runs("--function")),
    renamed("--expected-output", multiple=True, today=_CALL, sets=runs("--expected_output")),
    renamed("--flagfile", today=_CALL, sets=runs("--flagfile")),
    renamed("--parameters", multiple=True, today=_CALL, sets=runs("--parameters")),
    renamed("--device", today=_CALL, sets=runs("--device")),
    renamed(
        "--signed-zeros/--no-signed-zeros",
        default=None,
        today="--tolerance signed-zeros or any-zeros",
        sets=_zeros,
    ),
    renamed("--python", today="--reference python:FILE.py:FUNCTION@PROGRAM", sets=_python),
]

REDUCE = [
    renamed("--keep-flags", is_flag=True, today="--keep flags", sets=adds("keep", "flags")),
    renamed("--keep-generic", is_flag=True, today="--keep generic", sets=adds("keep", "generic")),
    renamed(
        "--level",
        type=click.Choice(["any", "input"]),
        today="--keep level",
        sets=lambda values, level: adds("keep", "level")(values, level == "input"),
    ),
    renamed("--passes-with", multiple=True, today="--profile-with"),
    renamed("--comments/--no-comments", default=True),
    renamed("--also-found/--no-also-found", default=True),
    renamed("--resume", is_flag=True),
]
