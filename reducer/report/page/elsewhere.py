"""Where else the result compiles, and where it fails: targets, optimization levels, releases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reducer.bisect.query import health_of
from reducer.identity.builds import BuildKind, Health
from reducer.identity.builds.record import HealthRecord, PlaceRecord
from reducer.identity.builds.statements import VERBS
from reducer.report.facts import Version
from reducer.toolchain.model import age_of


@dataclass(frozen=True)
class Spot:
    """What the result does at one place. `own` marks the place of the failing command itself.

    `tone` is the CSS class of the verdict; `note` is what the compiler says there, or what a larger
    program did.
    """

    name: str
    verdict: str
    note: str = ""
    own: bool = False

    @property
    def tone(self) -> str:
        return _TONES.get(self.verdict, "")

    @property
    def sign(self) -> str:
        """A sign for the verdict, for those who cannot tell the colors apart."""
        return _SIGNS.get(self.verdict, "?")


_FAILS, _COMPILES, _OTHER = (VERBS[one] for one in (Health.SAME, Health.COMPILES, Health.OTHER))
_TONES = {_FAILS: "bad", _COMPILES: "good", _OTHER: "open"}
_SIGNS = {_FAILS: "\N{BALLOT X}", _COMPILES: "\N{CHECK MARK}", _OTHER: "\N{ALMOST EQUAL TO}"}


@dataclass(frozen=True)
class Elsewhere:
    """All places: `sentence` sums them up, and `doubt` says why this may be another bug."""

    sentence: str
    doubt: str
    targets: tuple[Spot, ...]
    levels: tuple[Spot, ...]
    releases: tuple[Spot, ...]

    @property
    def legend(self) -> list[Spot]:
        """One spot of each verdict that occurs."""
        spots = (*self.targets, *self.levels, *self.releases)
        return list({spot.verdict: spot for spot in spots}.values())


def elsewhere_of(
    health: HealthRecord | None, releases: Sequence[Version], failure: str = ""
) -> Elsewhere | None:
    """What is known about other places; None if nobody asked.

    What `releases` say takes precedence over the profile of the reduction. A release that says just
    `failure`, that of the result, needs no note.
    """
    if (health is None or not health.places) and not releases:
        return None
    health = health or HealthRecord()
    rows = {spot.name: spot for spot in _spots(health, BuildKind.RELEASE, health.release)}
    for one in releases:
        told = replace(one, note="") if one.note == failure else one
        rows[one.version] = _release(told, own=one.version == health.release)
    return Elsewhere(
        sentence=health.told({one.version: health_of(one.verdict) for one in releases}),
        doubt=health.doubt,
        targets=_spots(health, BuildKind.TARGET, health.target),
        levels=_spots(health, BuildKind.LEVEL, ""),
        releases=tuple(sorted(rows.values(), key=lambda spot: age_of(spot.name), reverse=True)),
    )


def _spots(health: HealthRecord, kind: BuildKind, own: str) -> tuple[Spot, ...]:
    found = [_spot(place) for place in health.places if place.kind == kind]
    return (Spot(own, _FAILS, own=True), *found) if own and found else tuple(found)


def _spot(place: PlaceRecord) -> Spot:
    before = VERBS.get(place.before, place.before) if place.before != place.health else ""
    note = f"{place.compared_with} {before}" if before else ""
    return Spot(place.name, VERBS.get(place.health, place.health), note)


def _release(one: Version, *, own: bool) -> Spot:
    return Spot(one.version, VERBS[health_of(one.verdict)], one.note, own)
