"""One reduction: its settings, its journal, its best result on disk, its report."""

from reducer.session.record import ReductionRecord, Report
from reducer.session.reduction import Reduction
from reducer.session.settings import Listener, Progress, Settings, Size, Tried

__all__ = [
    "Listener",
    "Progress",
    "Reduction",
    "ReductionRecord",
    "Report",
    "Settings",
    "Size",
    "Tried",
]
