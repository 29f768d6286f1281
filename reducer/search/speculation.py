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
import time
from collections.abc import Callable, Collection, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Generic, Protocol

from oracles import Limits, Outcome
from reducer.ir import D, Document
from reducer.search.asker import Asker
from reducer.search.candidate import Candidate, is_readable
from reducer.search.prediction import Parts, Predictor, Rejected

_LEAST = 0.01  # a candidate that is less likely to be asked about is not run
_MAX_STEPS = 64  # candidates of a tree to look at, for each worker
_FURTHER = 2  # candidates to make for each worker beside those that run…
_MOST_OPS = 2_000  # …of a program of no more ops
_MAX_KEPT = 500  # outcomes that wait for a question
_SAME_QUESTION = 0.3  # what running an edit is worth if it is already run in a similar program
_NEARLY_DONE = 0.6  # of the usual time of a run; after that, a run is not ended for another
_TOO_SHORT = 0.03  # seconds of a run; finding what to run meanwhile takes longer
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

    @property
    def document(self) -> Document | None:
        """What the candidates are made from, if that is one document."""
        ...

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
    """A candidate of a plan; `base` is what it is made from."""

    ahead: Ahead[D]
    digest: str
    parts: Parts | None
    base: Parts | None

    @property
    def question(self) -> Hashable:
        """What is edited, if programs with and without some other ops need not be told apart."""
        if self.parts is None or self.base is None or not self.base & ~self.parts:
            return self.ahead.edit
        return self.ahead.candidate.origin, self.base & ~self.parts


class _Node(Generic[D]):
    """A plan as far as it is known: candidates are made, and plans unfolded, on first use."""

    def __init__(
        self,
        plan: Plan[D],
        digest: Callable[[str], str],
        parts: Callable[[Document], Parts | None],
    ) -> None:
        self.plan = plan
        self._digest = digest
        self._parts = parts
        self.base = None if plan.document is None else parts(plan.document)
        self._left = plan.candidates()
        self._items: list[_Item[D]] = []
        self._next: dict[int, _Node[D] | None] = {}

    def item(self, index: int) -> _Item[D] | None:
        """The candidate with this index; None after the last."""
        while len(self._items) <= index:
            made = next(self._left, None)
            if made is None:
                return None
            digest, parts = self._digest(made.candidate.text), self._parts(made.candidate.document)
            self._items.append(_Item(made, digest, parts, self.base))
        return self._items[index]

    def following(self, index: int | None) -> "_Node[D] | None":
        """What follows if the candidate with this index is accepted; with None, if none is."""
        key = -1 if index is None else index
        if key not in self._next:
            if index is None:
                plan = self.plan.if_rejected()
            else:
                candidate = self._items[index].ahead.candidate
                readable = is_readable(candidate.document)
                plan = self.plan.if_accepted(index, candidate) if readable else None
            self._next[key] = None if plan is None else _Node(plan, self._digest, self._parts)
        return self._next[key]

    def nodes(self) -> "Iterator[_Node[D]]":
        """This node and all that were unfolded below it."""
        waiting: list[_Node[D]] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(found for found in node._next.values() if found is not None)


@dataclass
class _Run:
    """A run that nobody has asked about."""

    limits: Limits
    item: "_Item[Any] | None" = None  # None if it is no part of a plan
    is_pinned: bool = False  # it will be asked about, whatever the search finds
    cancel: threading.Event = field(default_factory=threading.Event)
    future: "Future[Outcome]" = field(default_factory=Future)
    started: float = field(default_factory=time.monotonic)


_Rejected = tuple[Rejected, ...]
_Place = tuple[float, int, _Node[Any], int, int, _Rejected]
"""A candidate of a node in the order of chances, with what is assumed to be run and rejected before
it.
"""


RunAhead = Callable[[threading.Event, Limits], Outcome]
"""Runs something within some limits, on a worker's thread; the event cancels it."""


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
        self._errands: dict[str, tuple[RunAhead, Limits]] = {}  # for whoever is free first
        self._predictor = Predictor()
        self._usual = 0.0  # seconds of a run, of late
        self._learned: set[str] = set()  # digests of programs whose outcomes were learned
        self._interesting: dict[str, bool] = {}  # by digest, as far as known
        self._root: _Node[Any] | None = None

    def close(self) -> None:
        """End all runs."""
        with self._lock:
            for ahead in self._ahead.values():
                ahead.cancel.set()
            self._ahead.clear()
            self._errands.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)

    # ---- asking ----------------------------------------------------------------------------

    def take(self, digest: str, cancel: threading.Event, limits: Limits) -> Outcome | None:
        """The outcome of a run ahead, once it has ended; None if there is none that holds.

        The limits of candidates tighten. An outcome holds if the run would also have ended within
        those of today.
        """
        with self._lock:
            ahead = self._ahead.pop(digest, None)
            self._errands.pop(digest, None)
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

    def learn(
        self,
        candidate: Candidate[Any],
        digest: str,
        base: Document | None,
        *,
        accepted: bool,
        seconds: float,
    ) -> None:
        """Record a verdict on a candidate that was made from `base`, after a run of `seconds`."""
        if accepted:
            with self._lock:
                self._errands.clear()  # they were about the program before
        self._usual = (self._usual + seconds) / 2
        if not self.pays:
            return
        self._interesting[digest] = accepted
        if digest not in self._learned:
            self._learned.add(digest)
            parts = self._predictor.parts
            made_from = None if base is None else parts(base)
            self._predictor.learn(
                candidate.origin, parts(candidate.document), made_from, interesting=accepted
            )

    @property
    def pays(self) -> bool:
        """Whether runs take long enough to look for others meanwhile, as far as is known."""
        return self._usual == 0 or self._usual >= _TOO_SHORT

    # ---- running ahead ---------------------------------------------------------------------

    def steer(
        self,
        plan: Plan[D],
        head: str | None,
        asker: Asker,
        *,
        spare: float,
        until: Callable[[], bool],
    ) -> None:
        """Run what will probably be asked after `head`, and end what will not.

        While `head` runs, candidates after those are made, too.

        Args:
            head: the digest of the candidate that is being judged, if one is; it occupies a worker.
            spare: how many runs the budget allows.
            until: whether the verdict is there, and it is better to go on with that.
        """
        self.changed.clear()
        self._note_ended(asker)
        wanted: dict[str, _Item[Any]] = {}
        likely = self._likely(plan, head, asker, spare)
        for item in islice(likely, self.jobs):
            if until():
                return
            wanted[item.digest] = item
        with self._lock:
            running = [key for key, ahead in self._ahead.items() if not ahead.future.done()]
            unwanted = [key for key in running if key != head and key not in wanted]
            unwanted = [key for key in unwanted if not self._is_nearly_done(key)]
            extra = head is not None and head not in self._ahead
            occupied = len(running) + extra
            for key, item in wanted.items():
                unasked = len(self._ahead) + extra
                if key in self._ahead:
                    continue
                if occupied >= self.jobs and unwanted:
                    occupied -= self._end(unwanted.pop())
                if occupied >= self.jobs or unasked >= spare:
                    break
                run = partial(asker.run_ahead, item.ahead.candidate)
                self._start(key, run, _Run(asker.limits_now, item))
                occupied += 1
            while occupied > self.jobs and unwanted:
                occupied -= self._end(unwanted.pop())
            self._run_errands(occupied, spare - extra)
        if head is not None:  # which is still running, or there would be nothing to wait for
            self._make_more(likely, plan, until)

    def _make_more(
        self, likely: Iterator[_Item[Any]], plan: Plan[D], until: Callable[[], bool]
    ) -> None:
        """Make candidates that may be wanted once the workers are free; they are kept.

        Those of a large program would take too much memory.
        """
        if plan.document is not None and plan.document.op_count > _MOST_OPS:
            return
        for _ in islice(likely, _FURTHER * self.jobs):
            if until() or self.changed.is_set():
                return

    def end(self, wanted: Collection[str] = ()) -> None:
        """End the runs of candidates that are not wanted; what has been run is kept."""
        with self._lock:
            for key in self._ahead.keys() - wanted:
                self._end(key)

    def _is_nearly_done(self, key: str) -> bool:
        """Whether the outcome of a run, from which something can be learned, is worth waiting."""
        return time.monotonic() - self._ahead[key].started > _NEARLY_DONE * self._usual

    def _end(self, key: str) -> bool:
        """End a run unless it has ended or is pinned; return whether it was ended."""
        ahead = self._ahead[key]
        if ahead.is_pinned or ahead.future.done():
            return False
        del self._ahead[key]
        ahead.cancel.set()
        return True

    def pin(self, key: str, run: RunAhead, limits: Limits, *, spare: float) -> None:
        """Run what will be asked about unless something else is accepted, as soon as a worker is
        free.
        """
        with self._lock:
            self._errands[key] = run, limits
            occupied = sum(not ahead.future.done() for ahead in self._ahead.values())
            self._run_errands(occupied, spare)

    def _run_errands(self, occupied: int, spare: float) -> None:
        """Run what is pinned while workers are free."""
        while self._errands and occupied < self.jobs and len(self._ahead) < spare:
            key = next(iter(self._errands))
            run, limits = self._errands.pop(key)
            if key not in self._ahead:
                self._start(key, run, _Run(limits, is_pinned=True))
                occupied += 1

    def _start(self, key: str, run: RunAhead, ahead: _Run) -> None:
        self._ahead[key] = ahead
        ahead.future = self._pool.submit(run, ahead.cancel, ahead.limits)
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
                accepted = not failed and bool(asker.accepts(key, future.result()))
                self._interesting[key] = accepted
                if (item := self._ahead[key].item) is not None and key not in self._learned:
                    self._learned.add(key)
                    self._predictor.learn(
                        item.ahead.candidate.origin, item.parts, item.base, interesting=accepted
                    )
                    self._predictor.learn_edit(item.ahead.edit, interesting=accepted)
            for key in ended[:-_MAX_KEPT]:
                del self._ahead[key]

    def _likely(
        self, plan: Plan[D], head: str | None, asker: Asker, spare: float
    ) -> Iterator[_Item[Any]]:
        """Candidates that are not decided yet, those first that are most likely to be asked."""
        heap: list[_Place] = []
        pushed = 0

        def push(
            chance: float, node: _Node[D] | None, index: int, runs: int, rejected: _Rejected
        ) -> None:
            nonlocal pushed
            if node is not None and chance >= _LEAST and runs < spare:
                pushed += 1
                heapq.heappush(heap, (-chance, pushed, node, index, runs, rejected))

        push(1.0, self._node(plan, asker.digest), 0, 0, ())
        asked: set[Hashable] = set()
        again: list[tuple[float, int, _Item[Any]]] = []
        for _ in range(_MAX_STEPS * self.jobs):
            if not heap:
                break
            cost, _, node, place, runs, rejected = heapq.heappop(heap)
            item = node.item(place)
            if item is None:
                push(-cost, node.following(None), 0, runs, rejected)
                continue
            known = self._known(item.digest, asker)
            if known is not None:
                self._predictor.learn_edit(item.ahead.edit, interesting=known)
            chance = self._chance(item, rejected) if known is None else float(known)
            if known is None and item.digest != head:
                question = item.question
                if question is not None and question in asked:
                    pushed += 1
                    heapq.heappush(again, (cost * _SAME_QUESTION, pushed, item))
                else:
                    asked.add(question)
                    yield item
            while again and heap and again[0][0] < heap[0][0]:
                yield heapq.heappop(again)[2]
            runs += asker.accepts(item.digest) is None  # it will be charged
            if -cost * chance >= _LEAST:
                push(-cost * chance, node.following(place), 0, runs, rejected)
            if known is None and item.parts is not None:
                rejected = (*rejected, Rejected(item.ahead.candidate.origin, item.parts))
            push(-cost * (1 - chance), node, place + 1, runs, rejected)
        while again:
            yield heapq.heappop(again)[2]

    def _node(self, plan: Plan[D], digest: Callable[[str], str]) -> _Node[D]:
        """The node of a plan: the present one, or one below it if the search has gone on there."""
        if self._root is not None:
            for node in self._root.nodes():
                if node.plan == plan:
                    self._root = node
                    return node
        self._root = root = _Node(plan, digest, self._predictor.parts)
        return root

    def _known(self, digest: str, asker: Asker) -> bool | None:
        """Whether a candidate is interesting, as far as that is known."""
        known = self._interesting.get(digest)
        if known is None and (known := asker.accepts(digest)) is not None:
            self._interesting[digest] = known
        return known

    def _chance(self, item: _Item[Any], rejected: _Rejected) -> float:
        """How likely a candidate is to be accepted if these are rejected."""
        ahead = item.ahead
        if ahead.chance is not None:
            return ahead.chance
        origin = ahead.candidate.origin
        return self._predictor.chance(origin, item.parts, item.base, ahead.edit, rejected)


def _holds(outcome: Outcome, then: Limits, now: Limits) -> bool:
    """Whether an outcome under the limits of `then` is that of a run under those of now."""
    if then == now:
        return True
    if outcome.kind.traits.costly:
        return False
    return (now.seconds is None or outcome.seconds < now.seconds) and (
        now.cpu is None or outcome.cpu_seconds < now.cpu
    )
