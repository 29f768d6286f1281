"""Workers are told apart by the compiler versions that they offer, as Dask resources."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reducer.toolchain.model import COMPILER_PACKAGE, toolchains_folder


def resource_name(version: str) -> str:
    """What a worker calls the runs that it can make with a version: `iree-3.13.0`."""
    return f"iree-{version}"


def resources_of(versions: Iterable[str], slots: int) -> dict[str, float]:
    """What a worker offers that runs `slots` compilers at once."""
    return {resource_name(version): float(slots) for version in versions}


def needed(program: Path) -> dict[str, float]:
    """What a run of this program takes of a worker; nothing if it is no cached toolchain's.

    Such a program is looked for at the same path on the worker.
    """
    try:
        inside = program.absolute().relative_to(toolchains_folder())
    except ValueError:
        return {}
    version = inside.parts[0].removeprefix(f"{COMPILER_PACKAGE}-")
    return {resource_name(version): 1.0}


def slots(workers: Iterable[Mapping[str, Any]], wanted: Mapping[str, float]) -> int:
    """How many runs with these needs the workers, as the scheduler describes them, can make."""
    total = 0
    for worker in workers:
        offered = worker.get("resources") or {}
        limits = [offered.get(name, 0.0) / amount for name, amount in wanted.items()]
        total += int(min([worker.get("nthreads", 1), *limits]))
    return total
