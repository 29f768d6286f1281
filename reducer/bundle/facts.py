"""What a bug report says, as plain data."""

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
    PatternOracle,
    Signature,
    run_process,
)
from oracles.diagnostics import primary_error
from oracles.profiles import RELEASES
from oracles.templates import without_printed_operation
from reducer.bundle.patterns import NO_CRASH_TRACE, CrashTrace, Pattern, crash_trace_of
from reducer.inspection.explainer import Fact
from reducer.session import ReductionRecord

_VERSION_TIMEOUT = 20.0  # seconds
_RELEASE = re.compile(r"version (\d+(?:\.\d+)+\S*)(?: @ ([0-9a-f]{7,40}))?")
_PACKAGE = re.compile(rf"/{RELEASES.compiler_package}-([\w.]+)/")


@dataclass(frozen=True)
class CompilerInfo:
    """`name` is the program's. `lines` are what it prints for `--version`, none if it does not.

    `assertions` is None where it does not tell.
    """

    name: str
    lines: tuple[str, ...] = ()
    version: str = ""
    commit: str = ""
    assertions: bool | None = None
    package: str = ""

    @classmethod
    def probe(cls, executable: Path) -> "CompilerInfo":
        """Runs `--version`; a compiler that does not answer has only a name."""
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
        """From what it printed."""
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
    """LLVM says `Optimized build with assertions.`, or `DEBUG build`, or leaves it out."""
    if re.search(r"with assertions|\+assert", answer, re.I):
        return True
    return False if re.search(r"\bbuild\b", answer) else None


REPRO = "repro.mlir"
OURSELVES = "mlir-reducer"
"""The program that asks where a compiler alone cannot tell: wrong results, a user's own oracle."""

ERROR = "error: "
"""What every diagnostic of an error has."""

FILES = "files"
"""The folder with what the command names besides its input."""

_ABNORMAL_EXIT = re.compile(r"Assertion [`']|UNREACHABLE executed|LLVM ERROR: |^terminate called")


@dataclass(frozen=True)
class ReproCheck:
    """A command on `repro.mlir` and how it ends where the failure still occurs.

    `status` is its exit code, negative for a signal; None where any will do. `pattern` must be in
    what it prints, if there is one. With `seconds`, still running after so long is the failure;
    with `memory`, using so many bytes. With `silent`, no error is printed. With `asks`, the command
    itself answers: 0 it fails, 1 not; if there is a `bucket`, it also prints that of the failure.
    `trail` is where it crashes.
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

    @property
    def lenient(self) -> "ReproCheck":
        """The same, wherever it crashes."""
        return replace(self, crash_trace=NO_CRASH_TRACE)

    @property
    def includes_program(self) -> bool:
        """Whether the program itself, a user's test, lies among the files of the report."""
        return self.words[0].startswith(f"./{FILES}/")

    @property
    def passes_anyway(self) -> bool:
        """Whether a command that ends well may be what is asked for: only the text decides."""
        return self.status is None and self.seconds is None and self.memory is None


def repro_check_of(
    oracle: Oracle, words: tuple[str, ...], outcome: Outcome, output: str
) -> ReproCheck:
    """The check for a failure.

    Args:
        words: the command on `repro.mlir`.
        outcome: of a run of `oracle` on the program.
        output: all that the compiler printed, on either stream.
    """
    if isinstance(oracle, CompilerOracle):
        return _of_compiler(words, oracle, outcome, output)
    if isinstance(oracle, PatternOracle):
        return ReproCheck(words, oracle.exit_code, _first_match(oracle.regex, output))
    ours = words[0] == OURSELVES
    return ReproCheck(words, self_checking=True, bucket=outcome.signature.bucket if ours else "")


def message(outcome: Outcome) -> str:
    """The words that name a failure, as they were printed; '' where there are none."""
    for line in outcome.stderr.splitlines():
        if match := _ABNORMAL_EXIT.search(line):
            return line[match.start() :]
    primary = primary_error(outcome.diagnostics)
    return without_printed_operation(primary.message) if primary else ""


def _of_compiler(
    words: tuple[str, ...], oracle: CompilerOracle, outcome: Outcome, output: str
) -> ReproCheck:
    check = ReproCheck(words, outcome.exit_code)
    if outcome.kind.traits.out_of_time:
        return replace(check, status=None, seconds=oracle.limits.seconds or outcome.seconds)
    if outcome.kind.traits.out_of_memory and outcome.exit_code is None:
        return replace(check, memory=oracle.limits.memory or outcome.peak_memory)
    pattern = Pattern.of(message(outcome))
    if pattern and pattern.found_in(output):
        return replace(check, pattern=pattern)
    if outcome.exit_code is not None and outcome.exit_code < 0:
        return replace(check, crash_trace=crash_trace_of(output, outcome.signature.frames))
    failed = outcome.exit_code is not None and outcome.exit_code > 0
    return replace(check, silent=failed and ERROR not in output)


def _first_match(regex: str | None, output: str) -> Pattern | None:
    """What a user's own pattern found, as a pattern that a shell understands."""
    match = re.search(regex, output, re.M) if regex is not None else None
    if match is None:
        return None
    start = output.rfind("\n", 0, match.start()) + 1
    text = match[0].strip().split("\n")[0] or output[start:].split("\n", 1)[0]
    pattern = Pattern.of(text)
    return pattern if pattern else None


SCHEMA = "mlir-reducer-report/1"


@dataclass(frozen=True)
class PassFile:
    """The reproducer at the level of the failing pass: a file with its command in the first line.

    `name` is the pass, '' where the input itself is invalid; `level` says which IR this is.
    """

    name: str
    pipeline: str | None
    level: str
    text: str
    lines: int
    ops: int

    def beside(self, name: str) -> "PassFile":
        """The same where the program that it came from, once called `name`, is `repro.mlir`."""
        level = self.level.replace(name, "repro.mlir")
        return replace(self, level=level, text=self.text.replace(self.level, level, 1))

    def to_json(self) -> dict[str, Any]:
        """All but the text."""
        return {
            "pass": self.name,
            "pipeline": self.pipeline,
            "level": self.level,
            "output": {"path": "repro.pass.mlir", "lines": self.lines, "ops": self.ops},
        }


@dataclass(frozen=True)
class Version:
    """What one release does with the program, for the table of versions."""

    version: str
    verdict: str
    note: str = ""


@dataclass(frozen=True)
class Facts:
    """Everything that the report is made of.

    `text` is the program, `head` the comment above it, `failure_line` the line of it that the
    failure points to, `source` the name of the input; `record` tells how the program came to be.
    `messages` are the lines that name the failure, `log` an excerpt of what the compiler printed
    and `stack` the functions of a crash. `boundary` and `versions` are None where nobody asked,
    `transitions` say where versions differ; `files` are what the command names, by name.
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
    pass_name: str = ""
    pass_file: PassFile | None = None
    record: ReductionRecord = field(default_factory=ReductionRecord)
    boundary: tuple[Fact, ...] | None = None
    versions: tuple[Version, ...] | None = None
    transitions: tuple[str, ...] = ()
    files: dict[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The file `repro.mlir`: what names the failure stands below."""
        text = self.text if self.text.endswith("\n") or not self.head else f"{self.text}\n"
        tail = "".join(f"// {line}\n" for line in self.messages) if self.head else ""
        return f"{self.head}{text}{tail}"

    @property
    def command(self) -> tuple[str, ...]:
        """What fails, as words for a shell beside `repro.mlir`."""
        first, *rest = self.check.words
        return (first if self.check.includes_program else first.rsplit("/", 1)[-1], *rest)

    @property
    def bytes(self) -> int:
        """Of the program without comments."""
        return len(self.text.encode(errors="surrogateescape"))

    @property
    def bucket(self) -> str:
        return self.signature.bucket
