"""Where else a program compiles: at other targets, optimization levels and releases.

Two failures with one message need not be one bug. A program that is reduced too far often fails
where its original does not, so the *health profile* of a program says more about a bug than a
message can. The idea of a second, good compiler as part of an interestingness test is that of
regression reducers (Regehr et al., "Test-Case Reduction for C Compiler Bugs", PLDI 2012).
"""

from reducer.health.check import HealthCheck, Requirement
from reducer.health.elsewhere import Elsewhere
from reducer.health.places import Place, PlaceKind, places_of, release_place
from reducer.health.profile import Health, HealthProfile

__all__ = [
    "Elsewhere",
    "Health",
    "HealthCheck",
    "HealthProfile",
    "Place",
    "PlaceKind",
    "Requirement",
    "places_of",
    "release_place",
]
