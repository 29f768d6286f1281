"""Compile programs on other builds, and remember the answers."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Command, CompilerOracle, Limits, Outcome, Signature
from oracles.base import Cache, outcome_digest
from oracles.compilers.command import INPUT, verifying_tool
from oracles.signature.comparison import Across, same_failure
from oracles.signature.match_any_error import AMONG, match_any_error
from oracles.signature.stage import INPUT as REJECTED
from reducer.asking import Asking, Stopped
from reducer.identity.builds.configs import BuildConfig, BuildKind, Health, Healths

_CPU_SECONDS = 4.0  # for one run of a small program; one that takes longer cannot tell, or hangs
_SECONDS = 20.0  # that such a run may take on a busy machine, or wait for what never comes
_MORE_TIME = 4  # times as long may a build take that ran out of time without computing


@dataclass(frozen=True)
class _Terse:
    """Keeps outcomes without what was printed."""

    cache: Cache

    def get(self, digest: str) -> Outcome | None:
        return self.cache.get(digest)

    def put(self, digest: str, outcome: Outcome, ops: int) -> None:
        self.cache.put(digest, replace(outcome, stderr=""), ops)


class CrossCheck:
    """Runs programs on other builds. Thread-safe.

    How long a run may take depends on its CPU time, so that a busy machine gets the same answers.
    The limit on the time that passes ends what waits for ever, and a build that reaches it without
    computing gets more time, once.

    Answers are kept in `cache` under the build's own compiler and command, so that a resumed
    reduction asks nothing twice.

    Args:
        failing: the user's command with all of its flags: the failure may need fewer, but without
            some of them nothing compiles anywhere.
        target: the failure whose identity is at stake.
        jobs: the number of compilers run at once.
        in_other_form: prints a program in another syntax, which a release may read instead.
        enough: limits within which a run has long been in the pass that hangs, if that is known.
        stop: set to end what is running; whoever asks then gets `Stopped`.

    Attributes:
        cost: of the compilers run so far.
    """

    def __init__(
        self,
        failing: CompilerOracle,
        target: Signature,
        cache: Cache,
        *,
        jobs: int = 1,
        in_other_form: Callable[[str], str | None] = lambda text: None,
        enough: Callable[[], Limits | None] = lambda: None,
        stop: threading.Event | None = None,
    ) -> None:
        self._asking = Asking(_Terse(cache), cancel=stop or threading.Event())
        self.cost = self._asking.cost
        self.failing = failing
        self._target = target
        self._jobs = jobs
        self._in_other_form = in_other_form
        self._enough = enough
        self._patience: dict[BuildConfig, float] = {}  # CPU seconds
        self._slow: dict[BuildConfig, Health] = {}
        self._asked_again: set[BuildConfig] = set()
        self._oracles: dict[BuildConfig, CompilerOracle | None] = {}
        self._lock = threading.Lock()

    def profile(self, builds: Iterable[BuildConfig], text: str) -> Healths:
        """The health of a program on these builds; one that took too long is not asked again."""
        wanted = list(builds)

        def ask(build: BuildConfig) -> Health:
            if build in self._slow:
                return self._slow[build]
            health, outcome = self._patient_answer(build, text)
            if outcome is not None and outcome.kind.traits.costly and not health.failed:
                self._slow[build] = health
            return health

        with ThreadPoolExecutor(self._jobs, thread_name_prefix="elsewhere") as pool:
            return dict(zip(wanted, pool.map(ask, wanted), strict=True))

    def health(
        self, build: BuildConfig, text: str, *, cancel: threading.Event | None = None
    ) -> Health:
        """The health of a program on one build; `cancel` ends this question alone."""
        return self._patient_answer(build, text, cancel)[0]

    def _patient_answer(
        self, build: BuildConfig, text: str, cancel: threading.Event | None = None
    ) -> tuple[Health, Outcome | None]:
        """The answer, in more time if the build hardly computed."""
        health, outcome = self._answer(build, text, cancel)
        if outcome is None or health is not Health.TIMED_OUT or build in self._asked_again:
            return health, outcome
        if outcome.cpu_seconds < self._cpu(build):
            self._asked_again.add(build)
            return self._answer(build, text, cancel)
        return health, outcome

    def _answer(
        self, build: BuildConfig, text: str, cancel: threading.Event | None
    ) -> tuple[Health, Outcome | None]:
        """The health, and the run that shows it; None if the build has no such command."""
        oracle = self._oracle(build)
        if oracle is None:
            return Health.UNKNOWN, None
        if build.kind is not BuildKind.RELEASE:
            outcome = self._run(build, oracle, text, cancel)
            return self._judge(outcome, Across.ONE_BUILD), outcome
        health, outcome = self._on_release(build, oracle, text, cancel)
        costly = outcome.kind.traits.costly
        if health is Health.UNKNOWN and not costly and (other := self._in_other_form(text)):
            return self._on_release(build, oracle, other, cancel)
        return health, outcome

    def health_of_input(self, build: BuildConfig, text: str, cpu_seconds: float) -> Health:
        """That of the input on a release. If it fails alike, others may take as long there."""
        oracle = self._oracle(build)
        if oracle is None:
            return Health.UNKNOWN
        before = dict(self._patience)
        self._patience[build] = max(cpu_seconds, self._cpu(build))
        health, _ = self._on_release(build, oracle, text)
        if health is not Health.SAME:
            self._patience = before
        return health

    def same_failure_on(self, build: BuildConfig, text: str) -> Outcome | None:
        """The outcome of a program at a release, if it fails there in the same way."""
        oracle = self._oracle(build)
        if oracle is None:
            return None
        outcome = self._run(build, oracle, text)
        return outcome if self._judge(outcome, Across.BUILDS) is Health.SAME else None

    def _on_release(
        self,
        build: BuildConfig,
        oracle: CompilerOracle,
        text: str,
        cancel: threading.Event | None = None,
    ) -> tuple[Health, Outcome]:
        """The same for one syntax of the program."""
        outcome = self._run(build, oracle, text, cancel)
        health = self._judge(outcome, Across.BUILDS)
        if health is Health.OTHER and not self._can_read(build, oracle, text, cancel):
            return Health.UNKNOWN, outcome
        return health, outcome

    def _judge(self, outcome: Outcome, across: Across) -> Health:
        if outcome.succeeded:
            return Health.COMPILES
        if same_failure(self._target, outcome.signature, across):
            return Health.SAME
        if across is Across.BUILDS and match_any_error(self._target, outcome)[0] == AMONG:
            return Health.SAME
        traits = outcome.kind.traits
        if traits.costly and outcome.kind is self._target.kind:
            return Health.SAME
        if traits.out_of_time:
            return Health.TIMED_OUT
        if traits.costly or traits.rejected or outcome.signature.stage == REJECTED:
            return Health.UNKNOWN
        return Health.OTHER

    def _can_read(
        self, build: BuildConfig, oracle: CompilerOracle, text: str, cancel: threading.Event | None
    ) -> bool:
        """Whether a release knows the ops of a program.

        A compiler accepts ops that it does not know, and fails later because nothing lowers them.
        Its `…-opt` tool rejects them.
        """
        tool = verifying_tool(oracle.executable)
        if tool is None:
            return True
        reader = CompilerOracle(Command((tool.name, INPUT)), tool, runner=oracle.runner)
        return self._run(build, reader, text, cancel).succeeded

    def _cpu(self, build: BuildConfig) -> float:
        return self._patience.get(build, _CPU_SECONDS)

    def _limits(self, build: BuildConfig) -> Limits:
        cpu = self._cpu(build)
        seconds = max(_SECONDS, _MORE_TIME * cpu) * (
            _MORE_TIME if build in self._asked_again else 1
        )
        enough = None if build in self._patience else self._enough()
        limits = Limits(seconds, cpu=cpu)
        return limits if enough is None else limits.at_most(enough)

    def _run(
        self,
        build: BuildConfig,
        oracle: CompilerOracle,
        text: str,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """The outcome of one run, from the cache if possible."""
        limits = self._limits(build).at_most(Limits(memory=self.failing.limits.memory))
        asked = f"elsewhere {limits.seconds} {limits.cpu} {limits.memory} {oracle.key}"
        digest = outcome_digest(text, oracle=asked)
        outcome = self._asking.ask(oracle, text, digest, limits=limits, cancel=cancel)
        if outcome.cancelled:
            raise Stopped("interrupted")
        return outcome

    def read_instead(self, old: Path, new: Path) -> None:
        """Have the command of every build read another file."""
        with self._lock:
            self.failing = self.failing.with_command(self.failing.command.with_file(old, new))
            self._oracles.clear()

    def _oracle(self, build: BuildConfig) -> CompilerOracle | None:
        with self._lock:
            if build not in self._oracles:
                self._oracles[build] = build.oracle(self.failing)
            return self._oracles[build]
