"""What the record of a reduction says about where else the result compiles, and in which words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from packaging.version import Version

from reducer.health import Health, HealthCheck, Place, PlaceKind
from reducer.health.places import release_of, target_of
from reducer.session.json_values import JsonValues


@dataclass(frozen=True)
class PlaceRecord:
    """The health of the result at one place.

    `before` is that of a larger program of the same reduction, '' if it was not asked;
    `required` whether candidates had to do the same there to be accepted.
    """

    kind: str
    name: str
    health: str
    before: str = ""
    required: bool = False

    @property
    def is_lost(self) -> bool:
        """Whether the result does otherwise than a larger program of the same reduction."""
        try:
            return Health(self.before).is_lost_in(Health(self.health))
        except ValueError:  # not asked
            return False

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "health": self.health,
            "before": self.before or None,
            "required": self.required,
        }

    @classmethod
    def from_json(cls, data: JsonValues) -> Self:
        return cls(
            kind=data.text("kind") or "",
            name=data.text("name") or "",
            health=data.text("health") or "",
            before=data.text("before") or "",
            required=data.flag("required") is True,
        )


@dataclass(frozen=True)
class HealthRecord:
    """Where else the result compiles.

    `target` and `release` are those of the command that fails, '' if unknown. `repairs` counts how
    often the reduction went back because the result failed where it should not; `runs` and
    `compiler_seconds` are the cost of all that.
    """

    target: str = ""
    release: str = ""
    places: tuple[PlaceRecord, ...] = field(default=())
    repairs: int = 0
    runs: int = 0
    compiler_seconds: float = 0.0

    @classmethod
    def of(cls, check: HealthCheck) -> Self:
        """The record of a finished check."""
        failing = check.elsewhere.failing
        before, required = check.before.at, {_key(one.place) for one in check.conditions}
        asked = {_key(place) for place in check.result.at}
        held = {one.place: one.health for one in check.conditions if _key(one.place) not in asked}
        places = tuple(
            PlaceRecord(
                place.kind, place.name, health, before.get(place, ""), _key(place) in required
            )
            for place, health in (dict(check.result.at) | held).items()
        )
        elsewhere = check.elsewhere
        return cls(
            target_of(failing.command),
            release_of(failing.executable),
            places,
            check.repairs,
            elsewhere.runs,
            elsewhere.seconds,
        )

    @property
    def doubt(self) -> str:
        """How the result differs from what it was made from, so that it may show another bug."""
        lost = [place for place in self.places if place.is_lost]
        failing = [place.name for place in lost if place.before == Health.COMPILES]
        compiling = [place.name for place in lost if place.before == Health.SAME]
        parts = [
            _group("it fails with", failing) + ", where a larger program with this failure compiles"
            if failing
            else "",
            _group("it compiles with", compiling) + ", where a larger program fails in the same way"
            if compiling
            else "",
        ]
        return "; ".join(filter(None, parts))

    @property
    def sentence(self) -> str:
        """What a maintainer asks first: where it compiles, and where and since when it fails.

        '' if no place says anything.
        """
        parts = [
            _listed("compiles", self._names(Health.COMPILES)),
            _listed("fails", self._failing()),
            _listed("fails in another way", self._names(Health.OTHER)),
        ]
        return "; ".join(filter(None, parts)) if self.places else ""

    def _names(self, health: Health) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {
            kind: [one.name for one in self.places if (one.kind, one.health) == (kind, health)]
            for kind in PlaceKind
        }
        return names | {PlaceKind.RELEASE: sorted(names[PlaceKind.RELEASE], key=Version)}

    def _failing(self) -> dict[str, list[str]]:
        names = self._names(Health.SAME)
        if self.target:
            names[PlaceKind.TARGET] = [self.target, *names[PlaceKind.TARGET]]
        names[PlaceKind.LEVEL] = []  # only where it compiles does the level make a difference
        return names | {PlaceKind.RELEASE: self._range(names[PlaceKind.RELEASE])}

    def _range(self, failing: Sequence[str]) -> list[str]:
        """The releases with the failure; since when and until when, if others decide that."""
        if not self.release:
            return list(failing)
        bad = {Version(name) for name in (*failing, self.release)}
        good = {Version(name) for name in self._names(Health.COMPILES)[PlaceKind.RELEASE]}
        own = Version(self.release)
        if not failing and not good:
            return []
        since = max((one for one in good if one < own), default=None)
        until = min((one for one in good if one > own), default=None)
        inside = sorted(
            one for one in bad if (since is None or one > since) and (until is None or one < until)
        )
        first, last = str(inside[0]), str(inside[-1])
        others = [str(one) for one in sorted(bad - set(inside))]
        if since is not None and until is None and not others:
            return [f"since {first}"]
        return [first if first == last else f"{first} to {last}", *others]

    def to_json(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "release": self.release,
            "text": self.sentence,
            "places": [place.to_json() for place in self.places],
            "repairs": self.repairs,
            "runs": self.runs,
            "compiler_seconds": round(self.compiler_seconds, 3),
        }

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        places = data.parts("places")
        if places is None:
            return None
        return cls(
            target=data.text("target") or "",
            release=data.text("release") or "",
            places=tuple(map(PlaceRecord.from_json, places)),
            repairs=data.count("repairs") or 0,
            runs=data.count("runs") or 0,
            compiler_seconds=data.number("compiler_seconds") or 0.0,
        )


def _key(place: Place) -> tuple[str, str]:
    """What makes a place the same, wherever it lies from the command's own."""
    return place.kind, place.name


def _listed(verb: str, names: dict[str, list[str]]) -> str:
    """`compiles for llvm-cpu and vulkan, on 3.10.0, at O3`; '' without any name."""
    releases = names[PlaceKind.RELEASE]
    since = [one for one in releases if one.startswith("since ")]
    groups = [
        " ".join(filter(None, [_group("for", names[PlaceKind.TARGET]), *since])),
        _group("on", [one for one in releases if one not in since]),
        _group("at", names[PlaceKind.LEVEL]),
    ]
    told = ", ".join(filter(None, groups))
    return f"{verb} {told}" if told else ""


def _group(preposition: str, names: Iterable[str]) -> str:
    listed = list(names)
    if not listed:
        return ""
    *first, last = listed
    text = f"{', '.join(first)} and {last}" if first else last
    return f"{preposition} {text}"
