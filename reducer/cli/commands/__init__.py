"""What each command does: one file a command, and what only one of them needs."""
