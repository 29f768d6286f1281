"""Where else a program can be compiled: other targets, optimization levels and releases.

A command line is translated by the table below alone. It was checked by compiling a trivial program
for every target on every release named in the tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version

TARGETS = ("llvm-cpu", "vmvx", "vulkan", "cuda", "hip")
LEVELS = ("O0", "O1", "O2", "O3")
HOME = "home"

_BACKENDS = {"llvm-cpu": "llvm-cpu", "vmvx": "vmvx", "vulkan": "vulkan-spirv", "cuda": "cuda"}
_TARGET_OF = {value: target for target, value in _BACKENDS.items()} | {
    "vulkan": "vulkan",
    "hip": "hip",
    "rocm": "hip",
}
_CHOOSING = ("--iree-hal-target-backends", "--iree-hal-target-device")
_CHIPS = {
    "--iree-hip-target": "hip",
    "--iree-rocm-target": "hip",
    "--iree-cuda-target": "cuda",
    "--iree-llvmcpu-target-cpu": "llvm-cpu",
}
_LEVEL = "--iree-opt-level"
_FIRST_WITH_ROCM_FLAG = Version("3.12")
"""3.11 knows both spellings of the flag for AMD's chips, with a warning for the older one."""


@dataclass(frozen=True)
class Place:
    """A compiler release, with the flags for it."""

    name: str
    release: str
    program: str
    flags: tuple[str, ...]


def places_of(
    program: str, release: str, flags: Sequence[str], releases: Sequence[str]
) -> list[Place]:
    """The command's own place first, then every other place.

    A command that selects no target (of `iree-opt`, say) has other releases only.
    """
    home = Place(HOME, release, program, tuple(flags))
    elsewhere = [
        Place(f"release:{other}", other, program, for_release(flags, other))
        for other in releases
        if other != release
    ]
    if program != "iree-compile":
        return [home, *elsewhere]
    own = target_of(flags)
    targets = [
        Place(f"target:{target}", release, program, for_target(flags, target, release))
        for target in TARGETS
        if target != own
    ]
    levels = [Place(f"opt:{one}", release, program, for_level(flags, one)) for one in LEVELS]
    return [home, *targets, *levels, *elsewhere]


def target_of(flags: Sequence[str]) -> str | None:
    """The target that the flags select, if it is a known one."""
    for flag in flags:
        name, _, value = flag.partition("=")
        if name in _CHOOSING:
            return _TARGET_OF.get(value)
    return None


def select(target: str, release: str) -> tuple[str, ...]:
    """The flags that select a target on a release.

    >>> select("hip", "3.8.0")
    ('--iree-hal-target-device=hip', '--iree-hip-target=gfx942')
    >>> select("vulkan", "3.13.0")
    ('--iree-hal-target-backends=vulkan-spirv',)
    """
    if target == "hip":
        return ("--iree-hal-target-device=hip", f"{_chip_flag(release)}=gfx942")
    return (f"--iree-hal-target-backends={_BACKENDS[target]}",)


def for_target(flags: Sequence[str], target: str, release: str) -> tuple[str, ...]:
    """The flags with another target, and without the chip of the first one."""
    others = [flag for flag in flags if flag.partition("=")[0] not in (*_CHOOSING, *_CHIPS)]
    return (*select(target, release), *others)


def for_level(flags: Sequence[str], level: str) -> tuple[str, ...]:
    """The flags with another optimization level."""
    others = (flag for flag in flags if flag.partition("=")[0] != _LEVEL)
    return (*others, f"{_LEVEL}={level}")


def for_release(flags: Sequence[str], release: str) -> tuple[str, ...]:
    """The same flags, spelled as a release spells them.

    >>> for_release(["--iree-hip-target=gfx90a", "--x"], "3.13.0")
    ('--iree-rocm-target=gfx90a', '--x')
    """
    return tuple(_respelled(flag, release) for flag in flags)


def _respelled(flag: str, release: str) -> str:
    name, equals, value = flag.partition("=")
    return f"{_chip_flag(release)}{equals}{value}" if _CHIPS.get(name) == "hip" else flag


def _chip_flag(release: str) -> str:
    newer = Version(release) >= _FIRST_WITH_ROCM_FLAG
    return "--iree-rocm-target" if newer else "--iree-hip-target"
