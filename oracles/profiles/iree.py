"""The profile of IREE (https://iree.dev): its tools, phases, dispatches, flags and releases."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from oracles.profiles.iree_runtime import RUNTIME
from oracles.profiles.profile import (
    BugForm,
    CompilerProfile,
    DispatchCalls,
    Dispatches,
    FormPart,
    Phases,
    Releases,
    RenamedFlags,
    Targets,
    TracedTensor,
)

_COMPILER, _OPT = "iree-compile", "iree-opt"

# ---- phases ----------------------------------------------------------------------------------


def _dumped(folder: Path) -> frozenset[str]:
    """Each file is called `input.3.PHASE.mlir`, or `input.PHASE.mlir`."""
    return frozenset(path.name.split(".")[-2] for path in folder.glob("*.mlir"))


_BEFORE_CODE_GENERATION = "executable-sources"

PHASES = Phases(
    # Later ones are all but the whole compilation.
    names=(
        "input",
        "abi",
        "preprocessing",
        "global-optimization",
        "dispatch-creation",
        "flow",
        "stream",
        _BEFORE_CODE_GENERATION,
        "executable-configurations",
        "executable-targets",
    ),
    stop_flag="--compile-to",
    dump_flag="--dump-compilation-phases-to",
    dumped=_dumped,
    of_programs=frozenset(
        {"abi", "preprocessing", "global-optimization", "dispatch-creation", "flow", "stream"}
    ),
)


# ---- dispatches ------------------------------------------------------------------------------


def _either(*names: str) -> frozenset[str]:
    """Ops that moved from one dialect to another in 2025."""
    return frozenset(
        f"{dialect}.{name}" for dialect in ("flow", "iree_tensor_ext") for name in names
    )


_LOAD, _STORE = _either("dispatch.tensor.load"), _either("dispatch.tensor.store")
_SAME = _either("dispatch.workload.ordinal", "dispatch.tie_shape")


def _write_dispatches(folder: Path) -> tuple[str, ...]:
    return (
        f"--iree-hal-dump-executable-sources-to={folder}",
        "--mlir-print-debuginfo",
        "--mlir-print-local-scope",
    )


DISPATCHES = Dispatches(
    write_flags=_write_dispatches,
    stop_flags=(f"--compile-to={_BEFORE_CODE_GENERATION}",),
    compile_flags=(f"--compile-from={_BEFORE_CODE_GENERATION}",),
    op="hal.executable",
    compiled_in=frozenset({"executable-configurations", "executable-targets", ""}),
    mentioned=r"failed to run translation of source executable|failed to serialize executables?\b"
    r"|failed to translate the MLIR LLVM dialect"
    r'|see current operation:\s*"?hal\.executable'
    r"|(?:Configure|Translate|Serialize)\w*Executables?\w*Pass::runOnOperation",
    load=_LOAD,
    store=_STORE,
    same=_SAME,
    tie="flow.tensor.tie_shape",
    interface="hal.interface.",
)


_GRAPH = "flow"


def _dump_phases(folder: Path) -> tuple[str, ...]:
    return (
        f"{PHASES.stop_flag}={_GRAPH}",
        f"{PHASES.dump_flag}={folder}",
        "--mlir-print-op-generic",
        "--mlir-print-debuginfo",
        "--mlir-print-local-scope",
    )


def _dumped_files(folder: Path) -> dict[str, Path]:
    return {path.name.split(".")[-2]: path for path in sorted(folder.glob("*.mlir"))}


_EXPORTED = "!hal.buffer_view"


def _trace(key: str, tensors: Sequence[TracedTensor]) -> str:
    sizes = [size for _, _, known in tensors for size in known]
    operands = ", ".join([*(name for name, _, _ in tensors), *sizes])
    types = ", ".join([*(type_ for _, type_, _ in tensors), *("index" for _ in sizes)])
    segments = f"operandSegmentSizes = array<i32: {len(tensors)}, {len(sizes)}>"
    return f'"flow.tensor.trace"({operands}) <{{key = "{key}", {segments}}}> : ({types}) -> ()\n'


def _as_tensor(value: str, type_: str, prefix: str) -> tuple[str, str, str]:
    cast = ""
    if type_ == "index":
        cast = f'{prefix}_number = "arith.index_cast"({value}) : (index) -> i64\n'
        value, type_ = f"{prefix}_number", "i64"
    name, tensor = f"{prefix}_tensor", f"tensor<{type_}>"
    made = f'{name} = "flow.tensor.splat"({value}) : ({type_}) -> {tensor}\n'
    return cast + made, name, tensor


def _export(name: str, value: str, type_: str, sizes: Sequence[str]) -> str:
    operands = ", ".join([value, *sizes])
    types = ", ".join([type_, *("index" for _ in sizes)])
    made = f'{name} = "hal.tensor.export"({operands}) {{source_encoding = {type_}}}'
    return f"{made} : ({types}) -> {_EXPORTED}\n"


DISPATCH_CALLS = DispatchCalls(
    phase=_GRAPH,
    formed_in="dispatch-creation",
    dump_flags=_dump_phases,
    dumped=_dumped_files,
    resume_flags=(f"--compile-from={_GRAPH}",),
    call="flow.dispatch",
    callee="entry_points",
    tied="tied_operands",
    region=frozenset({"flow.dispatch.workgroups", "flow.dispatch.region"}),
    argument=r"!(?:flow|iree_tensor_ext)\.dispatch\.tensor<(read(?:only|write)|writeonly):(.*)>$",
    load=_LOAD,
    store=_STORE,
    same=_SAME,
    imported="hal.tensor.import",
    export=_export,
    exported_type=_EXPORTED,
    barrier="hal.tensor.barrier",
    trace=_trace,
    as_tensor=_as_tensor,
    traced=r"=== (.*) ===$",
)


# ---- releases --------------------------------------------------------------------------------

RELEASES = Releases(
    compiler_package="iree-base-compiler",
    runtime_package="iree-base-runtime",
    tools=(_COMPILER, _OPT),
    libraries=PurePath("iree", "compiler", "_mlir_libs"),
    shared_library="libIREECompiler.so",
    runtime_libraries=PurePath("iree", "_runtime_libs"),
    nightlies="https://iree.dev/pip-release-links.html",
    published=(
        *("2.9.0", "3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0", "3.6.0"),
        *("3.7.0", "3.7.1", "3.8.0", "3.9.0", "3.10.0", "3.11.0", "3.12.0", "3.13.0"),
    ),
)

RENAMED_FLAGS = RenamedFlags(
    names=(
        ("--iree-opt-import-parameters", "--iree-parameter-import"),
        ("--iree-opt-import-parameter-keys", "--iree-parameter-import-keys"),
        ("--iree-opt-import-parameter-maximum-size", "--iree-parameter-import-maximum-size"),
        ("--iree-opt-export-parameters", "--iree-parameter-export"),
        ("--iree-opt-export-parameter-minimum-size", "--iree-parameter-export-minimum-size"),
        ("--iree-opt-splat-parameters", "--iree-parameter-splat"),
        ("--iree-stream-external-resources-mappable", "--iree-hal-external-resources-mappable"),
        (
            "--iree-codegen-llvmgpu-test-tile-and-fuse-matmul",
            "--iree-codegen-llvmgpu-early-tile-and-fuse-matmul",
            "--iree-codegen-llvmgpu-use-tile-and-fuse-matmul",
        ),
        (
            "--iree-codegen-notify-transform-strategy-application",
            "--iree-codegen-test-notify-transform-strategy-application",
        ),
        (
            "--iree-dispatch-creation-experimental-data-tiling",
            "--iree-dispatch-creation-data-tiling",
        ),
    ),
    families=(("--iree-hip-", "--iree-rocm-"),),  # up to 3.11, and from 3.11 on
)


# ---- targets ---------------------------------------------------------------------------------

_DRIVERS = {
    "local": "llvm-cpu",
    "local-sync": "llvm-cpu",
    "local-task": "llvm-cpu",
    "vulkan-spirv": "vulkan",
    "rocm": "hip",
    "amdgpu": "hip",
}
"""Targets by the names of devices and backends that are spelled differently."""


def _chosen(values: frozenset[str]) -> frozenset[str]:
    """`local` is a device whose backend another flag names, else `llvm-cpu`."""
    named = frozenset(_DRIVERS.get(value, value) for value in values)
    return named - {"llvm-cpu"} if "vmvx" in named else named


TARGETS = Targets(
    names={
        "llvm-cpu": ("--iree-hal-target-backends=llvm-cpu",),
        "vmvx": ("--iree-hal-target-backends=vmvx",),
        "vulkan": ("--iree-hal-target-backends=vulkan-spirv",),
        "cuda": ("--iree-hal-target-backends=cuda",),
        "hip": ("--iree-hal-target-backends=rocm", "--iree-rocm-target=gfx942"),
    },
    chosen=_chosen,
    selecting=(
        "iree-hal-target-device",
        "iree-hal-target-backends",
        "iree-hal-local-target-device-backends",
        "iree-hal-default-device",
    ),
    families=(
        "iree-llvmcpu-",
        "iree-vmvx-",
        "iree-rocm-",
        "iree-hip-",
        "iree-amdgpu-",
        "iree-cuda-",
        "iree-vulkan-",
        "iree-metal-",
        "iree-webgpu-",
    ),
    level_flag="--iree-opt-level",
    levels=("O0", "O1", "O2", "O3"),
    default_level="O0",
)


# ---- bug reports: https://github.com/iree-org/iree/issues/new?template=bug_report.yml ----------

_FRONT_END = re.compile(r"\b(?:torch|stablehlo|chlo|tosa|onnx|tf|input-conversion)\b", re.I)
_FRONT_END_PASS = re.compile(r"^(?:Torch|StableHLO|Tosa|ConvertTorch|ConvertStableHLO)")


def _components(program: str, failing_pass: str, op: str) -> tuple[str, ...]:
    """Of Frontends, MLIR, Python, Compiler, Runtime, Other."""
    spelled = failing_pass.replace("-", " ")
    front_end = _FRONT_END.search(spelled) or _FRONT_END_PASS.match(failing_pass)
    if front_end or (not failing_pass and _FRONT_END.match(op)):
        return ("Frontends", "Compiler")
    return ("Compiler",)


_AREAS = (
    (r"iree-dispatch-creation-|.*::DispatchCreation::", "DispatchCreation"),
    (r"iree-global-opt-|.*::GlobalOptimization::", "GlobalOptimization"),
    (r"iree-preprocessing-|.*::Preprocessing::", "Preprocessing"),
    (r"iree-flow-|.*::Flow::", "Flow"),
    (r"iree-stream-|.*::Stream::", "Stream"),
    (r"iree-hal-|.*::HAL::", "HAL"),
    (r"iree-vm-|.*::VM::", "VM"),
    (r"iree-util-|.*::Util::", "Util"),
    (r"(?:convert-)?torch-|(?:Convert)?Torch|.*::[Tt]orch\w*::", "Torch"),
    (r"iree-(?:codegen|llvm[cg]pu|spirv|vmvx|rocdl)-|(?:.*::)?(?:LLVM[CG]PU|GPU|SPIRV)", "Codegen"),
)  # fmt: skip


def _tags(failing_pass: str, op: str) -> str:
    """The area that people put in front of a title, in brackets.

    Passes are known by the prefixes of their arguments, and by the namespaces of their classes.
    """
    found = (area for pattern, area in _AREAS if re.match(pattern, failing_pass))
    area = next(found, "Torch" if not failing_pass and op.startswith("torch.") else "")
    return f"[{area}]" if area else ""


BUG_FORM = BugForm(
    sections=(
        ("What happened?", (FormPart.HAPPENED,)),
        ("Steps to reproduce your issue", (FormPart.STEPS,)),
        ("What component(s) does this issue relate to?", (FormPart.COMPONENT,)),
        ("Version information", (FormPart.VERSION,)),
        ("Additional context", (FormPart.CONTEXT,)),
    ),
    components=_components,
    tags=_tags,
    url="https://github.com/iree-org/iree/issues/new?template=bug_report.yml",
)


IREE = CompilerProfile(
    name="IREE",
    compiler=_COMPILER,
    opt=_OPT,
    bug_form=BUG_FORM,
    partial_flags=("compile-to", "compile-from", "compile-mode"),
    phases=PHASES,
    dispatches=DISPATCHES,
    dispatch_calls=DISPATCH_CALLS,
    targets=TARGETS,
    runtime=RUNTIME,
    releases=RELEASES,
    renamed_flags=RENAMED_FLAGS,
    follow_ups=(
        "failed to run translation of source executable",
        r"failed to serialize executables?\b",
        "failed to link executable",
        "failed to translate the MLIR LLVM dialect",
        "failed to translate executable",
        "^linking failed",
    ),
    crash_banners=("Please report issues to ",),
    driver_frames=(r"mlir::iree_compiler::(?:detail::)?OpPipelineAdaptorPass",),
    entry_frames=(r"iree(?:Compiler|Opt)\w+",),
    nesting_passes=(r"Executables?(?:Variants)?Pass$", "LowerExecutableTargetPass$"),
    target_flags=(
        "iree-hal-target-(?:device|backends?)",
        "iree-hal-local-target-device-backends",
        r"iree-\w+-target(?:-(?:chip|cpu|triple|features))?",
        r"iree-llvmcpu-target-\S+?",
    ),
    long_attributes=(r"hal\.executable\.target",),
    composite_passes=(
        r"(?:.*::)?(?:OpPipelineAdaptor|FixedPointIterator)Pass",
        r"(?:(?:Translate|Configure)\w*|SerializeAll)Executable\w*Pass",
        r"\w+LowerExecutableTargetPass",
        r"iree-(?:op-pipeline-adaptor|util-fixed-point-iterator|\w+-lower-executable-target)",
        r"iree-hal-(?:(?:translate|configure)-\S*|serialize-all-)executable\S*",
    ),
    serializing_passes=(r"iree-hal-serialize-(?:target|all)-executables",),
    statistics_flags=(
        "--iree-scheduling-dump-statistics-format=json",
        "--iree-scheduling-dump-statistics-file=-",
    ),
    intermediates_flag="--iree-hal-dump-executable-intermediates-to",
)
