"""Run one release and decide whether it shows the same failure.

The failures of two releases are compared across builds (`oracles.signature.comparison`), those of
one release within one build.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial

from oracles import Outcome, Signature
from oracles.signature.comparison import same_failure
from oracles.signature.match_any_error import match_any_error
from oracles.signature.stage import INPUT
from reducer.bisect.query import ReleaseResult, ReleaseVerdict
from reducer.bisect.runner import NotCached, ReleaseRunner
from reducer.driver.comments import message_of
from reducer.errors import DoesNotTerminate, NotInteresting, UsageError
from reducer.escaping import one_line
from reducer.identity.advice import with_suggestion
from reducer.identity.sanity import refuse_undecided
from reducer.identity.unstable_crash import in_several_runs
from reducer.toolchain import ToolchainError
from reducer.toolchain.flags import Translation, translate

SLOWDOWN_FACTOR = 10.0
"""How many times as long as the reference a release may take."""
SHORTEST_LIMIT = 60.0  # seconds
FIRST_LIMIT = 3600.0  # seconds for the reference if the user set no limit

_HARMLESS = """\
func.func @probe(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %arg0, %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
"""Compiles on every release; if it does not, the command is at fault."""


@dataclass(frozen=True)
class ReferenceRelease:
    """The release known to fail: version, signature, command words, and run time in seconds."""

    version: str
    signature: Signature
    words: tuple[str, ...]
    seconds: float
    result: ReleaseResult

    @property
    def limit(self) -> float:
        """The time limit for other releases in seconds."""
        return max(SHORTEST_LIMIT, SLOWDOWN_FACTOR * self.seconds)


class ReleaseClassifier:
    """Runs a query on releases and compares each result with the failure on `reference`.

    Raises:
        NotInteresting, DoesNotTerminate, UsageError: the reference shows no usable failure.
        ToolchainError: the reference cannot be installed.
    """

    def __init__(self, runner: ReleaseRunner, reference: str) -> None:
        self._runner = runner
        self._query = runner.query
        self.reference = self._run_reference(reference)
        self._generic: str | None = None
        self._generic_known = False

    def test(self, version: str) -> ReleaseResult:
        """The result of running the query on this release."""
        if version == self.reference.version:
            return self.reference.result
        try:
            return self._test(version)
        except ToolchainError as error:
            return ReleaseResult(
                version, ReleaseVerdict.CANNOT_TELL, message=f"cannot be installed: {error}"
            )
        finally:
            self._runner.done_with(version)

    def test_from_cache(self, version: str) -> ReleaseResult | None:
        """The result of a release that was tested before, without running anything."""
        self._runner.cache_only = True
        try:
            return self.test(version)
        except NotCached:
            return None
        finally:
            self._runner.cache_only = False

    def _run_reference(self, version: str) -> ReferenceRelease:
        """Run the reference release."""
        runner, query = self._runner, self._query
        translation = translate(query.words, runner.flags(version))
        words = translation.words
        limit = query.timeout or FIRST_LIMIT
        outcome = runner.test(version, words, query.text, limit)
        run = partial(runner.test, version, words, query.text, limit)
        outcome, _ = in_several_runs(outcome, run, query.keeps)
        if outcome.kind.traits.out_of_time and query.timeout is None:
            raise DoesNotTerminate(
                f"{version} does not finish within an hour; set a limit with --timeout"
            )
        if not query.keeps(outcome):
            refuse_undecided(outcome)
            instead = f" as specified (it fails with: {_said(outcome)})" if outcome.failed else ""
            raise NotInteresting(
                f"the command does not fail on the input with {version}{instead}; give a failing "
                "version with --bad"
            )
        if query.kinds is None and self._fails_anyway(version, words, outcome.signature, limit):
            raise UsageError(
                f"{version} fails the same way on any input: {with_suggestion(outcome)}"
            )
        result = _answer(version, ReleaseVerdict.BAD, outcome, words, _renames(translation))
        return ReferenceRelease(version, outcome.signature, words, outcome.seconds, result)

    def _test(self, version: str) -> ReleaseResult:
        runner, query = self._runner, self._query
        described = runner.flags(self.reference.version)
        translation = translate(query.words, runner.flags(version), described)
        words, notes = translation.words, _renames(translation)
        if translation.unknown:
            names = ", ".join(words[number] for number in translation.unknown)
            if not self._fails_without(translation.unknown):
                message = f"does not support {names}, which the failure needs"
                return ReleaseResult(version, ReleaseVerdict.CANNOT_TELL, message=message)
            words = _without(words, translation.unknown)
            notes = (*notes, f"without {names}")
        result, readable = self._judge(version, words, query.text)
        if not readable and (generic := self._in_generic_form()):
            other, readable = self._judge(version, words, generic)
            if readable:
                result, notes = other, (*notes, "in generic form")
        return replace(result, notes=(*notes, *result.notes))

    def _judge(self, version: str, words: tuple[str, ...], text: str) -> tuple[ReleaseResult, bool]:
        """The result for one text, and whether the release could read that text."""
        limit = self._query.timeout or self.reference.limit
        outcome = self._runner.test(version, words, text, limit)
        how, shown, often = self._compared(version, words, text, limit, outcome)
        if how is not None:
            notes = tuple(note for note in (how, often) if note)
            return _answer(version, ReleaseVerdict.BAD, shown, words, notes), True
        undecided = outcome.kind.traits.undecided
        if undecided or (outcome.succeeded and not outcome.exit_code):
            doubts = [one for one in outcome.diagnostics if _is_doubt(one.severity, one.file)]
            if doubts or undecided:
                return ReleaseResult(
                    version,
                    ReleaseVerdict.CANNOT_TELL,
                    outcome.seconds,
                    doubts[0].message if doubts else "",
                    "",
                    words,
                ), True
            said = outcome.remarks[0] if outcome.numbers else ""
            good = ReleaseResult(version, ReleaseVerdict.GOOD, outcome.seconds, said, flags=words)
            return replace(good, numbers=outcome.numbers), True
        return self._judge_failure(version, words, text, outcome, limit)

    def _compared(
        self, version: str, words: tuple[str, ...], text: str, limit: float, outcome: Outcome
    ) -> tuple[str | None, Outcome, str]:
        """How a failure differs from the reference's (None: it is another), and how often it is so.

        What reads freed or uninitialized memory may crash on every run of one release and on every
        third of another, so a crash is looked for in several runs, whose addresses differ.
        """
        target, runs = self.reference.signature, 1
        if target.kind.traits.known_by_stack and outcome.signature.stage != INPUT:
            outcome, runs = in_several_runs(
                outcome,
                partial(self._runner.test, version, words, text, limit),
                lambda outcome: match_any_error(target, outcome)[0] is not None,
            )
        how, shown = match_any_error(target, outcome)
        return how, shown, f"on 1 of {runs} runs" if how is not None and runs > 1 else ""

    def _judge_failure(
        self, version: str, words: tuple[str, ...], text: str, outcome: Outcome, limit: float
    ) -> tuple[ReleaseResult, bool]:
        """Classify a failure that differs from the reference's."""
        if not outcome.failed:  # the oracle only looks for a pattern or an exit code
            outcome = self._runner.compile(version, words, text, limit)
        unsure = _answer(version, ReleaseVerdict.CANNOT_TELL, outcome, words)
        target = self.reference.signature
        if target.stage != INPUT and outcome.signature.stage == INPUT:
            return unsure, False
        if outcome.kind.traits.costly:
            return unsure, True
        if self._fails_anyway(version, words, outcome.signature, limit):
            return replace(
                unsure, message=f"fails the same way on any input: {unsure.message}"
            ), True
        reading = self._unreadable(version, text)
        if reading is not None:
            return replace(unsure, message=_said(reading)), False
        return replace(unsure, verdict=ReleaseVerdict.OTHER), True

    def _fails_anyway(
        self, version: str, words: tuple[str, ...], signature: Signature, limit: float
    ) -> bool:
        """Whether a valid program fails in the same way."""
        outcome = self._runner.compile(version, words, _HARMLESS, limit)
        return outcome.failed and same_failure(signature, outcome.signature)

    def _unreadable(self, version: str, text: str) -> Outcome | None:
        """The error of a release that cannot read a text which the reference can; else None."""
        outcome = self._runner.read(version, text)
        if not outcome.failed or self._runner.read(self.reference.version, text).failed:
            return None
        return outcome

    def _fails_without(self, numbers: Collection[int]) -> bool:
        """Whether the reference fails in the same way without these command words."""
        words = _without(self.reference.words, numbers)
        limit = self._query.timeout or self.reference.limit
        outcome = self._runner.test(self.reference.version, words, self._query.text, limit)
        return same_failure(self.reference.signature, outcome.signature)

    def _in_generic_form(self) -> str | None:
        """The input in generic form; None if it cannot be printed or then fails differently."""
        if not self._generic_known:
            reference = self.reference
            text = self._runner.generic(reference.version, self._query.text)
            if text is not None:
                limit = self._query.timeout or reference.limit
                outcome = self._runner.test(reference.version, reference.words, text, limit)
                same = same_failure(reference.signature, outcome.signature)
                self._generic = text if same else None
            self._generic_known = True
        return self._generic


def _answer(
    version: str,
    verdict: ReleaseVerdict,
    outcome: Outcome,
    words: tuple[str, ...],
    notes: tuple[str, ...] = (),
) -> ReleaseResult:
    bucket = outcome.signature.bucket
    said = outcome.remarks[0] if outcome.numbers else _said(outcome)
    found = ReleaseResult(version, verdict, outcome.seconds, said, bucket, words, notes)
    return replace(found, numbers=outcome.numbers)


def _said(outcome: Outcome) -> str:
    return one_line(" ".join(part.strip() for part in message_of(outcome)))


def _is_doubt(severity: str, file: str) -> bool:
    """Whether a diagnostic is an oracle's own remark about something it could not check."""
    return severity == "remark" and not file


def _renames(translation: Translation) -> tuple[str, ...]:
    return tuple(f"{old} → {new}" for old, new in translation.renamed)


def _without(words: tuple[str, ...], numbers: Collection[int]) -> tuple[str, ...]:
    return tuple(word for number, word in enumerate(words) if number not in numbers)
