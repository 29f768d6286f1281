"""How anybody can see, with a shell alone, whether the failure still occurs."""

import re
from dataclasses import dataclass, replace

from oracles import CompilerOracle, Kind, Oracle, Outcome, PatternOracle
from oracles.normalise import without_printed_operation
from oracles.primary import primary_error
from reducer.bundle.pattern import Pattern
from reducer.bundle.trail import NO_TRAIL, Trail, trail_of

REPRO = "repro.mlir"
OURSELVES = "mlir-reducer"
"""The program that asks where a compiler alone cannot tell: wrong results, a user's own oracle."""

ERROR = "error: "
"""What every diagnostic of an error has."""

FILES = "files"
"""The folder with what the command names besides its input."""

_LAST_WORDS = re.compile(r"Assertion [`']|UNREACHABLE executed|LLVM ERROR: |^terminate called")


@dataclass(frozen=True)
class Check:
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
    asks: bool = False
    bucket: str = ""
    silent: bool = False
    trail: Trail = NO_TRAIL

    @property
    def lenient(self) -> "Check":
        """The same, wherever it crashes."""
        return replace(self, trail=NO_TRAIL)

    @property
    def carries_program(self) -> bool:
        """Whether the program itself, a user's test, lies among the files of the report."""
        return self.words[0].startswith(f"./{FILES}/")

    @property
    def passes_anyway(self) -> bool:
        """Whether a command that ends well may be what is asked for: only the text decides."""
        return self.status is None and self.seconds is None and self.memory is None


def check_of(oracle: Oracle, words: tuple[str, ...], outcome: Outcome, output: str) -> Check:
    """The check for a failure.

    Args:
        words: the command on `repro.mlir`.
        outcome: of a run of `oracle` on the program.
        output: all that the compiler printed, on either stream.
    """
    if isinstance(oracle, CompilerOracle):
        return _of_compiler(words, oracle, outcome, output)
    if isinstance(oracle, PatternOracle):
        return Check(words, oracle.exit_code, _first_match(oracle.regex, output))
    ours = words[0] == OURSELVES
    return Check(words, asks=True, bucket=outcome.signature.bucket if ours else "")


def message(outcome: Outcome) -> str:
    """The words that name a failure, as they were printed; '' where there are none."""
    for line in outcome.stderr.splitlines():
        if match := _LAST_WORDS.search(line):
            return line[match.start() :]
    primary = primary_error(outcome.diagnostics)
    return without_printed_operation(primary.message) if primary else ""


def _of_compiler(
    words: tuple[str, ...], oracle: CompilerOracle, outcome: Outcome, output: str
) -> Check:
    check = Check(words, outcome.exit_code)
    if outcome.kind is Kind.TIMEOUT:
        return replace(check, status=None, seconds=oracle.limits.seconds or outcome.seconds)
    if outcome.kind is Kind.MEMORY and outcome.exit_code is None:
        return replace(check, memory=oracle.limits.memory or outcome.peak_memory)
    pattern = Pattern.of(message(outcome))
    if pattern and pattern.found_in(output):
        return replace(check, pattern=pattern)
    if outcome.exit_code is not None and outcome.exit_code < 0:
        return replace(check, trail=trail_of(output, outcome.signature.frames))
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
