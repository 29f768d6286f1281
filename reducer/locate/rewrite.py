"""Find the one rewrite of a pass after which a program fails, by bisection over what MLIR counts.

With the first N applications of patterns and no others, the program is right; with one more, it
fails: that application is named by the log of actions, and the programs that the pass makes of the
input with N and with N + 1 are the IR before and after it. Where IR before it can be printed and
read again, the pattern is also applied alone to that, and if that does not fail, the rewrite is
only one of those at fault. A hang that is over whenever patterns run out is a cycle of them.
"""

import difflib
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from oracles import Command, CompilerOracle, End, Limits, ProcessResult, Signature, run_process
from oracles.base import write_candidate
from oracles.compilers.compiler import DISCARD
from oracles.run.limits import Reader
from oracles.signature.classify import pattern_on_stack
from reducer.locate.applications import (
    COUNTER,
    LOG,
    PROFILE,
    Actions,
    limited,
    read_actions,
    shortest_cycle,
    with_flags,
)
from reducer.locate.opt_tool import OptTool
from reducer.units import plural

Fails = Callable[[Command, str], bool | None]
"""Whether a program fails like the target under a command; None if it fails otherwise, or nobody
can tell."""

_LOG_SECONDS = 3.0  # of a program that hangs
_LOG_BYTES = 64 << 20
_LEAST, _SLOWER = 5.0, 20.0  # seconds, and times as long as what ends, is a hang
_ENOUGH = 1 << 20  # bytes of the log of such a program
_LONGEST_CYCLE = 24  # applications
_ITERATION = "GreedyPatternRewriteIteration"
_UNVERIFIED = ("--verify-each=0", "--mlir-print-op-generic")
_OF_MLIR = re.compile(r"Pattern(?:Base)?$")  # frames of MLIR that call the pattern proper
_SHOWN = 12  # lines of a difference


@dataclass(frozen=True)
class BlamedRewrite:
    """The rewrite at fault.

    Attributes:
        pattern: its name; '' if the program fails without any pattern.
        op: the op that it was applied to, as the log has it; '' if unknown.
        pass_name: the pass that applied it.
        number: which application it is, from 1.
        applications: how many were seen.
        sure: whether it is confirmed; otherwise it is only one of those at fault.
        how: the evidence, in words.
        before: the IR before it; '' if it cannot be had.
        after: the IR after it; '' if there is none.
        make: the command that makes `before` of the program, and the one that makes `after`.
        alone: the command under which `before` fails by that rewrite alone; empty if unknown.
        cycle: the patterns that undo each other, if they never end.
        proof: what a comparison on all inputs of small widths says; '' if there is none.
        runs: how many runs it took.
    """

    pattern: str = ""
    op: str = ""
    pass_name: str = ""
    number: int = 0
    applications: int = 0
    sure: bool = False
    how: str = ""
    before: str = ""
    after: str = ""
    make: tuple[tuple[str, ...], ...] = ()
    alone: tuple[str, ...] = ()
    cycle: tuple[str, ...] = ()
    proof: str = ""
    runs: int = 0

    @property
    def text(self) -> str:
        """What is blamed, in one line."""
        if self.cycle:
            told = " and ".join(f"`{name}`" for name in self.cycle)
            what = "undo each other" if len(self.cycle) > 1 else "applies"
            return f"{told} {what} without end"
        if not self.pattern:
            return self.how
        which = f"application {self.number:,} of {self.applications:,}"
        one_of = "" if self.sure else "one of the rewrites up to "
        return f"{one_of}`{self.pattern}` ({which}, found in {self.runs} runs)"

    @property
    def difference(self) -> list[str]:
        """The lines that the rewrite removes and adds."""
        if not self.before or not self.after:
            return []
        before, after = (text.splitlines() for text in (self.before, self.after))
        told = list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]
        return [line for line in told if not line.startswith("@@")]

    @property
    def sentence(self) -> str:
        """Pattern `X` turns A into B, in as much of A and B as fits."""
        told = self.difference
        gone, come = (
            [line[1:].strip() for line in told if line[0] == sign][:_SHOWN] for sign in "-+"
        )
        if not gone and not come:
            return ""
        become = f"into `{'; '.join(come)}`" if come else "into nothing"
        return f"pattern `{self.pattern}` turns `{'; '.join(gone) or 'nothing'}` {become}"

    def to_json(self) -> dict[str, Any]:
        """Its fields, and what is said of it."""
        return {**vars(self), "text": self.text, "sentence": self.sentence}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self | None:
        """The inverse of `to_json`; None if there is nothing."""
        if not data:
            return None
        known = {name: value for name, value in data.items() if name in cls.__dataclass_fields__}
        tuples = ("alone", "cycle")
        known |= {name: tuple(known.get(name, ())) for name in tuples}
        return cls(**{**known, "make": tuple(map(tuple, known.get("make", ())))})


def resembles(target: Signature, seen: Signature) -> bool:
    """Whether a failure is the target, although the pass manager counts what it does.

    That takes it through other functions, so of a stack, only the innermost one must be the same.
    """
    if target.kind.traits.exhausts:
        return seen.kind is target.kind
    same = (seen.kind, seen.template, seen.op) == (target.kind, target.template, target.op)
    return same and seen.frames[:1] == target.frames[:1]


def crash_judge(oracle: CompilerOracle, target: Signature, tool: OptTool) -> Fails:
    """Judges by running the tool, within its limits; what hangs takes many times what does not."""
    limits = [tool.limits]

    def fails(command: Command, text: str) -> bool | None:
        outcome = oracle.with_command(command).run(text, cancel=tool.cancel, limits=limits[-1])
        tool.spend(1, outcome.cpu_seconds)
        if outcome.succeeded:
            limits.append(tool.limits.at_most(Limits(max(_LEAST, _SLOWER * outcome.seconds))))
        same = resembles(target, outcome.signature)
        return same if same or outcome.succeeded else None

    return fails


@dataclass
class RewriteSearch:
    """Looks for the rewrite at fault in one program.

    Attributes:
        oracle: runs the command of the failing pass, by the tool itself.
        text: the program that fails.
        target: its failure.
        fails: judges programs.
        tool: the same tool; its limits end the search (see `ToolBudgetExhausted`).
    """

    oracle: CompilerOracle
    text: str
    target: Signature
    fails: Fails
    tool: OptTool
    runs: int = 0
    _known: dict[int, bool | None] = field(default_factory=dict)
    _said: str = ""

    def run(self) -> BlamedRewrite | None:
        """The rewrite; None if the tool counts none, or they do not decide."""
        if not self.tool.knows_flag(COUNTER) or not self.tool.passes_of(self.oracle):
            return None
        found = self._find()
        return found and replace(found, runs=self.runs)

    def _find(self) -> BlamedRewrite | None:
        actions = self.actions(self.text, LOG)
        if self.target.kind.traits.illegal_op:  # without a pattern, another op is illegal
            return BlamedRewrite(how=self._gave_up(actions))
        last = len(actions.applications)
        if not self._at(last):
            if found := self._cycle(actions):
                return found
            # To print an op that a pattern has left half done may crash, or take too long.
            actions = self.actions(self.text, PROFILE)
            last = max(last, len(actions.applications))
            if not self._at(last):
                return self._cycle(actions)
        if self._at(0):
            return self._without_patterns(actions)
        return self._blamed(actions, *self._bisected(0, last))

    def _at(self, count: int) -> bool | None:
        """Whether the program fails after so many applications."""
        if count not in self._known:
            self._known[count] = self._judged(limited(self.oracle.command, count), self.text)
        return self._known[count]

    def _judged(self, command: Command, text: str) -> bool | None:
        self.tool.check()
        self.runs += 1
        return self.fails(command, text)

    def _bisected(self, low: int, high: int) -> tuple[int, int]:
        """The last application without which it does not fail like the target, and the next."""
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._at(middle) else (middle, high)
        return low, high

    # ---- what is blamed ------------------------------------------------------------------------

    def _blamed(self, actions: Actions, low: int, high: int) -> BlamedRewrite:
        applications = actions.applications
        one = applications[high - 1]
        passes = one.passes if actions.passes > one.passes else None
        commands = [limited(self.oracle.command, count, passes=passes) for count in (low, high)]
        traits = self.target.kind.traits
        before = self.made(commands[0]) or (self.text if low == 0 else "")
        after = "" if traits.aborts or traits.exhausts else self.made(commands[1])
        if not after and traits.illegal_ir:
            after = self.made(with_flags(commands[1], *_UNVERIFIED))
        found = BlamedRewrite(
            pattern=one.name,
            op=one.op,
            pass_name=one.pass_name,
            number=high,
            applications=len(applications),
            before=before,
            after=after,
            make=tuple(command.argv for command in commands),
        )
        told = "it fails with this application, and not without it"
        if self._at(low) is None:
            told = "it fails with this application; without it, otherwise, or it cannot be judged"
        on_stack = pattern_on_stack(self.target.frames).rpartition("::")[2].partition("<")[0]
        if on_stack and not _OF_MLIR.search(on_stack) and on_stack not in one.pattern:
            return replace(found, how=f"{told}, but `{on_stack}` is on the stack")
        if high == 1:
            return replace(found, sure=True, how=f"{told}; it is the first one")
        command = self.alone(one.pattern, one.op, before) if before else None
        if command is not None and self._judged(command, before):
            how = f"{told}; on the IR before it, it fails with this one alone"
            return replace(found, sure=True, how=how, alone=command.argv)
        if actions.is_open and high == len(applications):
            return replace(found, sure=True, how=f"{told}; it fails while the pattern runs")
        if one.pattern and f"pattern '{one.pattern}'" in self._said:
            return replace(found, sure=True, how=f"{told}; the message names it")
        if command is None:
            return replace(found, sure=self._at(low) is False, how=told)
        return replace(found, how=f"{told}, but on the IR before it, not with this one alone")

    def alone(self, pattern: str, op: str, text: str) -> Command | None:
        """The command that applies a pattern to a program, on that op if possible, and no other."""
        tried = self.actions(text, LOG).applications
        same = [at for at, other in enumerate(tried) if pattern in (other.pattern, other.name)]
        exact = [at for at in same if tried[at].op == op]
        found = next(iter(exact or same), None)
        return None if found is None else limited(self.oracle.command, 1, skip=found)

    def _without_patterns(self, actions: Actions) -> BlamedRewrite:
        """What is at fault if no pattern is needed."""
        told = "no rewrite by a pattern: it fails without any"
        flag = f"{COUNTER}={_ITERATION}-skip=0,{_ITERATION}-count=0"
        alone = self._judged(with_flags(self.oracle.command, flag), self.text)
        who = "the pass itself" if alone else "a fold, or the removal of dead ops,"
        return BlamedRewrite(how=f"{told}; {who} is at fault", sure=alone is False)

    def _gave_up(self, actions: Actions) -> str:
        """Which patterns were tried on an op that was not converted."""
        op = self.target.op
        tried = [one.name for one in actions.applications if one.op_name == op]
        if not tried:
            return f"no pattern was tried on {op}"
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(tried))
        return f"tried on {op}, and given up: {names}; this tool does not say why"

    # ---- cycles --------------------------------------------------------------------------------

    def _cycle(self, actions: Actions) -> BlamedRewrite | None:
        """The patterns that are applied again and again; those that only fail to match are not."""
        period = shortest_cycle(actions.applications) if actions.endless else ()
        if not period or len(period) > _LONGEST_CYCLE:
            return None
        start = len(actions.applications) - 2 * len(period)
        candidates = [
            number
            for number, one in enumerate(period)
            if not one.op or one.op != period[(number + 1) % len(period)].op
        ]
        texts = [self.made(limited(self.oracle.command, start))]
        texts += [
            self.made(limited(self.oracle.command, start + number + 1)) for number in candidates
        ]
        acting = [
            period[number]
            for number, old, new in zip(candidates, texts, texts[1:], strict=False)
            if old != new
        ]
        how, told = f"{plural(len(period), 'application')} of patterns without end", bool(acting)
        if not acting:
            how, acting = f"{how}; which of them match is unknown", list(period)
        return BlamedRewrite(
            op=acting[0].op,
            pass_name=period[0].pass_name,
            applications=len(actions.applications),
            sure=told,
            how=how,
            before=texts[0],
            cycle=tuple(dict.fromkeys(one.name for one in acting)),
        )

    # ---- runs ----------------------------------------------------------------------------------

    def actions(self, text: str, flags: Sequence[str]) -> Actions:
        """What is applied to a program; of one that does not end, what begins it."""
        command = with_flags(self.oracle.command, *flags)
        limits = replace(self.tool.limits, output=_LOG_BYTES)
        reader = None
        if self.target.kind.traits.exhausts:
            limits, reader = limits.at_most(Limits(_LOG_SECONDS)), _Enough()
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            argv = self._argv(command, text, Path(folder), DISCARD)
            result = self._run(argv, folder, limits, reader)
            self._said = result.stderr.replace("(anonymous namespace)::", "")
            return read_actions(result.stdout, endless=result.end is End.STOPPED)

    def made(self, command: Command, text: str | None = None) -> str:
        """What a command makes of the program, or of another one; '' if it fails."""
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            target = Path(folder) / "made.mlir"
            argv = self._argv(command, text or self.text, Path(folder), str(target))
            result = self._run(argv, folder, self.tool.limits)
            if result.exit_code or not target.is_file():
                return ""
            return target.read_text(encoding="utf-8", errors="surrogateescape")

    def _argv(self, command: Command, text: str, folder: Path, output: str) -> list[str]:
        source = write_candidate(folder, self.oracle.name, text)
        words = command.expand(source, output)
        return command.run_with(self.oracle.executable.absolute(), words)

    def _run(
        self, argv: Sequence[str], folder: str, limits: Limits, reader: Reader | None = None
    ) -> ProcessResult:
        self.tool.check()
        self.runs += 1
        cancel = self.tool.cancel
        result = run_process(argv, cwd=Path(folder), limits=limits, cancel=cancel, reader=reader)
        self.tool.spend(1, result.cpu_seconds)
        self.tool.check()
        return result


class _Enough:
    """Ends a program that has printed enough."""

    def __init__(self) -> None:
        self._left = _ENOUGH

    def __call__(self, stream: str, chunk: bytes) -> bool:
        self._left -= len(chunk)
        return self._left < 0

    def restart(self) -> None:
        self._left = _ENOUGH
