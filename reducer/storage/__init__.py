"""What is kept on disk: the journal of verdicts, and files that are whole or not there."""
