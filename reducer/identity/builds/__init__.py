"""Other builds to check a program on: other targets, optimization levels and releases.

Two failures with one message need not be one bug. A program that is reduced too far often fails
where its original does not, so the *health profile* of a program says more about a bug than a
message can. The idea of a second, good compiler as part of an interestingness test is that of
regression reducers (Regehr et al., "Test-Case Reduction for C Compiler Bugs", PLDI 2012).
"""

from reducer.identity.builds.check import HealthCheck, Requirement
from reducer.identity.builds.configs import (
    BuildConfig,
    BuildKind,
    Health,
    Healths,
    configs_of,
    release_config,
)
from reducer.identity.builds.cross_check import CrossCheck

__all__ = [
    "BuildConfig",
    "BuildKind",
    "CrossCheck",
    "Health",
    "HealthCheck",
    "Healths",
    "Requirement",
    "configs_of",
    "release_config",
]
