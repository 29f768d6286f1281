"""One reduction: the table of stages, its state, its best result on disk, its record."""
