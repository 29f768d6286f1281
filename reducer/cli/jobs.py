"""The option that says how many compilers run at once."""

import os
from collections.abc import Callable
from typing import Any

import click


def jobs_option(same: str) -> Callable[[Any], Any]:
    """`--jobs`; `same` is what does not depend on it."""
    return click.option(
        "-j",
        "--jobs",
        metavar="N",
        type=click.IntRange(min=1),
        default=cores,
        help=f"Compilers to run at once; {same} the same. [default: one per core]",
    )


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
