"""Triton's MLIR compiler as a command: `python triton_opt.py LIBRARY PASSES INPUT`.

Triton's wheels are built with assertions, unlike IREE's, so a failed assertion is a real one. They
hold a library for Python and no program; this file is that program, for a bare interpreter of the
version that the wheel is for.
"""

import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

_PASSES = {
    "convert-triton-to-tritongpu": lambda library, manager: (
        library.passes.ttir.add_convert_to_ttgpuir(manager, "cuda:80", 4, 32, 1)
    ),
    "canonicalize": lambda library, manager: library.passes.common.add_canonicalizer(manager),
    "cse": lambda library, manager: library.passes.common.add_cse(manager),
    "tritongpu-global-scratch-memory-allocation": lambda library, manager: (
        library.passes.ttgpuir.add_allocate_global_scratch_memory(manager)
    ),
    "convert-triton-gpu-to-llvm": lambda library, manager: (
        library.nvidia.passes.ttgpuir.add_to_llvmir(manager, 75, 80)
    ),
    "convert-triton-amdgpu-to-llvm": lambda library, manager: (
        library.amd.passes.ttgpuir.add_to_llvmir(manager, "gfx942", True)
    ),
    "tritongpu-coalesce": lambda library, manager: library.passes.ttgpuir.add_coalesce(manager),
    "allocate-shared-memory": lambda library, manager: (
        library.passes.ttgpuir.add_allocate_shared_memory(manager)
    ),
}


def load(path: str) -> Any:
    """The library's Python module."""
    loader = ExtensionFileLoader("libtriton", path)
    spec = spec_from_loader("libtriton", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def main(path: str, passes: str, source: str) -> None:
    """Runs some passes, separated by commas, on a file."""
    library = load(path)
    context = library.ir.context()
    library.ir.load_dialects(context)
    module = library.ir.parse_mlir_module(source, context)
    module.context = context
    manager = library.ir.pass_manager(context)
    for name in passes.split(","):
        _PASSES[name](library, manager)
    manager.run(module, "passes")
    print(module)


if __name__ == "__main__":
    main(*sys.argv[1:])
