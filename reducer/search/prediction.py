"""Prediction: how likely a candidate is to be accepted, given everything that has been run.

A failure needs some of the ops, and mostly the same ones throughout a reduction. So each rejected
program says that at least one op that it lacks is needed, and each interesting one that no op that
it lacks is: group testing (Dorfman, "The Detection of Defective Members of Large Populations",
1943), here with overlapping groups. A candidate without one of these groups will probably be
rejected, and one that only lacks ops known to be superfluous accepted; in between, each op of a
group is as likely to be the one that is needed.

Predictions only decide what idle workers run (see `speculation`), never what is accepted.
"""

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from reducer.ir import Document, Module, PlainText
from reducer.ir.lines import op_names_of

Parts = int
"""A set of ops or lines, one bit for each that was ever seen."""

_MOST_PARTS = 20_000  # ops; larger programs are only known by their transformations
_REMEMBERED = 300  # programs of each kind
_MOST_GROUPS = 40
_WEIGHT, _FADING = 3, 0.8  # of what was assumed, and what a verdict counts after the next one
_OVERALL_WEIGHT, _SLOW_FADING = 6, 0.95  # the same for all transformations together
_LIKE_BEFORE = 0.95  # the chance that an edit has the verdict that it had before
_WITHOUT_NEEDED = 0.03  # the chance of a candidate that lacks what others were rejected without
_SUPERFLUOUS = 0.95  # the chance that ops which were removed elsewhere can go
_NEEDED_AT_FIRST, _NEEDED_BESIDES = 2.0, 1.0  # ops expected to be needed, beside known groups


@dataclass
class Acceptance:
    """How often candidates of one kind are accepted, lately more than before."""

    chance_before: float
    weight: float
    fading: float = _FADING
    accepted: float = field(init=False)

    def __post_init__(self) -> None:
        self.accepted = self.chance_before * self.weight

    def add(self, accepted: bool, share: float = 1.0) -> None:
        """Record a verdict on a candidate that was expected to be accepted with a chance of `share`
        if all of its kind were.
        """
        self.accepted = self.fading * self.accepted + accepted
        self.weight = self.fading * self.weight + share

    @property
    def chance(self) -> float:
        """The accepted candidates for each that was expected; above 1 if these were too few."""
        return self.accepted / self.weight


_AT_FIRST = {
    "unknown": 0.2,  # nothing is known about the programs
    "same ops": 0.8,  # the edit removes no op
    "renamed": 0.2,  # nothing can be compared, since all names have changed
    "free": 0.85,  # the edit removes nothing that seems to be needed
    "needed": _WITHOUT_NEEDED,
    "needed elsewhere": 0.12,  # other transformations could not remove these ops
}
"""Kinds of candidates, and the share of each that is accepted before any was judged."""

_LACKING = frozenset({"renamed", "needed elsewhere"})
"""Kinds that lack much: that an edit was accepted where it removed less tells nothing."""


@dataclass(frozen=True)
class Rejected:
    """A program that was rejected, or is assumed to be; `origin` names what made it."""

    origin: str
    parts: Parts
    digest: str = ""


@dataclass(frozen=True)
class _Groups:
    """What is known about the ops of a program.

    Attributes:
        needed: sets with at least one needed op each, smallest first, and what could not remove it.
        superfluous: ops that are not needed, as far as known.
    """

    needed: tuple[tuple[Parts, str], ...]
    superfluous: Parts


class Predictor:
    """Estimates chances from the verdicts of one reduction, asked for or not."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._rates: dict[tuple[str, str], Acceptance] = {}
        self._edits: dict[Hashable, bool] = {}
        self._rejected: deque[Rejected] = deque(maxlen=_REMEMBERED)
        self._interesting: deque[Parts] = deque(maxlen=_REMEMBERED)
        self._groups: dict[Parts, _Groups] = {}

    # ---- programs --------------------------------------------------------------------------

    def parts(self, document: Document) -> Parts | None:
        """The ops of a module, known by their results, or the lines of a text.

        None if there are too many, or if they are unknown.
        """
        if isinstance(document, Module):
            return document.derived(self._ops)
        return self._lines(document) if isinstance(document, PlainText) else None

    def _ops(self, module: Module) -> Parts | None:
        return None if module.op_count > _MOST_PARTS else self._set_of(op_names_of(module.text))

    def _lines(self, document: PlainText) -> Parts | None:
        names = [line.strip() for line in document.text.splitlines()]
        return None if len(names) > _MOST_PARTS else self._set_of(names)

    def _set_of(self, names: Sequence[str]) -> Parts:
        found = bytearray(len(self._numbers) // 8 + len(names) // 8 + 2)
        for name in names:
            number = self._numbers.setdefault(name, len(self._numbers))
            found[number >> 3] |= 1 << (number & 7)
        return int.from_bytes(found, "little")

    # ---- learning --------------------------------------------------------------------------

    def learn(
        self, origin: str, parts: Parts | None, base: Parts | None, *, interesting: bool
    ) -> None:
        """Record the outcome of a program that was made from `base`."""
        kind, share = self._kind(origin, parts, base, ())
        rate = self._rates.setdefault(
            (origin, kind), Acceptance(self._overall(kind).chance, _WEIGHT)
        )
        rate.add(interesting, share or 1.0)
        self._overall(kind).add(interesting, share or 1.0)
        if parts is None:
            return
        self._groups.clear()
        if interesting:
            self._interesting.append(parts)
        elif parts != base and kind != "renamed":
            self._rejected.append(Rejected(origin, parts))

    def learn_edit(self, edit: Hashable, *, interesting: bool) -> None:
        """Record the outcome of an edit that may be tried again in a similar program."""
        if edit is not None:
            self._edits[edit] = interesting

    # ---- predicting ------------------------------------------------------------------------

    def chance(
        self,
        origin: str,
        parts: Parts | None,
        base: Parts | None,
        edit: Hashable = None,
        assumed: Sequence[Rejected] = (),
    ) -> float:
        """How likely a program is to be accepted that was made from `base` by a transformation.

        Args:
            edit: what identifies the edit, if that is known.
            assumed: programs that are assumed to be rejected.
        """
        kind, share = self._kind(origin, parts, base, assumed)
        if kind == "needed":
            return min(_SUPERFLUOUS, max(_WITHOUT_NEEDED, self._rate(origin, kind).chance))
        alike = self._edits.get(edit) if edit is not None else None
        if alike is not None and (kind not in _LACKING or not alike):
            return _LIKE_BEFORE if alike else 1 - _LIKE_BEFORE
        return min(_SUPERFLUOUS, max(_WITHOUT_NEEDED, share * self._rate(origin, kind).chance))

    def _rate(self, origin: str, kind: str) -> Acceptance:
        """The rate of a transformation: at first, that of all others."""
        return self._rates.get((origin, kind)) or self._overall(kind)

    def _overall(self, kind: str) -> Acceptance:
        return self._rates.setdefault(
            ("", kind), Acceptance(_AT_FIRST[kind], _OVERALL_WEIGHT, _SLOW_FADING)
        )

    def _kind(
        self,
        origin: str,
        parts: Parts | None,
        base: Parts | None,
        assumed: Sequence[Rejected],
    ) -> tuple[str, float]:
        """The kind of a candidate, and the chance that it lacks nothing that is needed."""
        if parts is None or base is None:
            return "unknown", 1.0
        lost = base & ~parts
        if not lost:
            return "same ops", 1.0
        if 2 * (parts & base).bit_count() < parts.bit_count():
            return "renamed", 1.0
        groups = self._groups.get(base)
        if groups is None:
            groups = self._groups[base] = self._known_about(base)
        needed = list(groups.needed)
        for rejected in assumed:
            if (group := base & ~rejected.parts) and base != group:
                needed.append((group, rejected.origin))
        if assumed:
            needed.sort(key=lambda each: each[0].bit_count())
        return _lacking(lost, base, needed, groups.superfluous, origin)

    def _known_about(self, base: Parts) -> _Groups:
        superfluous = 0
        for parts in self._interesting:
            lost = base & ~parts
            if 2 * lost.bit_count() < base.bit_count():  # others may fail for another reason
                superfluous |= lost
        tried = {base & ~rejected.parts: rejected.origin for rejected in self._rejected}
        tried.pop(0, None)
        tried.pop(base, None)
        needed: list[tuple[Parts, str]] = []
        for group in sorted(tried, key=int.bit_count):
            if len(needed) == _MOST_GROUPS:
                break
            if not any(other & group == other for other, _ in needed):
                needed.append((group, tried[group]))
        return _Groups(tuple(needed), superfluous)


def _lacking(
    lost: Parts,
    base: Parts,
    needed: Sequence[tuple[Parts, str]],
    superfluous: Parts,
    origin: str,
) -> tuple[str, float]:
    """The kind of a candidate without these ops, and the chance that none of them is needed."""
    chance, seen, elsewhere, groups = 1.0, 0, False, 0
    for group, other in needed:
        suspects = group & ~superfluous or group
        covered = suspects & lost
        if covered == suspects:
            if other == origin:
                return "needed", 0.0
            elsewhere = True
        elif not suspects & seen:
            chance *= 1 - covered.bit_count() / suspects.bit_count()
            seen |= suspects
            groups += 1
    if elsewhere:
        return "needed elsewhere", chance
    unknown = base & ~superfluous & ~seen
    gone = (unknown & lost).bit_count()
    if gone:
        more = _NEEDED_BESIDES if groups else _NEEDED_AT_FIRST
        chance *= (1 - min(0.5, more / unknown.bit_count())) ** gone
    if superfluous & lost:
        chance *= _SUPERFLUOUS
    return "free", chance
