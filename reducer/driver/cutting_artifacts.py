"""Whether another failure may be a bug of its own, or only shows what cutting does to programs.

Messages and ops do not tell; how the compiler fails, and on what, does:

- A program that the parser or verifier does not take says nothing about the passes.
- A crash, an assertion and the like are bugs on any valid program, wherever that comes from.
- The compiler may rightly reject, with an explanation, what an edit has made of an op: a type that
  is not supported, an operand in the wrong place. It is only of interest if the program is a part
  of what the user has, in which no op was changed, under all flags of the user's command.
"""

from oracles import Oracle
from oracles.compilers.compiler import compiler_of
from reducer.driver.state import Context
from reducer.identity.validity import VerifierScreen
from reducer.ir import Module
from reducer.search.query import OtherFailure

INVALID = "the compiler's parser or verifier does not accept the program"
CHANGED = "the compiler rejects a program of ops that the reduction has changed"
SHORTER = "the compiler rejects a program under a command that has lost flags"


class CuttingDamage:
    """Explains the failures of candidates of one reduction.

    `screen` asks the parser and verifier; None if there is no such tool, or if invalid programs are
    the very point of the reduction.
    """

    def __init__(self, context: Context, screen: VerifierScreen | None) -> None:
        self._context = context
        self._screen = screen
        self._knows_original = False
        self._flags = _flags(context.judging.full.oracle)

    def explains(self, failure: OtherFailure) -> str:
        """Why a failure is no bug of its own; '' if it may be one."""
        if compiler_of(failure.oracle) is None:
            return ""  # whoever wrote the script knows
        if failure.outcome.kind.traits.rejects:
            if not self._flags <= _flags(failure.oracle):
                return SHORTER
            return "" if self._is_uncut(failure) else CHANGED
        screen, base = self._screen, self._context.best.unconfirmed.text
        return "" if screen is None or screen.takes(failure.text, base) else INVALID

    def _is_uncut(self, failure: OtherFailure) -> bool:
        """Whether no op was changed, as far as is known of text without generic form."""
        context, document = self._context, failure.document
        if not isinstance(document, Module) or context.program.original is None:
            return True
        if not self._knows_original:
            self._knows_original = True
            context.program.uncut.add(context.program.original)
        return context.program.uncut.contain(document)


def _flags(oracle: Oracle) -> frozenset[str]:
    """The flags of a compiler's command; none of a script's."""
    compiler = compiler_of(oracle)
    return frozenset(compiler.command.flags) if compiler is not None else frozenset()
