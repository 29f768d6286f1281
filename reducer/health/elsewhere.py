"""Ask about programs at other places, and remember the answers."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from oracles import Command, CompilerOracle, Limits, Outcome, Signature
from oracles.among import AMONG, difference_among
from oracles.base import Cache, outcome_digest
from oracles.command import INPUT, verifying_tool
from oracles.comparison import Across, same_failure
from oracles.stage import INPUT as REJECTED
from reducer.errors import UsageError
from reducer.health.places import Place, PlaceKind
from reducer.health.profile import Health, HealthProfile

_SECONDS = 2.0  # for one run of a small program; one that takes longer cannot tell, or hangs
_FIRST_SECONDS = 3600.0  # for the input, where the user says that it compiles
_SLOWDOWN_FACTOR = 4  # a smaller program may take this many times as long as the input


class Cancelled(Exception):
    """The run was cancelled before there was an answer."""


class Elsewhere:
    """Runs programs at other places. Thread-safe.

    Answers are kept in `cache` under the place's own compiler and command, so that a resumed
    reduction asks nothing twice.

    Args:
        failing: the user's command with all of its flags: the failure may need fewer, but without
            some of them nothing compiles anywhere.
        target: the failure whose identity is at stake.
        jobs: the number of compilers run at once.
        in_other_form: prints a program in another syntax, which a release may read instead.
        enough: limits within which a run has long been in the pass that hangs, if that is known.

    Attributes:
        runs: the number of compilers run so far.
        seconds: their CPU seconds.
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
    ) -> None:
        self.runs = 0
        self.seconds = 0.0
        self.failing = failing
        self._target = target
        self._cache = cache
        self._jobs = jobs
        self._in_other_form = in_other_form
        self._enough = enough
        self._patience: dict[Place, float] = {}
        self._slow: set[Place] = set()
        self._oracles: dict[Place, CompilerOracle | None] = {}
        self._lock = threading.Lock()

    def profile(
        self,
        places: Iterable[Place],
        text: str,
        *,
        cancel: threading.Event | None = None,
    ) -> HealthProfile:
        """The health of a program at these places; one that took too long is not asked again.

        Raises:
            Cancelled: `cancel` was set.
        """
        wanted = list(places)

        def ask(place: Place) -> Health:
            if place in self._slow:
                return Health.UNKNOWN
            health, took_too_long = self._answer(place, text, cancel)
            if took_too_long and health is Health.UNKNOWN:
                self._slow.add(place)
            return health

        with ThreadPoolExecutor(self._jobs, thread_name_prefix="elsewhere") as pool:
            return HealthProfile(dict(zip(wanted, pool.map(ask, wanted), strict=True)))

    def health(
        self,
        place: Place,
        text: str,
        *,
        cancel: threading.Event | None = None,
    ) -> Health:
        """The health of a program at one place.

        Raises:
            Cancelled: `cancel` was set.
        """
        return self._answer(place, text, cancel)[0]

    def _answer(
        self, place: Place, text: str, cancel: threading.Event | None
    ) -> tuple[Health, bool]:
        """The health, and whether the place ran into a limit."""
        oracle = self._oracle(place)
        if oracle is None:
            return Health.UNKNOWN, False
        seconds = self._patience.get(place)
        if place.kind is not PlaceKind.RELEASE:
            outcome = self._run(oracle, text, seconds, cancel)
            return self._judge(outcome, Across.ONE_BUILD), outcome.kind.traits.costly
        health, costly = self._on_release(oracle, text, seconds, cancel)
        if health is Health.UNKNOWN and not costly and (other := self._in_other_form(text)):
            return self._on_release(oracle, other, seconds, cancel)
        return health, costly

    def health_of_input(
        self,
        place: Place,
        text: str,
        seconds: float,
        *,
        cancel: threading.Event | None = None,
    ) -> Health:
        """The health of the input on a release. If it fails alike, others may take as long there.

        Raises:
            Cancelled: `cancel` was set.
        """
        oracle = self._oracle(place)
        if oracle is None:
            return Health.UNKNOWN
        seconds = max(_SECONDS, seconds, self._patience.get(place, 0.0))
        health, _ = self._on_release(oracle, text, seconds, cancel)
        if health is Health.SAME:
            self._patience[place] = seconds
        return health

    def same_failure_on(
        self,
        place: Place,
        text: str,
        *,
        cancel: threading.Event | None = None,
    ) -> Outcome | None:
        """The outcome of a program at a release, if it fails there in the same way.

        Raises:
            Cancelled: `cancel` was set.
        """
        oracle = self._oracle(place)
        if oracle is None:
            return None
        outcome = self._run(oracle, text, self._patience.get(place), cancel)
        return outcome if self._judge(outcome, Across.BUILDS) is Health.SAME else None

    def admit(
        self,
        place: Place,
        text: str,
        *,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """The outcome of the input, within an hour; smaller programs may take 4 times as long.

        Raises:
            Cancelled: `cancel` was set.
            UsageError: the place does not know a flag of the command.
        """
        oracle = self._oracle(place)
        if oracle is None:
            raise UsageError(f"{place.name} does not support all flags of the command")
        outcome = self._run(oracle, text, _FIRST_SECONDS, cancel)
        self._patience[place] = max(_SECONDS, _SLOWDOWN_FACTOR * outcome.seconds)
        return outcome

    def _on_release(
        self,
        oracle: CompilerOracle,
        text: str,
        seconds: float | None,
        cancel: threading.Event | None,
    ) -> tuple[Health, bool]:
        """The same for one syntax of the program."""
        outcome = self._run(oracle, text, seconds, cancel)
        health = self._judge(outcome, Across.BUILDS)
        if health is Health.OTHER and not self._can_read(oracle, text, cancel):
            return Health.UNKNOWN, False
        return health, outcome.kind.traits.costly

    def _judge(self, outcome: Outcome, across: Across) -> Health:
        if outcome.succeeded:
            return Health.COMPILES
        if same_failure(self._target, outcome.signature, across):
            return Health.SAME
        if across is Across.BUILDS and difference_among(self._target, outcome)[0] == AMONG:
            return Health.SAME
        if outcome.kind.traits.costly:
            return Health.SAME if outcome.kind is self._target.kind else Health.UNKNOWN
        if outcome.kind.traits.rejected or outcome.signature.stage == REJECTED:
            return Health.UNKNOWN
        return Health.OTHER

    def _can_read(self, oracle: CompilerOracle, text: str, cancel: threading.Event | None) -> bool:
        """Whether a release knows the ops of a program.

        A compiler accepts ops that it does not know, and fails later because nothing lowers them.
        Its `…-opt` tool rejects them.
        """
        tool = verifying_tool(oracle.executable)
        if tool is None:
            return True
        reader = CompilerOracle(Command((tool.name, INPUT)), tool, runner=oracle.runner)
        return self._run(reader, text, None, cancel).succeeded

    def _run(
        self,
        oracle: CompilerOracle,
        text: str,
        seconds: float | None,
        cancel: threading.Event | None,
    ) -> Outcome:
        """The outcome of one run, from the cache if possible; `seconds` is its limit."""
        limits = Limits(seconds or _SECONDS, self.failing.limits.memory)
        enough = self._enough()
        if enough is not None and seconds is None:
            limits = limits.at_most(enough)
        asked = f"elsewhere {limits.seconds} {limits.memory} {oracle.key}"
        digest = outcome_digest(text, oracle=asked)
        known = self._cache.get(digest)
        if known is not None:
            return known
        outcome = oracle.run(text, cancel=cancel, limits=limits)
        if outcome.cancelled:
            raise Cancelled
        with self._lock:
            self.runs += 1
            self.seconds += outcome.cpu_seconds
        self._cache.put(digest, replace(outcome, stderr=""), 0)
        return outcome

    def _oracle(self, place: Place) -> CompilerOracle | None:
        with self._lock:
            if place not in self._oracles:
                self._oracles[place] = place.oracle(self.failing)
            return self._oracles[place]
