"""Knowledge about particular compilers, and the functions that use it."""

import re
from pathlib import Path

import pytest

from oracles.profiles import (
    MLIR,
    PROFILES,
    RUNTIME,
    CompilerProfile,
    any_of,
    dispatches_of,
    phases_of,
    profile_of,
)
from oracles.profiles.iree import IREE
from oracles.signature.classify import pass_on_stack
from oracles.signature.diagnostics import says_nothing
from oracles.stacks.dispatching import distinctive


@pytest.mark.parametrize(
    ("program", "profile"),
    [
        ("iree-compile", IREE),
        ("/opt/bin/iree-opt", IREE),
        (Path("build/tools/my-iree-compile"), IREE),
        ("mlir-opt", MLIR),
        ("toy-opt", MLIR),
        ("iree-compile.sh", MLIR),
        ("./interesting.sh", MLIR),
    ],
)
def test_a_program_is_known_by_its_name(program: str | Path, profile: CompilerProfile) -> None:
    assert profile_of(program) is profile


def test_other_compilers_have_no_capability() -> None:
    has = (MLIR.phases, MLIR.dispatches, MLIR.runtime, MLIR.releases)
    assert has == (None, None, None, None)


@pytest.mark.parametrize(
    ("program", "flags", "whole"),
    [
        ("iree-compile", (), True),
        ("iree-compile", ("--iree-hal-target-device=hip",), True),
        ("iree-compile", ("--compile-to=flow",), False),
        ("iree-compile", ("-compile-from", "flow"), False),
        ("iree-compile", ("--compile-mode=vm",), False),
        ("iree-opt", (), False),
        ("mlir-opt", (), False),
    ],
)
def test_only_whole_compilations_can_be_stopped_or_split(
    program: str, flags: tuple[str, ...], whole: bool
) -> None:
    assert phases_of(program, flags) is (IREE.phases if whole else None)
    assert dispatches_of(program, flags) is (IREE.dispatches if whole else None)


def test_phases_that_others_name_exist() -> None:
    for profile in PROFILES:
        if profile.phases is None:
            continue
        names = set(profile.phases.names)
        assert profile.phases.of_programs <= names
        if profile.dispatches is not None:
            assert profile.dispatches.compiled_in <= names | {""}


def test_the_files_of_finished_phases(tmp_path: Path) -> None:
    assert IREE.phases is not None
    for name in ("input.1.input.mlir", "input.2.abi.mlir", "input.flow.mlir", "notes.txt"):
        (tmp_path / name).touch()
    assert IREE.phases.dumped(tmp_path) == {"input", "abi", "flow"}


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_no_wording_matches_everything(profile: CompilerProfile) -> None:
    """Patterns are joined: one that matches everything would hide all messages."""
    fields = (
        profile.follow_ups,
        profile.crash_banners,
        profile.driver_frames,
        profile.entry_frames,
        profile.nesting_passes,
        profile.target_flags,
        profile.long_attributes,
    )
    for pattern in (pattern for field in fields for pattern in field):
        assert not re.search(pattern, "")
        assert not re.search(pattern, "failed to do what no compiler does")


def test_a_wording_that_nobody_has_matches_nothing() -> None:
    assert not re.search(any_of(lambda profile: ()), "")


def test_wordings_are_recognized_whoever_prints_them() -> None:
    assert says_nothing("failed to run translation of source executable to target executable")
    assert not says_nothing("failed to bufferize op")
    names = [
        "mlir::iree_compiler::FooPass::runOnOperation",
        "mlir::iree_compiler::detail::OpPipelineAdaptorPass::runOnOperationAsync",
        "mlir::iree_compiler::BarPass::runOnOperation",
    ]
    assert distinctive(names) == ("mlir::iree_compiler::FooPass::runOnOperation",)
    assert distinctive(["f", "ireeCompilerRunMain", "after"]) == ("f",)
    assert pass_on_stack(["a::TranslateTargetExecutableVariantsPass::runOnOperation"]) == ""


@pytest.mark.parametrize(
    ("flags", "types"),
    [
        ([], {"f64"}),
        (["--iree-input-demote-f64-to-f32=false"], set()),
        (["--iree-input-demote-f64-to-f32", "--iree-input-promote-bf16-to-f32"], {"f64", "bf16"}),
        (["--iree-input-demote-f64-to-f32=0", "--iree-input-demote-i64-to-i32=true"], {"i64"}),
    ],
)
def test_element_types_of_which_the_front_end_makes_others(
    flags: list[str], types: set[str]
) -> None:
    assert RUNTIME.converted_types(flags) == types
