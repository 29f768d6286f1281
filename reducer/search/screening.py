"""A cheap look at candidates before the oracle: what the compiler's parser or verifier would turn
away is not worth a run.

One process of a tool that only parses and verifies looks at many candidates at once, so the search
looks ahead: it takes the next few candidates, has them all checked, and goes on in their order with
those that are left. What a check says of a text depends on the text alone, so looking ahead further
or less far changes what a reduction costs and never what it finds.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from reducer.ir import D, Document
from reducer.search.candidate import Candidate

MAX_SCREENED_OPS = 2_500
"""Ops; a candidate of so many is made and checked in about the time that its run would take."""

_FIRST_BATCH, _MAX_BATCH = 4, 32  # candidates in a batch; each is twice as large as the one before
_MAX_BATCH_OPS = 8 * MAX_SCREENED_OPS  # ops in a batch
_MIN_SAMPLES = 10  # candidates after which the share of invalid ones is known more or less
_MIN_INVALID_RATE = 0.04  # a smaller share of invalid candidates costs less than looking for them


class Screen(Protocol):
    """Tells what a compiler would turn away."""

    def passes(self, texts: Sequence[str], base: str) -> list[bool]:
        """For each text whether it is worth a run.

        `base` is a text that the compiler takes. All are worth a run if the screen would turn it
        away, for then it knows less than the compiler.
        """
        ...


class InvalidRates:
    """How often the candidates of each origin, and of all together, were invalid."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._invalid: Counter[str] = Counter()

    def add(self, origin: str, *, invalid: bool) -> None:
        self._seen[origin] += 1
        self._invalid[origin] += invalid

    def is_worth_screening(self, origin: str) -> bool:
        """Whether so many are invalid that looking for them pays.

        Of an origin that is new, as many are expected to be as of all others.
        """
        everywhere = (self._invalid.total() + 1) / (self._seen.total() + _MIN_SAMPLES)
        return (self._invalid[origin] + everywhere) / (self._seen[origin] + 1) > _MIN_INVALID_RATE


class ScreenedCandidates(Iterator[tuple[int, Candidate[D]]]):
    """Candidates with their positions, without those that the screen turns away.

    Args:
        screen: None lets all through.
        base: what the candidates were made from; needed where there is a screen.
        known: whether a text's outcome is known already, so that there is nothing to save.
    """

    def __init__(
        self,
        candidates: Iterator[Candidate[D]],
        screen: Screen | None,
        base: Document | None,
        rates: InvalidRates,
        known: Callable[[str], bool],
    ) -> None:
        self._source = enumerate(candidates)
        self._screen = screen
        self._base = base
        self._rates = rates
        self._judged: list[tuple[str, bool]] = []
        self._alarmed = False  # one was invalid that no check had stopped
        self._batches = 0
        self._batch_of: dict[int, int] = {}
        self._unchecked: dict[int, Candidate[D]] = {}  # let through, and not settled yet
        self._known = known
        self._size = _FIRST_BATCH
        self._ready: deque[tuple[int, Candidate[D]]] = deque()
        self._rejected: deque[tuple[int, str]] = deque()
        self._origins: dict[int, str] = {}

    def __next__(self) -> tuple[int, Candidate[D]]:
        while not self._ready:
            batch = self._batch()
            if not batch:
                raise StopIteration
            self._check(batch)
        return self._ready.popleft()

    def settle(self, position: int, *, invalid: bool) -> set[int]:
        """Learns the verdict on the candidate at a position; call it in their order.

        Those turned away before it count as well, and no others: with several workers more may
        have been checked already, and what is learned must not depend on that.

        Returns:
            The positions of candidates that were handed out too early: one worker alone would have
            known that they need a check, and they do not pass it.
        """
        while self._rejected and self._rejected[0][0] < position:
            self._judged.append((self._rejected.popleft()[1], True))
        self._judged.append((self._origins[position], invalid))
        self._unchecked.pop(position, None)
        if not invalid or self._alarmed:
            return set()
        self._alarmed = True
        return self._check_late(self._batch_of[position])

    def _check_late(self, batch: int) -> set[int]:
        """Checks what was let through in later batches than the one that raised the alarm."""
        late = {
            position: candidate
            for position, candidate in self._unchecked.items()
            if self._batch_of[position] > batch and self._needs_check(candidate)
        }
        rejected = self._turned_away([candidate.text for candidate in late.values()])
        gone = {position for position, candidate in late.items() if candidate.text in rejected}
        self._ready = deque(item for item in self._ready if item[0] not in gone)
        added = [(position, late[position].origin) for position in gone]
        self._rejected = deque(sorted([*self._rejected, *added]))
        return gone

    def end(self) -> None:
        """All were judged, and none was wanted."""
        self._judged += [(origin, True) for _, origin in self._rejected]

    def close(self) -> None:
        """Hands on what was learned: not before, so that workers who are ahead do not matter."""
        for origin, invalid in self._judged:
            self._rates.add(origin, invalid=invalid)

    def _batch(self) -> list[tuple[int, Candidate[D]]]:
        """The next candidates: as many as a batch may have, but one that needs no check alone."""
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
        for position, candidate in batch:
            if candidate.text in rejected:
                self._rejected.append((position, candidate.origin))
                continue
            self._ready.append((position, candidate))
            self._origins[position] = candidate.origin
            self._batch_of[position] = self._batches
            if candidate.text not in doubtful:
                self._unchecked[position] = candidate

    def _turned_away(self, texts: list[str]) -> set[str]:
        """Those of some texts that do not pass."""
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
