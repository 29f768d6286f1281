"""Self-contained HTML pages: a single reduction, and an overview of buckets."""

from reducer.page.buckets import BucketRow, bucket_page
from reducer.page.reduction import (
    ReductionFacts,
    read_reduction,
    reduction_facts,
    reduction_page,
)

__all__ = [
    "BucketRow",
    "ReductionFacts",
    "bucket_page",
    "read_reduction",
    "reduction_facts",
    "reduction_page",
]
