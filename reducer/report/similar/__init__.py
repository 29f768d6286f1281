"""Known issues and buckets that resemble a failure, so that nobody files it twice."""

from reducer.report.similar.evidence import Evidence
from reducer.report.similar.known import Known, read_known
from reducer.report.similar.ranking import Match, rank

__all__ = ["Evidence", "Known", "Match", "rank", "read_known"]
