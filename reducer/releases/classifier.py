"""Runs one release and decides whether it shows the same failure.

Releases reword messages, tell the pass or do not, and put functions between others. An equal
signature is the same failure. Otherwise it is taken for the same only if kind, stage and op are
equal, and the message has the same words in another order; or, for a crash, if the stacks meet. The
level `loose` would leave the op out, which makes one of many bugs (docs/signatures.md).
"""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from oracles import Outcome, Signature
from oracles.stage import INPUT
from reducer.errors import DoesNotTerminate, NotInteresting, UsageError
from reducer.releases.flags import Translation, translate
from reducer.releases.query import ReleaseResult, ReleaseVerdict
from reducer.releases.runner import NotCached, ReleaseRunner
from reducer.session.printing import message_of, one_line
from reducer.toolchain import ToolchainError

_WORD = re.compile(r"[A-Za-z][\w.-]*")
_PLACEHOLDERS = re.compile(r"<\w+>|\bN\b")


def tolerated_difference(target: Signature, found: Signature) -> str | None:
    """What differs between two signatures of one failure: '' where nothing does.

    None if the found failure is another one.
    """
    if found == target:
        return ""
    if found.kind is not target.kind or _phase(found) != _phase(target):
        return None
    if target.frames or found.frames:
        return _like_stack(target, found)
    if found.op != target.op or not target.template or target.kind.traits.condition:
        return None
    if found.template == target.template:
        both_named = " " in target.stage and " " in found.stage
        return None if both_named or not target.op else "only one of the two names its pass"
    if _words(found.template) == _words(target.template):
        return "worded differently"
    return None


def _phase(signature: Signature) -> str:
    return signature.stage.partition(" ")[0]


def _words(template: str) -> Counter[str]:
    return Counter(_WORD.findall(_PLACEHOLDERS.sub(" ", template)))


def _like_stack(target: Signature, found: Signature) -> str | None:
    """Crashes that come from the same function and go through another one on the way.

    The outermost one tells most: the inner ones are called from everywhere.
    """
    common = set(target.frames) & set(found.frames)
    meets = bool(target.frames) and target.frames[-1] in common and len(common) > 1
    if found.template != target.template or not meets:
        return None
    return f"the stack differs ({len(common)} of {len(target.frames)} functions alike)"


SLOWDOWN_FACTOR = 10.0
"""How many times longer than the reference a release may take."""
SHORTEST_LIMIT = 60.0  # seconds
FIRST_LIMIT = 3600.0  # seconds; nobody waits longer for a failure without saying so

_HARMLESS = """\
func.func @probe(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %arg0, %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
"""Compiles everywhere; where it does not, the command is at fault."""


@dataclass(frozen=True)
class Reference:
    """The release on which the failure is known: what fails there, and with which words."""

    version: str
    signature: Signature
    words: tuple[str, ...]
    seconds: float
    result: ReleaseResult

    @property
    def limit(self) -> float:
        """Seconds that another release may take."""
        return max(SHORTEST_LIMIT, SLOWDOWN_FACTOR * self.seconds)


class ReleaseClassifier:
    """Puts the question of a bench to releases; the failure is that of `reference`.

    Raises NotInteresting, NoEnd or UsageError where there is nothing to look for on that release,
    ToolchainError where it cannot be had.
    """

    def __init__(self, runner: ReleaseRunner, reference: str) -> None:
        self._runner = runner
        self._query = runner.query
        self.reference = self._run_reference(reference)
        self._generic: str | None = None
        self._generic_known = False

    def test(self, version: str) -> ReleaseResult:
        """What this release does with the input."""
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
        """The answer of a release that was asked before, for nothing."""
        self._runner.cache_only = True
        try:
            return self.test(version)
        except NotCached:
            return None
        finally:
            self._runner.cache_only = False

    def _run_reference(self, version: str) -> Reference:
        """Runs the reference."""
        runner, query = self._runner, self._query
        translation = translate(query.words, runner.flags(version))
        words = translation.words
        limit = query.timeout or FIRST_LIMIT
        outcome = runner.test(version, words, query.text, limit)
        if outcome.kind.traits.out_of_time and query.timeout is None:
            raise DoesNotTerminate(
                f"{version} does not end within an hour; give a limit with --timeout"
            )
        if not query.keeps(outcome):
            instead = f" like that, but: {_said(outcome)}" if outcome.failed else ""
            raise NotInteresting(
                f"the command does not fail on the input with {version}{instead}; give the version "
                "on which it does with --bad"
            )
        if query.kinds is None and self._fails_anyway(version, words, outcome.signature, limit):
            raise UsageError(f"{version} fails so on any input: {_said(outcome)}")
        result = _answer(version, ReleaseVerdict.BAD, outcome, words, _renames(translation))
        return Reference(version, outcome.signature, words, outcome.seconds, result)

    def _test(self, version: str) -> ReleaseResult:
        runner, query = self._runner, self._query
        described = runner.flags(self.reference.version)
        translation = translate(query.words, runner.flags(version), described)
        words, notes = translation.words, _renames(translation)
        if translation.unknown:
            names = ", ".join(words[number] for number in translation.unknown)
            if not self._fails_without(translation.unknown):
                message = f"does not know {names}, without which there is no failure"
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
        """The answer on one text, and whether the release could read that."""
        limit = self._query.timeout or self.reference.limit
        outcome = self._runner.test(version, words, text, limit)
        how = tolerated_difference(self.reference.signature, outcome.signature)
        if how is not None:
            return _answer(version, ReleaseVerdict.BAD, outcome, words, (how,) if how else ()), True
        if outcome.succeeded and not outcome.exit_code:
            if doubts := [one for one in outcome.diagnostics if _is_doubt(one.severity, one.file)]:
                return ReleaseResult(
                    version,
                    ReleaseVerdict.CANNOT_TELL,
                    outcome.seconds,
                    doubts[0].message,
                    "",
                    words,
                ), True
            return ReleaseResult(version, ReleaseVerdict.GOOD, outcome.seconds, flags=words), True
        return self._judge_failure(version, words, text, outcome, limit)

    def _judge_failure(
        self, version: str, words: tuple[str, ...], text: str, outcome: Outcome, limit: float
    ) -> tuple[ReleaseResult, bool]:
        """What a failure that is not the wanted one is worth."""
        if not outcome.failed:  # only a pattern or a code was looked for
            outcome = self._runner.compile(version, words, text, limit)
        unsure = _answer(version, ReleaseVerdict.CANNOT_TELL, outcome, words)
        target = self.reference.signature
        if target.stage != INPUT and outcome.signature.stage == INPUT:
            return unsure, False
        if self._fails_anyway(version, words, outcome.signature, limit):
            return replace(unsure, message=f"fails so on any input: {unsure.message}"), True
        reading = self._unreadable(version, text)
        if reading is not None:
            return replace(unsure, message=_said(reading)), False
        return replace(unsure, verdict=ReleaseVerdict.OTHER), True

    def _fails_anyway(
        self, version: str, words: tuple[str, ...], signature: Signature, limit: float
    ) -> bool:
        """Whether a program without any fault fails in the same way."""
        outcome = self._runner.compile(version, words, _HARMLESS, limit)
        return outcome.failed and outcome.signature == signature

    def _unreadable(self, version: str, text: str) -> Outcome | None:
        """What a release does not understand in a text that the reference does."""
        outcome = self._runner.read(version, text)
        if not outcome.failed or self._runner.read(self.reference.version, text).failed:
            return None
        return outcome

    def _fails_without(self, numbers: Collection[int]) -> bool:
        """Whether the failure needs none of these words on the reference."""
        words = _without(self.reference.words, numbers)
        limit = self._query.timeout or self.reference.limit
        outcome = self._runner.test(self.reference.version, words, self._query.text, limit)
        return outcome.signature == self.reference.signature

    def _in_generic_form(self) -> str | None:
        """The input in generic form, if it fails like that too."""
        if not self._generic_known:
            reference = self.reference
            text = self._runner.generic(reference.version, self._query.text)
            if text is not None:
                limit = self._query.timeout or reference.limit
                outcome = self._runner.test(reference.version, reference.words, text, limit)
                self._generic = text if outcome.signature == reference.signature else None
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
    return ReleaseResult(version, verdict, outcome.seconds, _said(outcome), bucket, words, notes)


def _said(outcome: Outcome) -> str:
    return one_line(" ".join(part.strip() for part in message_of(outcome)))


def _is_doubt(severity: str, file: str) -> bool:
    """Whether a diagnostic is an oracle's own remark on what it could not look at."""
    return severity == "remark" and not file


def _renames(translation: Translation) -> tuple[str, ...]:
    return tuple(f"{old} → {new}" for old, new in translation.renamed)


def _without(words: tuple[str, ...], numbers: Collection[int]) -> tuple[str, ...]:
    return tuple(word for number, word in enumerate(words) if number not in numbers)
