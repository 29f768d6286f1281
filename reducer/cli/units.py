"""Numbers as people read them; see `reducer.units`."""

from reducer.units import duration, percent, plural, size

__all__ = ["duration", "percent", "plural", "size"]
