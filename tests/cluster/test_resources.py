"""Who offers what."""

from pathlib import Path

from reducer.cluster.resources import needed, resources_of, slots
from reducer.toolchain import toolchains_folder

OLD = {"nthreads": 4, "resources": {"iree-3.8.0": 4.0}}
NEW = {"nthreads": 2, "resources": {"iree-3.13.0": 2.0, "iree-3.8.0": 2.0}}
PLAIN = {"nthreads": 8, "resources": {}}


def test_a_cached_program_needs_its_version_and_any_other_nothing() -> None:
    cached = toolchains_folder() / "iree-base-compiler-3.8.0" / "iree" / "iree-compile"
    assert needed(cached) == {"iree-3.8.0": 1.0}
    assert needed(Path("/usr/bin/iree-compile")) == {}


def test_only_workers_that_offer_the_version_count() -> None:
    workers = [OLD, NEW, PLAIN]
    assert slots(workers, {"iree-3.8.0": 1.0}) == 6
    assert slots(workers, {"iree-3.13.0": 1.0}) == 2
    assert slots(workers, {"iree-3.3.0": 1.0}) == 0
    assert slots(workers, {}) == 14


def test_a_worker_offers_each_version_as_often_as_it_has_slots() -> None:
    assert resources_of(["3.8.0", "3.13.0"], 2) == {"iree-3.8.0": 2.0, "iree-3.13.0": 2.0}
