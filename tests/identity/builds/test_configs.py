"""Which places there are for a command, and what is run there."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle
from reducer.identity.builds import BuildConfig, BuildKind, configs_of
from reducer.identity.builds.configs import release_of, target_of
from reducer.toolchain import installed
from tests.support.fake_releases import Release, Releases

TARGET = "--iree-hal-target-backends"
DEVICE = "--iree-hal-target-device"
FLAGS = ((TARGET, ""), (DEVICE, ""), ("--iree-rocm-target", "A chip."), ("--iree-opt-level", ""))
OLD = ((TARGET, ""), (DEVICE, ""), ("--iree-hip-target", "A chip."))
HIP = (f"{DEVICE}=hip", "--iree-rocm-target=gfx942")


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Releases:
    new, old = Release(flags=FLAGS), Release(flags=OLD)
    made = Releases(tmp_path, {"3.3.0": old, "3.4.0": new, "3.8.0": new, "3.13.0": new})
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(made.cache))
    return made


def oracle(version: str, *flags: str) -> CompilerOracle:
    program = next(one.compile for one in installed() if one.version == version)
    return CompilerOracle(Command.parse(["iree-compile", *flags]), program)


def test_a_place_runs_the_command_with_no_other_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass whose copies lack something crashes only where there are threads, which copy it."""
    threads = ("--mlir-disable-threading", "Use one thread.")
    both = {name: Release(flags=(*FLAGS, threads)) for name in ("3.8.0", "3.13.0")}
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(Releases(tmp_path, both).cache))
    for given in (HIP, ("--mlir-disable-threading", *HIP)):
        assert flags_at("3.8.0", oracle("3.13.0", *given)) == given


def names(places: list[BuildConfig], kind: BuildKind) -> list[str]:
    return [place.name for place in places if place.kind is kind]


def flags_at(name: str, asked: CompilerOracle) -> tuple[str, ...] | None:
    place = next(place for place in configs_of(asked) if place.name == name)
    found = place.oracle(asked)
    return None if found is None else found.command.flags


@pytest.mark.parametrize(
    ("flags", "own"),
    [
        (HIP, "hip"),
        ((f"{TARGET}=rocm",), "hip"),
        (("--iree-hal-target-device=local",), "llvm-cpu"),
        ((f"{TARGET}=llvm-cpu",), "llvm-cpu"),
        (
            (
                "--iree-hal-target-device=local",
                "--iree-hal-local-target-device-backends=vmvx",
            ),
            "vmvx",
        ),
        ((f"{TARGET}=vulkan-spirv",), "vulkan"),
    ],
)
def test_a_command_is_not_its_own_other_target(
    releases: Releases, flags: tuple[str, ...], own: str
) -> None:
    asked = oracle("3.8.0", *flags)
    assert target_of(asked.command) == own
    others = {"llvm-cpu", "vmvx", "vulkan", "cuda", "hip"} - {own}
    assert set(names(configs_of(asked), BuildKind.TARGET)) == others


def test_a_command_without_a_target_has_none(releases: Releases) -> None:
    assert names(configs_of(oracle("3.8.0")), BuildKind.TARGET) == []


def test_releases_and_levels_are_counted_from_the_own_one(releases: Releases) -> None:
    found = configs_of(oracle("3.4.0", *HIP, "--iree-opt-level=O2"))
    assert {place.name: place.position for place in found if place.position} == {
        **{"3.3.0": -1, "3.8.0": 1, "3.13.0": 2},
        **{"O0": -2, "O1": -1, "O3": 1},
    }


def test_the_level_of_the_command_is_not_asked_again(releases: Releases) -> None:
    assert names(configs_of(oracle("3.8.0", *HIP)), BuildKind.LEVEL) == ["O1", "O2", "O3"]
    raised = oracle("3.8.0", *HIP, "--iree-opt-level=O3")
    assert names(configs_of(raised), BuildKind.LEVEL) == ["O0", "O1", "O2"]
    assert flags_at("O1", raised) == (*HIP, "--iree-opt-level=O1")


def test_another_target_replaces_all_flags_of_the_first(releases: Releases) -> None:
    asked = oracle("3.8.0", *HIP, "--iree-opt-level=O2")
    assert flags_at("vulkan", asked) == ("--iree-opt-level=O2", f"{TARGET}=vulkan-spirv")


def test_flags_are_translated_for_a_release(releases: Releases) -> None:
    asked = oracle("3.8.0", f"{TARGET}=rocm", "--iree-rocm-target=gfx942")
    assert flags_at("3.3.0", asked) == (f"{TARGET}=rocm", "--iree-hip-target=gfx942")


def test_a_release_that_does_not_know_a_flag_has_no_command(releases: Releases) -> None:
    asked = oracle("3.8.0", f"{TARGET}=rocm", "--iree-opt-level=O2")
    assert flags_at("3.13.0", asked) == asked.command.flags
    assert flags_at("3.3.0", asked) is None


def test_other_tools_have_no_places(tmp_path: Path) -> None:
    other = CompilerOracle(Command.parse(["mlir-opt", "--canonicalize"]), tmp_path / "mlir-opt")
    assert configs_of(other) == []


def test_the_release_of_a_program(releases: Releases, tmp_path: Path) -> None:
    assert release_of(oracle("3.8.0").executable) == "3.8.0"
    assert release_of(tmp_path / "iree-compile") == ""


@pytest.mark.iree
def test_a_real_compiler_has_every_target(iree_compile: Path) -> None:
    """A target that the compiler was built without would look like a bug there."""
    text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n"
    asked = CompilerOracle(Command.parse(["iree-compile", f"{TARGET}=llvm-cpu"]), iree_compile)
    for place in configs_of(asked):
        if place.kind is not BuildKind.RELEASE:
            there = place.oracle(asked)
            assert there is not None and there.run(text).succeeded, place.name
