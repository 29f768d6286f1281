"""Wrong results: programs that compile and run, but compute wrong values."""
