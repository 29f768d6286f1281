"""A bisection finds what testing all releases would find, with few tests.

Releases that cannot tell are skipped and reported. A crash is the same crash on other releases,
even if it does not occur on every run.

This file: the search for the boundary between good and bad, on made-up verdicts.
"""

from hypothesis import given
from hypothesis import strategies as st

from reducer.bisect.bisector import Boundary, nearest, search
from reducer.bisect.query import ReleaseVerdict

B, G, OTHER, C = (
    ReleaseVerdict.BAD,
    ReleaseVerdict.GOOD,
    ReleaseVerdict.OTHER,
    ReleaseVerdict.CANNOT_TELL,
)


def found(
    verdicts: list[ReleaseVerdict], known: dict[str, ReleaseVerdict] | None = None
) -> tuple[Boundary, int]:
    """The boundary on one side of "start", given verdicts from near to far, and the tests run."""
    side = [str(number) for number in range(len(verdicts))]
    results = dict(known or {})
    asked = 0

    def test(version: str) -> ReleaseVerdict:
        nonlocal asked
        if version not in results:
            asked += 1
            results[version] = verdicts[int(version)]
        return results[version]

    return search("start", side, test, results), asked


def test_no_releases() -> None:
    assert found([]) == (Boundary("start"), 0)


def test_all_bad_takes_one_test() -> None:
    assert found([B] * 15) == (Boundary("14"), 1)


def test_halves() -> None:
    assert found([B] * 5 + [G] * 10) == (Boundary("4", "5"), 5)


def test_undecided_releases_are_skipped_and_reported() -> None:
    assert found([B, C, OTHER, G, G])[0] == Boundary("0", "3", ("1", "2"))


def test_only_undecided_releases_mean_no_good_one() -> None:
    assert found([C, OTHER, C])[0] == Boundary("start", None, ("0", "1", "2"))


def test_nothing_behind_a_known_good_release_is_tested() -> None:
    verdicts = [B, B, G, G, G, G]
    assert found(verdicts, {"1": B, "2": G}) == (Boundary("1", "2"), 0)
    assert found(verdicts, {"3": G}) == (Boundary("1", "2"), 2)


def test_a_contradicting_known_verdict_tests_all_releases() -> None:
    verdicts = [G, B, B, G, G]
    boundary, asked = found(verdicts, {"0": G, "1": B})
    assert boundary == Boundary("start", "0")
    assert asked == 3


@given(
    st.integers(0, 20).flatmap(lambda bad: st.tuples(st.just(bad), st.integers(0, 20))),
    st.randoms(use_true_random=False),
)
def test_bisection_finds_what_testing_all_releases_finds(
    sizes: tuple[int, int], random: object
) -> None:
    """If a bug, once introduced, stays; some releases cannot be decided."""
    bad, good = sizes
    verdicts = [B] * bad + [G] * good
    choose = random.random  # type: ignore[attr-defined]
    verdicts = [C if choose() < 0.3 else verdict for verdict in verdicts]
    known = {str(number): verdict for number, verdict in enumerate(verdicts)}
    boundary, asked = found(verdicts)
    complete = nearest("start", list(known), known)
    assert (boundary.bad, boundary.good) == (complete.bad, complete.good) or (
        complete.good is None and verdicts[-1:] != [B]
    )
    assert asked <= len(verdicts)
