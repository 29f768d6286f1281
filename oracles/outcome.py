"""What an oracle answers about one candidate."""

from dataclasses import asdict, dataclass
from typing import Any

from oracles.diagnostics import Diagnostic
from oracles.kind import Kind
from oracles.signature import Signature

__all__ = ["STDERR_KEPT", "Diagnostic", "Kind", "Outcome"]

STDERR_KEPT = 64 << 10
"""Characters of standard error that an outcome carries (head and tail)."""


@dataclass(frozen=True)
class Outcome:
    """The result of one oracle run, with the cost of every process it needed.

    `exit_code` is negative for a signal and None where nothing ran to an end; `seconds` is wall
    time, `cpu_seconds` user + system time, `peak_memory` bytes of the largest process.
    `pass_asked` is whether it took a run of its own to learn the failing pass.
    """

    kind: Kind
    signature: Signature
    exit_code: int | None = None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    stderr: str = ""
    pass_asked: bool = False

    @property
    def failed(self) -> bool:
        """Whether there is a failure to look for (a success or a cancelled run is none)."""
        return self.kind not in (Kind.SUCCESS, Kind.CANCELLED)

    def to_json(self) -> dict[str, Any]:
        """Plain values that `from_json` reads back, for a journal."""
        data = asdict(self)
        data["kind"] = str(self.kind)
        data["signature"] = self.signature.to_json()
        data["diagnostics"] = [diagnostic.to_json() for diagnostic in self.diagnostics]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Outcome":
        """Inverse of `to_json`; raises KeyError, TypeError or ValueError on foreign data."""
        fields = dict(data)
        fields["kind"] = Kind(data["kind"])
        fields["signature"] = Signature.from_json(data["signature"])
        fields["diagnostics"] = tuple(Diagnostic.from_json(item) for item in data["diagnostics"])
        return cls(**fields)
