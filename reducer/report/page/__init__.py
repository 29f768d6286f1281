"""Self-contained HTML pages: a single reduction, and an overview of buckets."""

from reducer.report.page.buckets import BucketRow, bucket_page
from reducer.report.page.findings import Findings, findings_of
from reducer.report.page.reduction import (
    ReductionFacts,
    read_reduction,
    reduction_facts,
    reduction_page,
)

__all__ = [
    "BucketRow",
    "Findings",
    "ReductionFacts",
    "bucket_page",
    "findings_of",
    "read_reduction",
    "reduction_facts",
    "reduction_page",
]
