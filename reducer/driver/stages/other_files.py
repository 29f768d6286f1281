"""Reduce the other modules that a command reads: a payload, a library, a transform script.

While one of the programs is reduced, the others stay as they are, and so in turn until none gets
smaller. What is left of another one is in the folder of the result, and the command names that.
"""

import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from oracles import Command, CompilerOracle, Limits, Outcome, PatternOracle, Signature
from oracles.base import NamedOracle, capabilities_of, write_candidate
from oracles.run.scratch import private_folder
from oracles.signature.comparison import shows
from reducer.asking import Stopped
from reducer.driver.best import Best
from reducer.driver.settings import Size
from reducer.driver.stage import Stage, Step, carry_out
from reducer.driver.stages.command_parts import CommandParts
from reducer.driver.stages.shrinking import name_command
from reducer.driver.state import Context, OtherFile
from reducer.identity.advice import EMPTY_MODULE
from reducer.identity.pretty_form import ReadablePrinter
from reducer.identity.program import Judging, Program
from reducer.ir import Module, PlainText
from reducer.search.candidate import Candidate
from reducer.search.conditions import Conditions
from reducer.storage.journal import JournalNamespace

_SUFFIX = ".mlir"


@dataclass(frozen=True, eq=False)
class OtherFileOracle(NamedOracle):
    """Runs a command whose input is fixed on candidates for another file that it names.

    A candidate with which an empty input fails in the same way does not count: what is wrong would
    be that file alone, and then any input shows it.
    """

    asked: CompilerOracle | PatternOracle
    file: Path
    text: str
    target: Signature

    @property
    def limits(self) -> Limits:
        return self.asked.limits

    @property
    def command(self) -> Command | None:
        """None: its flags are those of the oracle inside."""
        return None

    def with_command(self, command: Command) -> "OtherFileOracle":
        raise NotImplementedError

    @cached_property
    def key(self) -> str:
        """The key of the oracle inside, with the file that varies and the input that does not."""
        digest = sha256(self.text.encode(errors="surrogateescape")).hexdigest()
        return f"other file {self.file} {digest} {self.asked.key}"

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Run the command with this text in the other file."""
        with private_folder() as place:
            path = write_candidate(place, self.file.name, text)
            inner = self.asked.with_command(self.asked.command.with_file(self.file, path))
            outcome = inner.run(self.text, cancel=cancel, limits=limits)
            if not shows(self.target, outcome):
                return outcome
            alone = inner.run(EMPTY_MODULE, cancel=cancel, limits=limits)
            if alone.cancelled:
                return alone
            return replace(
                outcome.turned_down() if shows(self.target, alone) else outcome,
                seconds=outcome.seconds + alone.seconds,
                cpu_seconds=outcome.cpu_seconds + alone.cpu_seconds,
            )

    def wants(self, outcome: Outcome) -> bool:
        return self.asked.wants(outcome)

    def display(self, input_name: str) -> list[str]:
        return self.asked.display(input_name)

    def named(self, name: str) -> "OtherFileOracle":
        return self  # the name is that of the file in the command


def other_modules(context: Context) -> dict[Path, str]:
    """The modules that the command reads besides its input, as far as they can be reduced."""
    oracle = capabilities_of(context.judging.oracle).of_one_run
    if oracle is None or context.settings.keep_flags:
        return {}  # or the command stays as it is
    found = dict.fromkeys(path for path in oracle.command.inputs() if path.suffix == _SUFFIX)
    texts = {path: _text_of(path) for path in found}
    return {path: text for path, text in texts.items() if text is not None}


def reduced_with(minimize: Sequence[Step]) -> Stage:
    """The stage that reduces other files by these steps."""
    return Stage(
        "reduce other files",
        lambda context: bool(other_modules(context)),
        lambda context: reduce_others(context, minimize),
    )


def reduce_others(context: Context, minimize: Sequence[Step]) -> bool:
    """Reduce each of the other modules with all else fixed; return whether one got smaller.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run. What was reached is kept.
    """
    progress = False
    for path, text in other_modules(context).items():
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            other = _context_of(context, path, text, Path(folder))
            before = other.program.document
            try:
                _try_empty(other)
                carry_out(minimize, other)
            except Stopped:
                other.best.roll_back()
                if other.program.confirmed is not before:
                    _adopt(context, path, text, other.program.confirmed.text, sure=True)
                raise
            left = other.program.confirmed
            if left is not before:
                printer = ReadablePrinter(other.judging.full, other.conversions, other.note)
                shown = printer.readable(left) if isinstance(left, Module) else left.text
                progress |= _adopt(context, path, text, shown, sure=False)
    return progress


def _context_of(context: Context, path: Path, text: str, folder: Path) -> Context:
    """A context in which stages work on another module instead of the input."""
    oracle = capabilities_of(context.judging.oracle).of_one_run
    assert oracle is not None
    asked = context.judging.full.with_(
        oracle=OtherFileOracle(
            oracle, path, context.program.document.text, context.judging.first.signature
        ),
        conditions=Conditions().under(context.judging.full.query.conditions.same_failure),
        is_observed=False,
    )
    module = context.conversions.module(text)
    document = module if module is not None and asked.fails(module) else PlainText(text)
    journal = JournalNamespace(context.journal, asked.oracle.key)
    program = Program(document, text, module, is_located=True)
    return Context(
        program=program,
        judging=Judging(context.judging.first, asked),
        settings=replace(context.settings, text=text, input=path, reported=None),
        best=Best(folder / path.name, journal, program),
        conversions=context.conversions,
        journal=journal,
        show=lambda phase: context.show(f"{path.name}: {phase}"),
        note=lambda remark: None,
        internal_errors=context.internal_errors,
    )


def _try_empty(other: Context) -> None:
    """Take an empty module if that is enough, as for a library that is only loaded."""
    empty = other.conversions.module(EMPTY_MODULE)
    if empty is None or not isinstance(other.program.document, Module):
        return
    if empty.op_count < other.program.document.op_count and other.judging.full.fails(empty):
        other.accept(Candidate(empty, "empty module"))


def _adopt(context: Context, path: Path, text: str, left: str, *, sure: bool) -> bool:
    """Write what is left of another module, and have the command read that from now on.

    Args:
        sure: it was run in this form, and no other run is possible.
    """
    oracle = capabilities_of(context.judging.oracle).of_one_run
    assert oracle is not None
    left = left if left.strip() else EMPTY_MODULE
    before, size = Size.of(PlainText(text)), Size.of(PlainText(left))
    if (size.ops, size.bytes) >= (before.ops, before.bytes):
        return False
    earlier = context.found.others.get(path, OtherFile(path, before, size, 0))
    name, folder = earlier.source.name, context.settings.folder
    numbers = [one.number for one in context.found.others.values() if one.source.name == name]
    target = folder.other_file(number := max(numbers, default=0) + 1, name).absolute()
    folder.create()
    if _text_of(target) != left:
        folder.written.check(target)
        target.parent.mkdir(exist_ok=True)
        folder.written.write(target, left)
    place = oracle.command.directory or Path.cwd()
    shown = target.relative_to(place) if target.is_relative_to(place) else target
    command = oracle.command.with_file(path, shown)
    full = context.judging.full.with_(oracle=oracle.with_command(command))
    if not sure and not full.fails(context.program.document):
        folder.written.remove(target)
        return False
    context.judging.full = full
    reduced = replace(earlier, after=size, number=number)
    context.found.others = {**context.found.others, target: reduced}
    context.mark()
    name_command(context)
    if context.judging.health is not None:
        context.judging.health.cross_check.read_instead(path, shown)
    return True


def remarks(context: Context) -> Iterator[str]:
    """What to say about the other modules that the command reads."""
    command = context.judging.oracle.command
    named = [] if command is None else CommandParts(command).modules
    for path in named:
        if one := context.found.others.get(path):
            yield (
                f"{one.source.name}, another file that the command reads, was reduced as well: "
                f"{one.before.bytes:,} → {one.after.bytes:,} B"
            )
        elif path not in other_modules(context):
            yield f"{path.name}, another file that the command reads, was not reduced"


def _text_of(path: Path) -> str | None:
    try:
        return path.read_bytes().decode(errors="strict")
    except (OSError, ValueError):
        return None
