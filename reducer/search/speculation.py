"""Speculation: idle workers run what the search will probably ask next.

A search asks about one candidate after the other, and what it asks next depends on the answer. It
can say what that would be: a `Plan` has candidates in order, what follows if one is accepted, and
what follows if none is. That is a tree, and idle workers run those of its candidates that are most
likely to be asked about, given how often candidates of their kind have been accepted so far
(best-first search over the tree, as in speculative parallelization of optimistic algorithms).

Nothing that is run ahead has an effect before it is asked about: its outcome is neither in the
journal nor charged, and whoever asks goes on as if the run had just ended. So the result does not
depend on the number of workers. Outcomes that nobody asks about only cost time.
"""

import heapq
import threading
from collections.abc import Callable, Collection, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol

from oracles import Limits, Outcome
from reducer.ir import D
from reducer.search.asker import Asker
from reducer.search.candidate import Candidate

_PRIOR, _PRIOR_WEIGHT = 0.2, 3  # the share of accepted candidates, before any was judged
_FADING = 0.8  # what a verdict still counts after the next one
_LIKE_BEFORE = 0.9  # the chance that an edit has the verdict that it had before
_LEAST = 0.01  # a candidate that is less likely to be asked about is not run
_MAX_STEPS = 64  # candidates of a tree to look at, for each worker
_MAX_KEPT = 500  # outcomes that wait for a question
_GLANCE = 0.05  # seconds between checks of the cancel event while a run ends


@dataclass(frozen=True)
class Ahead(Generic[D]):
    """A candidate that a search may ask about.

    `chance` is the chance that it is accepted, if that is known. `edit` identifies what is edited,
    and how: the same edit of a slightly different program will probably have the same verdict.
    """

    candidate: Candidate[D]
    chance: float | None = None
    edit: Hashable = None


class Plan(Protocol[D]):
    """What a search asks about, and what it asks next. Equal plans are interchangeable."""

    def candidates(self) -> Iterator[Ahead[D]]:
        """The candidates in order."""
        ...

    def if_accepted(self, index: int, candidate: Candidate[D]) -> "Plan[D] | None":
        """What follows if the candidate with this index is accepted; None if that is unknown."""
        ...

    def if_rejected(self) -> "Plan[D] | None":
        """What follows if all are rejected; None if that is unknown."""
        ...


@dataclass(frozen=True)
class _Item(Generic[D]):
    ahead: Ahead[D]
    digest: str


class _Node(Generic[D]):
    """A plan as far as it is known: candidates are made, and plans unfolded, on first use."""

    def __init__(self, plan: Plan[D], digest: Callable[[str], str]) -> None:
        self.plan = plan
        self._digest = digest
        self._left = plan.candidates()
        self._items: list[_Item[D]] = []
        self._next: dict[int, _Node[D] | None] = {}

    def item(self, index: int) -> _Item[D] | None:
        """The candidate with this index; None after the last."""
        while len(self._items) <= index:
            made = next(self._left, None)
            if made is None:
                return None
            self._items.append(_Item(made, self._digest(made.candidate.text)))
        return self._items[index]

    def following(self, index: int | None) -> "_Node[D] | None":
        """What follows if the candidate with this index is accepted; with None, if none is."""
        key = -1 if index is None else index
        if key not in self._next:
            if index is None:
                plan = self.plan.if_rejected()
            else:
                plan = self.plan.if_accepted(index, self._items[index].ahead.candidate)
            self._next[key] = None if plan is None else _Node(plan, self._digest)
        return self._next[key]

    def nodes(self) -> "Iterator[_Node[D]]":
        """This node and all that were unfolded below it."""
        waiting: list[_Node[D]] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(found for found in node._next.values() if found is not None)


@dataclass
class _Rate:
    """How often candidates of one kind are accepted, lately more than before."""

    accepted: float = _PRIOR * _PRIOR_WEIGHT
    judged: float = _PRIOR_WEIGHT

    def add(self, accepted: bool) -> None:
        self.accepted = _FADING * self.accepted + accepted
        self.judged = _FADING * self.judged + 1

    @property
    def chance(self) -> float:
        return self.accepted / self.judged


@dataclass
class _Run:
    """A run that nobody has asked about."""

    limits: Limits
    is_pinned: bool = False  # it will be asked about, whatever the search finds
    cancel: threading.Event = field(default_factory=threading.Event)
    future: "Future[Outcome]" = field(default_factory=Future)


class Speculation:
    """The runs ahead of one reduction. All methods but `take` are for the thread that searches.

    Attributes:
        changed: set when a run has ended.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.changed = threading.Event()
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="ahead")
        self._lock = threading.Lock()
        self._ahead: dict[str, _Run] = {}
        self._edits: dict[Hashable, bool] = {}  # the latest verdicts, by edit
        self._rates: dict[str, _Rate] = {}
        self._interesting: dict[str, bool] = {}  # by digest, as far as known
        self._root: _Node[Any] | None = None

    def close(self) -> None:
        """End all runs."""
        with self._lock:
            for ahead in self._ahead.values():
                ahead.cancel.set()
            self._ahead.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)

    # ---- asking ----------------------------------------------------------------------------

    def take(self, digest: str, cancel: threading.Event, limits: Limits) -> Outcome | None:
        """The outcome of a run ahead, once it has ended; None if there is none that holds.

        The limits of candidates tighten. An outcome holds if the run would also have ended within
        those of today.
        """
        with self._lock:
            ahead = self._ahead.pop(digest, None)
        if ahead is None:
            return None
        while not ahead.future.done():
            if cancel.is_set():
                ahead.cancel.set()
            try:
                ahead.future.exception(timeout=_GLANCE)
            except TimeoutError:
                continue
        if ahead.future.cancelled() or ahead.future.exception() is not None:
            return None
        outcome = ahead.future.result()
        return outcome if not outcome.cancelled and _holds(outcome, ahead.limits, limits) else None

    def learn(self, origin: str, digest: str, *, accepted: bool) -> None:
        """Record a verdict."""
        self._rates.setdefault(origin, _Rate()).add(accepted)
        self._interesting[digest] = accepted

    # ---- running ahead ---------------------------------------------------------------------

    def steer(
        self,
        plan: Plan[D],
        head: str,
        asker: Asker,
        *,
        spare: float,
        until: Callable[[], bool],
    ) -> None:
        """Run what will probably be asked after `head`, and end what will not.

        Args:
            head: the digest of the candidate that is being judged; it occupies a worker.
            spare: how many runs the budget allows.
            until: whether the verdict is there, and it is better to go on with that.
        """
        self.changed.clear()
        self._note_ended(asker)
        wanted: dict[str, Candidate[D]] = {}
        for key, candidate in self._likely(plan, head, asker):
            if until():
                return
            wanted[key] = candidate
        self.end({head, *wanted})
        with self._lock:
            occupied = sum(not ahead.future.done() for ahead in self._ahead.values())
            occupied += head not in self._ahead
            for key, candidate in wanted.items():
                unasked = len(self._ahead) + (head not in self._ahead)
                if occupied >= self.jobs or unasked >= spare:
                    break
                if key not in self._ahead:
                    self._start(key, candidate, asker)
                    occupied += 1

    def end(self, wanted: Collection[str] = ()) -> None:
        """End the runs of candidates that are not wanted; what has been run is kept."""
        with self._lock:
            for key in self._ahead.keys() - wanted:
                ahead = self._ahead[key]
                if not ahead.is_pinned and not ahead.future.done():
                    del self._ahead[key]
                    ahead.cancel.set()

    def pin(self, key: str, candidate: Candidate[Any], asker: Asker) -> None:
        """Run what will be asked about whatever the search finds, unless all workers are busy."""
        with self._lock:
            occupied = sum(not ahead.future.done() for ahead in self._ahead.values())
            if occupied < self.jobs and key not in self._ahead:
                self._start(key, candidate, asker)
                self._ahead[key].is_pinned = True

    def _start(self, key: str, candidate: Candidate[Any], asker: Asker) -> None:
        limits = asker.limits_now
        ahead = self._ahead[key] = _Run(limits)
        ahead.future = self._pool.submit(asker.run_ahead, candidate, ahead.cancel, limits)
        ahead.future.add_done_callback(lambda _: self.changed.set())

    def _note_ended(self, asker: Asker) -> None:
        """Learn what the runs ahead have shown, and forget the oldest if there are too many."""
        with self._lock:
            ended = [key for key, ahead in self._ahead.items() if ahead.future.done()]
            for key in ended:
                future = self._ahead[key].future
                if future.cancelled():
                    continue
                failed = future.exception() is not None
                self._interesting[key] = not failed and bool(asker.accepts(key, future.result()))
            for key in ended[:-_MAX_KEPT]:
                del self._ahead[key]

    def _likely(self, plan: Plan[D], head: str, asker: Asker) -> Iterator[tuple[str, Candidate[D]]]:
        """Candidates that are not decided yet, those first that are most likely to be asked."""
        heap: list[tuple[float, int, _Node[D], int | None]] = []
        pushed = 0

        def push(chance: float, node: _Node[D] | None, index: int | None) -> None:
            nonlocal pushed
            if node is not None and chance >= _LEAST:
                pushed += 1
                heapq.heappush(heap, (-chance, pushed, node, index))

        push(1.0, self._node(plan, asker.digest), 0)
        found = 0
        for _ in range(_MAX_STEPS * self.jobs):
            if not heap or found >= self.jobs:
                return
            cost, _, node, place = heapq.heappop(heap)
            assert place is not None
            item = node.item(place)
            if item is None:
                push(-cost, node.following(None), 0)
                continue
            known = self._known(item.digest, asker)
            if known is not None and item.ahead.edit is not None:
                self._edits[item.ahead.edit] = known
            chance = self._chance(item) if known is None else float(known)
            if known is None and item.digest != head:
                found += 1
                yield item.digest, item.ahead.candidate
            push(-cost * (1 - chance), node, place + 1)
            if -cost * chance >= _LEAST:
                push(-cost * chance, node.following(place), 0)

    def _node(self, plan: Plan[D], digest: Callable[[str], str]) -> _Node[D]:
        """The node of a plan: the present one, or one below it if the search has gone on there."""
        if self._root is not None:
            for node in self._root.nodes():
                if node.plan == plan:
                    self._root = node
                    return node
        self._root = root = _Node(plan, digest)
        return root

    def _known(self, digest: str, asker: Asker) -> bool | None:
        """Whether a candidate is interesting, as far as that is known."""
        known = self._interesting.get(digest)
        if known is None and (known := asker.accepts(digest)) is not None:
            self._interesting[digest] = known
        return known

    def _chance(self, item: _Item[Any]) -> float:
        """How likely a candidate is to be accepted."""
        ahead = item.ahead
        if ahead.chance is not None:
            return ahead.chance
        alike = self._edits.get(ahead.edit)
        if alike is not None:
            return _LIKE_BEFORE if alike else 1 - _LIKE_BEFORE
        return self._rates.get(ahead.candidate.origin, _Rate()).chance


def _holds(outcome: Outcome, then: Limits, now: Limits) -> bool:
    """Whether an outcome under the limits of `then` is that of a run under those of now."""
    if then == now:
        return True
    if outcome.kind.traits.costly:
        return False
    return (now.seconds is None or outcome.seconds < now.seconds) and (
        now.cpu is None or outcome.cpu_seconds < now.cpu
    )
