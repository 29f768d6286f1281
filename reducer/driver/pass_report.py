"""What is reported about the second reproducer, and how its commands are written."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from oracles import Command, Signature
from reducer.conversions import OptPrinter
from reducer.driver.figures import PassRecord
from reducer.driver.settings import Size
from reducer.escaping import one_line
from reducer.ir import GenericSyntaxError, Module, PlainText

UNFINISHED = (
    "// not reduced to the end: the runs or the time for the pass level were spent, or an internal "
    "error occurred\n"
)


@dataclass(frozen=True, kw_only=True)
class PassReport(PassRecord):
    """The record of the pass-level result and its failure."""

    signature: Signature


def size_of(text: str, printer: OptPrinter) -> Size:
    """The size of a program that a tool can read; its lines count as ops if it cannot."""
    size, generic = Size.of(PlainText(text)), printer.generic(text)
    try:
        ops = Module.parse(generic).op_count if generic else size.ops
    except GenericSyntaxError:
        ops = size.ops
    return Size(size.lines, ops, size.bytes)


def shown_command(command: Command, input_name: str) -> str:
    """A command in one line, with its program by name: the folder is nobody's business."""
    words = command.words(input_name)
    program = Path(Path(words[len(command.launcher)]).name)
    return shell_line(command.run_with(program, words))


def shell_line(words: list[str]) -> str:
    """The command in one line for a shell, with conventional quoting of the pipeline."""
    out: list[str] = []
    for word in words:
        flag, equals, value = word.partition("=")
        if equals and flag.startswith("--") and shlex.quote(value) != value:
            out.append(f"{flag}={shlex.quote(value)}")
        else:
            out.append(word if word == "%s" else shlex.quote(word))
    return one_line(" ".join(out).replace("\n", " "))
