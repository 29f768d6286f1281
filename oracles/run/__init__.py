"""Start a program, limit it, and know how it ended, whatever it and the machine do."""
