"""What commands declare is what their code takes, and what is said elsewhere about values.

An option means the same everywhere, whether it is typed, in the environment or in a file.
"""

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from oracles import Level, ScriptOracle
from reducer.bisect.classifier import FIRST_LIMIT
from reducer.cli import main
from reducer.cli.options.groups import GROUPS, grouped, name_of
from reducer.cli.options.oracle import LEVELS
from reducer.driver.stages import opening
from reducer.explain import explainer
from reducer.explain.explainer import MOST_PARTS
from reducer.report.gathering import limits_of

DECLARED = ("bisect", "check", "explain", "locate", "reduce", "report", "triage")
BODIES = {"report": "report:bug_report"}


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


def all_commands(group: click.Group = main) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        one = group.get_command(context, name)
        assert one is not None
        yield name, one
        if isinstance(one, click.Group):
            yield from all_commands(one)


@pytest.mark.parametrize("name", DECLARED)
def test_the_code_takes_what_the_command_declares(name: str) -> None:
    module, _, function = BODIES.get(name, f"{name}:{name}").partition(":")
    body = getattr(import_module(f"reducer.cli.commands.{module}"), function)
    taken = inspect.signature(body).parameters
    given = {one.name for one in command(name).params if one.expose_value}
    if "words" in taken:
        given.add("words")
    required = {one.name for one in taken.values() if one.kind is not inspect.Parameter.VAR_KEYWORD}
    assert required <= given
    if len(required) == len(taken):  # the rest are fields of OracleOptions
        assert required == given


def test_values_written_down_twice_agree() -> None:
    assert set(LEVELS) == set(Level)
    parts = next(one for one in command("explain").params if one.name == "parts")
    assert parts.default == MOST_PARTS


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("reduce", opening.TIMEOUT),
        ("bisect", FIRST_LIMIT),
        ("explain", explainer.MAX_SECONDS),
        ("report", limits_of(ScriptOracle(Path("t"))).seconds),
        ("check", None),
        ("locate", None),
    ],
)
def test_the_default_limit_of_a_run_is_that_of_the_command(
    name: str, seconds: float | None
) -> None:
    option = next(one for one in command(name).params if one.name == "timeout")
    said = {3600.0: "an hour", 600.0: "10 minutes", None: "none"}[seconds]
    assert isinstance(option, click.Option) and f"[default: {said}" in (option.help or "")


def test_an_option_is_under_the_same_heading_everywhere() -> None:
    named = [name for _, names in GROUPS for name in names]
    assert len(named) == len(set(named))
    for name, one in all_commands():
        options = [
            each for each in one.params if isinstance(each, click.Option) and not each.hidden
        ]
        missing = {name_of(each) for each in options} - set(named)
        assert not missing, f"{name}: put {missing} into reducer/cli/options/groups.py"


def test_headings_are_in_order_and_never_empty() -> None:
    options = [
        one for one in command("check").params if isinstance(one, click.Option) and not one.hidden
    ]
    titles = [title for title, _ in grouped(options)]
    assert titles == [title for title, _ in GROUPS if title in titles]
    assert all(some for _, some in grouped(options))


def test_one_name_has_one_meaning() -> None:
    """The same option takes the same kind of value in every command."""
    seen: dict[str, tuple[object, ...]] = {}
    for command_name, one in all_commands():
        for option in one.params:
            if not isinstance(option, click.Option) or option.hidden or command_name == "report":
                continue
            name = name_of(option)
            kind = (type(option.type), option.is_flag)
            assert seen.setdefault(name, kind) == kind, (command_name, name)
