"""What outcomes are remembered by, and where."""

from hashlib import sha256
from typing import Protocol

from oracles.outcome import Outcome


class Cache(Protocol):
    """Where outcomes are remembered by content (a session's journal)."""

    def get(self, digest: str) -> Outcome | None: ...

    def put(self, digest: str, outcome: Outcome, ops: int) -> None: ...


def digest_of(text: str, repetition: int = 0, oracle: str = "") -> str:
    """The content hash that outcomes are remembered by.

    Repeated runs have their own, and so have runs of another oracle than the cache is for.
    """
    digest = sha256(f"{oracle}{text}".encode(errors="surrogateescape")).hexdigest()
    return f"{digest}#{repetition}" if repetition else digest
