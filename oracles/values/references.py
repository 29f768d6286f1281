"""Commands that should give the same results as the one under test."""

from collections.abc import Sequence

from oracles.command import INPUT, Command

BACKENDS = {
    "vmvx": ("--iree-hal-target-backends=vmvx",),
    "llvm-cpu": ("--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"),
}
"""Those that run on any machine, with the flags that choose them in every version."""

_CHOOSES_TARGET = (
    "iree-hal-target-device",
    "iree-hal-target-backends",
    "iree-hal-local-target-device-backends",
    "iree-hal-default-device",
)
_OF_ONE_TARGET = (
    "iree-llvmcpu-",
    "iree-vmvx-",
    "iree-rocm-",
    "iree-hip-",
    "iree-amdgpu-",
    "iree-cuda-",
    "iree-vulkan-",
    "iree-metal-",
    "iree-webgpu-",
)


def with_backend(command: Command, backend: str) -> Command:
    """The same compilation for another backend: flags that belong to the old one go.

    Raises KeyError for a backend that cannot run here.
    """
    kept = [word for word in command.flags if not _is_target_flag(word)]
    return command.with_flags([*kept, *BACKENDS[backend]])


def other_flags(command: Command, flags: Sequence[str]) -> Command:
    """The same compilation with these flags, which replace those of the same name."""
    replaced = {_name(flag) for flag in flags}
    kept = [word for word in command.flags if _name(word) not in replaced]
    return command.with_flags([*kept, *flags])


def backend_of(command: Command) -> str | None:
    """The backend that a command chooses, if it is one of `BACKENDS`."""
    chosen = [word for word in command.flags if _name(word) in _CHOOSES_TARGET]
    values = {part for word in chosen for part in word.partition("=")[2].split(",")}
    if "vmvx" in values:
        return "vmvx"
    host = {"llvm-cpu", "local", "local-task", "local-sync"}
    return "llvm-cpu" if chosen and values <= host else None


def _is_target_flag(word: str) -> bool:
    name = _name(word)
    return name in _CHOOSES_TARGET or name.startswith(_OF_ONE_TARGET)


def _name(word: str) -> str:
    return "" if word == INPUT else word.partition("=")[0].lstrip("-")
