"""What a reduction may be asked for: one check for the command line and for Python."""

import os
from collections.abc import Mapping
from types import UnionType
from typing import Any, get_args, get_origin

import click

from reducer.errors import UsageError

SECONDS = click.FloatRange(min=0, min_open=True)
COUNT = click.IntRange(min=1)
RUNS = click.IntRange(min=2)
_RANGES: dict[str, click.ParamType[Any]] = {
    **dict.fromkeys(("timeout", "max_seconds", "max_cpu_seconds"), SECONDS),
    **dict.fromkeys(("jobs", "max_calls"), COUNT),
    "flaky": RUNS,
}


def check(values: Mapping[str, Any], hints: Mapping[str, Any]) -> None:
    """Raise TypeError for a value of another type, and UsageError for one out of its range."""
    for name, value in values.items():
        hint = hints[name]
        kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        types = tuple(get_origin(kind) or kind for kind in kinds)
        if not isinstance(value, (*types, int) if float in types else types):
            raise TypeError(f"{name}: {value!r} is not of type {getattr(hint, '__name__', hint)}")
        if value is not None and name in _RANGES:
            try:
                _RANGES[name].convert(value, None, None)
            except click.BadParameter as error:
                raise UsageError(f"{name}: {error.message.removesuffix('.')}") from error


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
