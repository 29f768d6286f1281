"""What the record of a reduction says about where else the result compiles, and in which words."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from reducer.identity.builds import BuildConfig, BuildKind, Health, HealthCheck
from reducer.identity.builds.configs import release_of, target_of
from reducer.identity.builds.statements import slip, statement
from reducer.storage.json_values import JsonValues


@dataclass(frozen=True)
class PlaceRecord:
    """The health of the result at one place.

    `before` is that of a larger program of the same reduction, '' if it was not asked, and
    `of_input` whether that is the input; `required` whether candidates had to do the same there to
    be accepted.
    """

    kind: str = ""
    name: str = ""
    health: str = ""
    before: str = ""
    required: bool = False
    of_input: bool = False

    @property
    def is_lost(self) -> bool:
        """Whether the result does otherwise than a larger program of the same reduction."""
        return _health(self.before).is_lost_in(_health(self.health))

    @property
    def compared_with(self) -> str:
        """The larger program in words."""
        return "the input" if self.of_input else "a larger program"

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "before": self.before or None}


@dataclass(frozen=True)
class HealthRecord:
    """Where else the result compiles.

    `target` and `release` are those of the command that fails, '' if unknown. `repairs` counts how
    often the reduction went back because the result failed where it should not; `runs` and
    `cpu_seconds` are the cost of all that.
    """

    target: str = ""
    release: str = ""
    places: tuple[PlaceRecord, ...] = field(default=())
    repairs: int = 0
    runs: int = 0
    cpu_seconds: float = 0.0

    @classmethod
    def of(cls, check: HealthCheck) -> Self:
        """The record of a finished check."""
        failing = check.cross_check.failing
        required = {_key(one.build): one for one in check.required}
        healths = {_key(place): (place, health) for place, health in check.result.items()}
        for key, one in required.items():
            healths.setdefault(key, (one.build, one.health))
        for place in check.builds:
            healths.setdefault(_key(place), (place, Health.NOT_ASKED))
        places = tuple(
            PlaceRecord(
                place.kind,
                place.name,
                health,
                check.before.get(place, ""),
                key in required,
                place in check.of_input,
            )
            for key, (place, health) in healths.items()
        )
        elsewhere = check.cross_check
        return cls(
            target_of(failing.command),
            release_of(failing.executable),
            places,
            check.repairs,
            elsewhere.cost.calls,
            elsewhere.cost.cpu_seconds,
        )

    @property
    def doubt(self) -> str:
        """How the result differs from what it was made from, so that it may show another bug."""
        parts = [
            slip(
                [one.name for one in lost if one.before == Health.COMPILES],
                [one.name for one in lost if one.before == Health.SAME],
                what,
            )
            for what, lost in self._lost().items()
        ]
        return "; ".join(filter(None, parts))

    @property
    def sentence(self) -> str:
        """What a maintainer asks first: where it compiles, and where and since when it fails.

        '' if no place was asked.
        """
        return self.told({})

    def told(self, releases: Mapping[str, Health]) -> str:
        """The same with what others know of `releases`, such as a bisection of a whole line."""
        at = {(one.kind, one.name): _health(one.health) for one in self.places}
        at |= {(str(BuildKind.RELEASE), name): health for name, health in releases.items()}
        if all(health is Health.NOT_ASKED for health in at.values()):
            return ""
        bisected = Health.NOT_ASKED in releases.values()
        return statement(
            [(kind, name, health) for (kind, name), health in at.items()],
            target=self.target,
            release=self.release,
            whole=list(releases) if bisected else (),
            lost={
                what: names
                for what, lost in self._lost().items()
                if (names := [one.name for one in lost if one.before == Health.COMPILES])
            },
        )

    def _lost(self) -> dict[str, list[PlaceRecord]]:
        """The places where the result does otherwise, by what it was compared with."""
        lost: dict[str, list[PlaceRecord]] = {}
        for one in self.places:
            if one.is_lost:
                lost.setdefault(one.compared_with, []).append(one)
        return lost

    def to_json(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "release": self.release,
            "text": self.sentence,
            "places": [place.to_json() for place in self.places],
            "repairs": self.repairs,
            "runs": self.runs,
            "cpu_seconds": round(self.cpu_seconds, 3),
        }

    @classmethod
    def from_json(cls, data: object) -> Self | None:
        return JsonValues(data).read(cls)


def _health(text: str) -> Health:
    """The health that a record names; one that is not known says nothing."""
    try:
        return Health(text)
    except ValueError:
        return Health.UNKNOWN


def _key(place: BuildConfig) -> tuple[str, str]:
    """What makes a place the same, wherever it lies from the command's own."""
    return place.kind, place.name
