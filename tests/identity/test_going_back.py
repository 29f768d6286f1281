"""Going back: the last accepted program that meets one more condition becomes the best again."""

from typing import Any
from unittest.mock import Mock

import pytest

from reducer.identity.conditions import Loss, go_back
from reducer.identity.program import Judging, Milestone, Program
from reducer.ir import Module, PlainText
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName, Refusal, Run
from reducer.search.judge import Judge
from reducer.transformations import BoundaryTypes
from tests.support.predicate import FAILURE, Memory, PredicateOracle


class Strict:
    """A condition that stands for any other one; here the oracle makes the difference."""

    name = ConditionName.CONSTANTS

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        return None


def program(*names: str) -> Module:
    return Module.parse("".join(f'"{name}"() : () -> ()\n' for name in names))


PROGRAMS = (program("t.a", "t.b", "t.c"), program("t.a", "t.b"), program("t.a"))


@pytest.mark.parametrize(("fails_with", "kept"), [("t.c", 1), ("t.b", 2), ("t.a", 3), ("t.d", 0)])
def test_the_last_program_that_fails_under_it(fails_with: str, kept: int) -> None:
    """`kept` accepted programs are left; with none, everything stays as it is."""
    condition, returned = Strict(), Mock()
    strict = PredicateOracle(lambda text: fails_with in text)
    strict.key = "strict"
    judge = Judge(PredicateOracle(lambda text: True), Memory(), target=FAILURE)
    steps = [Milestone(one, judge, BoundaryTypes.of(one)) for one in PROGRAMS]
    present = PlainText("present")
    reduced = Program(present, "", milestones=list(steps), on_return=returned)
    judging = Judging(Mock(), judge)

    def switch_on(one: Judge) -> Judge:
        return one.with_(oracle=strict).under(condition)

    loss = Loss("it was lost", steps, switch_on)
    assert go_back(reduced, judging, None) == ""
    assert go_back(reduced, judging, loss) == ("it was lost" if kept else "")
    judge.close()
    now = judging.full.query.conditions.get(condition.name)
    if kept:
        assert reduced.document is PROGRAMS[kept - 1]
        assert reduced.milestones == steps[:kept]
        assert now is condition
        returned.assert_called_once_with(PROGRAMS[kept - 1])
    else:
        assert (reduced.document, now) == (present, None)
        assert reduced.milestones == steps
        returned.assert_not_called()
