"""Find the one rewrite of a pass after which a program fails, by bisection over what MLIR counts.

With the first N applications of patterns and no others, the program is right; with one more, it
fails: that application is named by the log of actions, and the programs that the pass makes of the
input with N and with N + 1 are the IR before and after it. Where IR before it can be printed and
read again, the pattern is also applied alone to that, and if that does not fail, the rewrite is
only one of those at fault: as many of the first applications are left out as can be. A hang that is
over whenever patterns run out is a cycle of them. No log has folds, so what they are applied to is
told by the ops that are gone.
"""

import math
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from oracles import Command, CompilerOracle, End, Limits, ProcessResult, Signature
from oracles.base import write_candidate
from oracles.compilers.compiler import DISCARD
from oracles.run.limits import Reader
from oracles.signature.classify import pattern_on_stack
from reducer.locate.applications import (
    COUNTER,
    ITERATION,
    LOG,
    PROFILE,
    UNNAMED,
    Actions,
    Application,
    limited,
    read_actions,
    shortest_cycle,
    with_flags,
    with_patterns,
    without_folds,
)
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.opt_tool import OptTool
from reducer.locate.pipeline import halves
from reducer.units import plural

Fails = Callable[[Command, str], bool | None]
"""Whether a program fails like the target under a command; None if it fails otherwise, or nobody
can tell."""

GENERIC = '"builtin.module"('  # IR that breaks a rule is printed in no other form
_LOG_SECONDS = 3.0  # of a program that hangs
_LOG_BYTES = 64 << 20
_LEAST, _SLOWER = 5.0, 20.0  # seconds, and times as long as what ends, is a hang
_ENOUGH = 1 << 20  # bytes of the log of such a program
_MOST_FOLDS = 4  # that are told
_LONGEST_CYCLE = 24  # applications
_NO_ITERATION = f"{COUNTER}={ITERATION}-skip=0,{ITERATION}-count=0"
_UNVERIFIED = ("--verify-each=0", "--mlir-print-op-generic")
_OF_MLIR = re.compile(r"Pattern(?:Base)?$")  # frames of MLIR that call the pattern proper
_RESULT = re.compile(
    r'^ *(?P<result>%[\w$.-]+)[^=\n]*= (?P<rest>"?(?P<name>[A-Za-z_]\w*(?:\.[\w$]+)+).*)'
)
_CONSTANT = re.compile(r"\bconst(?:ant)?\b")


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
        outcome = tool.asking.ask(oracle.with_command(command), text, limits=limits[-1])
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
        tool: the same tool; its limits end the search (see `Stopped`).
    """

    oracle: CompilerOracle
    text: str
    target: Signature
    fails: Fails
    tool: OptTool
    runs: int = 0
    _known: dict[int, bool | None] = field(default_factory=dict)
    _said: str = ""
    _logged: tuple[Application, ...] = ()

    def run(self) -> BlamedRewrite | None:
        """The rewrite; None if the tool counts none, or they do not decide."""
        if not self.tool.knows_flag(COUNTER) or not self.tool.passes_of(self.oracle):
            return None
        rewrite = self._find()
        return rewrite and replace(rewrite, runs=self.runs)

    def _find(self) -> BlamedRewrite | None:
        actions = self.actions(self.text, LOG)
        self._logged = actions.applications
        if self.target.kind.traits.illegal_op:  # without a pattern, another op is illegal
            return self._gave_up(actions)
        last = len(actions.applications)
        if not self._at(last):
            if rewrite := self._cycle(actions):
                return rewrite
            # To print an op that a pattern has left half done may crash, or take too long.
            actions = self.actions(self.text, PROFILE)
            last = max(last, len(actions.applications))
            if not self._at(last):
                return self._cycle(actions)
        if self._at(0):
            return self._without_patterns()
        return self._blamed(actions, *self._bisected(0, last))

    def _at(self, count: int) -> bool | None:
        """Whether the program fails after so many applications."""
        if count not in self._known:
            self._known[count] = self._judged(limited(self.oracle.command, count), self.text)
        return self._known[count]

    def _judged(self, command: Command, text: str) -> bool | None:
        self.tool.asking.check()
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
        last = applications[high - 1]
        passes = last.passes if actions.passes > last.passes else None
        commands = [limited(self.oracle.command, count, passes=passes) for count in (low, high)]
        traits = self.target.kind.traits
        before = self.made(commands[0]) or (self.text if low == 0 else "")
        after = "" if traits.aborts or traits.exhausts else self.made(commands[1], valid=False)
        if before and GENERIC in after:
            before = self.made(with_flags(commands[0], *_UNVERIFIED)) or before
        rewrite = BlamedRewrite(
            pattern=last.name,
            op=last.op,
            line=last.line,
            pass_name=last.pass_name,
            number=high,
            applications=len(applications),
            before=before,
            after=after,
            make=tuple(command.argv for command in commands),
        )
        if traits.exhausts and last.name in (needed := self._needed(applications)):
            kinds = plural(len({one.label for one in applications}), "kind")
            how = f"of {kinds} of patterns, {len(needed)} are enough, and none of these is too much"
            return replace(rewrite, sure=True, cycle=needed, how=how)
        claim = "it fails with this application, and not without it"
        if self._at(low) is None:
            claim = "it fails with this application; without it, otherwise, or it cannot be judged"
        frames = self.target.frames
        on_stack = pattern_on_stack(frames).rpartition("::")[2].partition("<")[0]
        on_stack = on_stack or next((name for name in frames if name.endswith("::fold")), "")
        if on_stack and not _OF_MLIR.search(on_stack) and on_stack not in last.pattern:
            return replace(rewrite, how=f"{claim}, but `{on_stack}` is on the stack")
        by_itself = self._alone(rewrite, claim)
        if by_itself is not None and (by_itself.sure or by_itself.folds):
            return by_itself
        if high == 1:
            return replace(rewrite, sure=True, how=f"{claim}; it is the first one")
        if actions.is_open and high == len(applications):
            return replace(rewrite, sure=True, how=f"{claim}; it fails while the pattern runs")
        if last.pattern and f"pattern '{last.pattern}'" in self._said:
            return replace(rewrite, sure=True, how=f"{claim}; the message names it")
        return self._window(by_itself or rewrite, claim)

    def _alone(self, rewrite: BlamedRewrite, claim: str) -> BlamedRewrite | None:
        """What is found if the pattern is applied to the IR before it, and no other.

        None if it cannot be, or need not. A pass that can end before anything is folded tells
        whether it is the pattern or a fold after it.
        """
        command = self._single
        text = self.text if rewrite.number == 1 else rewrite.before
        if not text or (rewrite.number == 1 and command == self.oracle.command):
            return None
        skip = 0 if rewrite.number == 1 else self.place(rewrite, text)
        if skip is None:
            return None
        commands = [limited(one, 1, skip=skip) for one in (command, self.oracle.command)]
        judged = self._judged(commands[0], text)
        if judged:
            how = f"{claim}; on the IR before it, it fails with this one alone"
            alone = commands[0].argv if text == rewrite.before else ()
            return replace(rewrite, sure=True, how=how, alone=alone)
        if commands[0] == commands[1]:
            how = f"{claim}, but on the IR before it, not with this one alone"
            return replace(rewrite, how=how)
        if judged is False and (rewrite.number == 1 or self._judged(commands[1], text)):
            before, after = (self.made(one, text) for one in commands)
            folds = [op for _, op in _folded(before, before, after)]
            how = (
                f"right after `{rewrite.pattern}` alone, it does not fail; what follows is at fault"
            )
            return replace(rewrite, how=how, folds=tuple(folds), line=0, sure=len(folds) == 1,
                           before=before, after=after)  # fmt: skip
        return None

    def _window(self, rewrite: BlamedRewrite, claim: str) -> BlamedRewrite:
        """The fewest applications up to that one with which it still fails, within the runs."""

        def without(skip: int) -> bool:
            command = limited(self.oracle.command, rewrite.number - skip, skip=skip)
            return bool(self._judged(command, self.text))

        low, high = 0, rewrite.number - 1
        if self.runs < most_runs(rewrite.applications) and without(high):
            return replace(rewrite, sure=self._at(high) is False, first=rewrite.number,
                           how=f"{claim}; it also fails without those before it")  # fmt: skip
        while high - low > 1 and self.runs < most_runs(rewrite.applications):
            middle = (low + high) // 2
            low, high = (middle, high) if without(middle) else (low, middle)
        return replace(rewrite, first=low + 1, how=rewrite.how or claim)

    def alone(
        self, rewrite: BlamedRewrite, text: str, *, line: int = 0, count: int = 1
    ) -> Command | None:
        """The command that applies the pattern to a program and no other; None if it is not.

        With a `count` of 0, it is the same command without the pattern. Folds need none: then the
        program must not fail without them.
        """
        if not rewrite.pattern:
            command, idle = self.oracle.command, with_flags(self.oracle.command, _NO_ITERATION)
            folding = limited(command, 0)
            fails = self._judged(folding, text) and self._judged(idle, text) is False
            return folding if fails else None
        skip = self.place(rewrite, text, line)
        return None if skip is None else limited(self._single, count, skip=skip)

    def line(self, rewrite: BlamedRewrite, text: str) -> int:
        """The line of the op that the pattern is applied to in a program; 0 if unknown."""
        tried = self.actions(text, LOG).applications
        at = self._place(rewrite, tried)
        return 0 if at is None else tried[at].line

    @property
    def _single(self) -> Command:
        """The command, which ends before anything is folded; but then nothing hangs."""
        hangs, command = self.target.kind.traits.exhausts, self.oracle.command
        return command if hangs else without_folds(command)

    def place(self, rewrite: BlamedRewrite, text: str, line: int = 0) -> int | None:
        """How many applications are before that pattern, on that op, or that line, if possible."""
        return self._place(rewrite, self.actions(text, LOG).applications, line)

    @staticmethod
    def _place(rewrite: BlamedRewrite, tried: Sequence[Application], line: int = 0) -> int | None:
        same = [at for at, one in enumerate(tried) if rewrite.pattern in (one.pattern, one.name)]
        order = {at: (tried[at].line != line, tried[at].op != rewrite.op) for at in same}
        return min(same, key=lambda at: order[at], default=None)

    def _without_patterns(self) -> BlamedRewrite:
        """What is at fault if no pattern is needed."""
        told = "no rewrite by a pattern: it fails without any"
        idle = with_flags(self.oracle.command, _NO_ITERATION)
        if alone := self._judged(idle, self.text):
            which = "the" if len(self.tool.passes_of(self.oracle) or ()) == 1 else "a"
            what = f"{which} pass, an analysis or a fold that it calls is at fault"
            return BlamedRewrite(how=f"no pattern is needed; {what}", sure=True)
        traits, command = self.target.kind.traits, limited(self.oracle.command, 0)
        made = "" if traits.aborts or traits.exhausts else self.made(command)
        before = self.made(idle) if made else ""
        folded = _folded(self.text, before, made)
        op = self.text.splitlines()[folded[0][0] - 1].strip() if len(folded) == 1 else ""
        return BlamedRewrite(
            op=op,
            line=folded[0][0] if op else 0,
            folds=tuple(name for _, name in folded[:_MOST_FOLDS]),
            how=f"{told}; a fold, or the removal of dead ops, is at fault",
            sure=alone is False and bool(op),
            before=before,
            after=made,
            make=(idle.argv, command.argv),
        )

    def _gave_up(self, actions: Actions) -> BlamedRewrite:
        """Which patterns were tried on an op that was not converted, if that is so."""
        op = self.target.op
        tried = [one for one in actions.applications if one.is_on(op)]
        if not tried:
            like = any(one.op_name == op.partition(" ")[0] for one in actions.applications)
            unclear = like or not actions.passes  # the log names ops in another way, or is none
            return BlamedRewrite(how="" if unclear else f"no pattern was tried on {op}")
        *others, last = dict.fromkeys(one.name for one in reversed(tried))
        told = f"; before it: {', '.join(f'`{name}`' for name in others)}" if others else ""
        how = f"tried last on {op}, and given up: `{last}`{told}; this tool does not say why"
        return BlamedRewrite(how=how, op=tried[-1].op, line=tried[-1].line)

    def _needed(self, applications: Sequence[Application]) -> tuple[str, ...]:
        """Patterns that are enough for it to hang, and none of which can be left out; or none.

        Half of them are left out together, then fewer: most runs should be of what ends, since that
        is told much sooner.
        """
        command, asking = self.oracle.command, self.tool.asking
        kinds = needed = [*dict.fromkeys(application.label for application in applications)]
        if with_patterns(command, [], kinds) == command or any("," in label for label in kinds):
            return ()
        for size in (*halves(len(kinds)), 1):
            for out in [needed[at : at + size] for at in range(0, len(needed), size)]:
                if min(asking.calls_left, asking.seconds_left / _LEAST) < 1:
                    return ()
                fewer = [label for label in needed if label not in out]
                if self._judged(with_flags(with_patterns(command, fewer, kinds)), self.text):
                    needed = fewer
        # Only the log, which may be cut, has the ops that tell patterns without a name apart.
        kind = {one.name: one.label for one in (*self._logged, *applications)}
        named = {label for name, label in kind.items() if name != UNNAMED}
        return tuple(
            name
            for name, label in kind.items()
            if label in needed and (name != UNNAMED or label not in named)
        )

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
            source, argv = self._argv(command, text, Path(folder), DISCARD)
            result = self._run(argv, folder, limits, reader)
            self._said = result.stderr.replace("(anonymous namespace)::", "")
            return read_actions(result.stdout, source, endless=result.end is End.STOPPED)

    def made(self, command: Command, text: str | None = None, *, valid: bool = True) -> str:
        """What a command makes of the program, or of another one; '' if it fails.

        That may also break a rule if the failure is that it does, and it is not `valid`.
        """
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            target = Path(folder) / "made.mlir"
            _, argv = self._argv(command, text or self.text, Path(folder), str(target))
            result = self._run(argv, folder, self.tool.limits)
            if result.exit_code or not target.is_file():
                if valid or not self.target.kind.traits.illegal_ir:
                    return ""
                return self.made(with_flags(command, *_UNVERIFIED), text)
            return target.read_text(encoding="utf-8", errors="surrogateescape")

    def _argv(
        self, command: Command, text: str, folder: Path, output: str
    ) -> tuple[str, list[str]]:
        """The file with the program, and the words that run a command on it."""
        source = write_candidate(folder, self.oracle.name, text)
        words = command.expand(source, output)
        return str(source), command.run_with(self.oracle.executable.absolute(), words)

    def _run(
        self, argv: Sequence[str], folder: str, limits: Limits, reader: Reader | None = None
    ) -> ProcessResult:
        self.runs += 1
        result = self.tool.asking.run(argv, Path(folder), limits=limits, reader=reader)
        self.tool.asking.check()  # nothing can be found out of what has taken the last of it
        return result


def most_runs(applications: int) -> int:
    """How many runs it may take to find one of so many."""
    return math.floor(2 * math.log2(max(applications, 1)) + 6)


def _ops(text: str) -> list[tuple[int, re.Match[str]]]:
    """The ops with results, and their lines."""
    found = ((number, _RESULT.match(line)) for number, line in enumerate(text.splitlines(), 1))
    return [(number, match) for number, match in found if match]


def _folded(text: str, before: str, after: str) -> list[tuple[int, str]]:
    """The ops of a text that may have been folded, with their lines.

    `before` is the same as the tool prints it. If it is known what is `after`, these ops are gone,
    and what they compute was used.
    """
    ops = [(line, op["name"]) for line, op in _ops(text) if not _CONSTANT.search(op["name"])]
    if not after:
        return ops
    printed = [op for _, op in _ops(before) if not _CONSTANT.search(op["name"])]
    left = Counter(op["name"] for _, op in _ops(after)), {op["rest"] for _, op in _ops(after)}
    gone = Counter(name for _, name in ops) - left[0]
    found = [
        (one, op["rest"] in left[1])
        for one, op in zip(ops, printed, strict=False)
        if one[1] in gone and len(re.findall(rf"{re.escape(op['result'])}\b", before)) > 1
    ]
    return [one for one, is_left in found if not is_left] or [one for one, _ in found]


class _Enough:
    """Ends a program that has printed enough."""

    def __init__(self) -> None:
        self._left = _ENOUGH

    def __call__(self, stream: str, chunk: bytes) -> bool:
        self._left -= len(chunk)
        return self._left < 0

    def restart(self) -> None:
        self._left = _ENOUGH
