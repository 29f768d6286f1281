"""A message that does not end the compilation: programs that compile have it as well.

A pass may report an error and go on. If that is the first error of the input, it is taken for the
failure, although something else fails.
"""

from collections.abc import Callable

from oracles import Outcome, Signature
from oracles.signature.templates import template_of

_SAID = (
    "the compiler also prints this error for a program that it compiles, so another error may be "
    "what fails; `mlir-reducer check` lists all errors, and --match 'TEXT' reduces one of them"
)


class HarmlessMessage:
    """Looks for the message of `target` in runs that succeed, and notes the first that has it."""

    def __init__(self, target: Signature, note: Callable[[str], None]) -> None:
        self._target = target
        self._note = note
        self._is_known = not target.template

    def look(self, outcome: Outcome) -> None:
        """Look at the outcome of a candidate."""
        if self._is_known or not outcome.succeeded or outcome.exit_code:
            return  # one that was turned down has not compiled
        errors = (one.message for one in outcome.diagnostics if one.severity == "error")
        if any(template_of(message) == self._target.template for message in errors):
            self._is_known = True
            self._note(_SAID)
