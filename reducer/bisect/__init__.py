"""Run one failure on many releases, to find where it appeared and where it was fixed.

It borrows from `reducer.driver`; neither that nor the search knows about it.
"""

from reducer.bisect.bisector import Bisector, BisectResult, Boundary
from reducer.bisect.query import ReleaseResult, ReleaseVerdict
from reducer.bisect.runner import ReleaseRunner

__all__ = [
    "BisectResult",
    "Bisector",
    "Boundary",
    "ReleaseResult",
    "ReleaseRunner",
    "ReleaseVerdict",
]
