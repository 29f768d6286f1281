"""Statements about releases, compared with what was asked by a second, simple reading of them."""

import random
import re
from itertools import pairwise, product

import pytest

from oracles.profiles import RELEASES
from reducer.identity.builds import Health
from reducer.identity.builds.statements import ReleaseLine, statement

PUBLISHED = RELEASES.published
NEIGHBORS = ("3.6.0", "3.7.0", "3.7.1", "3.8.0", "3.9.0", "3.10.0")
APART = ("3.0.0", "3.2.0", "3.3.0", "3.4.0", "3.8.0", "3.13.0")
VERBS = {
    "compiles": Health.COMPILES,
    "fails": Health.SAME,
    "fails in another way": Health.OTHER,
    "cannot tell": Health.UNKNOWN,
    "timed out": Health.TIMED_OUT,
    "not asked": Health.NOT_ASKED,
}
At = dict[str, Health]


def cases(releases: tuple[str, ...]) -> list[At]:
    """All verdicts of four kinds, and some of all six."""
    few = (Health.COMPILES, Health.SAME, Health.UNKNOWN, Health.NOT_ASKED)
    every = [dict(zip(releases, one, strict=True)) for one in product(few, repeat=len(releases))]
    pick = random.Random(7)
    return every + [{name: pick.choice(list(Health)) for name in releases} for _ in range(1000)]


def listed(text: str) -> set[str]:
    """The releases that a list names."""
    found: set[str] = set()
    for item in re.split(r", | and ", text):
        first, to, last = item.partition(" to ")
        start, end = PUBLISHED.index(first), PUBLISHED.index(last if to else first)
        found |= set(PUBLISHED[start : end + 1])
    return found


def between(older: str, newer: str) -> tuple[str, ...]:
    return PUBLISHED[PUBLISHED.index(older) + 1 : PUBLISHED.index(newer)]


def check_clause(clause: str, at: At) -> Health | None:
    """Check what one clause claims; return the verdict whose releases it names completely."""
    asked = {name for name, health in at.items() if health is not Health.NOT_ASKED}
    if gap := re.fullmatch(r"not (all )?tried between (\S+) and (\S+)", clause):
        inside = between(gap[2], gap[3])
        assert {at[gap[2]], at[gap[3]]} == {Health.COMPILES, Health.SAME}, clause
        assert set(inside) - asked and bool(asked & set(inside)) is bool(gap[1]), clause
        return None
    if since := re.fullmatch(r"fails(?: for hip)? since (\S+)(?: \(asked: (.*)\))?", clause):
        start = PUBLISHED.index(since[1])
        assert at.get(PUBLISHED[start - 1]) is Health.COMPILES, clause
        assert not any(at.get(name) is Health.COMPILES for name in PUBLISHED[start:]), clause
        named = listed(since[2]) if since[2] else set(PUBLISHED[start:])
        assert named == {name for name, health in at.items() if health is Health.SAME}, clause
        return Health.SAME
    plain = re.fullmatch(r"([a-z ]+?)(?: for hip)?,? on (.*)", clause)
    assert plain, clause
    health = VERBS[plain[1]]
    assert listed(plain[2]) == {name for name, one in at.items() if one is health}, clause
    return health


def check(told: str, at: At) -> None:
    clauses = told.split("; ")
    said = [check_clause(clause, at) for clause in clauses]
    assert set(at.values()) - {Health.NOT_ASKED} <= set(said), "nothing that was asked is left out"
    decided = [
        name for name in PUBLISHED if at.get(name) in (Health.COMPILES, Health.SAME)
    ]  # each change of the verdict is shown by neighbors, or its gap is named
    for older, newer in pairwise(decided):
        unasked = [
            name
            for name in between(older, newer)
            if at.get(name, Health.NOT_ASKED) is Health.NOT_ASKED
        ]
        gap = f"tried between {older} and {newer}"
        assert (gap in told) == (at[older] is not at[newer] and bool(unasked)), told


@pytest.mark.parametrize("releases", [NEIGHBORS, APART])
@pytest.mark.parametrize("own", range(6))
def test_a_statement_says_what_was_asked(releases: tuple[str, ...], own: int) -> None:
    for case in cases(releases)[own % 3 :: 3]:
        if case[releases[own]] is not Health.SAME:
            continue
        others = [("release", name, health) for name, health in case.items()]
        told = statement(others, target="hip", release=releases[own])
        check(told, case)


@pytest.mark.parametrize("releases", [NEIGHBORS, APART])
def test_since_when(releases: tuple[str, ...]) -> None:
    for case in cases(releases):
        told = ReleaseLine(case).since
        failing = [name for name in PUBLISHED if case.get(name) is Health.SAME]
        if not failing:
            assert told == ""
            continue
        older = PUBLISHED[: PUBLISHED.index(failing[0])]
        compiling = [name for name in older if case.get(name) is Health.COMPILES]
        if found := re.fullmatch(r"a release after (\S+), up to (\S+)", told):
            assert (found[1], found[2]) == (compiling[-1], failing[0])
            assert found[1] != older[-1]
        elif told.endswith(" or earlier"):
            assert told.split()[0] == failing[0] and not compiling
        else:
            assert told == failing[0] and compiling[-1] == older[-1]


@pytest.mark.parametrize(
    ("older", "newer", "whole", "are_next"),
    [
        ("3.12.0", "3.13.0", (), True),
        ("3.7.0", "3.8.0", (), False),  # there is 3.7.1
        ("3.13.0", "3.14.0", (), True),
        ("3.13.0", "3.15.0", (), False),  # which are unknown
        ("3.14.0", "3.14.1", (), True),
        ("3.13.0", "4.0.0", (), True),
        ("3.12.0", "3.13.0rc20261016", (), False),
        ("3.7.0", "3.8.0", ("3.7.0", "3.8.0"), True),
        ("mine", "yours", ("mine", "yours"), True),
        ("mine", "yours", (), False),
    ],
)
def test_which_release_comes_right_before(
    older: str, newer: str, whole: tuple[str, ...], are_next: bool
) -> None:
    line = ReleaseLine({older: Health.COMPILES, newer: Health.SAME}, whole)
    assert line.is_next(older, newer) is are_next
    assert (line.since == newer) is are_next
