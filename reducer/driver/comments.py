"""The comments of a printed result: the command above it, and the message below.

Compiler output and file names can contain anything; a comment is one line of printable text.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from oracles import Outcome
from oracles.signature.abort_message import abort_message
from oracles.signature.classify import SILENT, last_complaint
from oracles.signature.diagnostics import primary_error, says_nothing
from oracles.signature.kind import NamedBy
from oracles.signature.python_traceback import uncaught_exception
from oracles.signature.reasons import error_about
from oracles.stacks.frames import is_offset
from reducer.escaping import one_line
from reducer.units import cut_inside, duration

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
        exact = "pairs" not in dict(outcome.numbers)  # else it is another one in each run
        return [outcome.remarks[0] if outcome.numbers and exact else signature.text]
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
    if at is None or at.start() >= _WIDTH:
        return cut_inside(text, _WIDTH)
    return f"{text[: at.start()].rstrip()}…"
