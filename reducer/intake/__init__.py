"""What people have when a compiler crashed: a log, a reproducer, a test. Finds command and input.

Nothing here runs anything.
"""

from reducer.intake.crash import Crash, read_crash, with_pipeline
from reducer.intake.programs import split_input, without_splitting

__all__ = ["Crash", "read_crash", "split_input", "with_pipeline", "without_splitting"]
