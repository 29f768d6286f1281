"""The same compilation with other flags."""

from oracles.compilers.command import Command, other_flags, other_target, values_of
from oracles.profiles.iree import IREE

COMMAND = Command.parse(
    [
        "iree-compile",
        "--iree-hal-target-device=hip",
        "--iree-rocm-target=gfx942",
        "--iree-input-type=torch",
        "{}",
    ]
)


def test_other_flags_replace_those_of_the_same_name() -> None:
    other = other_flags(COMMAND, ["--iree-input-type=auto", "--new"])
    assert other.flags == (
        "--iree-hal-target-device=hip",
        "--iree-rocm-target=gfx942",
        "--iree-input-type=auto",
        "--new",
    )


def test_values_of_a_flag_in_order() -> None:
    twice = other_flags(COMMAND, ["-O=1", "--O=2"])
    assert values_of(twice, "--O") == ["1", "2"]
    assert values_of(COMMAND, "--O") == []


def test_another_target_leaves_none_of_the_old_one() -> None:
    other = other_target(COMMAND, ["--iree-hal-target-backends=llvm-cpu"], IREE.targets)
    assert other.flags == ("--iree-input-type=torch", "--iree-hal-target-backends=llvm-cpu")
