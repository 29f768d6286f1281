"""Which target a command compiles for, and which part of the compiler fails."""

import re
from collections.abc import Sequence

_TARGET = re.compile(
    r"--?(?:iree-hal-target-(?:device|backends?)|iree-hal-local-target-device-backends"
    r"|iree-\w+-target(?:-(?:chip|cpu|triple|features))?|iree-llvmcpu-target-\S+?"
    r"|mtriple|mcpu|march)=(?P<value>.+)",
    re.S,
)
_FRONT_END = re.compile(r"\b(?:torch|stablehlo|chlo|tosa|onnx|tf|input-conversion)\b", re.I)
_CAMEL = re.compile(r"^(?:Torch|StableHLO|Tosa|ConvertTorch|ConvertStableHLO)")


def target_of(words: Sequence[str]) -> tuple[str, ...]:
    """The values of the flags that choose a target, in order.

    >>> target_of(["iree-compile", "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"])
    ('hip', 'gfx942')
    """
    found = (_TARGET.fullmatch(word) for word in words)
    return tuple(dict.fromkeys(match["value"] for match in found if match))


def components(program: str, failing_pass: str, op: str) -> tuple[str, ...]:
    """Those of IREE's bug form: Frontends, MLIR, Python, Compiler, Runtime, Other."""
    if program.startswith("mlir-"):
        return ("MLIR",)
    spelled = failing_pass.replace("-", " ")
    front_end = _FRONT_END.search(spelled) or _CAMEL.match(failing_pass)
    if front_end or (not failing_pass and _FRONT_END.match(op)):
        return ("Frontends", "Compiler")
    return ("Compiler",)
