"""Compare two failures: the one rule by which everything decides whether they are the same.

What may differ depends on what produced them (`Across`):

- *One build*, as in a reduction: nothing. Every candidate runs in the same compiler, so any
  difference is one of the program. Triage uses the same rule, through the hash of a signature.
- *Tools of one build*, as when `…-opt` runs the failing pass alone: the stage, since the output of
  one pass is the input of the next level, and further messages.
- *Builds*, as in a bisection, in a merge of buckets of two compilers, and in a `repro.sh` that
  somebody runs elsewhere: releases reword messages, name the pass or not, and insert functions into
  stacks. Kind, phase and op have to be equal, and the messages must say the same. Crashes have to
  meet the same `Landmarks`. What is safe to ignore of a message is little: the order of the words,
  and whether it says what is wrong ("ranges overlap") or what would be right ("ranges must not
  overlap").

Functions that only dispatch are not in signatures at all (see `oracles.stacks.dispatching`). The
signature level `loose` would ignore the op, which conflates different bugs.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from oracles.signature.classify import SILENT
from oracles.signature.diagnostics import says_nothing
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome, Signature, pass_stage
from oracles.signature.stage import INPUT, PIPELINE
from oracles.stacks.crash_stack import names_culprit
from oracles.stacks.frames import is_offset
from oracles.stacks.function_names import is_renamed


class Across(Enum):
    """What two failures to compare come from."""

    ONE_BUILD = auto()
    TOOLS = auto()
    BUILDS = auto()


def difference(
    target: Signature, failure: Signature, across: Across = Across.ONE_BUILD
) -> str | None:
    """How two signatures of the same failure differ; '' if not at all.

    None if they are different failures.
    """
    if failure == target:
        return ""
    if target.varies:
        return "" if _has_in_common(target, failure, failure.frames) else None
    if across is Across.ONE_BUILD:
        return None
    if across is Across.TOOLS:
        return "in another tool" if _fails_below(target, failure) else None
    return _between_builds(target, failure)


def same_failure(target: Signature, failure: Signature, across: Across = Across.ONE_BUILD) -> bool:
    """Whether two signatures are of the same failure."""
    return difference(target, failure, across) is not None


def shows(target: Signature, outcome: Outcome) -> bool:
    """Whether a run in the same build has the failure.

    One that reached a limit was in several passes at once if one of them runs others. The target
    names the pass that is at fault, if it is known, and the run must have been in it.
    """
    if same_failure(target, outcome.signature):
        return True
    if target.varies:
        return _has_in_common(target, outcome.signature, outcome.stack)
    if not target.kind.traits.costly:
        return False
    running = {"", *map(pass_stage, outcome.passes)}
    there = replace(outcome.signature, stage=target.stage)
    return target.stage in running and there == target


def _has_in_common(target: Signature, failure: Signature, stack: Sequence[str]) -> bool:
    """Whether a crash has what all runs of a program have that does not crash in one place."""
    same_end = failure.kind is target.kind and failure.template == target.template
    return same_end and set(target.frames) <= set(stack)


@dataclass(frozen=True)
class Landmarks:
    """What another stack must contain to be that of the same crash.

    The outermost function of a signature is the most specific one, since the inner ones are called
    from everywhere. It must be there, and one of the others as well, if there are any. If two or
    more others are all there, it may have been renamed (`oracles.stacks.function_names`).
    """

    outermost: str
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, frames: Sequence[str]) -> "Landmarks | None":
        """The landmarks of the frames of a signature; None if they name no function.

        An offset means nothing in another build.
        """
        named = [frame for frame in frames if not is_offset(frame)]
        named = [frame for frame in named if names_culprit(frame)] or named
        return cls(named[-1], tuple(named[:-1])) if named else None

    @property
    def may_be_renamed(self) -> bool:
        """Whether there is enough else to know the crash by."""
        return len(self.others) > 1

    def met(self, frames: Sequence[str]) -> bool:
        """Whether these frames are of a stack of the same crash."""
        if self.outermost in frames:
            return not self.others or any(name in frames for name in self.others)
        return self.new_name(frames) is not None

    def new_name(self, frames: Sequence[str]) -> str | None:
        """The name that the outermost function has in this stack; None if it is not renamed."""
        if not self.may_be_renamed or not set(self.others) < set(frames):
            return None
        names = (frame for frame in frames if is_renamed(self.outermost, frame))
        return next(names, None)


def _fails_below(target: Signature, failure: Signature) -> bool:
    if target.stage.startswith(f"{PIPELINE} ") and _has_no_message(target):
        return target.stage == failure.stage
    if (target.kind, target.template, target.op) != (failure.kind, failure.template, failure.op):
        return False
    return target.frames == failure.frames or _fails_in_same_pass(target, failure)


def _fails_in_same_pass(target: Signature, failure: Signature) -> bool:
    """Whether the failing pass is all that two stacks say: offsets differ in every program."""
    named = " " in target.stage and failure.stage == target.stage
    return named and not target.names_functions and not failure.names_functions


def _has_no_message(signature: Signature) -> bool:
    return signature.template.startswith(SILENT) or says_nothing(signature.template)


def _between_builds(target: Signature, failure: Signature) -> str | None:
    if failure.kind is not target.kind:
        fatal = "a fatal error in only one of them"
        return fatal if _fatal_in_one(target, failure) else None
    if target.kind.traits.costly:
        # Releases rename passes and move them, and one small program hardly hangs in two ways.
        other = f"in another pass: {failure.pass_name or 'unknown'}"
        return other if failure.template == target.template else None
    if _phase(failure) != _phase(target):
        return None
    if target.frames or failure.frames:
        return _between_stacks(target, failure) if _say_the_same(target, failure) else None
    if failure.op != target.op or not target.template or target.kind.traits.condition:
        return None
    if failure.template == target.template:
        both_named = " " in target.stage and " " in failure.stage
        return None if both_named or not target.op else "only one of them names the pass"
    return "worded differently" if rephrased(target.template, failure.template) else None


def _say_the_same(target: Signature, failure: Signature) -> bool:
    """Whether the messages are equal; what follows the last sign may have been added later."""
    return failure.template.rstrip(".:") == target.template.rstrip(".:")


def _fatal_in_one(target: Signature, failure: Signature) -> bool:
    """Whether a release reports as an error what ends another one."""
    if {target.kind, failure.kind} != {Kind.FATAL_ERROR, Kind.OTHER_ERROR}:
        return False
    if INPUT in (_phase(target), _phase(failure)) or failure.op != target.op:
        return False
    return rephrased(target.template, failure.template)


def _between_stacks(target: Signature, failure: Signature) -> str | None:
    landmarks = Landmarks.of(target.frames)
    if landmarks is None:  # an offset means nothing in another build
        alike = _fails_in_same_pass(target, failure)
        return "only the failing pass in common" if alike else None
    if not landmarks.met(failure.frames):
        return None
    if landmarks.outermost not in failure.frames:
        return f"{landmarks.outermost} is called {landmarks.new_name(failure.frames)} there"
    common = len(set(target.frames) & set(failure.frames))
    return f"different stack ({common} of {len(target.frames)} functions in common)"


def _phase(signature: Signature) -> str:
    return signature.stage.partition(" ")[0]


_WORD = re.compile(r"[A-Za-z][\w.-]*")
_PLACEHOLDERS = re.compile(r"<\w+>|\bN\b")
_PLACE = re.compile(r" \(?in function:? '<name>'\)?$|^in function '<name>'(?: <type>)?: ")
"""Which function of the program it is, which some releases say."""
_REQUIRING = frozenset(("must", "should", "shall"))
_NEGATING = frozenset(("not",))
_LEAST_IN_COMMON = 3  # words; "expected '('" and "expected '{'" have one in common
_AUXILIARY = frozenset(("be", "is", "are", "do", "does"))


def rephrased(one: str, other: str) -> bool:
    """Whether two templates (`oracles.signature.templates`) say the same.

    >>> rephrased("source and target overlap", "source and target must not overlap")
    True
    >>> rephrased("source and target overlap", "source and target must overlap")
    False
    >>> rephrased("ran out of registers", "ran out of registers in function '<name>'")
    True
    >>> rephrased("ran out of registers", "in function '<name>' <type>: ran out of registers")
    True
    """
    words = _words(one)
    if words.total() < _LEAST_IN_COMMON:
        return False
    if words == _words(other):
        return True
    first, second = _Complaint.of(one), _Complaint.of(other)
    return first is not None and first == second


@dataclass(frozen=True)
class _Complaint:
    """A message that states one thing: which, and whether that is there or missing."""

    about: frozenset[tuple[str, int]]
    is_missing: bool

    @classmethod
    def of(cls, template: str) -> "_Complaint | None":
        """None if the message says too much for the rule to be sure."""
        words = _words(template)
        required = sum(words[word] for word in _REQUIRING)
        negated = sum(words[word] for word in _NEGATING)
        if required > 1 or negated > 1:
            return None
        grammar = _REQUIRING | _NEGATING | _AUXILIARY
        about = frozenset((word, count) for word, count in words.items() if word not in grammar)
        return cls(about, is_missing=bool(required) != bool(negated)) if about else None


def _words(template: str) -> Counter[str]:
    return Counter(_WORD.findall(_PLACEHOLDERS.sub(" ", _PLACE.sub("", template))))
