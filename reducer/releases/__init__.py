"""Run one failure on many releases, to find where it appeared and where it was fixed.

This package is independent of `reducer.session` and of the search.
"""

from reducer.releases.bisector import Bisector, BisectResult, Boundary
from reducer.releases.query import ReleaseResult, ReleaseVerdict
from reducer.releases.runner import ReleaseRunner

__all__ = [
    "BisectResult",
    "Bisector",
    "Boundary",
    "ReleaseResult",
    "ReleaseRunner",
    "ReleaseVerdict",
]
