"""Finding where a failure comes from, before anything is cut."""

from reducer.locate.diagnostics import ops_at, ops_of_diagnostics
from reducer.locate.locations import read_locations

__all__ = ["ops_at", "ops_of_diagnostics", "read_locations"]
