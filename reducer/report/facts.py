"""The content of a bug report as plain data."""

import re
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from oracles import (
    CompilerOracle,
    End,
    Limits,
    Oracle,
    Outcome,
    Signature,
    run_process,
)
from oracles.base import capabilities_of, suffix_of
from oracles.evidence import PassesCheck, RunCheck
from oracles.profiles import RELEASES
from oracles.signature.abort_message import (
    STOPS,
    UNREACHABLE,
    abort_message,
    explains_unreachable,
    is_about_broken_ir,
    thrown_message,
)
from oracles.signature.classify import SILENT, last_complaint
from oracles.signature.comparison import Landmarks
from oracles.signature.diagnostics import parse_line, primary_error
from oracles.signature.kind import NamedBy
from oracles.signature.python_traceback import uncaught_exception
from oracles.signature.reasons import error_about
from oracles.signature.templates import without_printed_operation
from reducer.driver.records.record import ReductionRecord
from reducer.explain.explainer import Fact
from reducer.explain.growth import Growth
from reducer.locate.blame import Blame
from reducer.locate.blamed import BlamedRewrite
from reducer.report.patterns import NO_CRASH_TRACE, CrashTrace, Pattern, crash_trace_of

_VERSION_TIMEOUT = 20.0  # seconds
_RELEASE = re.compile(r"version (\d+(?:\.\d+)+\S*)(?: @ ([0-9a-f]{7,40}))?")
_PACKAGE = re.compile(rf"/{RELEASES.compiler_package}-([\w.]+)/")


@dataclass(frozen=True)
class CompilerInfo:
    """The compiler under test.

    Attributes:
        name: the file name of the program.
        lines: the output of `--version`; empty if there is none.
        version, commit: the release, as printed; '' if unknown.
        assertions: whether assertions are enabled; None if unknown.
        package: the version of the `iree-base-compiler` wheel, if it is part of one.
    """

    name: str
    lines: tuple[str, ...] = ()
    version: str = ""
    commit: str = ""
    assertions: bool | None = None
    package: str = ""

    @classmethod
    def probe(cls, executable: Path) -> "CompilerInfo":
        """Run `--version`; if that fails, only the name is known."""
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            try:
                words = [str(executable.absolute()), "--version"]
                result = run_process(words, cwd=Path(folder), limits=Limits(_VERSION_TIMEOUT))
            except OSError:
                return cls(executable.name)
        told = result.end is End.EXITED and result.exit_code == 0
        return cls.read(executable, result.stdout if told else "")

    @classmethod
    def read(cls, executable: Path, answer: str) -> "CompilerInfo":
        """Extract the information from `answer`, the output of `--version`."""
        lines = tuple(line.strip() for line in answer.splitlines() if line.strip())[:8]
        release = _RELEASE.search(answer)
        package = _PACKAGE.search(str(executable.resolve()))
        return cls(
            executable.name,
            lines,
            release[1] if release else "",
            (release[2] or "") if release else "",
            _assertions(answer),
            package[1] if package else "",
        )


def _assertions(answer: str) -> bool | None:
    """LLVM prints `Optimized build with assertions.`, `DEBUG build`, or nothing about it."""
    if re.search(r"with assertions|\+assert", answer, re.I):
        return True
    return False if re.search(r"\bbuild\b", answer) else None


STEM = "repro"
REPRO = f"{STEM}.mlir"


def repro_name(oracle: Oracle) -> str:
    """How a report calls the program for an oracle: some compilers go by the suffix."""
    return f"{STEM}{suffix_of(oracle)}"


OURSELVES = "mlir-reducer"
"""The command if no compiler can show the failure by itself: that of a plugin oracle."""

ERROR = "error: "
"""Part of every error diagnostic."""

FILES = "files"
"""The folder for the files that the command refers to, other than its input."""

OUTPUT = "output.txt"
"""The files with the stack of a crash and with the compiler's output, as they were printed."""
BEFORE_REWRITE, AFTER_REWRITE = "rewrite.before.mlir", "rewrite.after.mlir"
"""The files with the IR before and after the rewrite at fault."""


@dataclass(frozen=True)
class ReproCheck:
    """A command on `repro.mlir`, and how to recognize that the failure still occurs.

    Attributes:
        words: the command, without its launcher.
        status: its exit code, negative for a signal; None if any will do.
        pattern: must match the output, unless None.
        seconds: if not None, the failure is a run that exceeds this time.
        memory: if not None, the failure is a run that uses this many bytes.
        self_checking: the exit code of the command is the answer: 0 it fails, 1 it does not.
        bucket: the bucket that a self-checking command prints; '' if it prints none.
        silent: no error is printed.
        crash_trace: where it crashes.
        run: the call that shows that the compiled program is at fault; None if the compiler fails.
        launcher: the words that start the program under other conditions, such as `setarch -R`.
        file: the name of the program, which has the suffix of the input.
    """

    words: tuple[str, ...]
    status: int | None = None
    pattern: Pattern | None = None
    seconds: float | None = None
    memory: int | None = None
    self_checking: bool = False
    bucket: str = ""
    silent: bool = False
    crash_trace: CrashTrace = NO_CRASH_TRACE
    run: RunCheck | None = None
    passes: PassesCheck | None = None
    launcher: tuple[str, ...] = ()
    file: str = REPRO

    @property
    def lenient(self) -> "ReproCheck":
        """The same check, without regard to where it crashes."""
        return replace(self, crash_trace=NO_CRASH_TRACE)

    @property
    def includes_program(self) -> bool:
        """Whether the program itself, a user's test script, is among the files of the report."""
        return self.words[0].startswith(f"./{FILES}/")

    @property
    def passes_anyway(self) -> bool:
        """Whether a successful command may be the failure, since only its output counts."""
        return self.status is None and self.seconds is None and self.memory is None


def repro_check_of(
    oracle: Oracle, words: tuple[str, ...], outcome: Outcome, output: str
) -> ReproCheck:
    """The check for a failure.

    Args:
        words: the command on `repro.mlir`.
        outcome: the outcome of the program under `oracle`.
        output: everything that the compiler printed, on both streams.
    """
    can = capabilities_of(oracle)
    if can.failures:
        return _of_compiler(words, can.failures, outcome, output)
    if can.output:
        return ReproCheck(words, can.output.exit_code, _first_match(can.output.regex, output))
    ours = words[0] == OURSELVES
    return ReproCheck(words, self_checking=True, bucket=outcome.signature.bucket if ours else "")


def message(outcome: Outcome) -> str:
    """The message of a failure as printed; '' if there is none."""
    words = abort_message(outcome.stderr)
    if words and (why := error_about(outcome.signature, words, outcome.diagnostics)):
        return without_printed_operation(why.message)
    if words:
        if is_about_broken_ir(words[-1]):
            return words[0]
        if len(words) > 1 and explains_unreachable(words[0]) and words[-1].startswith(UNREACHABLE):
            return words[0]  # the file is that of many such ends
        stops = STOPS.search(words[-1])
        return words[-1][stops.start() :] if stops else thrown_message(words[-1]) or words[-1]
    primary = primary_error(outcome.diagnostics)
    if primary is None and (exception := uncaught_exception(outcome.stderr)):
        return exception.line
    if primary is None and outcome.kind.traits.named_by is NamedBy.OUTPUT:
        silent = outcome.signature.template.startswith(SILENT)
        line = last_complaint("" if silent else outcome.stderr).strip()
        return "" if parse_line(line) else line  # a warning or remark is no reason
    return without_printed_operation(primary.message) if primary else ""


def _of_compiler(
    words: tuple[str, ...], oracle: CompilerOracle, outcome: Outcome, output: str
) -> ReproCheck:
    check = ReproCheck(words, outcome.exit_code)
    if outcome.kind.traits.out_of_time:
        return replace(check, status=None, seconds=oracle.limits.seconds or outcome.seconds)
    if outcome.kind.traits.out_of_memory and outcome.exit_code is None:
        return replace(check, memory=oracle.limits.memory or outcome.peak_memory)
    crashed = outcome.exit_code is not None and outcome.exit_code < 0
    if crashed:
        names = {oracle.executable.name, oracle.executable.resolve().name}
        trace = crash_trace_of(output, outcome.signature.frames, names)
        check = replace(check, crash_trace=trace)
    texts = [message(outcome)]
    if not crashed and outcome.kind.traits.known_by_stack:  # what a sanitizer reports
        check = replace(check, crash_trace=CrashTrace(Landmarks.of(outcome.signature.frames)))
        texts.insert(0, outcome.signature.template)
    for pattern in map(Pattern.of, texts):
        if pattern and pattern.found_in(output):
            return replace(check, pattern=pattern)
    if crashed:
        return check
    failed = outcome.exit_code is not None and outcome.exit_code > 0
    return replace(check, silent=failed and ERROR not in output)


def _first_match(regex: str | None, output: str) -> Pattern | None:
    """The text that a user's regular expression matched, as a pattern for `grep`."""
    match = re.search(regex, output, re.M) if regex is not None else None
    if match is None:
        return None
    start = output.rfind("\n", 0, match.start()) + 1
    text = match[0].strip().split("\n")[0] or output[start:].split("\n", 1)[0]
    pattern = Pattern.of(text)
    return pattern if pattern else None


SCHEMA = "mlir-reducer-report/1"


@dataclass(frozen=True)
class LevelFile:
    """A program in other dialects than `repro.mlir`, with its command above it.

    `made` says how `repro.mlir` was made of it. `text` is '' if it is the input itself.
    """

    level: str
    made: str
    text: str
    lines: int
    ops: int

    @property
    def name(self) -> str:
        """The name of its file in a report."""
        return f"repro.{self.level}.mlir"

    def to_json(self) -> dict[str, Any]:
        """The metadata, without the text."""
        output = {"path": self.name, "lines": self.lines, "ops": self.ops}
        return {"level": self.level, "made": self.made, "output": output if self.text else None}


@dataclass(frozen=True)
class PassFile:
    """A reproducer for the failing pass alone: a file with its command in the first line.

    `name` is the pass, '' if the input itself is invalid; `level` describes which IR this is.
    """

    name: str
    pipeline: str | None
    level: str
    text: str
    lines: int
    ops: int

    def beside(self, name: str) -> "PassFile":
        """The same for a report, in which the original program `name` is called `repro.mlir`."""
        level = self.level.replace(name, REPRO)
        return replace(self, level=level, text=self.text.replace(self.level, level, 1))

    def to_json(self) -> dict[str, Any]:
        """The metadata, without the text."""
        return {
            "pass": self.name,
            "pipeline": self.pipeline,
            "level": self.level,
            "output": {"path": "repro.pass.mlir", "lines": self.lines, "ops": self.ops},
        }


@dataclass(frozen=True)
class Version:
    """The verdict on the program with one release, and the numbers of a metric."""

    version: str
    verdict: str
    note: str = ""
    numbers: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Healthy:
    """What a release that does not fail prints for the program."""

    release: str
    output: str


@dataclass(frozen=True)
class Facts:
    """The content of a report.

    Attributes:
        head: the comment above the program.
        text: the program.
        messages: the lines that name the failure.
        log: an excerpt of the compiler's output.
        output: all of it; '' if the excerpt leaves out nothing but the stack.
        stack: the functions on the stack of a crash.
        backtrace: that stack as it was printed; '' if there is none.
        lines, ops: the size of the program.
        failure_line: the line of `text` that the failure points to.
        source: the name of the input.
        pass_name: the failing pass, '' if unknown.
        blames: what is claimed of the pass, the phase and the dispatch, as far as they are known.
        pattern, pattern_op: the pattern that was being applied, and to which op; '' if unknown.
        record: how the program was reduced.
        rewrite: the rewrite at fault, if it is known.
        boundary: what it takes to fail; None if not explored.
        versions: the verdicts on other releases; None if not explored.
        growth: how a number that is the failure grows with a size; None if it does not.
        healthy: what a release that does not fail prints; None if it is not known or not text.
        files: the files that the command refers to, by their names in the report.
        programs: those that the command names as arguments, without their folders in the report.
        runtime: the program that runs what the compiler under test makes.
        remarks: what the oracle says of its verdict, such as who confirms a wrong result.
    """

    head: str
    text: str
    signature: Signature
    check: ReproCheck
    compiler: CompilerInfo
    messages: tuple[str, ...]
    log: str
    stack: tuple[str, ...]
    exit_code: int | None
    seconds: float
    lines: int
    ops: int
    failure_line: int | None = None
    source: str = ""
    output: str = ""
    backtrace: str = ""
    pass_name: str = ""
    blames: tuple[Blame, ...] = ()
    pattern: str = ""
    pattern_op: str = ""
    pass_file: PassFile | None = None
    rewrite: BlamedRewrite | None = None
    level_files: tuple[LevelFile, ...] = ()
    record: ReductionRecord = field(default_factory=ReductionRecord)
    boundary: tuple[Fact, ...] | None = None
    versions: tuple[Version, ...] | None = None
    growth: Growth | None = None
    healthy: Healthy | None = None
    files: dict[str, Path] = field(default_factory=dict)
    programs: tuple[Path, ...] = ()
    runtime: Path | None = None
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The content of `repro.mlir`, with the failure's messages in comments at the end."""
        text = self.text if self.text.endswith("\n") or not self.head else f"{self.text}\n"
        tail = "".join(f"// {line}\n" for line in self.messages) if self.head else ""
        return f"{self.head}{text}{tail}"

    @property
    def command(self) -> tuple[str, ...]:
        """The failing command, for a shell in the folder of `repro.mlir`."""
        first, *rest = self.check.words
        name = first if self.check.includes_program else first.rsplit("/", 1)[-1]
        return (*self.check.launcher, name, *rest)

    @property
    def steps(self) -> tuple[tuple[str, ...], ...]:
        """The command, and the call of the compiled program if that is at fault."""
        return (self.command, self.check.run.words) if self.check.run else (self.command,)

    @property
    def bytes(self) -> int:
        """The size of the program without comments."""
        return len(self.text.encode(errors="surrogateescape"))

    @property
    def bucket(self) -> str:
        return self.signature.bucket
