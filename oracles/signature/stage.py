"""Decide whether the input itself breaks a rule, or a pass failed.

The compiler prints the same kind of message for both, so the corresponding `-opt` tool, which runs
no pass, is run as well.
"""

from collections.abc import Callable, Sequence

from oracles.compilers.flag_spelling import refused_flags
from oracles.rows import pattern_of
from oracles.run.run_process import End, ProcessResult
from oracles.signature.classify import Classification, classify
from oracles.signature.diagnostics import Diagnostic
from oracles.signature.kind import Kind
from oracles.signature.outcome import PIPELINE as PIPELINE
from oracles.signature.python_exceptions import is_in_verifier, rejects_syntax

INPUT = "input"

Verify = Callable[[Sequence[str]], ProcessResult | None]
"""Runs the `-opt` tool with these flags on the candidate; None if there is no such tool."""

PARSE_ONLY = ("--mlir-very-unsafe-disable-verifier-on-parsing", "--verify-each=false")
"""Flags that make an `-opt` tool check only the syntax."""

_PARSER_WORDS = pattern_of(
    ("expected ", "mlir/expected"),
    ("custom op ", "mlir/custom-op"),
    ("use of undeclared", "circt/parse"),
    ("use of value", "mlir/other-type"),
    ("undefined ", "mlir/no-alias"),
    ("redefinition of ", "mlir/two-blocks"),
    ("reference to ", "mlir/no-block"),
    ("invalid ", "mlir/property"),
    ("unexpected ", "mlir/character"),
    ("duplicate ", "mlir/two-keys"),
)

_NO_SUCH_DIALECT = pattern_of(
    (r"Dialect [`'][^`']*' not found for ", "mlir/no-dialect"),
    (r"operation being parsed with an unregistered dialect", "mlir/no-dialect-in-quotes"),
    (r"[`#!][^\n]* created with unregistered dialect\b", "mlir/opaque-type"),
)
"""What only the parser says, of a dialect that the `-opt` tool, which is another, may know."""


def input_stage(
    classification: Classification,
    verify: Verify,
    is_input: Callable[[str], bool] = lambda file: True,
) -> tuple[str, Kind]:
    """The stage of a diagnosed failure, and its kind: text that does not parse is not a bug.

    Args:
        is_input: whether a file that an error names is the candidate. A pass may load others, such
            as a transform library, and what they lack says nothing about the candidate.
    """
    primary = classification.primary
    assert primary is not None
    placed = primary.line > 0 and is_input(primary.file)
    if placed and _NO_SUCH_DIALECT.match(primary.message):
        return INPUT, Kind.INVALID_INPUT
    by_words = False
    # The verifier prints the operation, the parser has none: one run is enough for either.
    if not primary.operation:
        parsed = verify(PARSE_ONLY)
        if parsed is None:
            doubtful = placed and _sounds_like_the_parser(primary)
            return (INPUT, Kind.INVALID_INPUT) if doubtful else ("", classification.kind)
        if _same(parsed, classification):
            return INPUT, Kind.INVALID_INPUT
        # A tool older than LLVM 20 cannot leave out the verifier.
        cannot = not refused_flags(parsed.stderr).isdisjoint(PARSE_ONLY)
        by_words = cannot and placed and _sounds_like_the_parser(primary)
    verified = verify(())
    if verified is None:
        return "", classification.kind
    if not _same(verified, classification):
        return PIPELINE, classification.kind
    if by_words:
        return INPUT, Kind.INVALID_INPUT
    return INPUT, Kind.VERIFIER  # it parses, so the verifier rejects it


def _sounds_like_the_parser(error: Diagnostic) -> bool:
    """Whether the words are the parser's; a location in `<inline asm>` is not in the input."""
    inline = error.file.startswith("<inline")
    return not inline and bool(_PARSER_WORDS.match(error.message))


def exception_stage(classification: Classification, verify: Verify) -> tuple[str, Kind]:
    """The stage of an exception, and its kind: the check of IR is the same before and after a pass.

    Of any other exception, the functions that it is in say where it is.
    """
    exception = classification.exception
    assert exception is not None
    if rejects_syntax(exception):
        return INPUT, Kind.INVALID_INPUT
    if not is_in_verifier(exception) or (verified := verify(())) is None:
        return "", classification.kind
    return (INPUT if _same(verified, classification) else PIPELINE), classification.kind


def _same(result: ProcessResult, classification: Classification) -> bool:
    if result.end is not End.EXITED or result.exit_code == 0:
        return False
    return classify(result).template == classification.template
