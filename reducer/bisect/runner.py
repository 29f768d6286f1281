"""Run releases, install them on demand, and cache every result."""

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from oracles import Command, CompilerOracle, Kind, Limits, Oracle, Outcome, Signature
from oracles.compilers.command import INPUT
from oracles.compilers.compiler import CLASSIFIER_VERSION as ORACLE_READING
from oracles.compilers.compiler import compiler_of
from oracles.stored import parsed
from reducer.bisect.query import BisectQuery
from reducer.conversions import OptPrinter
from reducer.errors import Interrupted
from reducer.storage.journal import Journal
from reducer.toolchain import (
    INDEX_ONLY,
    PackageSource,
    Toolchain,
    ToolchainError,
    find,
    install,
    remove,
)
from reducer.toolchain.flags import flags_of

CLASSIFIER_VERSION = 1
"""Incremented whenever the meaning of cached journal entries changes."""

_TOOL_SECONDS = 600.0
_DOWNLOAD = re.compile(r"^Downloading .*\((\d+(?:\.\d+)?) MB\)")


class NotCached(Exception):
    """The result is not in the journal."""


class ReleaseRunner:
    """Runs any release or build for one query.

    `keep`: leave newly installed releases in the cache. `source`: where they come from.

    `runs` counts the compiler runs of this process and `seconds` their wall time; `fetched` are the
    versions downloaded and `megabytes` their size.

    Raises (from any method):
        ToolchainError: a version cannot be installed.
        Interrupted: `stop` was set.
        NotCached: `cache_only` is set, but a compiler would have to run.
    """

    cache_only = False

    def __init__(
        self,
        query: BisectQuery,
        journal: Journal,
        *,
        log: Callable[[str], None] = lambda text: None,
        stop: threading.Event | None = None,
        keep: bool = True,
        source: PackageSource = INDEX_ONLY,
    ) -> None:
        self.query = query
        self.stop = stop or threading.Event()
        self.runs = 0
        self.seconds = 0.0
        self.fetched: list[str] = []
        self.megabytes = 0.0
        self._journal = journal
        self._log = log
        self._keep = keep
        self._source = source
        self._announced: set[str] = set()

    def flags(self, version: str) -> dict[str, str]:
        """The flags of the tool in this release with their descriptions; empty if it lists none."""
        key = _digest("flags", self._identity(version), self.query.tool)
        known = self._journal.read(key, lambda text: parsed(text, dict[str, str]))
        if known is None:
            known = flags_of(self._tool(version))
            self._journal.put_text(key, json.dumps(known))
        return dict(known)

    def test(
        self,
        version: str,
        words: Sequence[str],
        text: str,
        seconds: float | None,
        again: int = 0,
    ) -> Outcome:
        """Run the query's oracle with these words on this text, for at most `seconds`.

        `again` numbers further runs of the same.
        """
        repeated = (f"again {again}",) if again else ()
        key = ("ask", self.query.identity, *words, str(seconds), *repeated, text)
        return self._cached(
            version, key, lambda: self._run(self._oracle(version, words, text), text, seconds)
        )

    def compile(
        self, version: str, words: Sequence[str], text: str, seconds: float | None
    ) -> Outcome:
        """The outcome of the compiler alone, whatever oracle the query uses."""

        def run() -> Outcome:
            compiler = compiler_of(self._oracle(version, words, self.query.text))
            return (
                Outcome(Kind.SUCCESS, Signature(Kind.SUCCESS))
                if compiler is None
                else (self._run(compiler, text, seconds))
            )

        return self._cached(version, ("compile", *words, str(seconds), text), run)

    def read(self, version: str, text: str) -> Outcome:
        """The outcome of only parsing the text with `iree-opt`, which rejects unregistered ops.

        `iree-compile` accepts unregistered ops, and only fails later because nothing lowers them.
        A build without such a tool is believed to read everything.
        """

        def run() -> Outcome:
            opt = self._opt(version)
            if opt is None:
                return Outcome(Kind.SUCCESS, Signature(Kind.SUCCESS))
            return self._run(CompilerOracle(Command((opt.name, INPUT)), opt), text, _TOOL_SECONDS)

        return self._cached(version, ("read", text), run)

    def generic(self, version: str, text: str) -> str | None:
        """The text in generic form, printed by this release; None if it cannot."""
        key = _digest("generic", self._identity(version), text)
        known = self._journal.get_text(key)
        if known is None:
            opt = self._opt(version)
            known = (OptPrinter(opt, Limits(_TOOL_SECONDS)).generic(text) if opt else None) or ""
            self._journal.put_text(key, known)
        return known or None

    def done_with(self, version: str) -> None:
        """Remove a release that was installed for this query, unless `keep` is set."""
        if not self._keep and version in self.fetched:
            remove(version)

    def _announce(self, version: str) -> None:
        if version not in self._announced:
            self._announced.add(version)
            self._log(f"testing {version}")

    def _identity(self, version: str) -> str:
        """What cached outcomes belong to: a release never changes, a build does."""
        build = self.query.builds.get(version)
        return version if build is None else f"build {build.identity}"

    def _tool(self, version: str) -> Path:
        """The program of the query."""
        self._refuse_if_only_cached()
        if build := self.query.builds.get(version):
            return build.program
        return self._toolchain(version).tool(self.query.tool)

    def _opt(self, version: str) -> Path | None:
        """The `…-opt` tool; None if a build has none."""
        self._refuse_if_only_cached()
        if build := self.query.builds.get(version):
            return build.opt
        return self._toolchain(version).opt

    def _refuse_if_only_cached(self) -> None:
        if self.cache_only:
            raise NotCached

    def _toolchain(self, version: str) -> Toolchain:
        runtime = self.query.needs_runtime
        found = find(version)
        if found is not None and (not runtime or found.run_module.is_file()):
            return found
        missing = found is None
        try:
            found = install(
                version,
                progress=self._on_install_progress,
                runtime=runtime,
                source=self._source,
            )
        except ToolchainError:
            self.raise_if_stopped()
            raise
        if missing and version not in self.fetched:
            self.fetched.append(version)
        return found

    def raise_if_stopped(self) -> None:
        """Raise Interrupted if the user wants to stop: Ctrl-C in a terminal reaches pip as well."""
        if self.stop.is_set():
            raise Interrupted("interrupted")

    def _on_install_progress(self, text: str) -> None:
        if match := _DOWNLOAD.match(text):
            self.megabytes += float(match[1])
        self._log(text)

    def _oracle(self, version: str, words: Sequence[str], text: str) -> Oracle:
        self._tool(version)  # installs it
        return self.query.make_oracle(version, words, text)

    def _run(self, oracle: Oracle, text: str, seconds: float | None) -> Outcome:
        limits = replace(oracle.limits, seconds=seconds)
        outcome = oracle.run(text, cancel=self.stop, limits=limits)
        if outcome.cancelled:
            raise Interrupted("interrupted")
        self.raise_if_stopped()
        self.runs += 1
        self.seconds += outcome.seconds
        return outcome

    def _cached(self, version: str, key: Sequence[str], run: Callable[[], Outcome]) -> Outcome:
        """The cached outcome, or that of a new run, which is on disk when this returns."""
        digest = _digest(self._identity(version), *key)
        outcome = self._journal.get(digest)
        if outcome is None:
            self._refuse_if_only_cached()
            self._announce(version)
            outcome = run()
            self._journal.put(digest, outcome, 0)
        return outcome


def _digest(*parts: str) -> str:
    whole = "\0".join((f"bisect {CLASSIFIER_VERSION} {ORACLE_READING}", *parts))
    return sha256(whole.encode(errors="surrogateescape")).hexdigest()
