"""The first run of the input, which says what failure a reduction preserves."""

from dataclasses import dataclass, replace

from oracles import Outcome
from reducer.errors import DoesNotTerminate
from reducer.search.evaluator import Evaluator
from reducer.search.query import RunLimits
from reducer.search.sequential import SequentialTest
from reducer.session.sanity import Flakiness, SanityChecks
from reducer.session.settings import Listener, Settings
from reducer.session.varying import Steadied

_TIMEOUT = 3600.0  # seconds for the input if the user set no limit


@dataclass(frozen=True)
class FirstRun:
    """What the input did, how often it does so if it varies, and what looks for it again."""

    outcome: Outcome
    flaky: Flakiness | None
    evaluator: Evaluator


def first_run(
    evaluator: Evaluator,
    settings: Settings,
    listener: Listener,
    *,
    ops: int,
    steadied: Steadied | None,
) -> FirstRun:
    """Run the input. A run that hits the time limit is a failure only if the user set that limit.

    Args:
        ops: the size of the input in ops; 0 if it was not parsed.
        steadied: what the runs of a crash that varies share, if that is what to preserve.

    Raises:
        DoesNotTerminate: the run took longer than a compiler should, and the user set no limit.
    """
    given, flaky = evaluator.oracle.limits, None
    seconds = _TIMEOUT if given.seconds is None else given.seconds
    evaluator = evaluator.with_(limits=RunLimits(replace(given, seconds=seconds)))
    sanity = SanityChecks(evaluator, settings.text, ops)
    if settings.flaky is None:
        first = sanity.run_input()
        if steadied is not None:
            first = replace(first, signature=steadied.signature)
    else:
        first, rate = sanity.measure_input(settings.flaky)
        flaky = Flakiness(rate)
        evaluator = evaluator.with_(test=SequentialTest.after(rate, settings.flaky))
        listener.message(f"the input fails in {rate}")
    if given.seconds is None and first.kind.traits.out_of_time:
        raise DoesNotTerminate(
            f"the command did not finish within {_TIMEOUT:.0f} s; if the hang is the failure, "
            "set the time after which a run counts as hanging: --timeout SECONDS"
        )
    return FirstRun(first, flaky, evaluator.with_(target=first.signature))
