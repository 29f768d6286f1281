"""Profiles that other packages register through an entry point."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from oracles.profiles.profile import CompilerProfile

GROUP = "mlir_reducer.profiles"
"""The entry point group in which packages register a `CompilerProfile`."""


def registered_profiles() -> tuple[CompilerProfile, ...]:
    """The profiles of all installed packages, by name. One that cannot be loaded is left out."""
    if not any(GROUP in text for text in _entry_points()):
        return ()
    from importlib.metadata import entry_points  # takes longer than all else at the start

    found: list[CompilerProfile] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        try:
            profile = entry.load()
        except Exception as error:  # whatever a foreign module raises must not stop the program
            warnings.warn(f"cannot load the profile {entry.name}: {error!r}", stacklevel=2)
            continue
        if isinstance(profile, CompilerProfile):
            found.append(profile)
        else:
            warnings.warn(f"{entry.name} is no CompilerProfile but {profile!r}", stacklevel=2)
    return tuple(found)


def _entry_points() -> Iterator[str]:
    """The files in which installed packages list their entry points."""
    for folder in sys.path:
        with suppress(OSError), os.scandir(folder or ".") as inside:
            for one in inside:
                if one.name.endswith((".dist-info", ".egg-info")):
                    with suppress(OSError):
                        file = Path(one.path, "entry_points.txt")
                        yield file.read_text(encoding="utf-8", errors="replace")
