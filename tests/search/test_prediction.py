"""What the verdicts so far say about a candidate."""

from reducer.ir import Module, PlainText
from reducer.search.prediction import Acceptance, Parts, Predictor, Rejected


def lines(predictor: Predictor, *numbers: int) -> Parts:
    parts = predictor.parts(PlainText("".join(f"line {n}\n" for n in numbers)))
    assert parts is not None
    return parts


def chance(predictor: Predictor, base: Parts, *left: int, assumed: tuple[int, ...] = ()) -> float:
    rejected = (Rejected("delete", lines(predictor, *assumed)),) if assumed else ()
    return predictor.chance("delete", lines(predictor, *left), base, None, rejected)


def test_what_lacks_more_than_something_rejected_is_rejected() -> None:
    predictor = Predictor()
    base = lines(predictor, *range(8))
    predictor.learn("delete", lines(predictor, 0, 1, 2, 3, 4, 5), base, interesting=False)
    assert chance(predictor, base, 0, 1, 2, 3) < 0.1
    assert chance(predictor, base, *range(1, 8)) > 0.3


def test_each_op_of_a_rejected_group_may_be_the_needed_one() -> None:
    predictor = Predictor()
    base = lines(predictor, *range(8))
    before = chance(predictor, base, *range(7))
    predictor.learn("delete", lines(predictor, 0, 1, 2, 3, 4, 5), base, interesting=False)
    assert chance(predictor, base, *range(7)) < before
    predictor.learn("delete", lines(predictor, *range(7)), base, interesting=True)
    assert chance(predictor, base, 0, 1, 2, 3, 4, 5, 7) < 0.1


def test_what_was_removed_elsewhere_can_go() -> None:
    predictor = Predictor()
    base = lines(predictor, *range(8))
    before = chance(predictor, base, 0, 1, 2, 3, 4)
    predictor.learn("delete", lines(predictor, 0, 1, 2, 3, 4, 5), base, interesting=True)
    assert chance(predictor, base, 0, 1, 2, 3, 4, 5) > before


def test_what_is_assumed_counts_like_a_verdict() -> None:
    predictor = Predictor()
    base = lines(predictor, *range(8))
    assert chance(predictor, base, 0, 1, assumed=(0, 1, 2)) < 0.1


def test_another_transformation_may_remove_what_one_could_not() -> None:
    predictor = Predictor()
    base, left = lines(predictor, *range(8)), lines(predictor, *range(6))
    predictor.learn("delete", left, base, interesting=False)
    first = predictor.chance("forward", left, base)
    assert first > predictor.chance("delete", left, base)
    predictor.learn("forward", left, base, interesting=True)
    predictor.learn("forward", lines(predictor, *range(5)), base, interesting=False)
    assert predictor.chance("unwrap", left, base) != first


def test_an_edit_that_removed_less_before_tells_nothing() -> None:
    """A clean-up that kept what is needed may remove it once that is unused."""
    predictor = Predictor()
    base, left = lines(predictor, *range(8)), lines(predictor, 0, 1, 2)
    predictor.learn("delete", lines(predictor, 0, 1, 2, 3, 4), base, interesting=False)
    predictor.learn_edit("clean up", interesting=True)
    assert predictor.chance("clean up", base, base, "clean up") > 0.9
    assert predictor.chance("clean up", left, base, "clean up") < 0.3


def test_a_transformation_that_did_the_impossible_may_do_it_again() -> None:
    """What an op computes may be needed, but not the op: others are put in its place."""
    predictor = Predictor()
    base = lines(predictor, *range(8))
    for number in (0, 1):
        left = lines(predictor, *(n for n in range(8) if n != number))
        predictor.learn("forward", left, base, interesting=False)
    before = chance_of_forwarding(predictor, base)
    predictor.learn("forward", lines(predictor, *range(1, 8)), base, interesting=True)
    assert before < 0.1 < chance_of_forwarding(predictor, base)


def chance_of_forwarding(predictor: Predictor, base: Parts) -> float:
    return predictor.chance("forward", lines(predictor, 0, *range(2, 8)), base)


def test_an_op_is_known_by_its_result_wherever_it_stands() -> None:
    predictor = Predictor()
    both = '"builtin.module"() ({\n  %0 = "a.b"() : () -> i1\n  %1 = "a.c"(%0) : (i1) -> i1\n'
    one = '"builtin.module"() ({\n  %1 = "a.c"() : () -> i1\n'
    end = "}) : () -> ()\n"
    more, less = (predictor.parts(Module.parse(text + end)) for text in (both, one))
    assert more is not None and less is not None
    assert less & ~more == 0 and (more & ~less).bit_count() == 1


def test_chances_are_corrected_by_what_was_expected() -> None:
    rates = {share: Acceptance(0.5, weight=3) for share in (0.25, 0.5, 1.0)}
    for rate_share, rate in rates.items():
        for number in range(20):
            rate.add(number % 2 == 0, rate_share)
    expected_rarely, expected_half, expected_always = (rate.chance for rate in rates.values())
    assert expected_rarely > 1.5  # half of them, where a quarter was expected
    assert 0.75 < expected_half < 1.25
    assert 0.3 < expected_always < 0.7
