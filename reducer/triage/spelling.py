"""Flags as each compiler spells them, so that one line of flags serves releases old and new."""

import json
import zlib

from reducer.releases.flags import translate
from reducer.releases.told import flags_of
from reducer.toolchain import resolve_executable
from reducer.triage.configuration import Compiler
from reducer.triage.store import Store


class Spelling:
    """Translates flags. What a compiler knows, it is asked once; the database remembers it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[Compiler, dict[str, str]] = {}

    def __call__(self, flags: tuple[str, ...], compiler: Compiler) -> tuple[str, ...]:
        """The flags for a compiler. Those that it does not know at all stay as they are."""
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
