"""What is said elsewhere about values is what the table of options says.

An option means the same everywhere, whether it is typed, in the environment or in a file.
"""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from oracles import Level, ScriptOracle
from reducer.bisect.classifier import FIRST_LIMIT
from reducer.cli import main
from reducer.cli.options.table import DEFAULTS, ROWS
from reducer.cli.options.values import LEVELS
from reducer.driver.stages import opening
from reducer.explain import explainer
from reducer.explain.explainer import MOST_PARTS
from reducer.report.gathering import limits_of


def all_commands(group: click.Group = main) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from all_commands(command)


def test_values_written_down_twice_agree() -> None:
    assert set(LEVELS) == set(Level)
    assert DEFAULTS["parts"] == MOST_PARTS


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
    said = {3600.0: "an hour", 600.0: "10 minutes", None: "none"}[seconds]
    assert ROWS["timeout"].on[name].startswith(said)


def test_rows_of_one_name_differ_in_their_commands_only() -> None:
    for row in ROWS.values():
        same = [other for other in ROWS.values() if other.name == row.name]
        assert len({(other.group, other.key, other.brief) for other in same}) == 1, row.name
        assert sum(len(other.on) for other in same) == len(set().union(*(x.on for x in same)))
        assert {*row.needs, *row.excludes, *row.yields} <= {other.name for other in ROWS.values()}


def test_every_option_of_a_command_is_a_row() -> None:
    for name, command in all_commands():
        options = [each for each in command.params if isinstance(each, click.Option)]
        assert {each.name for each in options} - {"brief"} <= ROWS.keys(), name
