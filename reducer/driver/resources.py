"""What a reduction works with: its oracle, its journal, and what judges and prints programs."""

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from oracles import Command, CompilerOracle, Limits, Oracle, Signature
from oracles.base import candidate_name, capabilities_of
from oracles.compilers.command import verifying_tool
from oracles.run.memory import memory_limit
from reducer import __version__
from reducer.asking import Budget
from reducer.conversions import Conversions, OptPrinter
from reducer.driver.narrator import Narrator
from reducer.driver.settings import Settings
from reducer.errors import BadInput, CannotJudge, CommandNotFound, FlakyOracle, NotInteresting
from reducer.search.judge import Judge
from reducer.storage.journal import Journal
from reducer.storage.result_folder import program_suffix
from reducer.toolchain import ToolchainError, resolve_executable
from reducer.units import plural

_CONVERSION = 600.0  # seconds for printing a module in another form
_FINISHING_CALLS = 3  # to confirm the best, and to print and verify it


@dataclass(frozen=True)
class Resources:
    """What is open during a reduction."""

    journal: Journal
    judge: Judge
    conversions: Conversions


@contextmanager
def opened(
    settings: Settings,
    oracle: Oracle,
    narrator: Narrator,
    stop: threading.Event,
    *,
    shared: Journal | None = None,
    varies: Signature | None = None,
) -> Iterator[Resources]:
    """Open the journal of a reduction, and what uses it, for the body of a `with`.

    Args:
        shared: a journal that is open already, and stays open.
        varies: what the runs of a crash that varies share, if that is what to preserve.

    Raises:
        ReducerError: the journal cannot be opened, or belongs to something else.
    """
    if shared is None and settings.journal == settings.folder.journal:
        settings.folder.create()
    journal = shared or Journal.open(
        settings.journal,
        identity=_identity(settings, oracle, varies),
        fresh=settings.fresh,
        log=narrator.say,
    )
    if journal.reused:
        known = plural(journal.reused, "verdict")
        narrator.say(f"reusing {known} from an earlier run; pass --fresh to start over")
    seconds = math.inf if settings.max_seconds is None else settings.max_seconds
    judge = Judge(
        oracle,
        journal,
        budget=Budget(
            _calls_of_search(settings), settings.max_cpu_seconds, time.monotonic() + seconds
        ),
        jobs=settings.jobs,
        stop=stop,
        observers=narrator.observers,
        names_matter=capabilities_of(oracle).failures is None,
    )
    narrator.costs = judge.costs
    printer = _printer(settings, oracle, stop)
    conversions = Conversions(printer, journal, narrator.note, settings.jobs)
    try:
        yield Resources(journal, judge, conversions)
    except (NotInteresting, CannotJudge, BadInput):
        journal.discard()  # nothing to resume
        raise
    except FlakyOracle as error:
        if not error.is_steady_enough:
            journal.doubt(True)
        raise
    finally:
        judge.close()
        conversions.close()
        if shared is None:
            journal.close()


def _identity(settings: Settings, oracle: Oracle, varies: Signature | None) -> dict[str, str]:
    """What the journal belongs to. The limits are part of it: verdicts may depend on them."""
    text = settings.text.encode(errors="surrogateescape")
    limits = oracle.limits
    return {
        "input": sha256(text).hexdigest(),
        "oracle": oracle.key,
        "limits": f"{limits.seconds} s, {limits.memory} bytes",
        "version": __version__,
        **({} if settings.flaky is None else {"flaky": str(settings.flaky)}),
        **({} if varies is None else {"varies": varies.bucket}),
    }


def _calls_of_search(settings: Settings) -> int | None:
    """The calls that the user allows, without those that print and verify the result."""
    most = settings.max_calls
    return None if most is None else max(1, most - _FINISHING_CALLS)


def _printer(settings: Settings, oracle: Oracle, stop: threading.Event) -> OptPrinter | None:
    if settings.opt is None:
        return None
    return OptPrinter(settings.opt, Limits(_CONVERSION, oracle.limits.memory), stop)


def commanded(
    settings: Settings, words: Sequence[str], timeout: float | None
) -> tuple[Settings, CompilerOracle]:
    """The settings with the compiler's own tool, and the oracle that runs the command.

    Raises:
        CommandNotFound: its first word is no program.
    """
    command = Command.parse(words, source=settings.input, directory=Path.cwd())
    try:
        executable = resolve_executable(command.program)
    except ToolchainError as error:
        raise CommandNotFound(str(error)) from error
    name = candidate_name(program_suffix(settings.input))
    oracle = CompilerOracle(command, executable, name=name, limits=Limits(timeout, memory_limit()))
    return replace(settings, opt=settings.opt or verifying_tool(executable), parses=True), oracle
