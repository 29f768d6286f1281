"""One failure on many releases: where it came in, and where it went.

Beside `reducer.session`: neither that nor the search knows of it.
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
