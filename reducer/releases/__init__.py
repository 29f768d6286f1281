"""One failure on many releases: where it came in, and where it went.

Beside `reducer.session`: neither that nor the search knows of it.
"""

from reducer.releases.bench import Bench
from reducer.releases.bisecting import Bisecting, Boundary, Result
from reducer.releases.question import Answer, Verdict

__all__ = ["Answer", "Bench", "Bisecting", "Boundary", "Result", "Verdict"]
