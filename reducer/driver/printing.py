"""The readable result: pretty form, short names, the command above and the message below.

Compiler output and file names can contain anything; a comment is one line of printable text.

All printing steps are first tried together, in one run; only if the failure does not survive that
are they tried one by one, each on top of those that worked.
"""

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from oracles import Outcome
from oracles.signature.abort_message import abort_message
from oracles.signature.classify import SILENT, last_complaint
from oracles.signature.diagnostics import primary_error, says_nothing
from oracles.signature.kind import NamedBy
from oracles.signature.python_traceback import uncaught_exception
from oracles.signature.reasons import error_about
from oracles.stacks.frames import is_offset
from reducer.conversions import Conversions
from reducer.escaping import one_line
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.pretty import inline_aliases, shorten_value_names, unwrap
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator
from reducer.transformations.rename_symbols import RenameSymbols
from reducer.units import duration

_WIDTH = 160  # maximum length of a message; a longer one is mostly a printed operation
_PRINTED = re.compile(r'(?<=:) (?:%\S+(?:, %\S+)* = |"[\w.$-]+"\()')
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_FOLDERS = re.compile(r"(?<![\w./-])(?:/[\w.@+~-]+)+/(?=[\w.-])")


def with_comments(
    text: str, commands: Sequence[Sequence[str]], outcome: Outcome, limit: float | None = None
) -> str:
    """A program with the commands above and the failure message below.

    `limit` is the time limit of the command in seconds, if it has one.
    """
    body = text if text.endswith("\n") else f"{text}\n"
    messages = [f"// {line}\n" for line in failure_lines(outcome, limit)]
    return "".join(map(command_line, commands)) + body + "".join(messages)


def failure_lines(outcome: Outcome, limit: float | None = None) -> list[str]:
    """The failure in lines of bounded length that are the same on every machine.

    `limit` is the time limit of the command in seconds, if it has one.
    """
    return [_shortened(_lasting(one_line(line))) for line in message_of(outcome, limit)]


def command_line(command: Sequence[str]) -> str:
    """The comment with the command; the program is named without its folder."""
    name = Path(command[0]).name or command[0]
    return f"// {one_line(shlex.join([name, *command[1:]]))}\n"


def message_of(outcome: Outcome, limit: float | None = None) -> list[str]:
    """The lines that identify the failure: the primary error, or how and where the program died.

    Of a hang, they tell the time limit of the command, `limit`, in seconds: the run may have had
    another one, since a hang is confirmed with several times as much.
    """
    signature = outcome.signature
    named_by = outcome.kind.traits.named_by
    if named_by is NamedBy.STACK:
        functions = [frame for frame in signature.frames if not is_offset(frame)]
        places = functions or [signature.named_pass]
        return [signature.template or "crash", *(f"  in {place}" for place in places if place)]
    if named_by is NamedBy.DURATION:
        inside = f", in {signature.named_pass}" if signature.named_pass else ""
        within = duration(limit) if limit else f"{max(1, round(outcome.seconds))} s"
        return [f"does not finish within {within}{inside}"]
    if named_by is NamedBy.SIGNATURE:
        return [signature.text]
    stopped = abort_message(outcome.stderr)
    if stopped and not says_nothing(stopped[0].rpartition(": ")[2]):
        why = error_about(signature, stopped, outcome.diagnostics)
        return [*([f"error: {why.message}"] if why else []), *stopped]
    primary = primary_error(outcome.diagnostics)
    if primary:
        message = [f"error: {primary.message}"]
    elif named_by is NamedBy.DIAGNOSTIC:
        message = [signature.text]
    elif signature.template.startswith(SILENT):
        message = [signature.template]  # what is printed is only the IR of the pass
    elif exception := uncaught_exception(outcome.stderr):
        message = [exception.words, *(f"  in {frame}" for frame in signature.frames)]
    else:
        message = [last_complaint(outcome.stderr).strip() or signature.text]
    return [*message, f"  in {signature.named_pass}"] if signature.named_pass else message


def _lasting(text: str) -> str:
    """The message without parts that vary between runs or machines."""
    return _FOLDERS.sub("", _ADDRESS.sub("0x…", text))


def _shortened(text: str) -> str:
    """An overlong message without its printed operation, or truncated."""
    if len(text) <= _WIDTH:
        return text
    at = _PRINTED.search(text)
    return f"{text[: min(_WIDTH - 1, at.start() if at else _WIDTH)].rstrip()}…"


_PRETTY, _UNWRAP, _ALIASES = "pretty form", "no wrapper", "no aliases"
_SYMBOLS, _VALUES = "short symbols", "short values"
_STEPS = (_PRETTY, _UNWRAP, _ALIASES, _SYMBOLS, _VALUES)
_VERIFYING_CALLS = 1
_BLANKS = re.compile(r"[ \t]+$", re.M)


class ReadablePrinter:
    """Makes generic text as readable as possible without losing the failure."""

    def __init__(
        self, evaluator: Evaluator, conversions: Conversions, note: Callable[[str], None]
    ) -> None:
        # The program was reviewed in generic form, which other releases can read. The pretty form
        # of one release may be a syntax error for the next.
        self.evaluator = evaluator.by_failure()
        self.conversions = conversions
        self.note = note

    def readable(self, module: Module) -> str:
        """The module in readable form; its generic text if no other form has the same failure.

        One run of the budget is left, to verify the result.

        Raises:
            Stopped: the user interrupted the run.
        """
        best = module.text
        tried = {best}
        taken: frozenset[str] = frozenset()
        for steps in (_STEPS, *((step,) for step in _STEPS)):
            wanted = taken | set(steps)
            text = self._form(module, wanted)
            if text is None or text in tried:
                continue
            if not self._may_run:
                self.note("the budget is spent, so the result is not as readable as it may be")
                return best
            tried.add(text)
            if self._fails(text, module.op_count):
                best, taken = text, wanted
                if steps == _STEPS:
                    break
        if _PRETTY not in taken:
            self.note("the pretty form does not fail the same way; the result is in generic form")
        return best

    def first_form(self, module: Module) -> str | None:
        """The form that is tried first; None if the compiler cannot print it."""
        return self._form(module, frozenset(_STEPS))

    def survives(self, module: Module) -> bool:
        """Whether the failure survives printing: in the form that is tried first, or the next.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        forms = (self._form(module, frozenset(steps)) for steps in (_STEPS, (_PRETTY,)))
        return any(text is not None and self._fails(text, module.op_count) for text in forms)

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

    @property
    def _may_run(self) -> bool:
        evaluator = self.evaluator
        return evaluator.query.budget.calls_left(evaluator.costs) > _VERIFYING_CALLS

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
