"""Profiles that other packages register through an entry point."""

import warnings
from importlib.metadata import entry_points

from oracles.profiles.profile import CompilerProfile

GROUP = "mlir_reducer.profiles"
"""The entry point group in which packages register a `CompilerProfile`."""


def registered_profiles() -> tuple[CompilerProfile, ...]:
    """The profiles of all installed packages, by name. One that cannot be loaded is left out."""
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
