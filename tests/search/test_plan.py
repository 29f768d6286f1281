"""Plans: what a search asks, and what it asks next."""

from collections.abc import Callable

from reducer.ir import PlainText
from reducer.search.candidate import Candidate
from reducer.search.plan import Certain, Plan, Proposal


def questions(plan: Plan[PlainText] | None) -> list[str]:
    """What a plan asks if everything is accepted, and in the end nothing is left."""
    asked: list[str] = []
    while plan is not None:
        found = next(plan.candidates(), None)
        if found is not None:
            asked.append(found.candidate.text)
        if found is None:
            plan = plan.if_refused([])
        else:
            plan = plan.if_accepted(found.place, found.candidate, [])
    return asked


def asking(*texts: str) -> Callable[[PlainText], list[Proposal[PlainText]]]:
    return lambda document: [Proposal(Candidate(PlainText(text), "")) for text in texts]


def test_what_is_certain_is_asked_in_order_before_what_follows() -> None:
    document = PlainText("result")
    then = Certain(document, asking("c"))
    plan = Certain(document, asking("a", "b"), lambda of: then)
    assert questions(plan) == ["a", "b", "c"]


def test_an_unexpected_answer_ends_a_plan() -> None:
    plan = Certain(PlainText("result"), asking("a", "b"), lambda of: None)
    assert plan.if_refused([]) is None


def test_questions_are_made_once() -> None:
    made = []

    def make(document: PlainText) -> list[Proposal[PlainText]]:
        made.append(document)
        return asking("a", "b")(document)

    assert questions(Certain(PlainText("result"), make)) == ["a", "b"]
    assert len(made) == 1
