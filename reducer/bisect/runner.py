"""Run releases, install them on demand, and cache every result."""

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from oracles import Command, CompilerOracle, Kind, Limits, Oracle, Outcome, Signature
from oracles.base import capabilities_of
from oracles.compilers.command import INPUT
from oracles.compilers.compiler import CLASSIFIER_VERSION as ORACLE_READING
from oracles.stored import parsed
from reducer.asking import Asking
from reducer.bisect.query import BisectQuery
from reducer.conversions import OptPrinter
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

    `cost` is that of the compiler runs of this process; `fetched` are the versions downloaded and
    `megabytes` their size.

    Raises (from any method):
        ToolchainError: a version cannot be installed.
        Stopped: `stop` was set.
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
        self._asking = Asking(journal, cancel=stop or threading.Event())
        self.cost = self._asking.cost
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

        `again` numbers further runs of the same, which have random addresses.
        """
        repeated = (f"again {again}",) if again else ()
        key = ("ask", self.query.identity, *words, str(seconds), *repeated, text)
        limits = Limits(seconds, layout=None if again else 0)
        return self._ask(version, key, lambda: self._oracle(version, words, text), text, limits)

    def compile(
        self, version: str, words: Sequence[str], text: str, seconds: float | None
    ) -> Outcome:
        """The outcome of the compiler alone, whatever oracle the query uses."""

        def compiler() -> Oracle | None:
            return capabilities_of(self._oracle(version, words, self.query.text)).compiler

        key = ("compile", *words, str(seconds), text)
        return self._ask(version, key, compiler, text, Limits(seconds))

    def read(self, version: str, text: str) -> Outcome:
        """The outcome of only parsing the text with `iree-opt`, which rejects unregistered ops.

        `iree-compile` accepts unregistered ops, and only fails later because nothing lowers them.
        A build without such a tool is believed to read everything.
        """

        def reader() -> Oracle | None:
            opt = self._opt(version)
            return CompilerOracle(Command((opt.name, INPUT)), opt) if opt else None

        return self._ask(version, ("read", text), reader, text, Limits(_TOOL_SECONDS))

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
        toolchain = find(version)
        if toolchain is not None and (not runtime or toolchain.run_module.is_file()):
            return toolchain
        missing = toolchain is None
        try:
            toolchain = install(
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
        return toolchain

    def raise_if_stopped(self) -> None:
        """Raise Stopped if the user wants to stop: Ctrl-C in a terminal reaches pip as well."""
        self._asking.check()

    def _on_install_progress(self, text: str) -> None:
        if match := _DOWNLOAD.match(text):
            self.megabytes += float(match[1])
        self._log(text)

    def _oracle(self, version: str, words: Sequence[str], text: str) -> Oracle:
        self._tool(version)  # installs it
        return self.query.make_oracle(version, words, text)

    def _ask(
        self,
        version: str,
        key: Sequence[str],
        make: Callable[[], Oracle | None],
        text: str,
        limits: Limits,
    ) -> Outcome:
        """The cached outcome, or that of a new run, which is on disk when this returns.

        `make` gives the oracle to ask; if there is none, nothing is wrong.
        """
        digest = _digest(self._identity(version), *key)
        if (known := self._asking.known(digest)) is not None:
            return known
        self._refuse_if_only_cached()
        self._announce(version)
        if (oracle := make()) is not None:
            limits = replace(oracle.limits, seconds=limits.seconds, layout=limits.layout)
            return self._asking.ask(oracle, text, digest, limits=limits)
        outcome = Outcome(Kind.SUCCESS, Signature(Kind.SUCCESS))
        self._journal.put(digest, outcome, 0)
        return outcome


def _digest(*parts: str) -> str:
    whole = "\0".join((f"bisect {CLASSIFIER_VERSION} {ORACLE_READING}", *parts))
    return sha256(whole.encode(errors="surrogateescape")).hexdigest()
