"""The search: which candidates to try, in which order, and which to accept."""
