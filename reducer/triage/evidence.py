"""What runs say about two buckets. Nothing is run here: it is all in the database."""

from collections.abc import Collection

from oracles import Kind
from reducer.triage.buckets import occurrences
from reducer.triage.bugs import Known
from reducer.triage.configuration import Compiler
from reducer.triage.plan import Plan
from reducer.triage.store import Result, Store

_SAYS_NOTHING = (Kind.INVALID_INPUT, Kind.TIMEOUT, Kind.MEMORY)


class RecordedEvidence:
    """Looks results up on the compilers of this run."""

    def __init__(self, store: Store, plan: Plan) -> None:
        self._store = store
        self._plan = plan
        self._compilers = {store.compiler(one): one for one in plan.compilers}

    def crossed(self, known: Known, compiler: int) -> str | None:
        """The bucket in which a reproducer fails on a compiler; None if it does not."""
        result = self._result(known.digest, known.all_flags, compiler)
        return result.bucket if result else None

    def dissents(self, bucket: str, compiler: int, allowed: Collection[str]) -> bool:
        """Whether an input of a bucket does something else on a compiler than fail like these."""
        for one in occurrences(self._store.database, [bucket]):
            result = self._result(one.input, one.flags, compiler)
            if result is None or result.kind in _SAYS_NOTHING:
                continue
            if result.bucket not in allowed:
                return True
        return False

    def _result(self, digest: str, flags: tuple[str, ...], compiler: int) -> Result | None:
        found: Compiler | None = self._compilers.get(compiler)
        if found is None:
            return None
        number = self._store.configuration(self._plan.configuration(found, flags))
        return self._store.result(digest, number)
