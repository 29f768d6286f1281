"""Deciding which candidates to try, in which order, and what to keep."""
