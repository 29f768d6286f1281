"""The first run of the input, which says what failure a reduction preserves."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from oracles import CompilerOracle, Oracle, Outcome
from oracles.profiles import Dispatches
from oracles.signature.comparison import shows
from reducer.conversions import Conversions
from reducer.driver.early_stop import phase_name, phase_note
from reducer.driver.isolate import dispatches_note
from reducer.driver.notes import Note, taking_notes
from reducer.driver.settings import Settings
from reducer.driver.waiting import saying_that_it_runs
from reducer.errors import DoesNotTerminate, NotInteresting
from reducer.identity.sanity import Flakiness, SanityChecks, refuse_unparsable
from reducer.identity.unstable_crash import Steadied
from reducer.search.candidate import Verdict
from reducer.search.conditions import SameFailure
from reducer.search.evaluator import Evaluator
from reducer.search.query import RunLimits, RunText
from reducer.search.sequential import SequentialTest
from reducer.toolchain.flags import flags_of

TIMEOUT = 3600.0  # seconds for the input if the user set no limit
_WORTH_NOTING = 500  # ops; a smaller input is soon cut to what can be asked in a few short runs
_MAX_TEXT = 4 << 20  # characters; a larger input takes much space after every phase
_MAX_LOCATED = 1 << 20  # characters; locations of more than that take long to print
_PHASE = "phase of the input"


@dataclass(frozen=True)
class FirstRun:
    """What the input did, how often it does so if it varies, and what looks for it again."""

    outcome: Outcome
    flaky: Flakiness | None
    evaluator: Evaluator
    phase: int | None
    """The number of the compiler's phase in which it failed, if that was noted."""


def first_run(
    evaluator: Evaluator,
    settings: Settings,
    say: Callable[[str], None],
    *,
    ops: int,
    conversions: Conversions,
    steadied: Steadied | None,
) -> FirstRun:
    """Run the input. A run that hits the time limit is a failure only if the user set that limit.

    The run of a large input notes in which phase it fails, and its dispatches, so that no other
    needs to find these out.

    Args:
        ops: the size of the input in ops; 0 if it was not parsed.
        conversions: remembers the phase.
        steadied: what the runs of a crash that varies share, if that is what to preserve.

    Raises:
        DoesNotTerminate: the run took longer than a compiler should, and the user set no limit.
    """
    given, flaky = evaluator.oracle.limits, None
    seconds = TIMEOUT if given.seconds is None else given.seconds
    evaluator = evaluator.with_(limits=RunLimits(replace(given, seconds=seconds)))
    own = _on_file(evaluator.oracle, settings)
    sanity = SanityChecks(evaluator, settings.text, ops, None if own is None else own.run)
    if settings.flaky is None:
        noting = _noting(own or evaluator.oracle, settings.text, ops, conversions)
        with saying_that_it_runs(say, seconds):
            first = _as_candidate(sanity.run_input(noting), own)
    else:
        first, rate = sanity.measure_input(
            settings.flaky, None if steadied is None else steadied.signature
        )
        flaky = Flakiness(rate)
        evaluator = evaluator.with_(test=SequentialTest.after(rate, settings.flaky))
        say(f"the input fails in {rate}")
    if settings.parses:
        refuse_unparsable(evaluator.oracle, first, settings.text, settings.input.name)
    if steadied is not None:
        first = replace(first, signature=steadied.signature)
    if given.seconds is None and first.kind.traits.out_of_time:
        raise DoesNotTerminate(
            f"the command did not finish within {TIMEOUT:.0f} s; if the hang is the failure, "
            "set the time after which a run counts as hanging: --timeout SECONDS"
        )
    phase = conversions.known(_PHASE, settings.text)
    number = None if phase is None else int(phase)
    return FirstRun(first, flaky, evaluator.under(SameFailure(first.signature)), number)


def _on_file(oracle: Oracle, settings: Settings) -> CompilerOracle | None:
    """Runs the user's own file; None if that is not what the command is about."""
    if settings.file is None or not isinstance(oracle, CompilerOracle):
        return None
    return oracle.on_file(settings.file)


def _as_candidate(outcome: Outcome, own: CompilerOracle | None) -> Outcome:
    """What ran on the user's file, with the places in it as in a candidate.

    Dispatches that the compiler has written name the file that they come from.
    """
    if own is None or own.file is None:
        return outcome
    moved = (
        replace(one, file=own.name) if one.file == own.file.name else one
        for one in outcome.diagnostics
    )
    return replace(outcome, diagnostics=tuple(moved))


def refuse_other_failure(evaluator: Evaluator, settings: Settings, ops: int) -> None:
    """Raise NotInteresting if a copy of the input does not fail as the user's own file does.

    A command may go by the name of its input, or by what is in the current folder.
    """
    own, target = _on_file(evaluator.oracle, settings), evaluator.target
    if own is None or target is None or evaluator.query.test is not None:
        return
    copies = []
    for repetition in (1, 2):
        copies.append(evaluator.run_once(settings.text, ops, repetition=repetition))
        if evaluator.judge(copies[-1]) in (Verdict.SAME, Verdict.CANCELLED):
            return
    again = own.run(settings.text, cancel=evaluator.stop, limits=evaluator.query.scaled_limits)
    if shows(target, again) and copies[0].signature == copies[1].signature:
        said = copies[0].signature.text
        raise NotInteresting(
            f"what fails depends on where the input is, or on its name: {settings.file} fails with "
            f"'{target.text}', but a copy named {own.name} in an empty folder with '{said}'; give "
            "a script with --test that puts its argument where the command needs it"
        )


def _noting(oracle: Oracle, text: str, ops: int, conversions: Conversions) -> RunText | None:
    """Runs the input and takes notes, if that is worth it and possible."""
    if not isinstance(oracle, CompilerOracle) or ops < _WORTH_NOTING:
        return None
    notes: list[Note] = []

    def keep_phase(finished: int) -> None:
        conversions.cached(_PHASE, text, lambda: str(finished))

    def compiles(dispatches: Dispatches) -> bool:
        phase = conversions.known(_PHASE, text)
        return phase is not None and phase_name(oracle, int(phase)) in dispatches.compiled_in

    if oracle.phases is not None and len(text) <= _MAX_TEXT:
        notes.append(phase_note(oracle.phases, keep_phase))
    if (parts := oracle.dispatches) is not None and len(text) <= _MAX_LOCATED:
        notes.append(dispatches_note(parts, conversions, text, lambda: compiles(parts)))
    known = flags_of(oracle.executable) if notes else {}
    given = {f"--{flag.partition('=')[0].lstrip('-')}" for flag in oracle.command.flags}
    usable = [note for note in notes if note.names <= known.keys() and not note.names & given]
    return taking_notes(oracle, usable) if usable else None
