"""Is it still the same bug: whether a smaller program shows what its original shows."""
