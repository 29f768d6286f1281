"""What runs the modules that IREE compiles, and how it is called."""

import re
from collections.abc import Sequence

from oracles.profiles.profile import Runtime


def _call(module: str, function: str) -> list[str]:
    return [f"--module={module}", f"--function={function}"]


def _print_all(elements: int) -> str:
    return f"--output_max_element_count={elements}"


def _on_device(device: str, elements: int, flags: str) -> list[str]:
    return [
        f"--device={device}",
        _print_all(elements),
        f"--flagfile={flags}",
    ]


_HOST = frozenset(("llvm-cpu", "vmvx", "local", "local-task", "local-sync"))


def _backend_of(targets: frozenset[str]) -> str | None:
    if "vmvx" in targets:
        return "vmvx"
    return "llvm-cpu" if targets and targets <= _HOST else None


_TARGET_NAME = re.compile(r"(?:[\w.]+=)?([\w-]+?)(?:-spirv)?(?:\[\d+\])?")
"""Of `vulkan-spirv`, `hip[1]` and `first=cuda[0]`: what `_DEVICES` knows."""

_DEVICES = {
    "amdgpu": "amdgpu",
    "cuda": "cuda",
    "hip": "hip",
    "metal": "metal",
    "rocm": "hip",
    "vulkan": "vulkan",
}


def _device_of(targets: frozenset[str]) -> str:
    names = {match[1] for match in map(_TARGET_NAME.fullmatch, targets) if match}
    devices = {_DEVICES[name] for name in names if name in _DEVICES}
    return devices.pop() if len(devices) == 1 and not names & _HOST else "local-task"


_CONVERSION = re.compile(r"--?iree-input-(?:demote|promote)-(\w+)-to-\w+(?:=(.*))?$")


def _converted_types(flags: Sequence[str]) -> frozenset[str]:
    """f64 unless told otherwise, in every release."""
    found = {"f64"}
    for match in filter(None, map(_CONVERSION.match, flags)):
        is_off = (match[2] or "").lower() in ("false", "0")
        (found.discard if is_off else found.add)(match[1])
    return frozenset(found)


RUNTIME = Runtime(
    program="iree-run-module",
    callers=re.compile(r"(?:.*/)?(?:iree-(?:run|benchmark)-module|mlir-(?:cpu-)?runner[-\d.]*)"),
    suffix=".vmfb",
    device_of=_device_of,
    reference_device="local-sync",
    call=_call,
    input_flag="--input",
    expected_flag="--expected_output",
    ignored_output="(ignored)",
    difference="[FAILED]",
    thresholds={  # bf16 has one since 3.9, f8 none
        "f16": ("--expected_f16_threshold", 1e-3),
        "f32": ("--expected_f32_threshold", 1e-4),
        "f64": ("--expected_f64_threshold", 1e-4),
    },
    parameters_flag="--parameters",
    module_flag="--module",
    function_flag="--function",
    device_flag="--device",
    flagfile_flag="--flagfile",
    print_all=_print_all,
    on_device=_on_device,
    statuses=frozenset(
        (
            "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
            "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
            "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
            "UNAUTHENTICATED", "INCOMPATIBLE",
        )
    ),
    # runtime/src/iree/hal/x.c:225: OUT_OF_RANGE; the message; while invoking native function hal.y;
    failure=re.compile(
        r"^\S+:\d+: (?P<status>[A-Z_]+)"
        r"(?:; (?P<message>(?!while (?:invoking|calling) |; invoking ).*?))?"
        r"(?:;(?: while invoking native function (?P<place>[\w.]+)| while calling "
        r"| ?; invoking | `a?sync func @| *$).*)?$",
        re.M,
    ),
    in_call=re.compile(
        r"; invoking function '|^\[ *\d+\] +(?:bytecode|native) |^EXEC @", re.M
    ),
    queued=re.compile(r"hal\.(?:command_buffer|device\.queue|fence)\."),
    heard=re.compile(r"; (?:cu|hip)[A-Z]\w*$"),
    device_missing=frozenset(
        ("INCOMPATIBLE", "UNAVAILABLE", "NOT_FOUND", "UNIMPLEMENTED", "PERMISSION_DENIED")
    ),
    backends={
        "vmvx": ("--iree-hal-target-backends=vmvx",),
        "llvm-cpu": ("--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"),
    },
    backend_of=_backend_of,
    unoptimized=("--iree-opt-level=O0",),
    front_end=("--compile-to=input",),
    converted_types=_converted_types,
    less_exact=re.compile(
        r"--?iree-(?:global-opt|flow)-(?:enable-)?demote-contraction-inputs-(?!operations=none)"
    ),
    identities=frozenset(("util.optimization_barrier", "flow.tensor.barrier")),
)  # fmt: skip
