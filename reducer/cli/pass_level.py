"""When `reduce` goes on to the level of the failing pass, and how far."""

import threading

from oracles import Oracle
from reducer.session import Listener, Report, Settings
from reducer.session.pass_level import (
    MOST_CALLS,
    MOST_SECONDS,
    PassReport,
    pass_output,
    reduce_pass_level,
)


def pass_level_of(
    report: Report, settings: Settings, oracle: Oracle, listener: Listener, stop: threading.Event
) -> PassReport | None:
    """The second reproducer of a finished reduction, within what is left of the user's budget.

    None where the first is not certain, or where there is no file beside which it could lie.
    """
    if report.status != "reduced" or not report.verified or not settings.output.is_file():
        return None
    target = pass_output(settings.output)
    if target.exists() and settings.input.exists() and target.samefile(settings.input):
        return None
    calls, seconds = MOST_CALLS, MOST_SECONDS
    if settings.max_calls is not None:
        calls = min(calls, settings.max_calls - report.charged)
    if settings.max_seconds is not None:
        seconds = min(seconds, settings.max_seconds - report.wall_seconds)
    return reduce_pass_level(
        report.text,
        oracle=oracle,
        wanted=report.signature,
        opt=settings.opt,
        output=settings.output,
        listener=listener,
        stop=stop,
        jobs=settings.jobs,
        keep_generic=settings.keep_generic,
        calls=max(0, calls),
        seconds=max(0.0, seconds),
        journal=settings.journal,
    )
