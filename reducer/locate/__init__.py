"""Locate where a failure comes from, before anything is cut."""

from reducer.locate.locations import (
    ops_at,
    ops_of_diagnostics,
    ops_on_lines,
    read_locations,
)

__all__ = ["ops_at", "ops_of_diagnostics", "ops_on_lines", "read_locations"]
