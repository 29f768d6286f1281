"""Speculation: idle workers run what the search will probably ask next.

A search can say what it will ask (`plan`), and which of that is likely is known from what happened
so far (`foresight`).

Nothing that is run ahead has an effect before it is asked about: its outcome is neither in the
journal nor charged, and whoever asks goes on as if the run had just ended. So the result does not
depend on the number of workers. Outcomes that nobody asks about only cost time.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from oracles import Limits, Outcome
from oracles.run.limits import Cancel
from reducer.ir import D, Document
from reducer.search.candidate import Candidate, Verdict
from reducer.search.foresight import Asker, Foresight, Item
from reducer.search.plan import Answer, Plan, RunAhead

_MAX_STEPS = 64  # candidates of a tree to look at, for each worker
_FURTHER = 1  # candidates to make for each worker beside those that run…
_MOST_OPS = 2_000  # …of a program of no more ops
_MAX_KEPT = 500  # outcomes that wait for a question
_NEARLY_DONE = 0.6  # of the usual time of a run; after that, a run is not ended for another
_TOO_SHORT = 0.03  # seconds of a run; finding what to run meanwhile takes longer
_GLANCE = 0.05  # seconds between checks of the cancel event while a run ends


@dataclass
class _Run:
    """A run that nobody has asked about."""

    limits: Limits
    item: Item[Any] | None = None  # None if it is no part of a plan
    is_pinned: bool = False  # it will be asked about, whatever the search finds
    is_known: bool = False  # what it has shown was learned
    cancel: Cancel = field(default_factory=Cancel)
    future: "Future[Outcome]" = field(default_factory=Future)
    started: float = field(default_factory=time.monotonic)


class Speculation:
    """The runs ahead of one reduction. All methods but `take` are for the thread that searches.

    Attributes:
        changed: set when a run has ended.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.changed = threading.Event()
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="ahead")
        self._lock = threading.RLock()
        self._ahead: dict[str, _Run] = {}
        self._next: dict[str, tuple[RunAhead, _Run]] = {}  # for workers that are free soon
        self._head = 0  # workers that run what the search waits for
        self._errands: dict[str, tuple[RunAhead, Limits]] = {}  # for whoever is free first
        self._spare = 0.0  # runs that the budget allowed when it was last looked at
        self._foresight = Foresight()
        self._usual = 0.0  # seconds of a run, of late

    def close(self) -> None:
        """End all runs."""
        with self._lock:
            for ahead in self._ahead.values():
                ahead.cancel.set()
            self._ahead.clear()
            self._errands.clear()
            self._next.clear()
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
            self._next.pop(digest, None)
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
        base: Document,
        verdict: Verdict,
        outcome: Outcome,
    ) -> None:
        """Record a verdict on a candidate that was made from `base`."""
        if verdict is Verdict.SAME:
            with self._lock:
                self._errands.clear()  # they were about the program before
        self._usual = (self._usual + outcome.seconds) / 2
        if self.pays:
            answer = Answer(verdict, outcome.signature.bucket)
            self._foresight.learn(candidate, digest, base, answer)

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
        wanted: dict[str, Item[Any]] = {}
        steps = _MAX_STEPS * self.jobs
        likely = self._foresight.likely(plan, head, asker, spare=spare, steps=steps)
        for item in islice(likely, self.jobs):
            if until():
                return
            wanted[item.digest] = item
        with self._lock:
            running = self._running()
            others = [key for key in running if key != head and key not in wanted]
            unwanted = [key for key in others if not self._is_nearly_done(key)]
            self._head = int(head is not None and head not in self._ahead)
            self._next.clear()
            occupied = len(running) + self._head
            soon = len(others) - len(unwanted)  # workers that are free soon
            for key, item in wanted.items():
                unasked = len(self._ahead) + len(self._next) + self._head
                if key in self._ahead:
                    continue
                if occupied >= self.jobs and unwanted:
                    occupied -= self._end(unwanted.pop())
                if unasked >= spare or (occupied >= self.jobs and len(self._next) >= soon):
                    break
                errand = item.proposal.errand
                run = errand.run if errand else partial(asker.run_ahead, item.proposal.candidate)
                if occupied < self.jobs:
                    self._start(key, run, _Run(asker.limits_now, item))
                    occupied += 1
                else:
                    self._next[key] = run, _Run(asker.limits_now, item)
            while occupied > self.jobs and unwanted:
                occupied -= self._end(unwanted.pop())
            self._spare = spare - self._head
            self._run_errands(occupied)
        if head is not None:  # which is still running, or there would be nothing to wait for
            self._make_more(likely, plan, until)

    def _make_more(
        self, likely: Iterator[Item[Any]], plan: Plan[D], until: Callable[[], bool]
    ) -> None:
        """Make candidates that may be wanted once the workers are free; they are kept.

        Those of a large program would take too much memory.
        """
        if plan.document.op_count > _MOST_OPS:
            return
        for _ in islice(likely, _FURTHER * self.jobs):
            if until() or self.changed.is_set():
                return

    def drop(self, keys: Iterable[str]) -> None:
        """End what was pinned and is not asked about after all."""
        with self._lock:
            for key in keys:
                self._errands.pop(key, None)
                ahead = self._ahead.pop(key, None)
                if ahead is not None:
                    ahead.cancel.set()

    def _running(self) -> list[str]:
        """The keys of the runs that have not ended, from the first that began."""
        return [key for key, ahead in self._ahead.items() if not ahead.future.done()]

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

    def pin(
        self, key: str, run: RunAhead, limits: Limits, *, spare: float, urgent: bool = False
    ) -> None:
        """Run what will be asked about unless something else is accepted, as soon as a worker is
        free; if it is `urgent`, end another run for it.
        """
        with self._lock:
            self._spare = spare
            running = self._running()
            if key in self._ahead:
                self._ahead[key].is_pinned = True  # and not ended to make room for itself
            else:
                self._errands[key] = run, limits
                if urgent and len(running) >= self.jobs:
                    any(map(self._end, reversed(running)))  # the first that can end
            self._run_errands(len(self._running()))

    def _run_errands(self, occupied: int) -> None:
        """Run what is pinned while workers are free."""
        while self._errands and occupied < self.jobs and len(self._ahead) < self._spare:
            key = next(iter(self._errands))
            run, limits = self._errands.pop(key)
            if key in self._ahead:
                self._ahead[key].is_pinned = True
            else:
                self._start(key, run, _Run(limits, is_pinned=True))
                occupied += 1

    def _start(self, key: str, run: RunAhead, ahead: _Run) -> None:
        self._ahead[key] = ahead
        ahead.future = self._pool.submit(run, ahead.cancel, ahead.limits)
        ahead.future.add_done_callback(self._on_end)

    def _on_end(self, _: "Future[Outcome]") -> None:
        """Give a worker that is free now what waits for one, and tell the search."""
        with self._lock:
            occupied = len(self._running()) + self._head
            while self._next and occupied < self.jobs:
                key = next(iter(self._next))
                run, ahead = self._next.pop(key)
                ahead.started = time.monotonic()
                self._start(key, run, ahead)
                occupied += 1
            self._run_errands(occupied)
        self.changed.set()

    def _note_ended(self, asker: Asker) -> None:
        """Learn what the runs ahead have shown, and forget the oldest if there are too many."""
        with self._lock:
            ended = [key for key, ahead in self._ahead.items() if ahead.future.done()]
            for key in ended:
                ahead = self._ahead[key]
                if ahead.is_known or ahead.future.cancelled():
                    continue
                ahead.is_known = True
                answer = None
                if ahead.future.exception() is None:
                    answer = asker.answer(key, ahead.future.result())
                rejected = Answer(Verdict.INVALID)  # nearly all exceptions are `InvalidAhead`
                self._foresight.learn_ahead(key, ahead.item, answer or rejected)
            for key in ended[:-_MAX_KEPT]:
                del self._ahead[key]


def _holds(outcome: Outcome, then: Limits, now: Limits) -> bool:
    """Whether an outcome under the limits of `then` is that of a run under those of now."""
    if then == now:
        return True
    if outcome.kind.traits.costly:
        return False
    return (now.seconds is None or outcome.seconds < now.seconds) and (
        now.cpu is None or outcome.cpu_seconds < now.cpu
    )
