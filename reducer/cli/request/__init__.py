"""From what a user typed to the oracle that judges programs: command, calls, references."""
