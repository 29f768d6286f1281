"""Tools built on `MlirOptMain`: MLIR's own, and those of projects that add dialects and passes.

They read any IR of their dialects, run the passes that the command names, and print the result. The
flags for generic form, locations and the IR around a pass are MLIR's own, so nothing is said about
them here, and a pass that fails ends the run, so there is nothing to stop early. What differs is
the name, by which a tool is found, and where and how bugs are filed.
"""

import re
from collections.abc import Callable
from functools import partial

from oracles.profiles.profile import BugForm, CompilerProfile, FormPart

FREE_FORM = (
    ("", (FormPart.HAPPENED, FormPart.STEPS)),
    ("Version", (FormPart.VERSION,)),
    ("Additional context", (FormPart.CONTEXT,)),
)
"""LLVM's issues are free-form: the program and the command first, as a reader looks for them."""

_WHAT_HAPPENED = (
    ("What happened?", (FormPart.HAPPENED,)),
    ("Steps to reproduce your issue", (FormPart.STEPS,)),
    ("Version information", (FormPart.VERSION, FormPart.CONTEXT)),
)
"""https://github.com/openxla/stablehlo/blob/main/.github/ISSUE_TEMPLATE/bug_report.yml"""

_DESCRIBE = (
    ("Describe the bug", (FormPart.HAPPENED, FormPart.STEPS, FormPart.CONTEXT)),
    ("Environment details", (FormPart.VERSION,)),
)
"""https://github.com/triton-lang/triton/blob/main/.github/ISSUE_TEMPLATE/bug.yml"""

_DIALECTS = frozenset(
    (
        "acc", "affine", "amdgpu", "amx", "arith", "arm_neon", "arm_sme", "arm_sve", "async",
        "bufferization", "cf", "complex", "emitc", "func", "gpu", "index", "irdl", "linalg", "llvm",
        "math", "memref", "ml_program", "mpi", "nvgpu", "nvvm", "omp", "pdl", "pdl_interp", "ptr",
        "quant", "rocdl", "scf", "shape", "shard", "smt", "sparse_tensor", "spirv", "tensor",
        "tosa", "transform", "ub", "vector", "wasmssa", "x86vector", "xegpu", "xevm",
    )
)  # fmt: skip


def bug_form(
    project: str,
    url: str,
    sections: tuple[tuple[str, tuple[FormPart, ...]], ...] = FREE_FORM,
    tags: Callable[[str, str], str] = lambda failing_pass, op: "",
) -> BugForm:
    """How bugs are reported to a project on GitHub; free-form unless it has a template."""
    return BugForm(sections, lambda program, failing_pass, op: (project,), tags, url)


def opt_profile(name: str, opt: str, url: str) -> CompilerProfile:
    """The profile of a project with an `…-opt` tool; `url` is where its bugs are filed."""
    return CompilerProfile(name=name, compiler="", opt=opt, bug_form=bug_form(name, url))


def _dialect_tags(first: str, failing_pass: str, op: str) -> str:
    """`[mlir][arith]`, as LLVM's issues and commits begin."""
    words = re.split(r"\W+", f"{failing_pass} {op}")
    dialect = next((word for word in words if word in _DIALECTS), "")
    return f"[{first}][{dialect}]" if dialect else f"[{first}]"


MLIR = CompilerProfile(
    name="MLIR",
    compiler="",
    opt="mlir-opt",
    bug_form=bug_form(
        "MLIR",
        "https://github.com/llvm/llvm-project/issues/new",
        tags=partial(_dialect_tags, "mlir"),
    ),
    explorer="mliropttrunk",
    serializing_passes=("gpu-module-to-binary",),
)
"""MLIR itself, and any program of an unknown project: what all compilers built on it share."""

_STABLEHLO = "https://github.com/openxla/stablehlo/issues/new?template=bug_report.yml"
_TRITON = "https://github.com/triton-lang/triton/issues/new?template=bug.yml"

OPT_TOOLS = (
    opt_profile("torch-mlir", "torch-mlir-opt", "https://github.com/llvm/torch-mlir/issues/new"),
    opt_profile("CIRCT", "circt-opt", "https://github.com/llvm/circt/issues/new"),
    opt_profile("HEIR", "heir-opt", "https://github.com/google/heir/issues/new"),
    CompilerProfile(
        name="Triton",
        compiler="",
        opt="triton-opt",
        bug_form=bug_form("Triton", _TRITON, _DESCRIBE),
        follow_ups=("^Failed to translate TritonGPU to LLVM IR",),
    ),
    CompilerProfile(
        "StableHLO", "", "stablehlo-opt", bug_form("StableHLO", _STABLEHLO, _WHAT_HAPPENED)
    ),
    CompilerProfile(
        name="TOSA Tools",
        compiler="",
        opt="tosa-opt",
        bug_form=bug_form("TOSA", "https://gitlab.arm.com/tosa/tosa-tools/-/issues/new"),
        follow_ups=(
            r"^Fail(?:ed)? to (?:translate TOSA MLIR to|generate TOSA) flatbuffer",
            r"^ERROR: Failed to build T(?:osa|OSA)\w*Operator$",
            r"operator hasn't been translated to flatbuffer, skipped$",
        ),
    ),
    CompilerProfile(
        name="xDSL",
        compiler="",
        opt="xdsl-opt",
        bug_form=bug_form("xDSL", "https://github.com/xdslproject/xdsl/issues/new"),
        flags={"--mlir-very-unsafe-disable-verifier-on-parsing": "--disable-verify"},
        python_drivers=(
            r"(?:xdsl_opt|xdsl_opt_main|command_line_tool|pattern_rewriter|diagnostic)\.\w+",
            r"passes\.apply|core\.(?:emit_error|_?verify)|operations\.verify_?",
            r"\w+\.raise_error",
        ),
    ),
)
"""Projects whose tools are known by name."""
