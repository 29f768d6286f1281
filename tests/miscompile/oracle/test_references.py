"""Commands for references."""

import pytest

from oracles.compilers.command import Command
from reducer.miscompile.oracle.references import backend_of, device_of, with_backend

COMMAND = Command.parse(
    [
        "iree-compile",
        "--iree-hal-target-device=hip",
        "--iree-rocm-target=gfx942",
        "--iree-input-type=torch",
        "{}",
    ]
)


def test_another_backend_keeps_what_does_not_belong_to_the_old_one() -> None:
    assert with_backend(COMMAND, "vmvx").flags == (
        "--iree-input-type=torch",
        "--iree-hal-target-backends=vmvx",
    )


@pytest.mark.parametrize(
    ("flags", "backend"),
    [
        (["--iree-hal-target-backends=vmvx"], "vmvx"),
        (
            ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=vmvx"],
            "vmvx",
        ),
        (["--iree-hal-target-device=local"], "llvm-cpu"),
        (["--iree-hal-target-backends=llvm-cpu"], "llvm-cpu"),
        (["--iree-hal-target-device=hip"], None),
        ([], None),
    ],
)
def test_backend_of_a_command(flags: list[str], backend: str | None) -> None:
    assert backend_of(Command.parse(["iree-compile", *flags])) == backend


@pytest.mark.parametrize(
    ("flags", "device"),
    [
        (["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"], "hip"),
        (["--iree-hal-target-device=gpu=hip[1]"], "hip"),
        (["--iree-hal-target-device=gpu=hip", "--iree-hal-default-device=gpu"], "hip"),
        (["--iree-hal-target-backends=rocm"], "hip"),
        (["--iree-hal-target-backends=vmvx-inline"], "local-task"),
        (["--iree-hal-target-backends=vulkan-spirv"], "vulkan"),
        (["--iree-hal-target-backends=cuda"], "cuda"),
        (["--iree-hal-target-device=local"], "local-task"),
        (["--iree-hal-target-backends=llvm-cpu,cuda"], "local-task"),
        (["--iree-hal-target-device=cuda,hip"], "local-task"),
        ([], "local-task"),
    ],
)
def test_a_program_runs_on_the_device_of_its_target(flags: list[str], device: str) -> None:
    assert device_of(Command.parse(["iree-compile", *flags])) == device
