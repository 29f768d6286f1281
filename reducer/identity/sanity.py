"""Checks before a reduction starts: the input fails every time, and an empty module does not."""

import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import CompilerOracle, Oracle, Outcome, Signature
from oracles.base import capabilities_of
from oracles.compilers.command import verifying_tool
from oracles.run.reaper_client import addresses_can_be_fixed
from oracles.signature.comparison import shows
from oracles.signature.diagnostics import primary_error
from reducer.asking import RunText, while_affordable
from reducer.errors import BadInput, CannotJudge, NotInteresting
from reducer.identity.advice import (
    EMPTY_MODULE,
    WOULD_HELP,
    advice,
    crashes,
    crashes_when_empty,
    matching,
    needs_no_input,
    no_failure,
)
from reducer.identity.unstable_crash import (
    ADVICE,
    CHEAP_SECONDS,
    NOW_FIXED,
    RepeatedRuns,
    Spread,
    elsewhere,
    flaky_error,
    most_telling,
    with_fixed_addresses,
)
from reducer.ir import Document, PlainText
from reducer.search.candidate import Verdict
from reducer.search.judge import Judge, Stopped
from reducer.search.query import RunLimits, tightened
from reducer.search.sequential import Rate, SequentialTest

ENOUGH_FAILURES = 5
"""Failures after which a rate is known well enough: within a factor of about two."""

REPORTED_RUNS = 10
"""Runs that a message about a flaky failure is based on, if each is quick."""


@dataclass(frozen=True)
class Flakiness:
    """The failure rates of the input and of the result."""

    input: Rate
    result: Rate | None = None


def measure(
    run: Callable[[int], Outcome],
    wants: Callable[[Outcome], bool],
    most: int,
    known: Signature | None = None,
) -> RepeatedRuns:
    """Run something, numbering the runs from 0, until it has failed `ENOUGH_FAILURES` times.

    Counts the failure that is `known`, or else the one that is most frequent so far.
    """
    outcomes: list[Outcome] = []
    while len(outcomes) < most:
        outcomes.append(run(len(outcomes)))
        target = known or most_frequent(outcomes, wants)
        if (
            target is not None
            and RepeatedRuns(tuple(outcomes)).rate(target).failed >= ENOUGH_FAILURES
        ):
            break
    return RepeatedRuns(tuple(outcomes))


def most_frequent(
    outcomes: list[Outcome] | tuple[Outcome, ...], wants: Callable[[Outcome], bool]
) -> Signature | None:
    """The most frequent failure, the first one of equally frequent ones; None if there is none."""
    counts = Counter(outcome.signature for outcome in outcomes if wants(outcome))
    return counts.most_common(1)[0][0] if counts else None


def flakiness_message(measured: RepeatedRuns, target: Signature, what: str) -> str:
    """The message to the user about an intermittent failure; `what` names what was run."""
    return f"{what} does not fail on every run: {measured.text(target)}"


def measure_with(test: SequentialTest, fails: Callable[[], bool]) -> tuple[Rate, bool]:
    """Run something until a test decides and, if it accepts, until the rate is known as well."""
    rate = Rate()
    while (taken := test.decide(rate)) is None:
        rate = rate.after(fails())
    while taken and rate.failed < ENOUGH_FAILURES and rate.runs < test.max_runs:
        rate = rate.after(fails())
    return rate, taken


def refuse_undecided(outcome: Outcome) -> None:
    """Raise CannotJudge if nothing can tell whether the results of the input are right."""
    if outcome.kind.traits.undecided:
        raise CannotJudge(
            f"nothing can judge the results of the input; {advice(outcome)}; {WOULD_HELP}"
        )


def refuse_unparsable(oracle: Oracle, outcome: Outcome, text: str, name: str) -> None:
    """Raise BadInput if the compiler only says that a text, called `name`, is no program for it.

    Where no tool that does nothing but parse has confirmed that it is the parser who says so, only
    a text that ends too early is refused.
    """
    if not outcome.kind.traits.rejected or (compiler := capabilities_of(oracle).failures) is None:
        return
    is_cut_off = not PlainText(text).is_balanced
    if not is_cut_off and verifying_tool(compiler.executable) is None:
        return
    error = primary_error(outcome.diagnostics)
    if error is not None and not error.line:
        return  # it is about the command
    message = outcome.signature.template if error is None else error.message
    place = name if error is None else f"{name}:{error.line}:{error.column}"
    cut_off = "the file ends within an op or a region; " if is_cut_off else ""
    raise BadInput(
        f"{name} is not a program for {compiler.executable.name}: {place}: {message}; {cut_off}is "
        "the file complete? was it printed by another release, or for another tool? To reduce what "
        f"the parser should accept: {matching(message)}"
    )


def on_file(oracle: Oracle, file: Path | None) -> CompilerOracle | None:
    """Runs the user's own file; None if that is not what the command is about."""
    compiler = capabilities_of(oracle).failures
    return None if file is None or compiler is None else compiler.on_file(file)


def refuse_other_failure(judge: Judge, file: Path | None, text: str, ops: int) -> None:
    """Raise NotInteresting if a copy of the input does not fail as the user's own file does.

    A command may go by the name of its input, or by what is in the current folder.
    """
    own, target = on_file(judge.oracle, file), judge.target
    if own is None or target is None or judge.query.test is not None:
        return
    copies = []
    for repetition in (1, 2):
        copies.append(judge.run_once(text, ops, repetition=repetition))
        if judge.verdict_of(copies[-1]) in (Verdict.SAME, Verdict.CANCELLED):
            return
    again = own.run(text, cancel=judge.stop, limits=judge.query.scaled_limits)
    if shows(target, again) and copies[0].signature == copies[1].signature:
        said = copies[0].signature.text
        raise NotInteresting(
            f"the failure depends on the folder or the name of the input: {file} fails with "
            f"'{target.text}', but a copy named {own.name} in an empty folder with '{said}'; give "
            "a script with --test that puts its argument where the command needs it"
        )


_MAX_RETRIES = 4  # further runs of a quick input that does not fail


@dataclass(frozen=True)
class FirstRuns:
    """How an input fails, and what looks for that again.

    Attributes:
        outcome: the first one with the failure.
        judge: runs programs with the addresses that the failure needs.
        spread: how often it fails in this way, if that depends on its addresses; else ''.
    """

    outcome: Outcome
    judge: Judge
    spread: str = ""


@dataclass(frozen=True)
class SanityChecks:
    """Checks on one input. Every run goes through the judge, so it is counted and cached."""

    judge: Judge
    text: str
    ops: int
    on_file: RunText | None = None
    """Runs the input under its own name; None if only a copy of it can be run."""
    known: Signature | None = None
    """The failure to preserve, if it is known."""

    # ---- before the target is known --------------------------------------------------------

    def run_input(self, run: RunText | None = None) -> FirstRuns:
        """Run the input, and again if its failure may vary; the failure becomes the target.

        If it needs fixed addresses, the command begins with what fixes them. If it needs another
        layout, or addresses that vary, all programs are run so from now on.

        Args:
            run: runs it instead of the judge's oracle, with the same outcome.

        Raises:
            NotInteresting: it does not fail.
            CannotJudge: nothing can tell whether its results, or those of candidates, are right.
            FlakyOracle: it fails intermittently.
        """
        first = self.judge.run_once(self.text, self.ops, run=run or self.on_file)
        self._refuse_undecided(first)
        measured = None if self.judge.oracle.wants(first) else self._measure_unfixed(first)
        is_compiler = capabilities_of(self.judge.oracle).failures is not None
        if is_compiler and (
            measured is None or self._target_of(measured).kind.traits.known_by_stack
        ):
            again, layout = self._within_limits_of(first), 0
            with while_affordable():
                outcome, layout = most_telling(first, lambda n: again._at(n)._run(0), self._fails)
            if layout:
                begun = self._at(layout)._repeated(outcome)
                said = filter(None, (begun.spread, elsewhere(first)))
                return replace(begun, spread="; ".join(said))
        return self._repeated(first) if measured is None else self._at_random(first, measured)

    def _repeated(self, first: Outcome) -> FirstRuns:
        """Run an input again that has failed, if its failure may vary.

        Raises:
            FlakyOracle: it fails intermittently.
        """
        target, fixed = self.known or first.signature, None
        self._expect(first)
        if capabilities_of(self.judge.oracle).failures is None:
            return FirstRuns(first, self.judge)
        again, layout = self._within_limits_of(first), self.judge.limits.layout
        spread = Spread(RepeatedRuns((first,)))
        with while_affordable():
            spread = Spread.of(first, target, lambda n, at: again._at(at)._run(n), layout)
        if not all(shows(target, one) for one in spread.fixed.outcomes):
            measured = run_again(self.judge, self.text, self.ops)
            message = flakiness_message(measured, target, "the input")
            raise flaky_error(message, self.text, target, measured.outcomes)
        if said := spread.text(target):
            fixed = with_fixed_addresses(self.judge.oracle)
        if fixed is None:
            return FirstRuns(first, self.judge, said)
        return FirstRuns(first, self.judge.with_(oracle=fixed), f"{said}; {NOW_FIXED}")

    def _refuse_undecided(self, first: Outcome) -> None:
        """Raise CannotJudge if no reference can judge the input, or none can judge candidates."""
        refuse_undecided(first)
        results = capabilities_of(self.judge.oracle).results
        if results is not None and self.judge.oracle.wants(first):
            objection = results.objection()
            if objection:
                raise CannotJudge(
                    "the results of the input are wrong, but nothing can judge those of smaller "
                    f"programs: {objection}; {WOULD_HELP}"
                )

    def measure_input(self, max_runs: int) -> tuple[FirstRuns, Rate]:
        """Run an intermittently failing input until its failure rate is known.

        The most frequent failure becomes the target, unless it is `known`. If it does not fail in
        the first runs, which have fixed addresses, all programs are run with random ones.

        Raises:
            NotInteresting: it never fails.
            CannotJudge: see `run_input`.
        """
        wants = self.judge.oracle.wants
        few = measure(self._run, wants, min(max_runs, ENOUGH_FAILURES), self.known)
        asked = self._at(0 if any(map(wants, few.outcomes)) else None)
        measured = measure(asked._run, wants, max_runs, self.known)
        target = self.known or most_frequent(measured.outcomes, wants)
        if target is None or not measured.rate(target).failed:
            self._refuse_undecided(measured.outcomes[0])
            raise NotInteresting(
                f"the command did not fail on the input in {max_runs} runs; for a rarer failure, "
                f"pass --flaky N; {advice(measured.outcomes[0])}"
            )
        first = measured.first(target)
        self._expect(first)
        return FirstRuns(first, asked.judge), measured.rate(target)

    def _expect(self, first: Outcome) -> None:
        """Make a compiler oracle expect failures like this one (see `CompilerOracle.expect`)."""
        if (compiler := capabilities_of(self.judge.oracle).failures) is not None:
            compiler.expect(first)

    def _run(self, repetition: int) -> Outcome:
        return self.judge.run_once(self.text, self.ops, repetition=repetition, run=self.on_file)

    def _fails(self, outcome: Outcome) -> bool:
        """Whether an outcome may be the failure to preserve."""
        known = self.known
        return self.judge.oracle.wants(outcome) if known is None else shows(known, outcome)

    def _within_limits_of(self, first: Outcome) -> "SanityChecks":
        """The same for further runs, one of which may hang by chance."""
        limits = RunLimits(tightened(self.judge.limits, first))
        return replace(self, judge=self.judge.with_(limits=limits))

    def _at(self, layout: int | None) -> "SanityChecks":
        """The same with addresses in this layout (see `Limits`)."""
        limits = RunLimits(replace(self.judge.limits, layout=layout))
        return replace(self, judge=self.judge.with_(limits=limits))

    def _unfixed(self) -> "SanityChecks":
        """The same with addresses that vary, where they do not anyway."""
        return self._at(None) if addresses_can_be_fixed() else self

    def _target_of(self, measured: RepeatedRuns) -> Signature:
        """The failure to preserve, for an input that has failed in these runs or is known to."""
        target = self.known or most_frequent(measured.outcomes, self.judge.oracle.wants)
        assert target is not None
        return target

    def _measure_unfixed(self, first: Outcome) -> RepeatedRuns:
        """Run an input again that did not fail, with addresses that vary.

        Raises:
            NotInteresting: it does not fail.
        """
        wants, asked = self.judge.oracle.wants, self._unfixed()
        most = min(_MAX_RETRIES, int(CHEAP_SECONDS / max(first.cpu_seconds, 0.1)))
        measured = measure(asked._run, wants, 1 + most, self.known)
        target = self.known or most_frequent(measured.outcomes, wants)
        if target is None or not measured.rate(target).failed:
            raise NotInteresting(no_failure(self.judge.oracle, first, self.text))
        return measured

    def _at_random(self, first: Outcome, measured: RepeatedRuns) -> FirstRuns:
        """How an input fails that does so only with addresses that vary.

        Raises:
            FlakyOracle: it fails now and then.
        """
        wants, target = self.judge.oracle.wants, self._target_of(measured)
        if wants(again := self._run(1)) or not addresses_can_be_fixed():
            measured = RepeatedRuns((first, again, *measured.outcomes))
        if measured.rate(target).failed < len(measured.outcomes):
            message = flakiness_message(measured, target, "the input")
            raise flaky_error(message, self.text, target, measured.outcomes)
        outcome = measured.first(target)
        self._expect(outcome)
        said = Spread(RepeatedRuns((first,)), measured).text(target)
        return FirstRuns(outcome, self._unfixed().judge, said)

    # ---- once the target is known ----------------------------------------------------------

    def refuse_empty_module(self) -> str:
        """Raise NotInteresting if an empty module has the same failure.

        Some bugs need no more than that, so the message says how to show it.

        Returns:
            What to say about an empty module that crashes in another way; '' if it does not.
        """
        if empty_module_fails(self.judge):
            target, oracle = self.judge.target, self.judge.oracle
            assert target is not None
            command = shlex.join(oracle.display(_EMPTY_FILE)) if oracle.command is not None else ""
            outcome = empty_module(self.judge)
            shown = f"; to show it: {command}" if crashes(outcome) and command else ""
            raise NotInteresting(f"{needs_no_input(oracle, outcome)}{shown}")
        target = self.judge.target
        assert target is not None
        return crashes_when_empty(empty_module(self.judge), target.kind)


_EMPTY_FILE = "/dev/null"


def empty_module(judge: Judge) -> Outcome:
    """The outcome of the command on an empty module."""
    return judge.run(EMPTY_MODULE, 0)


def empty_module_fails(judge: Judge) -> bool:
    """Whether the command has the target failure on an empty module."""
    return judge.verdict_of(empty_module(judge)) is Verdict.SAME


def repeat(
    judge: Judge,
    document: Document,
    source: Document,
    meanwhile: Callable[[], None] = lambda: None,
    times: int = 2,
) -> None:
    """Run an accepted candidate again; it is cheap to run, which its source may not be.

    Most of the source is only run again if that is quick: once if it is a candidate, since the two
    have failed in the same way already, and twice if it is the source itself.

    Args:
        meanwhile: called once these runs have been given to idle workers.
        times: how often any other candidate is run again.

    Raises:
        FlakyOracle: it fails in another way, or not at all.
    """
    if 2 * document.op_count > source.op_count:
        known = judge.known(document.text)
        quick = known is not None and known.cpu_seconds < CHEAP_SECONDS
        times = 0 if not quick else 2 if document.text == source.text else 1
    _repeat(judge, document, times, "a candidate", meanwhile)


def _repeat(
    judge: Judge,
    document: Document,
    times: int,
    what: str,
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    if judge.query.test is not None:
        return
    judge.prepare(document, range(1, times + 1), urgent=True)
    meanwhile()
    for number in range(1, times + 1):
        outcome = judge.run_once(document.text, document.op_count, repetition=number)
        if judge.verdict_of(outcome) is not Verdict.SAME:
            assert judge.target is not None
            measured = run_again(judge, document.text, document.op_count)
            message = flakiness_message(measured, judge.target, what)
            raise flaky_error(message, document.text, judge.target, measured.outcomes)


def measured_flakiness(judge: Judge, text: str, ops: int, what: str) -> str:
    """Measure a failure that did not occur in every run; return the message. `what` is the text."""
    assert judge.target is not None
    message = flakiness_message(run_again(judge, text, ops), judge.target, what)
    return f"{message}; {ADVICE}"


def run_again(judge: Judge, text: str, ops: int) -> RepeatedRuns:
    """The outcomes of `REPORTED_RUNS` runs of a text, or fewer if it is interrupted."""
    outcomes: list[Outcome] = []
    try:
        for number in range(REPORTED_RUNS):
            outcomes.append(judge.run_once(text, ops, repetition=number))
    except Stopped:
        pass  # the runs so far are enough for the message
    return RepeatedRuns(tuple(outcomes))
