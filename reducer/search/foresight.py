"""Which candidates a search will probably ask about, given what was accepted so far.

This is a best-first search over the tree that a `Plan` spans, as in speculative parallelization of
optimistic algorithms. What is known of a candidate decides its branch. Of others both branches are
looked at: that it is accepted, with some chance, and that it is refused.
"""

import heapq
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic

from oracles import Limits, Outcome
from oracles.base import Cache
from reducer.ir import D, Document
from reducer.search.candidate import Candidate, CostCounter, Verdict, is_readable
from reducer.search.conditions import Refused
from reducer.search.plan import Answer, Certain, Plan, Proposal
from reducer.search.prediction import Parts, Predictor, Rejected
from reducer.search.query import Query
from reducer.search.screening import MAX_SCREENED_OPS, InvalidRates


class InvalidAhead(Exception):
    """The compiler would reject the candidate, so it was not run."""


@dataclass(frozen=True)
class Asker:
    """A judge as the runs ahead see it.

    Attributes:
        base: what the candidates are made from; None if they are not checked (see `screening`).
        on_verdict: called on a worker's thread.
        verdict_of: the verdict on an outcome.
        digest: the hash of a question about a candidate.
    """

    query: Query
    base: Document | None
    rates: InvalidRates
    costs: CostCounter
    on_verdict: Callable[[Verdict, Outcome], None]
    cache: Cache
    verdict_of: Callable[[Outcome], Verdict]
    digest: Callable[[Candidate[Any]], str]

    @property
    def limits_now(self) -> Limits:
        """The limits of a run that starts now."""
        return self.query.scaled_limits

    def answer(self, digest: str, outcome: Outcome | None = None) -> Answer | None:
        """What this outcome, or the stored one, says; None if there is none."""
        outcome = outcome or self.cache.get(digest)
        if outcome is None:
            return None
        return Answer(self.verdict_of(outcome), outcome.signature.bucket)

    def run_ahead(
        self, candidate: Candidate[Any], cancel: threading.Event, limits: Limits
    ) -> Outcome:
        """Run a candidate, on a worker's thread. Nothing but the cost is recorded.

        Raises:
            InvalidAhead: the compiler would reject it.
        """
        if self._is_rejected(candidate):
            raise InvalidAhead
        oracle = candidate.oracle or self.query.oracle
        outcome = oracle.run(candidate.text, cancel=cancel, limits=limits)
        if not outcome.cancelled:
            verdict = self.verdict_of(outcome)
            self.costs.add_run(verdict, outcome.cpu_seconds, candidate.document.op_count)
            self.on_verdict(verdict, outcome)
        return outcome

    def _is_rejected(self, candidate: Candidate[Any]) -> bool:
        screen = self.query.conditions.screen
        if screen is None or self.base is None or candidate.oracle is not None:
            return False
        largest = max(self.base.op_count, candidate.document.op_count)
        if largest > MAX_SCREENED_OPS or not self.rates.is_worth_screening(candidate.origin):
            return False
        return not all(screen.passes([candidate.text], self.base.text))


_LEAST = 0.01  # a candidate that is less likely to be asked about is not run
_LIKELY = 0.6  # what takes long to make is made for programs that are this likely
_SAME_QUESTION = 0.3  # what running an edit is worth if it is already run in a similar program

_Rejected = tuple[Rejected, ...]
_REFUSED = Answer()


@dataclass(frozen=True)
class Item(Generic[D]):
    """A candidate of a plan; `base` is what it is made from."""

    proposal: Proposal[D]
    digest: str
    parts: Parts | None
    base: Parts | None

    @property
    def question(self) -> Hashable:
        """What is edited, if programs with and without some other ops need not be told apart."""
        if self.parts is None or self.base is None or not self.base & ~self.parts:
            return self.proposal.edit
        return self.proposal.candidate.origin, self.base & ~self.parts


class Node(Generic[D]):
    """A plan as far as it is known: candidates are made, and plans unfolded, on first use."""

    def __init__(
        self,
        plan: Plan[D],
        digest: Callable[[Candidate[Any]], str],
        parts: Callable[[Document], Parts | None],
    ) -> None:
        self.plan = plan
        self._digest = digest
        self._parts = parts
        self._left = plan.candidates()
        self._items: list[Item[D]] = []
        self._next: dict[Hashable, Node[D] | None] = {}

    def item(self, index: int) -> Item[D] | None:
        """The candidate with this index; None after the last."""
        while len(self._items) <= index:
            made = next((each for each in self._left if not isinstance(each, Refused)), None)
            if made is None:
                return None
            errand, parts = made.errand, self._parts(made.candidate.document)
            digest = errand.key if errand else self._digest(made.candidate)
            self._items.append(Item(made, digest, parts, self._parts(self.plan.document)))
        return self._items[index]

    def following(self, index: int | None, refused: Sequence[Answer]) -> "Node[D] | None":
        """What follows if the candidate with this index is accepted after others were refused.

        With None, if none is accepted.
        """
        how = tuple((each.verdict, each.bucket) for each in refused)
        key = index, how if self.plan.minds_refusals else ()
        if key not in self._next:
            plan = self._plan_after(index, refused)
            self._next[key] = None if plan is None else self._node_of(plan)
        return self._next[key]

    def _plan_after(self, index: int | None, refused: Sequence[Answer]) -> Plan[D] | None:
        if index is None:
            return self.plan.if_refused(refused)
        proposal = self._items[index].proposal
        if not is_readable(proposal.candidate.document):
            return None
        return self.plan.if_accepted(proposal.place, proposal.candidate, refused)

    def _node_of(self, plan: Plan[D]) -> "Node[D]":
        alike = (node for node in self._next.values() if node is not None and node.plan == plan)
        return next(alike, None) or Node(plan, self._digest, self._parts)

    def nodes(self) -> "Iterator[Node[D]]":
        """This node and all that were unfolded below it."""
        waiting: list[Node[D]] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(found for found in node._next.values() if found is not None)


@dataclass(frozen=True)
class _Place(Generic[D]):
    """A candidate of the tree.

    Attributes:
        node: makes its node when it is its turn: that takes long, and most never have one.
        index: its number there.
        runs: how many runs it takes to come there.
        rejected: what is assumed to be run and rejected before it.
        refused: the candidates of the node before it.
    """

    node: Callable[[], Node[D] | None]
    index: int = 0
    runs: int = 0
    rejected: _Rejected = ()
    refused: tuple[Answer, ...] = ()

    def after_refusal(self, item: Item[D], answer: Answer | None, runs: int) -> "_Place[D]":
        """The next candidate of the node if this one is refused, as it is or may be."""
        rejected, proposal = self.rejected, item.proposal
        if answer is None and item.parts is not None:
            origin = proposal.candidate.origin
            rejected = (*rejected, Rejected(origin, item.parts, item.digest))
        refused = (*self.refused, replace(answer or _REFUSED, place=proposal.place))
        return _Place(self.node, self.index + 1, runs, rejected, refused)


class Foresight:
    """What is known of the candidates of one reduction, judged or run ahead."""

    def __init__(self) -> None:
        self._predictor = Predictor()
        self._learned: set[str] = set()  # digests of programs whose outcomes were learned
        self._answers: dict[str, Answer] = {}  # by digest, as far as known
        self._judged: set[str] = set()  # digests that are not charged again
        self._root: Node[Any] | None = None

    def learn(self, candidate: Candidate[Any], digest: str, base: Document, answer: Answer) -> None:
        """Record a verdict on a candidate that was made from `base`."""
        self._answers[digest] = answer
        if digest not in self._learned:
            self._learned.add(digest)
            parts = self._predictor.parts
            self._predictor.learn(
                candidate.origin, parts(candidate.document), parts(base), interesting=answer.is_same
            )

    def learn_ahead(self, digest: str, item: Item[Any] | None, answer: Answer) -> None:
        """Record what a run ahead has shown, of a candidate of a plan or of another program."""
        self._answers[digest] = answer
        if item is not None and digest not in self._learned:
            self._learned.add(digest)
            proposal, is_same = item.proposal, answer.is_same
            self._predictor.learn(
                proposal.candidate.origin, item.parts, item.base, interesting=is_same
            )
            self._predictor.learn_edit(proposal.edit, interesting=is_same)

    def likely(
        self, plan: Plan[D], head: str | None, asker: Asker, *, spare: float, steps: int
    ) -> Iterator[Item[Any]]:
        """Candidates that are not decided yet, those first that are most likely to be asked.

        Args:
            head: the digest of the candidate that is being judged, if one is.
            spare: how many runs the budget allows.
            steps: how many candidates of the tree to look at.
        """
        heap: list[tuple[float, int, _Place[Any]]] = []
        pushed = 0

        def push(chance: float, place: _Place[Any]) -> None:
            nonlocal pushed
            if chance >= _LEAST and place.runs < spare:
                pushed += 1
                heapq.heappush(heap, (-chance, pushed, place))

        root = self._node(plan, asker.digest)
        push(1.0, _Place(lambda: root))
        asked: set[Hashable] = set()
        given: set[str] = set()
        again: list[tuple[float, int, Item[Any]]] = []
        for _ in range(steps):
            if not heap:
                break
            cost, _, at = heapq.heappop(heap)
            node = at.node()
            if node is None or (isinstance(node.plan, Certain) and -cost < _LIKELY):
                continue
            item = None if node.plan.is_decided(at.refused) else node.item(at.index)
            if item is None:
                following = partial(node.following, None, at.refused)
                push(-cost, _Place(following, runs=at.runs, rejected=at.rejected))
                continue
            answer = self._answer(item.digest, asker)
            if answer is not None:
                edit, is_same = item.proposal.edit, answer.is_same
                self._predictor.learn_edit(edit, interesting=is_same)
            elif any(item.digest == each.digest for each in at.rejected):
                answer = _REFUSED  # the same program, made in another way
            if answer is None and item.digest != head and item.digest not in given:
                given.add(item.digest)
                question = item.question
                if question is not None and question in asked:
                    pushed += 1
                    heapq.heappush(again, (cost * _SAME_QUESTION, pushed, item))
                else:
                    asked.add(question)
                    yield item
            while again and heap and again[0][0] < heap[0][0]:
                yield heapq.heappop(again)[2]
            chance = self._chance(item, at.rejected) if answer is None else float(answer.is_same)
            runs = at.runs + (not self._is_judged(item.digest, asker))  # it will be charged
            accepted = partial(node.following, at.index, at.refused)
            push(-cost * chance, _Place(accepted, runs=runs, rejected=at.rejected))
            push(-cost * (1 - chance), at.after_refusal(item, answer, runs))
        while again:
            yield heapq.heappop(again)[2]

    def _node(self, plan: Plan[D], digest: Callable[[Candidate[Any]], str]) -> Node[D]:
        """The node of a plan: the present one, or one below it if the search has gone on there."""
        if self._root is not None:
            for node in self._root.nodes():
                if node.plan == plan:
                    self._root = node
                    return node
        self._root = root = Node(plan, digest, self._predictor.parts)
        return root

    def _answer(self, digest: str, asker: Asker) -> Answer | None:
        """The answer about a candidate, as far as that is known."""
        known = self._answers.get(digest)
        if known is None and (known := asker.answer(digest)) is not None:
            self._answers[digest] = known
        return known

    def _is_judged(self, digest: str, asker: Asker) -> bool:
        """Whether the verdict on a candidate is stored. That is asked again and again."""
        if digest not in self._judged and asker.answer(digest) is not None:
            self._judged.add(digest)
        return digest in self._judged

    def _chance(self, item: Item[Any], rejected: _Rejected) -> float:
        """How likely a candidate is to be accepted if these are rejected."""
        proposal = item.proposal
        if proposal.chance is not None:
            return proposal.chance
        origin, edit = proposal.candidate.origin, proposal.edit
        return self._predictor.chance(origin, item.parts, item.base, edit, rejected)
