"""Explain a failure without reducing it: its origin, and the changes that make it go away."""
