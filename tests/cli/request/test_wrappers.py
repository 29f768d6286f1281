"""Programs around a compiler that keep it from being reduced."""

import pytest

from reducer.cli.request.wrappers import split_timeout


@pytest.mark.parametrize(
    ("command", "split"),
    [
        ("timeout 2 sh x", (2.0, "sh x")),
        ("nice timeout --signal KILL -k 3 .5h env X=1 sh", (1800.0, "nice env X=1 sh")),
        ("/usr/bin/timeout --foreground -s9 1d sh --timeout 3", (86400.0, "sh --timeout 3")),
        ("timeout -v -p -f --verbose --preserve-status --kill-after=1s 2 sh", (2.0, "sh")),
        ("timeout -vk 5 2 sh", None),  # all of this would have to be understood
        ("timeout -pv 2 sh", None),
        ("timeout --sig KILL 2 sh", None),
        ("timeout -k sh 2 sh", None),
        ("timeout -k 5", None),
        ("sh timeout 2 x", None),
        ("timeout 0 sh", None),
        ("timeout x sh", None),
    ],
)
def test_the_limit_of_a_command(command: str, split: tuple[float, str] | None) -> None:
    found = split_timeout(command.split())
    assert found == (split and (split[0], tuple(split[1].split())))
