"""A health profile says at which targets, levels and releases a program compiles or fails.

Each place runs the command of the failure with nothing changed but the place. Few places are asked,
and what is said covers only these.

This file: few places are asked where neighbors answer alike.
"""

import pytest

from reducer.identity.builds import BuildConfig, BuildKind, Health
from reducer.identity.builds.check import nearest_first, rounds, worth_comparing

GOOD, SAME, OTHER, UNKNOWN = list(Health)[:4]
LETTER = {"g": GOOD, "s": SAME, "o": OTHER, "?": UNKNOWN}


def line(answers: str, kind: BuildKind = BuildKind.RELEASE) -> dict[BuildConfig, Health]:
    """One place for each letter, except `X`, the command's own."""
    own = answers.index("X")
    return {
        BuildConfig(kind, f"{number}", number - own): LETTER[letter]
        for number, letter in enumerate(answers)
        if letter != "X"
    }


def asked(truth: dict[BuildConfig, Health]) -> list[list[str]]:
    at: dict[BuildConfig, Health] = {}
    found = []
    for part in rounds(list(truth), at):
        found.append([place.name for place in part])
        at |= {place: truth[place] for place in part}
    return [part for part in found if part]


@pytest.mark.parametrize(
    ("answers", "parts"),
    [
        ("ggggX", [["3", "0"]]),
        ("ooooX", [["3", "0"]]),
        ("ggggggX", [["5", "0"], ["3"]]),
        ("gggsggX", [["5", "0"], ["3"], ["2", "4"]]),
        ("gsssX", [["3", "0"], ["2"], ["1"]]),
        ("gggXg", [["2", "4", "0"]]),
        ("ssssX", [["3", "0"]]),
        ("Xssgg", [["1", "4"], ["3"], ["2"]]),
        ("Xsssss", [["1", "5"]]),
        ("X", []),
        ("?ggX", [["2", "0"]]),
    ],
)
def test_what_is_asked_of_a_line(answers: str, parts: list[list[str]]) -> None:
    assert asked(line(answers)) == parts


def test_all_targets_are_asked_and_levels_are_a_line() -> None:
    assert asked({BuildConfig(BuildKind.TARGET, name): SAME for name in "abc"}) == [["a", "b", "c"]]
    assert asked(line("Xsss", BuildKind.LEVEL)) == [["3"]]
    assert asked(line("Xsgg", BuildKind.LEVEL)) == [["3"], ["2"], ["1"]]
    assert asked(line("sXss", BuildKind.LEVEL)) == [["0", "3"]]


@pytest.mark.parametrize(
    ("answers", "names"),
    [
        ("ssssX", ["0"]),
        ("ggggX", ["3"]),
        ("gossX", ["2", "1", "0"]),
        ("Xsg", ["1", "2"]),
        ("?X?", []),
        ("sXg", ["0", "2"]),
    ],
)
def test_where_larger_programs_are_asked(answers: str, names: list[str]) -> None:
    assert [place.name for place in worth_comparing(line(answers))] == names


def test_larger_programs_are_asked_for_all_targets_that_fail() -> None:
    found = dict(zip("abcd", (GOOD, SAME, OTHER, UNKNOWN), strict=True))
    targets = {BuildConfig(BuildKind.TARGET, name): health for name, health in found.items()}
    assert [place.name for place in worth_comparing(targets)] == ["b", "c"]


def test_nearest_first() -> None:
    assert [place.name for place in nearest_first(list(line("ggXgg")))] == ["1", "3", "0", "4"]
