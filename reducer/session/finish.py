"""The last steps on a result: from the form that is searched to the one that people read.

All steps are tried together first, which is one run; only if the failure does not survive that,
each is tried on top of those that it survived.
"""

import re
from collections.abc import Callable

from reducer.ir import GenericSyntaxError, Module
from reducer.ir.aliases import inline_aliases
from reducer.ir.value_names import shorten_value_names
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator
from reducer.session.conversions import Conversions
from reducer.session.normalise import unwrap
from reducer.transformations.rename_symbols import RenameSymbols

_PRETTY, _UNWRAP, _ALIASES = "pretty form", "no wrapper", "no aliases"
_SYMBOLS, _VALUES = "short symbols", "short values"
_STEPS = (_PRETTY, _UNWRAP, _ALIASES, _SYMBOLS, _VALUES)
_BLANKS = re.compile(r"[ \t]+$", re.M)


class Finish:
    """Makes generic text readable, as far as it then still fails in the same way."""

    def __init__(
        self, evaluator: Evaluator, conversions: Conversions, note: Callable[[str], None]
    ) -> None:
        self.evaluator = evaluator
        self.conversions = conversions
        self.note = note

    def readable(self, module: Module) -> str:
        """The module as people write it; its generic text if nothing else fails like that.

        Raises:
            Stopped: the budget is spent, or the user wants to stop.
        """
        best = module.text
        tried = {best}
        taken: frozenset[str] = frozenset()
        for steps in (_STEPS, *((step,) for step in _STEPS)):
            wanted = taken | set(steps)
            text = self._form(module, wanted)
            if text is None or text in tried:
                continue
            tried.add(text)
            if self._fails(text, module.op_count):
                best, taken = text, wanted
                if steps == _STEPS:
                    break
        if _PRETTY not in taken:
            self.note("the pretty form does not fail in the same way; the result is generic")
        return best

    def _form(self, module: Module, steps: frozenset[str]) -> str | None:
        """The text after these steps; None if the compiler cannot print it."""
        text = module.text
        if _SYMBOLS in steps:
            text = _with_short_symbols(module)
        if _PRETTY not in steps:
            return text
        pretty = self.conversions.pretty(text)
        if pretty is None:
            return None
        if _UNWRAP in steps:
            pretty = unwrap(pretty) or pretty
        if _ALIASES in steps:
            pretty = inline_aliases(pretty)
        if _VALUES in steps:
            pretty = shorten_value_names(pretty)
        return _BLANKS.sub("", pretty)

    def _fails(self, text: str, ops: int) -> bool:
        return self.evaluator.judge(self.evaluator.run(text, ops)) is Verdict.SAME


def _with_short_symbols(module: Module) -> str:
    renaming = RenameSymbols()
    text = renaming.apply(module, renaming.sites(module)) or module.text
    try:
        Module.parse(text)
    except GenericSyntaxError:
        return module.text
    return text
