"""What the stack of a crash says: its frames, their functions, and which of these are at fault."""
