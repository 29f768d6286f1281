"""Screening: a cheap check of candidates that the compiler's parser or verifier would reject.

A single process of a tool that only parses and verifies can check many candidates, so the search
looks ahead: it takes the next few candidates, checks them together, and continues in order with
those that pass. The result of a check depends on the text alone, so the lookahead affects the cost
of a reduction but never its result.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator

from reducer.ir import D, Document
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName, Refusal, Refused, Screen

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
        known: Callable[[str], bool],
        refuse: Callable[[Refused], None],
    ) -> None:
        self._refused: deque[tuple[int, Refused]] = deque()  # at the position of what follows
        self._source = self._numbered(candidates)
        self._screen = screen
        self._base = base
        self._rates = rates
        self._judged: list[tuple[str, bool]] = []
        self._alarmed = False  # an unchecked candidate turned out to be invalid
        self._batches = 0
        self._batch_of: dict[int, int] = {}
        self._unchecked: dict[int, Candidate[D]] = {}  # passed on unchecked, and not settled yet
        self._known = known
        self._refuse = refuse
        self._size = _FIRST_BATCH
        self._ready: deque[tuple[int, Candidate[D]]] = deque()
        self._origins: dict[int, str] = {}

    def __next__(self) -> tuple[int, Candidate[D]]:
        while not self._ready:
            batch = self._batch()
            if not batch:
                raise StopIteration
            self._check(batch)
        return self._ready.popleft()

    def settle(self, position: int, *, invalid: bool) -> set[int]:
        """Record the verdict on the candidate at a position; must be called in order.

        Also counts the candidates refused before that position, but no later ones: several workers
        may have checked more, and the rates must not depend on the number of workers.

        Returns:
            The positions of candidates to discard: they were handed out before this verdict, a
            single worker would have checked them after it, and they do not pass the check.
        """
        while self._refused and self._refused[0][0] <= position:
            self._settle_refused(self._refused.popleft()[1])
        self._judged.append((self._origins[position], invalid))
        self._unchecked.pop(position, None)
        if not invalid or self._alarmed:
            return set()
        self._alarmed = True
        return self._check_late(self._batch_of[position])

    def _check_late(self, batch: int) -> set[int]:
        """Check what was passed on unchecked in batches after the one that raised the alarm."""
        late = {
            position: candidate
            for position, candidate in self._unchecked.items()
            if self._batch_of[position] > batch and self._needs_check(candidate)
        }
        rejected = self._turned_away([candidate.text for candidate in late.values()])
        gone = {position for position, candidate in late.items() if candidate.text in rejected}
        self._ready = deque(item for item in self._ready if item[0] not in gone)
        self._reject({position: late[position] for position in sorted(gone)})
        return gone

    def end(self) -> None:
        """Record that all candidates were judged and none was accepted."""
        for _, refused in self._refused:
            self._settle_refused(refused)

    def _settle_refused(self, refused: Refused) -> None:
        if refused.refusal.condition is ConditionName.VERIFIER:
            self._judged.append((refused.origin, True))
        self._refuse(refused)

    def close(self) -> None:
        """Update the rates. Only done at the end, so that workers running ahead have no effect."""
        for origin, invalid in self._judged:
            self._rates.add(origin, invalid=invalid)

    def _batch(self) -> list[tuple[int, Candidate[D]]]:
        """The next batch; a first candidate that needs no check is a batch of its own."""
        out: list[tuple[int, Candidate[D]]] = []
        work = 0
        while len(out) < self._size and work <= _MAX_BATCH_OPS:
            item = next(self._source, None)
            if item is None:
                break
            out.append(item)
            work += item[1].document.op_count
            if len(out) == 1 and not self._needs_check(item[1]):
                return out
        self._size = min(_MAX_BATCH, 2 * self._size)
        return out

    def _check(self, batch: list[tuple[int, Candidate[D]]]) -> None:
        self._batches += 1
        doubtful = {c.text for _, c in batch if self._needs_check(c)}
        rejected = self._turned_away([c.text for _, c in batch if c.text in doubtful])
        self._reject({position: one for position, one in batch if one.text in rejected})
        for position, candidate in batch:
            if candidate.text in rejected:
                continue
            self._ready.append((position, candidate))
            self._origins[position] = candidate.origin
            self._batch_of[position] = self._batches
            if candidate.text not in doubtful:
                self._unchecked[position] = candidate

    def _reject(self, candidates: dict[int, Candidate[D]]) -> None:
        """Keep what the screen rejects until its turn, among what was refused when it was made."""
        refusal = Refusal(ConditionName.VERIFIER)
        rejected = [
            (position, Refused(one.origin, refusal, one.document.op_count))
            for position, one in candidates.items()
        ]
        self._refused = deque(sorted([*self._refused, *rejected], key=lambda item: item[0]))

    def _numbered(
        self, candidates: Iterator[Candidate[D] | Refused]
    ) -> Iterator[tuple[int, Candidate[D]]]:
        position = 0
        for one in candidates:
            if isinstance(one, Refused):
                self._refused.append((position, one))
            else:
                yield position, one
                position += 1

    def _turned_away(self, texts: list[str]) -> set[str]:
        """The texts that do not pass the screen."""
        texts = list(dict.fromkeys(texts))
        passed = self._passes(texts) if texts else []
        return {text for text, passes in zip(texts, passed, strict=True) if not passes}

    def _passes(self, texts: list[str]) -> list[bool]:
        assert self._screen is not None and self._base is not None
        return self._screen.passes(texts, self._base.text)

    def _needs_check(self, candidate: Candidate[D]) -> bool:
        return (
            self._screen is not None
            and candidate.document.op_count <= MAX_SCREENED_OPS
            and (self._alarmed or self._rates.is_worth_screening(candidate.origin))
            and not self._known(candidate.text)
        )
