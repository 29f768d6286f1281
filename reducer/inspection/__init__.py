"""Inspect a failure without reducing it: `locate` its origin, `explain` its boundary."""
