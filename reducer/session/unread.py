"""What to say about a program that no tool reads as IR."""

from pathlib import Path

from oracles import Outcome
from oracles.signature.kind import Conclusion


def unread_by(opt: Path | None, outcome: Outcome) -> str:
    """Which tool does not read a program, and how to name another if the compiler itself does."""
    unread = f"{opt.name} cannot parse the input" if opt else "no …-opt tool was found"
    rejected = outcome.kind.traits.conclusion is Conclusion.REJECTED
    return unread if rejected else f"{unread} (--opt PROGRAM names one that can)"
