"""Storage: the journal of verdicts, reading inputs, and writing files atomically."""
