"""Conversions by the compiler, remembered in the journal like verdicts."""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

from reducer.ir import GenericSyntaxError, Module
from reducer.locate.locations import Location, read_locations
from reducer.session.journal import Journal
from reducer.session.normalise import Normaliser

GENERIC = "generic"
"""The form of the IR of record."""


class Conversions:
    """What the compiler's `…-opt` tool makes of a text; nothing at all where there is no tool."""

    def __init__(
        self, normaliser: Normaliser | None, journal: Journal, say: Callable[[str], None]
    ) -> None:
        self._normaliser = normaliser
        self._journal = journal
        self._say = say

    @property
    def seconds(self) -> float:
        """CPU seconds that the tool took in this process."""
        return self._normaliser.seconds if self._normaliser else 0.0

    @property
    def opt(self) -> Path | None:
        """The tool."""
        return self._normaliser.opt if self._normaliser else None

    def module(self, text: str) -> Module | None:
        """The text as a module; None if it cannot be brought into generic form."""
        generic = self._remembered(GENERIC, lambda n: n.generic(text), text)
        try:
            return Module.parse(generic) if generic else None
        except GenericSyntaxError as error:
            self._say(f"the compiler's generic print is not understood ({error})")
            return None

    def locations(self, text: str, module: Module) -> dict[Location, list[int]]:
        """Where each op of a module is in the text that it was made from, as far as is known."""
        located = self._remembered("locations", lambda n: n.generic_with_locations(text), text)
        return read_locations(located, module) if located else {}

    def after_passes(self, pipeline: str, text: str) -> str | None:
        """The text in generic form after a pass pipeline."""
        convert: Callable[[Normaliser], str | None] = partial(_after_passes, pipeline, text)
        return self._remembered(pipeline, convert, text)

    def pretty(self, generic: str) -> str | None:
        """The text as the compiler prints it for people; None if it does not."""
        return self._remembered("pretty", lambda n: n.pretty(generic), generic)

    def remembered(self, form: str, text: str, make: Callable[[], str]) -> str:
        """What `make` gives for a text, made once; for what else is costly to derive from one."""
        digest = key_of(form, text)
        known = self._journal.get_text(digest)
        if known is None:
            known = make()
            self._journal.put_text(digest, known)
        return known

    def _remembered(
        self, form: str, convert: Callable[[Normaliser], str | None], text: str
    ) -> str | None:
        normaliser = self._normaliser
        if normaliser is None:
            return None
        return self.remembered(form, text, lambda: convert(normaliser) or "") or None


def key_of(form: str, text: str) -> str:
    """The journal's key for a text in another form."""
    return sha256(f"{form}\0{text}".encode(errors="surrogateescape")).hexdigest()


def _after_passes(pipeline: str, text: str, normaliser: Normaliser) -> str | None:
    return normaliser.after_passes(pipeline, text)
