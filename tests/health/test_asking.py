"""Few places are asked where neighbors answer alike."""

import pytest

from reducer.health import Health, Place, PlaceKind
from reducer.health.asking import nearest_first, rounds

GOOD, SAME, OTHER, UNKNOWN = Health
LETTER = {"g": GOOD, "s": SAME, "o": OTHER, "?": UNKNOWN}


def line(answers: str, kind: PlaceKind = PlaceKind.RELEASE) -> dict[Place, Health]:
    """One place for each letter, except `X`, the command's own."""
    own = answers.index("X")
    return {
        Place(kind, f"{number}", number - own): LETTER[letter]
        for number, letter in enumerate(answers)
        if letter != "X"
    }


def asked(truth: dict[Place, Health]) -> list[list[str]]:
    at: dict[Place, Health] = {}
    found = []
    for part in rounds(list(truth), at):
        found.append([place.name for place in part])
        at |= {place: truth[place] for place in part}
    return [part for part in found if part]


@pytest.mark.parametrize(
    ("answers", "parts"),
    [
        ("gggggggX", [["6", "0"]]),
        ("gggggsssX", [["7", "0"], ["4"], ["6"], ["5"]]),
        ("ggXgg", [["1", "3", "0", "4"]]),
        ("ssssX", [["3", "0"]]),
        ("Xssgg", [["1", "4"], ["3"], ["2"]]),
        ("X", []),
        ("?ggX", [["2", "0"], ["1"]]),
    ],
)
def test_what_is_asked_of_a_line(answers: str, parts: list[list[str]]) -> None:
    assert asked(line(answers)) == parts


def test_all_targets_are_asked_and_levels_are_a_line() -> None:
    targets = {Place(PlaceKind.TARGET, name): SAME for name in "abc"}
    levels = line("Xsss", PlaceKind.LEVEL)
    assert asked(targets | levels) == [["a", "b", "c"], ["1", "3"]]
    levels = line("Xsgg", PlaceKind.LEVEL)
    assert asked(targets | levels) == [["a", "b", "c"], ["1", "3"], ["2"]]


def test_nearest_first() -> None:
    assert [place.name for place in nearest_first(list(line("ggXgg")))] == ["1", "3", "0", "4"]
