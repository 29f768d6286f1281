"""A program that is right only by the word of its own front end."""

from pathlib import Path

import pytest

from oracles import Kind, Outcome
from reducer.miscompile.oracle import Comparison, ValuesOracle
from reducer.miscompile.values import inputs
from tests.support.comparing import HEAD, Lab, Meaning

TEXT = HEAD + "candidate: 2xi32=1 2\nmeaning: 2xi32=1 2\n"
"""The program gives what the evaluator says."""


def judged(folder: Path, text: str, *, is_lowered: bool = True, named: bool = False) -> Outcome:
    lab = Lab(folder)
    comparison = Comparison(
        lab.side("candidate"),
        evaluator := Meaning(is_lowered=is_lowered),
        evaluator=evaluator,
        front_ends=(lab.side("newest"), lab.side("oldest")),
        named=named,
    )
    return ValuesOracle(comparison, text).run(text)


@pytest.mark.parametrize("others", ["", "newest: 2xi32=1 2\n", "oldest: 2xi32=1 2\n"])
def test_nobody_objects(tmp_path: Path, others: str) -> None:
    outcome = judged(tmp_path, TEXT + others)
    assert outcome.kind is Kind.SUCCESS
    assert outcome.stderr.startswith("only what the front end makes of the program was judged")


def test_another_release_makes_another_program_of_it(tmp_path: Path) -> None:
    outcome = judged(tmp_path, TEXT + "newest: 2xi32=1 2\noldest: 2xi32=1 7\n")
    assert outcome.kind is Kind.UNDECIDED
    assert "oldest makes another program of it: result 0, element 1: 7, here 2" in outcome.stderr


def test_it_is_not_asked_where_it_is_not_needed(tmp_path: Path) -> None:
    text = TEXT + "newest: 2xi32=1 7\n"
    assert judged(tmp_path, text, is_lowered=False).kind is Kind.SUCCESS
    assert judged(tmp_path, text, named=True).kind is Kind.SUCCESS


def test_it_is_not_asked_about_special_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Releases differ about NaN, for example, where a dialect has changed what it says of it."""
    style = next(one for one in inputs.STYLES if one.specials)
    monkeypatch.setattr(inputs, "STYLES", (style,))
    assert judged(tmp_path, TEXT + "newest: 2xi32=1 7\n").kind is Kind.SUCCESS


def test_a_wrong_program_stays_wrong(tmp_path: Path) -> None:
    text = TEXT.replace("candidate: 2xi32=1 2", "candidate: 2xi32=1 3") + "newest: 2xi32=1 7\n"
    assert judged(tmp_path, text).kind is Kind.MISCOMPILE


def test_the_first_objection_is_kept(tmp_path: Path) -> None:
    """Each trial would ask again; all of them would say the same of other numbers."""
    outcome = judged(tmp_path, TEXT + "newest: 2xi32=1 7\n")
    assert outcome.stderr.count("makes another program of it") == 1


@pytest.mark.parametrize(
    ("meaning", "reference", "kind"),
    [
        ("loose", "2xi32=1 3", Kind.MISCOMPILE),
        ("loose", "2xi32=1 2", Kind.SUCCESS),
        ("undefined an index out of bounds", "2xi32=1 3", Kind.MISCOMPILE),
        ("undefined an index out of bounds", "2xi32=1 2", Kind.UNDECIDED),
        ("2xi32=1 2", "2xi32=1 3", Kind.UNDECIDED),  # it opposes what is defined
    ],
)
def test_a_named_release_judges_what_is_undefined_only_after_the_front_end(
    tmp_path: Path, meaning: str, reference: str, kind: Kind
) -> None:
    lab = Lab(tmp_path)
    text = HEAD + f"candidate: 2xi32=1 2\nmeaning: {meaning}\nreference: {reference}\n"

    def outcome(*, is_lowered: bool) -> Outcome:
        evaluator = Meaning(is_lowered=is_lowered)
        sides = lab.side("candidate"), lab.side("reference")
        comparison = Comparison(*sides, evaluator=evaluator, named=True)
        return ValuesOracle(comparison, text).run(text)

    assert outcome(is_lowered=True).kind is kind
    assert outcome(is_lowered=False).kind is not Kind.MISCOMPILE
