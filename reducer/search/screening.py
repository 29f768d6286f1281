"""Screening: have the verifier look at many candidates at once, where that saves runs.

A single process of a tool that only parses and verifies can check many candidates, so the search
looks ahead: it takes the next few candidates, checks them together, and continues in order with
those that pass. The result of a check depends on the text alone, so the lookahead affects the cost
of a reduction but never its result.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator

from reducer.ir import D, Document
from reducer.search.candidate import Candidate
from reducer.search.conditions import Refused, Screen, Verifier

MAX_SCREENED_OPS = 2_500
"""The largest candidate to check, in ops: making and checking it takes about as long as its run."""

_FIRST_BATCH, _MAX_BATCH = 4, 32  # candidates in a batch; each batch is twice as large as the last
_MAX_BATCH_OPS = 8 * MAX_SCREENED_OPS  # ops in a batch
_MIN_SAMPLES = 10  # the number of candidates that gives a rough estimate of the invalid rate
_MIN_INVALID_RATE = 0.04  # below this rate, running invalid candidates is cheaper than checking all


class InvalidRates:
    """The rate of invalid candidates, per origin and in total."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._invalid: Counter[str] = Counter()

    def add(self, origin: str, *, invalid: bool) -> None:
        self._seen[origin] += 1
        self._invalid[origin] += invalid

    def is_worth_screening(self, origin: str) -> bool:
        """Whether so many candidates are invalid that screening pays off.

        A new origin is assumed to have the total rate.
        """
        everywhere = (self._invalid.total() + 1) / (self._seen.total() + _MIN_SAMPLES)
        return (self._invalid[origin] + everywhere) / (self._seen[origin] + 1) > _MIN_INVALID_RATE


class ScreenedCandidates(Iterator[tuple[int, Candidate[D]]]):
    """Iterates over (position, candidate), without those that are refused before a run.

    Args:
        candidates: in order, between what was refused when it was made, which has no position.
        screen: None to let all candidates through.
        base: the document that the candidates were derived from; required with a screen.
        known: whether the outcome of a text is already known, so that a check would save nothing.
        refuse: called with each one that was refused, when its turn has come.
    """

    def __init__(
        self,
        candidates: Iterator[Candidate[D] | Refused],
        screen: Screen | None,
        base: Document | None,
        rates: InvalidRates,
        is_known: Callable[[str], bool],
        refuse: Callable[[Refused], None],
    ) -> None:
        self._source = candidates
        self._screen = screen
        self._base = base
        self._rates = rates
        self._judged: list[tuple[str, bool]] = []
        self._alarmed = False  # an unchecked candidate turned out to be invalid
        self._known = is_known
        self._refuse = refuse
        self._size = _FIRST_BATCH
        self._position = -1
        self._ready: deque[Candidate[D] | Refused] = deque()

    def __next__(self) -> tuple[int, Candidate[D]]:
        while True:
            while not self._ready:
                batch = self._batch()
                if not batch:
                    raise StopIteration
                self._ready.extend(self._checked(batch))
            candidate = self._ready.popleft()
            if not isinstance(candidate, Refused):
                self._position += 1
                return self._position, candidate
            if candidate.refusal == Verifier.refusal:
                self._position += 1
                self._judged.append((candidate.origin, True))
            self._refuse(candidate)

    def settle(self, candidate: Candidate[D], *, invalid: bool) -> None:
        """Record the verdict on the last candidate, unless it is another command that is tried."""
        if candidate.oracle is None:
            self._judged.append((candidate.origin, invalid))
            self._alarmed |= invalid

    def close(self) -> None:
        """Update the rates, which thus are the same for all candidates of one list."""
        for origin, invalid in self._judged:
            self._rates.add(origin, invalid=invalid)

    def _batch(self) -> list[Candidate[D] | Refused]:
        """The next batch; a first candidate that needs no check is a batch of its own."""
        out: list[Candidate[D] | Refused] = []
        taken = work = 0
        while taken < self._size and work <= _MAX_BATCH_OPS:
            candidate = next(self._source, None)
            if candidate is None:
                break
            out.append(candidate)
            if isinstance(candidate, Refused):
                continue
            taken += 1
            work += candidate.document.op_count
            if taken == 1 and not self._needs_check(candidate):
                return out
        self._size = min(_MAX_BATCH, 2 * self._size) if taken else self._size
        return out

    def _checked(self, batch: list[Candidate[D] | Refused]) -> Iterator[Candidate[D] | Refused]:
        """The batch with refusals in place of what does not pass the screen."""
        made = [each for each in batch if not isinstance(each, Refused)]
        texts = list(dict.fromkeys(each.text for each in made if self._needs_check(each)))
        passes = dict(zip(texts, self._passes(texts) if texts else [], strict=True))
        for candidate in batch:
            if isinstance(candidate, Refused) or passes.get(candidate.text, True):
                yield candidate
            else:
                yield Refused(candidate.origin, Verifier.refusal, candidate.document.op_count)

    def _passes(self, texts: list[str]) -> list[bool]:
        assert self._screen is not None and self._base is not None
        return self._screen.passes(texts, self._base.text)

    def _needs_check(self, candidate: Candidate[D]) -> bool:
        return (
            self._screen is not None
            and candidate.oracle is None
            and candidate.document.op_count <= MAX_SCREENED_OPS
            and (self._alarmed or self._rates.is_worth_screening(candidate.origin))
            and not self._known(candidate.text)
        )
