"""Where else a result compiles, in one sentence."""

import pytest

from reducer.identity.builds import BuildKind, Health
from reducer.identity.builds.record import HealthRecord, PlaceRecord

GOOD, SAME, OTHER, UNKNOWN, LATE, UNASKED = (str(one) for one in Health)


def record(target: str = "hip", release: str = "", **places: str) -> HealthRecord:
    """`_3_8_0="compiles"` is a release, `O3` a level, anything else a target."""
    found = []
    for name, health in places.items():
        kind, shown = BuildKind.TARGET, name
        if name.startswith("_"):
            kind, shown = BuildKind.RELEASE, name[1:].replace("_", ".")
        elif name.startswith("O"):
            kind = BuildKind.LEVEL
        found.append(PlaceRecord(kind, shown, health))
    return HealthRecord(target, release, tuple(found))


@pytest.mark.parametrize(
    ("health", "sentence"),
    [
        (HealthRecord(), ""),
        (
            record(vulkan=UNKNOWN, cuda=LATE, vmvx=UNASKED),
            "fails for hip; cannot tell for vulkan; timed out for cuda; not asked for vmvx",
        ),
        (record(vulkan=UNASKED), ""),
        (
            record(release="3.12.0", cpu=GOOD, vulkan=GOOD, _3_10_0=GOOD, _3_13_0=SAME),
            "compiles for cpu and vulkan, on 3.10.0; fails for hip, on 3.12.0 and 3.13.0; "
            "not tried between 3.10.0 and 3.12.0",
        ),
        (
            record(release="3.12.0", cpu=GOOD, _3_11_0=GOOD, _3_13_0=SAME),
            "compiles for cpu, on 3.11.0; fails for hip since 3.12.0",
        ),
        (
            record(release="3.13.0", cpu=GOOD, _3_3_0=GOOD, _3_4_0=SAME, _3_5_0=UNASKED),
            "compiles for cpu, on 3.3.0; fails for hip since 3.4.0 (asked: 3.4.0 and 3.13.0)",
        ),
        (
            record(release="3.4.0", _3_3_0=GOOD, _3_5_0=GOOD),
            "compiles on 3.3.0 and 3.5.0; fails for hip, on 3.4.0",
        ),
        (
            record(release="3.10.0", _3_13_0=GOOD, _3_11_0=SAME, _3_8_0=SAME, _3_2_0=GOOD),
            "compiles on 3.2.0 and 3.13.0; fails for hip, on 3.8.0, 3.10.0 and 3.11.0; "
            "not tried between 3.2.0 and 3.8.0; not tried between 3.11.0 and 3.13.0",
        ),
        (
            record(release="3.10.0", _3_9_0=SAME, _3_11_0=SAME),
            "fails for hip, on 3.9.0 to 3.11.0",
        ),
        (
            record(release="3.8.0", _3_6_0=GOOD, _3_4_0=SAME),
            "compiles on 3.6.0; fails for hip, on 3.4.0 and 3.8.0; "
            "not tried between 3.4.0 and 3.6.0; not tried between 3.6.0 and 3.8.0",
        ),
        (
            record(O1=SAME, O3=GOOD, cuda=SAME, vmvx=OTHER),
            "compiles at O3; fails for hip and cuda; fails in another way for vmvx",
        ),
        (record(target="", _3_8_0=SAME), "fails on 3.8.0"),
        (
            record(release="3.8.0", cpu=GOOD, _3_7_1=UNASKED, O1=UNASKED, O2=UNASKED),
            "compiles for cpu; fails for hip; not asked on 3.7.1, at O1 and O2",
        ),
    ],
)
def test_the_sentence(health: HealthRecord, sentence: str) -> None:
    assert health.sentence == sentence


def test_doubt() -> None:
    places = (
        PlaceRecord("target", "cuda", SAME, GOOD),
        PlaceRecord("target", "vmvx", OTHER, GOOD),
        PlaceRecord("target", "vulkan", GOOD, GOOD),
        PlaceRecord("target", "hip", UNKNOWN, GOOD),
        PlaceRecord("target", "cpu", OTHER, GOOD, of_input=True),
        PlaceRecord("release", "3.8.0", SAME, SAME),
        PlaceRecord("level", "O3", GOOD, SAME),
        PlaceRecord("level", "O2", GOOD),
    )
    assert HealthRecord(places=places).doubt == (
        "it fails with cuda and vmvx, but a larger program compiles there; "
        "it compiles with O3, but a larger program fails there; "
        "it fails with cpu, but the input compiles there"
    )
    assert HealthRecord(places=places[2:4]).doubt == ""
    told = HealthRecord("hip", places=places[:5]).sentence
    assert told.endswith("; cuda and vmvx compiled a larger program; cpu compiled the input")


def test_what_a_bisection_knows_is_used() -> None:
    """It knows the line, candidates between releases included."""
    known = record(release="3.13.0", cpu=GOOD, _3_3_0=SAME)
    line = {"3.3.0": Health.NOT_ASKED, "3.4.0rc1": Health.COMPILES, "3.4.0rc2": Health.SAME}
    assert known.told({**line, "3.13.0": Health.SAME}) == (
        "compiles for cpu, on 3.4.0rc1; fails for hip since 3.4.0rc2"
    )
    assert HealthRecord().told({"3.12.0": Health.COMPILES, "3.13.0": Health.SAME}) == (
        "compiles on 3.12.0; fails since 3.13.0"
    )
