"""Which candidates a search will probably ask about, given what was accepted so far.

This is a best-first search over the tree of a `Plan`, as in speculative parallelization of
optimistic algorithms.
"""

import heapq
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Any

from reducer.ir import D, Document
from reducer.search.asker import Asker
from reducer.search.candidate import Candidate
from reducer.search.plan import Certain, Item, Node, Plan
from reducer.search.prediction import Predictor, Rejected

_LEAST = 0.01  # a candidate that is less likely to be asked about is not run
_LIKELY = 0.6  # what takes long to make is made for programs that are this likely
_SAME_QUESTION = 0.3  # what running an edit is worth if it is already run in a similar program

_Rejected = tuple[Rejected, ...]
_Place = tuple[float, int, Callable[[], Node[Any] | None], int, int, _Rejected]
"""A candidate of a node in the order of chances, with what is assumed to be run and rejected before
it. Nodes are made when it is their turn: that takes long, and most never have one.
"""


class Foresight:
    """What is known of the candidates of one reduction, judged or run ahead."""

    def __init__(self) -> None:
        self._predictor = Predictor()
        self._learned: set[str] = set()  # digests of programs whose outcomes were learned
        self._interesting: dict[str, bool] = {}  # by digest, as far as known
        self._judged: set[str] = set()  # digests that are not charged again
        self._root: Node[Any] | None = None

    def learn(
        self, candidate: Candidate[Any], digest: str, base: Document | None, *, accepted: bool
    ) -> None:
        """Record a verdict on a candidate that was made from `base`."""
        self._interesting[digest] = accepted
        if digest not in self._learned:
            self._learned.add(digest)
            parts = self._predictor.parts
            made_from = None if base is None else parts(base)
            self._predictor.learn(
                candidate.origin, parts(candidate.document), made_from, interesting=accepted
            )

    def learn_ahead(self, digest: str, item: Item[Any] | None, *, accepted: bool) -> None:
        """Record what a run ahead has shown, of a candidate of a plan or of another program."""
        self._interesting[digest] = accepted
        if item is not None and digest not in self._learned:
            self._learned.add(digest)
            self._predictor.learn(
                item.ahead.candidate.origin, item.parts, item.base, interesting=accepted
            )
            self._predictor.learn_edit(item.ahead.edit, interesting=accepted)

    def likely(
        self, plan: Plan[D], head: str | None, asker: Asker, *, spare: float, steps: int
    ) -> Iterator[Item[Any]]:
        """Candidates that are not decided yet, those first that are most likely to be asked.

        Args:
            head: the digest of the candidate that is being judged, if one is.
            spare: how many runs the budget allows.
            steps: how many candidates of the tree to look at.
        """
        heap: list[_Place] = []
        pushed = 0

        def push(
            chance: float,
            unfold: Callable[[], Node[D] | None],
            index: int,
            runs: int,
            rejected: _Rejected,
        ) -> None:
            nonlocal pushed
            if chance >= _LEAST and runs < spare:
                pushed += 1
                heapq.heappush(heap, (-chance, pushed, unfold, index, runs, rejected))

        root = self._node(plan, asker.digest)
        push(1.0, lambda: root, 0, 0, ())
        asked: set[Hashable] = set()
        given: set[str] = set()
        again: list[tuple[float, int, Item[Any]]] = []
        for _ in range(steps):
            if not heap:
                break
            cost, _, unfold, place, runs, rejected = heapq.heappop(heap)
            node = unfold()
            if node is None or (isinstance(node.plan, Certain) and -cost < _LIKELY):
                continue
            item = node.item(place)
            if item is None:
                push(-cost, partial(node.following, None), 0, runs, rejected)
                continue
            known = self._known(item.digest, asker)
            if known is not None:
                self._predictor.learn_edit(item.ahead.edit, interesting=known)
            if known is None and any(item.digest == each.digest for each in rejected):
                known = False  # the same program, made in another way
            chance = self._chance(item, rejected) if known is None else float(known)
            if known is None and item.digest != head and item.digest not in given:
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
            runs += not self._is_judged(item.digest, asker)  # it will be charged
            push(-cost * chance, partial(node.following, place), 0, runs, rejected)
            if known is None and item.parts is not None:
                origin = item.ahead.candidate.origin
                rejected = (*rejected, Rejected(origin, item.parts, item.digest))
            push(-cost * (1 - chance), unfold, place + 1, runs, rejected)
        while again:
            yield heapq.heappop(again)[2]

    def _node(self, plan: Plan[D], digest: Callable[[str], str]) -> Node[D]:
        """The node of a plan: the present one, or one below it if the search has gone on there."""
        if self._root is not None:
            for node in self._root.nodes():
                if node.plan == plan:
                    self._root = node
                    return node
        self._root = root = Node(plan, digest, self._predictor.parts)
        return root

    def _known(self, digest: str, asker: Asker) -> bool | None:
        """Whether a candidate is interesting, as far as that is known."""
        known = self._interesting.get(digest)
        if known is None and (known := asker.accepts(digest)) is not None:
            self._interesting[digest] = known
        return known

    def _is_judged(self, digest: str, asker: Asker) -> bool:
        """Whether the verdict on a candidate is stored. That is asked again and again."""
        if digest not in self._judged and asker.accepts(digest) is not None:
            self._judged.add(digest)
        return digest in self._judged

    def _chance(self, item: Item[Any], rejected: _Rejected) -> float:
        """How likely a candidate is to be accepted if these are rejected."""
        ahead = item.ahead
        if ahead.chance is not None:
            return ahead.chance
        origin = ahead.candidate.origin
        return self._predictor.chance(origin, item.parts, item.base, ahead.edit, rejected)
