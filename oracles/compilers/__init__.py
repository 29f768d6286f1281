"""Run a compiler: its command, what it reads, and what is particular to one tool."""
