"""The short extra runs of a compiler that tell more about a failure, and what they cost."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from oracles.run.limits import End, ProcessResult
from oracles.signature.actions import Culprit, culprit_of
from oracles.signature.classify import classify, failing_pass
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome, Signature
from oracles.signature.stage import Verify
from oracles.stacks.crash_stack import CrashStack
from oracles.stacks.symbols import SymbolIndex


class Probed(Protocol):
    """The commands of an oracle that the extra runs take."""

    def verifying(self, flags: Sequence[str]) -> list[str] | None: ...

    def with_actions(self) -> list[str]: ...

    def symbols(self, module: str) -> SymbolIndex | None: ...


class NoRuns:
    """Answers nothing: all that a log has of a run is what it printed.

    `verify` may run a tool on the text even so; `is_missed` is whether a run would have told more.
    """

    def __init__(self, verify: Verify = lambda flags: None) -> None:
        self.verify = verify
        self.is_missed = False

    def name_pass(self) -> ProcessResult:
        self.is_missed = True
        return ProcessResult(End.EXITED, 0, 0.0, 0.0, 0, "", "")

    def culprit(self, crash: CrashStack) -> Culprit:
        self.is_missed = True
        return Culprit()


class ExtraRuns:
    """Makes the extra runs for one candidate and sums their cost.

    `run` runs a command on the candidate, `run_at_length` one that prints a lot, and `run_naming`
    the command under test with flags that make the compiler name the failing pass.
    """

    def __init__(
        self,
        oracle: Probed,
        run: Callable[[Sequence[str]], ProcessResult],
        run_at_length: Callable[[Sequence[str]], ProcessResult],
        run_naming: Callable[[], ProcessResult],
    ) -> None:
        self._oracle = oracle
        self._run = run
        self._run_at_length = run_at_length
        self._run_naming = run_naming
        self._results: list[ProcessResult] = []
        self._runs: list[tuple[str, float]] = []
        self._named: ProcessResult | None = None

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        argv = self._oracle.verifying(flags)
        return None if argv is None else self.count(self._run(argv), "to verify it")

    def name_pass(self) -> ProcessResult:
        if self._named is None:
            self._named = self.count(self._run_naming(), "to name the pass")
        return self._named

    def culprit(self, crash: CrashStack) -> Culprit:
        logged = self._run_at_length(self._oracle.with_actions())
        result = self.count(logged, "to name the pass and the op")
        again = classify(result, self._oracle.symbols).crash
        if again.frames[:1] == crash.frames[:1]:
            return culprit_of(result.stdout, after_pass=again.after_pass)
        # To log an action prints an op, which may itself crash: at the latest in the pass that
        # leaves what the verifier cannot look at.
        if crash.after_pass and again.frames:
            return Culprit(culprit_of(result.stdout, after_pass=True).pass_name)
        return Culprit()

    def count(self, result: ProcessResult, why: str) -> ProcessResult:
        self._results.append(result)
        self._runs.append((why, result.seconds))
        return result

    def added(self, outcome: Outcome) -> Outcome:
        """The outcome with the cost of the probes added."""
        signature = outcome.signature
        if any(result.end is End.CANCELLED for result in self._results):
            signature = Signature(Kind.CANCELLED)
        return replace(
            outcome,
            kind=signature.kind,
            signature=signature,
            seconds=outcome.seconds + sum(result.seconds for result in self._results),
            cpu_seconds=outcome.cpu_seconds + sum(item.cpu_seconds for item in self._results),
            peak_memory=max([outcome.peak_memory, *(item.peak_memory for item in self._results)]),
            extra=tuple(self._runs),
            # A compiler that names no pass may not know the flags.
            pass_asked=self._named is not None and bool(failing_pass(self._named.stderr)),
        )
