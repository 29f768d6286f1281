"""Compiler profiles: everything specific to one compiler project, in one module per project.

No other package contains flags, passes or messages of a particular project
(`tests/test_profiles.py`). To add a compiler, add a module here and its profile to `PROFILES`.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

from oracles.profiles.iree import IREE, RELEASES, TARGETS
from oracles.profiles.iree_runtime import RUNTIME
from oracles.profiles.mlir import MLIR, OPT_TOOLS
from oracles.profiles.profile import (
    BugForm,
    CompilerProfile,
    DispatchCalls,
    Dispatches,
    FormPart,
    Phases,
    Releases,
    RenamedFlags,
    Runtime,
    Targets,
    TracedTensor,
)

GROUP = "mlir_reducer.profiles"
"""The entry point group in which packages register a `CompilerProfile`."""


def registered_profiles() -> tuple[CompilerProfile, ...]:
    """The profiles of all installed packages, by name. One that cannot be loaded is left out."""
    if not any(GROUP in text for text in _entry_points()):
        return ()
    from importlib.metadata import entry_points  # takes longer than all else at the start

    profiles: list[CompilerProfile] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        try:
            profile = entry.load()
        except Exception as error:  # whatever a foreign module raises must not stop the program
            warnings.warn(f"cannot load the profile {entry.name}: {error!r}", stacklevel=2)
            continue
        if isinstance(profile, CompilerProfile):
            profiles.append(profile)
        else:
            warnings.warn(f"{entry.name} is not a CompilerProfile but {profile!r}", stacklevel=2)
    return tuple(profiles)


def _entry_points() -> Iterator[str]:
    """The files in which installed packages list their entry points."""
    for folder in sys.path:
        with suppress(OSError), os.scandir(folder or ".") as inside:
            for one in inside:
                if one.name.endswith((".dist-info", ".egg-info")):
                    with suppress(OSError):
                        file = Path(one.path, "entry_points.txt")
                        yield file.read_text(encoding="utf-8", errors="replace")


PROFILES: tuple[CompilerProfile, ...] = (*registered_profiles(), IREE, *OPT_TOOLS)
"""The projects whose programs are known by name, besides MLIR itself."""

DEFAULT = IREE
"""The project whose compiler runs if only flags are given, and whose releases `--iree` installs."""


def profile_of(program: str | PurePath) -> CompilerProfile:
    """The profile of a program by its name or path; that of MLIR if the project is not known.

    >>> profile_of("/opt/bin/iree-compile").name, profile_of("triton-opt").name
    ('IREE', 'Triton')
    >>> profile_of("mlir-opt-22").name, profile_of("toy-opt").name
    ('MLIR', 'MLIR')
    """
    name = PurePath(program).name
    return next((profile for profile in PROFILES if profile.has(name)), MLIR)


def opt_tools() -> tuple[str, ...]:
    """The names of the `…-opt` tools of all projects."""
    return tuple(dict.fromkeys(profile.opt for profile in (DEFAULT, *PROFILES, MLIR)))


def phases_of(program: str | PurePath, flags: Sequence[str]) -> Phases | None:
    """The phases after which a command can be stopped; None if there are none."""
    profile = profile_of(program)
    return profile.phases if profile.compiles_whole(str(program), flags) else None


def dispatches_of(program: str | PurePath, flags: Sequence[str]) -> Dispatches | None:
    """How to compile the dispatches of a command's input alone; None if that is not possible."""
    profile = profile_of(program)
    return profile.dispatches if profile.compiles_whole(str(program), flags) else None


def dispatch_calls_of(program: str | PurePath, flags: Sequence[str]) -> DispatchCalls | None:
    """How to see what the dispatches of a command's input compute; None if that is impossible."""
    profile = profile_of(program)
    return profile.dispatch_calls if profile.compiles_whole(str(program), flags) else None


def targets_of(program: str | PurePath, flags: Sequence[str]) -> Targets | None:
    """What else the program of a command compiles for; None if that is unknown."""
    profile = profile_of(program)
    return profile.targets if profile.compiles_whole(str(program), flags) else None


def renames_of(program: str | PurePath) -> Sequence[RenamedFlags]:
    """The renames that may apply to a program's flags.

    A wrapper may have any name, so a program of no known project gets the renames of all: a flag is
    only renamed if the program does not know it but knows the other name.
    """
    profile = profile_of(program)
    return [known.renamed_flags for known in (PROFILES if profile is MLIR else (profile,))]


def any_of(wordings: Callable[[CompilerProfile], Iterable[str]]) -> str:
    """A regular expression that matches a wording of any profile.

    >>> any_of(lambda profile: profile.crash_banners)
    '(?:Please report issues to )'
    """
    patterns = [pattern for profile in PROFILES for pattern in wordings(profile)]
    return f"(?:{'|'.join(patterns) or '(?!)'})"


__all__ = [
    "DEFAULT",
    "MLIR",
    "PROFILES",
    "RELEASES",
    "RUNTIME",
    "TARGETS",
    "BugForm",
    "CompilerProfile",
    "DispatchCalls",
    "Dispatches",
    "FormPart",
    "Phases",
    "Releases",
    "RenamedFlags",
    "Runtime",
    "Targets",
    "TracedTensor",
    "any_of",
    "dispatch_calls_of",
    "dispatches_of",
    "opt_tools",
    "phases_of",
    "profile_of",
    "renames_of",
    "targets_of",
]
