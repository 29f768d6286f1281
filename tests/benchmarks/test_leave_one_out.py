"""The audit without one place: a reduction that really does not ask it."""

from dataclasses import dataclass

import pytest

from benchmarks import leave_one_out
from reducer.driver.stages import opening


@dataclass(frozen=True)
class Named:
    name: str


def test_the_place_that_is_left_out_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def main(args: list[str]) -> None:
        asked.extend(place.name for place in opening.configs_of(None))  # type: ignore[arg-type]

    monkeypatch.setattr(opening, "configs_of", opening.configs_of)  # put back at the end
    monkeypatch.setattr(leave_one_out, "configs_of", lambda oracle: [Named("O0"), Named("vulkan")])
    monkeypatch.setattr(leave_one_out.mlir_reducer, "main", main)
    monkeypatch.setattr("sys.argv", ["", "vulkan", "reduce"])
    leave_one_out.run_without()
    assert asked == ["O0"]
