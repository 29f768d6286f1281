"""Read why, according to the runtime, a compiled program did not finish."""

from dataclasses import dataclass

from oracles.profiles import RUNTIME
from oracles.rows import row_of
from oracles.signature.templates import template_of

_NUMBERED = row_of(r"\b([a-z_]+)\d+\b", "runtime/input-shape")
"""`input0`: the number says which of the arguments that are left."""


@dataclass(frozen=True)
class RuntimeStatus:
    """A status code, where it arose, and the message; the latter two may be ''."""

    status: str
    place: str = ""
    message: str = ""

    @property
    def said(self) -> str:
        """What it says, as printed."""
        return ": ".join(filter(None, (self._head, self.message)))

    @property
    def template(self) -> str:
        """What identifies the bug: without what depends on the input, or on which call reports it.

        Work given to a device fails later, and whichever call notices first reports it.
        """
        words = _NUMBERED.sub(r"\1N", template_of(self.message))
        if words and RUNTIME.queued.match(self.place):
            return f"{self.status}: {RUNTIME.heard.sub('', words)}"
        return ": ".join(filter(None, (self._head, words)))

    @property
    def _head(self) -> str:
        return f"{self.status} in {self.place}" if self.place else self.status


def reported_status(stderr: str) -> RuntimeStatus | None:
    """The status in the line that says why a module failed; None if there is no such line.

    >>> reported_status("a/b.c:12: ABORTED; no rule; while invoking native function hal.f; …")
    RuntimeStatus(status='ABORTED', place='hal.f', message='no rule')
    """
    # Text can be megabytes, and a plain search is far cheaper than a pattern.
    if not any(status in stderr for status in RUNTIME.statuses):
        return None
    for found in RUNTIME.failure.finditer(stderr):
        if found["status"] in RUNTIME.statuses:
            message = (found["message"] or "").strip()
            return RuntimeStatus(found["status"], found["place"] or "", message)
    return None
