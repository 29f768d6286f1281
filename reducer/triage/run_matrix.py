"""Which inputs to compile with which compilers and flags, translated for each release."""

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reducer.toolchain import resolve_executable
from reducer.toolchain.flags import flags_of, translate
from reducer.triage.configurations import Compiler, Configuration, FlagsLine
from reducer.triage.inputs import Input
from reducer.triage.store import Store


class FlagTranslator:
    """Translates flags. Each compiler's list of flags is queried once and kept in the database."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[Compiler, dict[str, str]] = {}

    def __call__(self, flags: tuple[str, ...], compiler: Compiler) -> tuple[str, ...]:
        """The flags as this compiler spells them; flags it does not know are left unchanged."""
        if not flags:
            return flags
        return translate([compiler.program, *flags], self._flags(compiler)).words[1:]

    def _flags(self, compiler: Compiler) -> dict[str, str]:
        if compiler not in self._known:
            self._known[compiler] = self._remembered(compiler)
        return self._known[compiler]

    def _remembered(self, compiler: Compiler) -> dict[str, str]:
        database, number = self._store.database, self._store.compiler(compiler)
        blob = database.value("SELECT flags FROM compilers WHERE compiler = ?", number)
        if blob is None:
            blob = zlib.compress(
                json.dumps(
                    flags_of(resolve_executable(compiler.program, compiler.version))
                ).encode()
            )
            database.write("UPDATE compilers SET flags = ? WHERE compiler = ?", blob, number)
        known: dict[str, str] = json.loads(zlib.decompress(blob))
        return known


Translate = Callable[[tuple[str, ...], Compiler], tuple[str, ...]]
"""Translates flags to those with the same meaning for a compiler."""


@dataclass(frozen=True)
class RunMatrix:
    """Each input with the flags that apply to it, on each compiler.

    `common` are flags for all inputs; relative paths in flags are resolved against `directory`.
    `translate` adapts flags to each compiler; without it, they are used as given.
    """

    compilers: tuple[Compiler, ...]
    lines: tuple[FlagsLine, ...]
    common: tuple[str, ...]
    directory: str
    translate: Translate | None = None

    def configurations(self, item: Input) -> Iterator[Configuration]:
        """The distinct configurations of an input."""
        for compiler in self.compilers:
            found = (
                self.configuration(compiler, (*self.common, *line.flags))
                for line in self.lines
                if any(line.fits(place.below, compiler.version) for place in item.places)
            )
            yield from dict.fromkeys(found)

    def configuration(self, compiler: Compiler, flags: Sequence[str]) -> Configuration:
        """A compiler with these flags, translated to its spelling."""
        wanted = tuple(flags)
        spelt = self.translate(wanted, compiler) if self.translate else wanted
        return Configuration(compiler, spelt, self.directory)
