"""Reduce the compile command to the flags that the failure needs.

First all flags are dropped, then smaller and smaller groups of adjacent flags, then each alone; a
flag that must stay gets a smaller value if its value is a list or a pass pipeline. The rest of the
reduction then runs the shorter command.
"""

import json
import re
from collections.abc import Callable, Iterator

from oracles import Command
from oracles.command import INPUT
from oracles.values import ValuesOracle
from reducer.ir import Document
from reducer.locate.pipeline import PipelineStep, parse_steps, words
from reducer.search.evaluator import Evaluator
from reducer.session.sanity import empty_module_fails
from reducer.storage.journal import Journal

COMMAND = "command"
"""The journal's key for the shortened command."""

_FEW = 8  # at most this many flags are tried one by one if they cannot go together
# Flags that restrict a program. Without them it would do more than the user asked for.
_RESTRAINTS = re.compile(
    r"dry[-_]?run|sandbox|no[-_]?(?:exec|run|network|write)|(?:verify|parse|syntax|compile)[-_]only",
    re.I,
)


class FlagReducer:
    """Shortens an evaluator's command as far as the failure of one document allows.

    Attributes:
        evaluator: evaluates candidates with the shortest command so far.

    `on_change` is called with it whenever the command gets shorter. If the given evaluator may be
    wrong about that, `confirm` has the last word.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        journal: Journal,
        on_change: Callable[[Evaluator], None],
        confirm: Evaluator | None = None,
    ) -> None:
        self.evaluator = evaluator
        self._confirm = confirm
        self._journal = journal
        self._on_change = on_change

    def shorten(self, document: Document) -> bool:
        """Shorten the command; return whether a shorter one has the same failure and is now in use.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
        """
        before = self.evaluator.oracle.command
        if before is None:
            return False
        for size in _sizes(len(removable(before))):
            self._drop(document, size)
        while self._drop(document, 1) or self._simplify(document):
            pass  # a remaining flag may have been needed only by a dropped one
        return self.evaluator.oracle.command != before

    def _drop(self, document: Document, size: int) -> bool:
        """Try to drop groups of `size` adjacent flags, the last ones first."""
        progress = False
        end = len(removable(self._command))
        while end > 0:
            start = max(0, end - size)
            gone = {number for group in removable(self._command)[start:end] for number in group}
            progress |= self._try(self._command.without(gone), document)
            end = start
        return progress

    def _simplify(self, document: Document) -> bool:
        """Try smaller values for one flag after another."""
        return any(
            self._try(command, document)
            for number in range(1, len(self._command.argv))
            for command in _with_smaller_values(self._command, number, self._keeps_options)
        )

    @property
    def _keeps_options(self) -> bool:
        """Whether passes keep their options: without one that has it check what it does, a pass may
        be meant to change what a program computes.
        """
        return isinstance(self.evaluator.oracle, ValuesOracle)

    def _try(self, command: Command, document: Document) -> bool:
        shorter = self.evaluator.with_(oracle=self.evaluator.oracle.with_command(command))
        if not shorter.fails(document):
            return False
        if self._confirm and not self._confirm.with_(oracle=shorter.oracle).fails(document):
            return False
        if empty_module_fails(shorter):  # the command itself is wrong now
            return False
        self.evaluator = shorter
        self._journal.set_meta(COMMAND, json.dumps(command.argv))
        self._on_change(shorter)
        return True

    @property
    def _command(self) -> Command:
        command = self.evaluator.oracle.command
        assert command is not None
        return command


def removable(command: Command) -> list[tuple[int, ...]]:
    """The flags of a command as word indices, each with the word that is its value.

    The input stays, wherever it is written, and so does every other word that belongs to no flag.
    """
    out: list[tuple[int, ...]] = []
    for number, word in enumerate(command.argv[1:], start=1):
        if INPUT in word or _RESTRAINTS.search(word.partition("=")[0]):
            continue
        if word.startswith("-") and len(word) > 1:
            out.append((number,))
        elif out and out[-1] == (number - 1,) and "=" not in command.argv[number - 1]:
            out[-1] = (number - 1, number)
    return out


def _sizes(flags: int) -> list[int]:
    """How many flags to drop at once, from all to one."""
    sizes = [flags] if flags > 2 else []
    size = flags // 2
    while size > 1 and flags > _FEW:
        sizes.append(size)
        size //= 2
    return [*sizes, 1]


def _with_smaller_values(command: Command, number: int, keeps_options: bool) -> Iterator[Command]:
    """The command with smaller values of one word, the smallest first.

    The value of a flag may be a word of its own, as in xDSL's `-p canonicalize,cse`.
    """
    word = command.argv[number]
    name, equals, value = word.partition("=")
    if not word.startswith("-"):
        if not any(number in flag[1:] for flag in removable(command)):
            return
        name, equals, value = command.argv[number - 1], "", word
    elif not equals:
        return
    if INPUT in value or (keeps_options and name.lstrip("-") != "pass-pipeline"):
        return
    for smaller in _fewer_steps(value) if keeps_options else _smaller_values(value):
        yield command.with_word(number, f"{name}={smaller}" if equals else smaller)


def _fewer_steps(value: str) -> Iterator[str]:
    """A pipeline without some of its passes, with all options of the others."""
    try:
        steps = parse_steps(value)
    except ValueError:
        return
    whole = PipelineStep("", (), steps)
    for size in [*_halves(max(len(found) for found in _inner_lists(whole))), 1]:
        for less in _fewer_passes(whole, size):
            yield ",".join(step.text for step in less.inner)


def _smaller_values(value: str) -> Iterator[str]:
    try:
        steps = parse_steps(value)
    except ValueError:
        steps = ()
    if len(steps) > 1 and any(step.inner or step.options for step in steps):  # implies the module
        for number, step in enumerate(steps):
            before, after = steps[:number], steps[number + 1 :]
            for fewer in ((), *((less,) for less in step.smaller())):
                yield ",".join(one.text for one in (*before, *fewer, *after))
        return
    if len(steps) != 1:
        yield from _fewer_options(value) if "=" in value else _fewer_items(value)
        return
    (step,) = steps
    if not step.inner:
        yield from (less.text for less in step.smaller())
        yield from () if step.options else _fewer_options(value)
        return
    if step.bare() != step:
        yield step.bare().text
    for size in _halves(max(len(found) for found in _inner_lists(step))):
        for less in _fewer_passes(step, size):
            yield less.text
    for less in step.smaller():  # drops options, and single passes
        yield less.text


def _fewer_options(value: str) -> Iterator[str]:
    """The options of one pass, as in `--pass="a=1 b=2,3"`, without one of them or one item."""
    options = words(value)
    for number, option in enumerate(options):
        left = [*options[:number], *options[number + 1 :]]
        if left:
            yield " ".join(left)
        name, equals, items = option.partition("=")
        for fewer in _fewer_items(items) if equals else ():
            yield " ".join([*options[:number], f"{name}={fewer}", *options[number + 1 :]])


def _fewer_items(value: str) -> Iterator[str]:
    """A list without some of its items; a value with brackets is not a plain list."""
    items = value.split(",")
    if len(items) < 2 or re.search(r"[()\[\]{}<>\"']", value):
        return
    for size in [*_halves(len(items)), 1]:
        for start in range(0, len(items), size):
            rest = [*items[:start], *items[start + size :]]
            if rest:
                yield ",".join(rest)


def _inner_lists(step: PipelineStep) -> Iterator[tuple[PipelineStep, ...]]:
    yield step.inner
    for inner in step.inner:
        yield from _inner_lists(inner)


def _fewer_passes(step: PipelineStep, size: int) -> Iterator[PipelineStep]:
    """A pipeline without `size` adjacent passes of one list, at any depth."""
    inner = step.inner
    if len(inner) > size:
        for start in range(0, len(inner), size):
            yield PipelineStep(step.name, step.options, (*inner[:start], *inner[start + size :]))
    for number, child in enumerate(inner):
        for less in _fewer_passes(child, size):
            rest = (*inner[:number], less, *inner[number + 1 :])
            yield PipelineStep(step.name, step.options, rest)


def _halves(count: int) -> list[int]:
    """count / 2, count / 4… down to two."""
    out: list[int] = []
    while (count := count // 2) > 1:
        out.append(count)
    return out
