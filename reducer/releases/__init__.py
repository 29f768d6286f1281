"""Run one failure on many releases, to find where it appeared and where it was fixed.

It borrows from `reducer.session`; neither that nor the search knows about it.
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
