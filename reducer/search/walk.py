"""Walk a plan: ask about its candidates in order, and go on with what follows from the answers."""

from collections.abc import Iterator, Sequence
from typing import Any

from oracles import Outcome
from reducer.ir import D
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import Refused
from reducer.search.plan import Answer, Plan
from reducer.search.state import SearchState


def walk(plan: Plan[D] | None, state: SearchState[D]) -> bool:
    """Walk a plan to its end.

    Returns:
        Whether anything was accepted.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    progress = False
    while plan is not None:
        begun = plan.begin()
        if begun is not plan:
            plan = begun
            continue
        accepted, places, refused = _ask(plan, state)
        if accepted is None:
            plan.learn(places, None)
            plan = plan.if_refused(refused)
            continue
        *failed, place = places
        plan.learn(failed, accepted)
        if not plan.is_probe:
            state.accept(accepted)
            progress = True
        plan = plan.if_accepted(place, accepted, refused)
    return progress


def _ask(
    plan: Plan[D], state: SearchState[D]
) -> tuple[Candidate[D] | None, Sequence[Any], list[Answer]]:
    """The first interesting candidate, the places up to it, and how those before were refused."""
    places: list[Any] = []
    refused: list[Answer] = []

    def candidates() -> Iterator[Candidate[D] | Refused]:
        for made in plan.candidates():
            if isinstance(made, Refused):
                yield made
            else:
                places.append(made.place)
                yield made.candidate

    def on_rejected(position: int, verdict: Verdict, outcome: Outcome) -> bool:
        seen = outcome.signature
        refused.append(Answer(verdict, seen.bucket, places[position], seen.text))
        return plan.is_decided(refused)

    hit = state.judge.first_interesting(
        candidates(), plan.document if plan.is_screened else None, on_rejected, plan=plan
    )
    return (None, places, refused) if hit is None else (hit[1], places[: hit[0] + 1], refused)
