"""Numbers as people read them."""

import pytest

from reducer.units import duration, percent, plural, size


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.0 s"), (0.34, "0.3 s"), (59.94, "59.9 s"), (59.96, "1:00"), (75.4, "1:15"),
     (3599.6, "1:00:00"), (3700, "1:01:40")],
)  # fmt: skip
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (1234, "1.2 KB"), (3_300_000, "3.3 MB"),
     (5_000_000_000, "5.0 GB")],
)  # fmt: skip
def test_size(count: int, text: str) -> None:
    assert size(count) == text


def test_percent_is_whole_only_for_the_whole() -> None:
    assert percent(10, 10) == "100.0%"
    assert percent(65_409, 65_413) == "99.99%"
    assert percent(99_999_999, 100_000_000) == "99.99%"
    assert percent(1, 3) == "33.3%"
    assert percent(0, 0) == "-"
    assert percent(-1, 2) == "-50.0%"  # a result can have more lines than its input


def test_plural() -> None:
    assert [plural(count, "run") for count in (0, 1, 2, 2.5, 1234.5)] == [
        "0 runs", "1 run", "2 runs", "2.5 runs", "1,234 runs",
    ]  # fmt: skip
