"""Tell failures that only come from cutting a program up from bugs of their own.

Messages and ops do not tell; how the compiler fails, and on what, does:

- A program that the parser or verifier does not take says nothing about the passes.
- A crash, an assertion and the like are bugs on any valid program, wherever that comes from.
- The compiler may rightly reject, with an explanation, what an edit has made of an op: a type that
  is not supported, an operand in the wrong place. It is only of interest if the program is a part
  of what the user has, under all flags of the user's command: ops were left out, and none was
  changed, nor made to compute with another value of the same type.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from oracles import Oracle
from oracles.base import capabilities_of
from reducer.identity.program import Program
from reducer.identity.validity import VerifierScreen
from reducer.ir import NONE, Module
from reducer.ir.dialects import MODULE_OPS
from reducer.ir.functions import Functions
from reducer.ir.lexer import ALIAS, Outside
from reducer.search.candidate import canonical
from reducer.search.query import OtherFailure

INVALID = "the compiler's parser or verifier does not accept the program"
CHANGED = "the compiler rejects a program of ops that the reduction has changed"
SHORTER = "the compiler rejects a program under a command that has lost flags"


@dataclass(frozen=True)
class CuttingDamage:
    """Explains the failures of candidates of one reduction.

    Attributes:
        oracle: runs the user's command.
        screen: asks the parser and verifier; None if there is no such tool, or if invalid programs
            are the very point of the reduction.
    """

    program: Program
    oracle: Oracle
    screen: VerifierScreen | None
    _original: "OriginalOps" = field(default_factory=lambda: OriginalOps())

    def explains(self, failure: OtherFailure) -> str:
        """Why a failure is no bug of its own; '' if it may be one."""
        if capabilities_of(failure.oracle).compiler is None:
            return ""  # whoever wrote the script knows
        if failure.outcome.kind.traits.rejects:
            if not _flags(self.oracle) <= _flags(failure.oracle):
                return SHORTER
            return "" if self._is_uncut(failure) else CHANGED
        screen, base = self.screen, self.program.accepted
        return "" if screen is None or screen.takes(failure.text, base.text) else INVALID

    def _is_uncut(self, failure: OtherFailure) -> bool:
        """Whether no op was changed, as far as is known of text without generic form."""
        program, document = self.program, failure.document
        if not isinstance(document, Module) or program.original is None:
            return True
        for module in (program.original, *program.lower)[self._original.programs :]:
            self._original.add(module)
        return self._original.contain(document)


def _flags(oracle: Oracle) -> frozenset[str]:
    """The flags of a compiler's command; none of a script's."""
    compiler = capabilities_of(oracle).compiler
    return frozenset(compiler.command.flags) if compiler is not None else frozenset()


_ALIASES = Outside(ALIAS)


class OriginalOps:
    """The ops of whole programs, as they are there, and what they compute with."""

    def __init__(self) -> None:
        self.programs = 0
        self._known: set[int] = set()

    def add(self, module: Module) -> None:
        """Regard every op of a program as one that no edit has changed."""
        self.programs += 1
        self._known.update(_facts(module))

    def contain(self, module: Module) -> bool:
        """Whether no op of a program was changed.

        What it computes with may have become the argument of a function.
        """
        return all(fact in self._known for fact in _facts(module))


def _facts(module: Module) -> Iterator[int]:
    """A hash of each op in a function, and of each with the op that computes one of its operands.

    An op has all that is nested in it, other than a module. Functions and what ends them are left
    out: to leave out an op changes what they take and return.
    """
    t = module.t
    functions = Functions.of(module)
    apart = functions.all | _ends(module, functions)
    modules = {op for op, name in enumerate(t.name) if name in MODULE_OPS}
    around = functions.around | modules
    holders = functions.all | around
    meant = _aliases(module)

    @cache
    def form(op: int) -> int:
        text = module.own_text(op) if op in around else module.text[t.start[op] : t.end[op]]
        return hash(" ".join(_expanded(canonical(text), meant).split()))

    for op, operands in enumerate(t.operands):
        outside = t.parent[op]
        nested = outside != NONE and outside not in holders
        if nested or op in apart:
            continue
        yield form(op)
        for number, value in enumerate(operands):
            producer = NONE if value == NONE else t.def_op[value]
            if producer != NONE:
                yield hash((form(op), number, form(producer), value - t.first_result[producer]))


def _ends(module: Module, functions: Functions) -> set[int]:
    """The last op of each block of a function."""
    blocks = (block for function in functions.all for block in module.blocks_of(function))
    return {ops[-1] for block in blocks if (ops := module.t.block_ops[block])}


def _aliases(module: Module) -> dict[str, str]:
    """What each alias stands for, without other aliases."""
    meant: dict[str, str] = {}
    for alias in module.t.aliases:
        value = module.text[alias.start : alias.end].partition("=")[2].strip()
        meant[alias.name] = _expanded(value, meant)
    return meant


def _expanded(text: str, meant: dict[str, str]) -> str:
    return _ALIASES.sub(lambda match: meant.get(match[0], match[0]), text) if meant else text
