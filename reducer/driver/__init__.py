"""One reduction: its settings, its journal, its best result on disk, its report."""
