"""Picks the diagnostic that names the bug out of all that a failing compiler prints.

A failing dispatch prints its real error and then one or more follow-ups ("failed to run
translation of source executable …"); dispatches fail in parallel, so their order is chance.
"""

import re
from collections.abc import Iterable

from oracles.diagnostics import Diagnostic
from oracles.normalise import template_of

_FOLLOW_UP = re.compile(
    r"failed to (?:run translation of source executable|serialize executables?\b|link executable"
    r"|translate the MLIR LLVM dialect|translate executable)"
    r"|^(?:[\w-]*lld )?execute fail|lld execute fail|^linking failed"
    r"|^linker command failed|^ld returned \d+ exit status|^target emulation unknown"
    r"|^failed to (?:compile|run|execute) (?:the )?(?:pass )?pipeline"
    r"|^Failures have been detected while processing an MLIR pass pipeline"
)
_TOOL = re.compile(r"(?:^|/)(?:[\w-]*lld|ld|clang|llc)(?:-\d+)?$")


def is_follow_up(diagnostic: Diagnostic) -> bool:
    """Whether an error only says that something went wrong before."""
    return says_nothing(diagnostic.message)


def is_linker_error(diagnostic: Diagnostic) -> bool:
    """Whether a linker, or another tool that code generation ends with, says what is wrong."""
    if is_follow_up(diagnostic) or diagnostic.line:
        return False
    return bool(_TOOL.search(diagnostic.file))


def says_nothing(message: str) -> bool:
    """Whether a message, or its template, is only that of a follow-up."""
    return bool(_FOLLOW_UP.search(message))


def primary_error(diagnostics: Iterable[Diagnostic]) -> Diagnostic | None:
    """The error that identifies the bug, or None where there is no error.

    Each dispatch's first real error is a contender; of several the least by template wins, so
    that the order of dispatches does not matter. What a linker says counts only where nothing
    else is, for it may lack what was not generated, and follow-ups only where not even that is.
    """
    errors = [item for item in diagnostics if item.severity == "error"]
    linking = [error for error in errors if is_linker_error(error)]
    contenders: list[Diagnostic] = []
    fresh = True
    for error in errors:
        real = not is_follow_up(error) and not is_linker_error(error)
        if fresh and real:
            contenders.append(error)
        fresh = not real
    chosen = contenders or linking or errors
    return min(chosen, key=lambda error: template_of(error.message), default=None)
