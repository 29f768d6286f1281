"""One failure on many releases: where it came in, and where it went.

Beside `reducer.session`: neither that nor the search knows of it.
"""

from reducer.releases.answer import Answer, Verdict
from reducer.releases.bench import Bench
from reducer.releases.bisecting import Bisecting, Result
from reducer.releases.boundaries import Boundary

__all__ = ["Answer", "Bench", "Bisecting", "Boundary", "Result", "Verdict"]
