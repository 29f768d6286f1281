"""Read and write inputs, configurations and results in the database of a triage."""

import json
import time
import zlib
from dataclasses import dataclass
from hashlib import sha256

from oracles import Kind, Outcome, Signature
from reducer.triage.buckets import stored_outcome
from reducer.triage.configurations import Compiler, Configuration
from reducer.triage.database import Database, filled
from reducer.triage.inputs import Input


def bucket_of(signature: Signature, digest: str) -> str | None:
    """The bucket for an input with this signature; None if the outcome is not a bug.

    A run that hit a limit in an unknown pass reveals nothing more, so each such input gets a bucket
    of its own.
    """
    traits = signature.kind.traits
    if not traits.is_bug:
        return None
    if signature.is_arbitrary:
        return sha256(f"{signature.bucket} {digest}".encode()).hexdigest()[:12]
    return signature.bucket


@dataclass(frozen=True)
class Caps:
    """Limits of a run: wall time in seconds, memory in bytes.

    An input passes if `passes` runs of it in a row do.
    """

    seconds: float
    memory: int | None
    passes: int = 1


@dataclass(frozen=True)
class StoredResult:
    """The result of one input in one configuration; `seconds` are those of CPU time."""

    input: str
    configuration: int
    kind: Kind
    bucket: str | None
    seconds: float
    run: int


class Store:
    """Stores inputs, configurations and results; each method is one transaction."""

    def __init__(self, database: Database, run: int) -> None:
        self.database = database
        self.run = run
        self._numbers: dict[Configuration, int] = {}

    # ---- inputs and configurations ---------------------------------------------------------

    def add_input(self, digest: str, size: int, ops: int, bytecode: bool = False) -> None:
        """Record an input by the digest of its content."""
        self.database.write(
            "INSERT OR IGNORE INTO inputs VALUES (?, ?, ?, ?)", digest, size, ops, bytecode
        )

    def add_inputs(self, inputs: list[Input]) -> None:
        """Record inputs and the files that contain them in this run."""
        with self.database.transaction():
            for item in inputs:
                self.add_input(item.digest, item.size, item.ops, item.bytecode)
                for place in item.places:
                    self.database.write(
                        "INSERT OR REPLACE INTO files VALUES (?, ?, ?)",
                        place.shown, item.digest, self.run,
                    )  # fmt: skip

    def compiler(self, compiler: Compiler) -> int:
        """The number of a compiler.

        Drops the results of a release that were classified by an earlier version of this program.
        """
        with self.database.transaction():
            if compiler.version is not None:
                self._forget_readings(compiler)
            return self._compiler(compiler)

    def _forget_readings(self, compiler: Compiler) -> None:
        row = self.database.row(
            "SELECT compiler FROM compilers WHERE name = ? AND version = ? AND identity <> ?",
            compiler.name, compiler.version, compiler.identity,
        )  # fmt: skip
        if row is None:
            return
        self.database.write(
            "DELETE FROM results WHERE configuration IN "
            "(SELECT configuration FROM configurations WHERE compiler = ?)", row["compiler"],
        )  # fmt: skip
        self.database.write(
            "UPDATE compilers SET identity = ? WHERE compiler = ?",
            compiler.identity, row["compiler"],
        )  # fmt: skip

    def _compiler(self, compiler: Compiler) -> int:
        facts: dict[str, object] = {
            "identity": compiler.identity,
            "name": compiler.name,
            "version": compiler.version,
        }
        return self.database.number_of("compilers", "compiler", facts, ["identity"])

    def configuration(self, configuration: Configuration) -> int:
        """The number of a configuration, which is added if missing."""
        number = self._numbers.get(configuration)
        if number is None:
            with self.database.transaction():
                facts: dict[str, object] = {
                    "compiler": self.compiler(configuration.compiler),
                    "program": configuration.compiler.program,
                    "flags": json.dumps(configuration.flags),
                    "files": configuration.files,
                }
                number = self.database.number_of(
                    "configurations", "configuration", facts, ["compiler", "flags", "files"]
                )
            self._numbers[configuration] = number
        return number

    # ---- results ---------------------------------------------------------------------------

    def result(self, digest: str, configuration: int) -> StoredResult | None:
        """The stored result of an input, or None."""
        row = self.database.row(
            "SELECT * FROM results WHERE input = ? AND configuration = ?", digest, configuration
        )
        return None if row is None else filled(StoredResult, row)

    def runs(self, digest: str, configuration: int) -> int:
        """How often an input was run until it failed, or in all if it passed; 0 if never."""
        return int(
            self.database.value(
                "SELECT runs FROM results WHERE input = ? AND configuration = ?",
                digest, configuration,
            ) or 0
        )  # fmt: skip

    def settled(self, digest: str, configuration: int, caps: Caps) -> StoredResult | None:
        """The same, but None if a limit was hit or runs sufficed that have been raised since."""
        row = self.database.row(
            "SELECT kind, time_limit, memory_limit, runs FROM results "
            "WHERE input = ? AND configuration = ?", digest, configuration,
        )  # fmt: skip
        if row is None:
            return None
        traits = Kind(row["kind"]).traits
        if traits.succeeded and caps.passes > row["runs"]:
            return None
        if traits.out_of_time and caps.seconds > row["time_limit"]:
            return None
        before = row["memory_limit"]
        if traits.out_of_memory and before and (caps.memory or float("inf")) > before:
            return None
        return self.result(digest, configuration)

    def outcome(self, digest: str, configuration: int) -> Outcome | None:
        """The full outcome of an input, or None."""
        return stored_outcome(self.database, digest, configuration)

    def put(
        self,
        digest: str,
        configuration: int,
        outcome: Outcome,
        caps: Caps,
        *,
        bug: bool = True,
        runs: int = 1,
    ) -> None:
        """Store the outcome of an input and its bucket; it is on disk when this returns.

        With `bug=False` a failure creates no bucket, because the text is not a user's input. It was
        the last of so many `runs`, all others of which passed.
        """
        signature = outcome.signature
        bucket = bucket_of(signature, digest)
        blob = zlib.compress(json.dumps(outcome.to_json()).encode(), 6)
        with self.database.transaction():
            if bucket is not None and bug:
                self.database.write(
                    "INSERT OR IGNORE INTO buckets (bucket, kind, signature, text, run) "
                    "VALUES (?, ?, ?, ?, ?)",
                    bucket, str(outcome.kind), json.dumps(signature.to_json()), signature.text,
                    self.run,
                )  # fmt: skip
            self.database.write(
                "INSERT OR REPLACE INTO results VALUES ?",
                (digest, configuration, str(outcome.kind), bucket, outcome.cpu_seconds,
                 outcome.peak_memory, caps.seconds, caps.memory, self.run, time.time(), blob, runs),
            )  # fmt: skip
