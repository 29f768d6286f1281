"""What `report` asks for beyond the result itself."""

import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from oracles import Command, CompilerOracle
from reducer.cli import report
from reducer.cli.report import OptionalSections
from tests.report.facts import facts


@pytest.fixture
def sections(tmp_path: Path) -> OptionalSections:
    oracle = CompilerOracle(Command.parse(["compiler"]), tmp_path / "compiler")
    return OptionalSections(cast(Any, None), oracle, None, tmp_path, threading.Event())


def finding(found: object) -> Callable[..., object]:
    return lambda *_, **__: found


def test_the_pass_level_is_part_of_a_report_if_there_is_one(
    sections: OptionalSections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "reduce_pass_level", finding(None))
    assert sections.pass_level(facts()) == facts()
    same = SimpleNamespace(same_program=True, pass_name="some-pass")
    monkeypatch.setattr(report, "reduce_pass_level", finding(same))
    told = sections.pass_level(facts())
    assert told.pass_file is None and told.pass_name == "some-pass"
