"""What is known of reproducers that look alike, kept in the database: each is examined once."""

import json
import threading

from oracles import CompilerOracle, Limits
from reducer.triage.buckets import all_buckets
from reducer.triage.bugs import Known
from reducer.triage.examining import Cost, ops_of, reach_the_pass
from reducer.triage.plan import Plan
from reducer.triage.store import Caps, Store
from reducer.triage.task import oracle_of


class Grounds:
    """Answers from the database, or else by running small programs; `cost` adds those up."""

    def __init__(self, store: Store, plan: Plan, caps: Caps, stop: threading.Event) -> None:
        self._store = store
        self._database = store.database
        self._plan = plan
        self._limits = Limits(caps.seconds, caps.memory)
        self._stop = stop
        self.cost = Cost()

    def ops(self, one: Known | None) -> frozenset[str]:
        """The ops that a minimal reproducer is about; none where there is no such reproducer."""
        if one is None or not one.minimal:
            return frozenset()
        row = self._row(one)
        if row is not None:
            return row[0]
        oracle = self._oracle(one)
        if oracle is None:
            return frozenset()
        ops = ops_of(one.text, oracle, self.cost)
        self._keep(one, ops, None)
        return ops

    def reached(self, one: Known) -> bool | None:
        """Whether the pass that fails gets these ops as they are; None if that is not known yet."""
        row = self._row(one)
        return None if row is None else row[1]

    def reach(self, one: Known) -> bool:
        """The same, found out if need be."""
        known, ops, oracle = self.reached(one), self.ops(one), self._oracle(one)
        if known is not None or not ops or oracle is None:
            return bool(known)
        wanted = all_buckets(self._database)[one.bucket].signature
        reached = reach_the_pass(ops, one.text, wanted, oracle, self.cost, self._stop)
        if reached is not None:
            self._keep(one, ops, reached)
        return bool(reached)

    def _row(self, one: Known) -> tuple[frozenset[str], bool | None] | None:
        row = self._database.row(
            "SELECT ops, reached FROM grounds WHERE bucket = ? AND reproducer = ?",
            one.bucket, one.digest,
        )  # fmt: skip
        if row is None:
            return None
        reached = row["reached"]
        return frozenset(json.loads(row["ops"])), None if reached is None else bool(reached)

    def _keep(self, one: Known, ops: frozenset[str], reached: bool | None) -> None:
        self._database.write(
            "INSERT OR REPLACE INTO grounds VALUES (?, ?, ?, ?)",
            one.bucket, one.digest, json.dumps(sorted(ops)), reached,
        )  # fmt: skip

    def _oracle(self, one: Known) -> CompilerOracle | None:
        """The compiler it was made with; None if that is not one of this run."""
        for compiler in self._plan.compilers:
            if self._store.compiler(compiler) == one.compiler:
                directory = self._plan.directory
                return oracle_of(
                    compiler.program, compiler.version, one.flags, directory, self._limits
                )
        return None
