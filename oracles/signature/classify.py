"""Classify a compiler run by its exit code and output: the kind of failure, and the pass."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from oracles.profiles import any_of
from oracles.rows import pattern_of, row_of
from oracles.run.run_process import End, ProcessResult
from oracles.signature.abnormal import FATAL_SIGNALS, AbnormalExit, abnormal_exit
from oracles.signature.abort_message import without_log_prefix, words_of_runtime
from oracles.signature.diagnostics import (
    Diagnostic,
    is_follow_up,
    is_linker_error,
    operation_of,
    parse_diagnostics,
    primary_error,
    says_nothing,
)
from oracles.signature.kind import Kind
from oracles.signature.python_exceptions import (
    crash_of_exception,
    kind_of_exception,
    operation_of_exception,
    python_stack,
    template_of_exception,
)
from oracles.signature.python_traceback import PythonException, fatal_frames, uncaught_exception
from oracles.signature.reasons import operation_before_crash, with_reason
from oracles.signature.runtime_status import reported_status
from oracles.signature.templates import template_of
from oracles.signature.unconverted_ops import is_unconverted, user_of_unconverted
from oracles.stacks.crash_stack import (
    LOST,
    NO_CRASH,
    CrashStack,
    announces_stack,
    at_its_function,
    crash_stack,
    is_cut,
    places_of_passes,
    recursion_on_stack,
    shortest_recursion,
)
from oracles.stacks.dispatching import starts_thread
from oracles.stacks.frames import Resolver, name_frames, parse_stack, place_frames

_FAILED_PASS = row_of(
    r"^// -----// IR Dump After (?P<name>\S+) Failed", "pad-20581b/pass-expert-3.3.0", flags=re.M
)
_REPRODUCER = row_of(
    r"Pipeline failed while executing (?P<running>[^\n]*): reproducer ", "test-other-pass/ours"
)
_RUNNING = row_of(r"`(?P<name>[^`]+)` on ", "test-other-pass/ours")
_LLVM_PASS = row_of(
    r"^\d+\.\s+Running pass '(?P<name>[^']+)' on ", "windows/exception-code", flags=re.M
)
_PASS_BODY = row_of(r"^(?:.*::)?(?P<name>\w+)::runOnOperation$", "sanitizers/valgrind")
_PATTERN_BODY = "::matchAndRewrite"
_LLVM_PASS_BODY = re.compile(r"^llvm::(?P<name>\w+Pass)::run$")
_NESTS = row_of(
    f"Adaptor|{any_of(lambda profile: profile.nesting_passes)}", "link-executables/elsewhere"
)


def failing_pass(stderr: str) -> str:
    """The innermost pass that failed, as printed by `--mlir-print-ir-after-failure`, or ''."""
    match = _FAILED_PASS.search(stderr)
    return match["name"] if match else ""


def named_pass(stderr: str) -> str:
    """The pass that the output itself names as the failing one, or ''.

    The note about a crash reproducer lists all passes that were running; if it lists several, their
    order is not deterministic.
    """
    if name := failing_pass(stderr):
        return name
    match = _REPRODUCER.search(stderr) if "Pipeline failed while" in stderr else None
    if match is not None and (running := _RUNNING.findall(match["running"])):
        return min(str(name).rsplit("::", 1)[-1] for name in running)
    inner: list[str] = _LLVM_PASS.findall(stderr) if "Running pass '" in stderr else []
    return inner[-1] if inner else ""


def pass_on_stack(names: Iterable[str]) -> str:
    """The innermost pass whose body is on a stack, or ''. Passes that only run others do not count.

    >>> pass_on_stack(["a::f", "a::FooPass::runOnOperation", "b::BarPass::runOnOperation"])
    'FooPass'
    """
    for name in names:
        match = _PASS_BODY.match(name)
        if match and not _NESTS.search(match["name"]):
            return match["name"]
    return ""


def pattern_on_stack(names: Iterable[str]) -> str:
    """The innermost pattern whose body is on a stack, inside of any pass; '' if there is none.

    >>> pattern_on_stack(["a::f", "a::Fold::matchAndRewrite", "a::FooPass::runOnOperation"])
    'a::Fold'
    """
    for name in names:
        if name.endswith(_PATTERN_BODY):
            return name.removesuffix(_PATTERN_BODY)
        if _PASS_BODY.match(name):
            break
    return ""


def passes_on_stack(
    names: Iterable[str], places: Mapping[int, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """All passes whose bodies are on a stack, innermost first, including those of LLVM.

    `places` says where the bodies without a name are.

    >>> passes_on_stack(["a::f", "a::Canonicalizer::runOnOperation", "b::Inliner::runOnOperation"])
    ('Canonicalizer', 'Inliner')
    """
    passes: list[str] = []
    for index, name in enumerate(names):
        match = _PASS_BODY.match(name) or _LLVM_PASS_BODY.match(name)
        running = match["name"] if match else places.get(index, "")
        if running and not _NESTS.search(running) and running not in passes:
            passes.append(running)
    return tuple(passes)


SILENT = "silent failure"
"""The start of the template of a failure without any message."""

STARVED = "killed by the kernel, out of memory"
"""The template of a run killed by the kernel rather than by our limits: a different failure."""

_USAGE = pattern_of(
    ("Unknown command line argument", "mlir/usage"),
    ("for the .* option:", "mlir/option-value"),
    ("Too many positional", "mlir/positional"),
    within=r"^(?:[^:\n]+: )?(?P<message>(?:{rows})[^\n]*)",
    flags=re.M,
)
_POINTS_TO_HELP = row_of(
    r"\s*(?:[\w.-]+: )?(?:for (?:more|further) [\w ]+[,:]? *)?(?:try|run|see|use|type)\b.*(?:"
    r"--?h(?:elp)?\b|\bfor (?:more|further) (?:information|details|help|options)\b|\bman \w)",
    "linkers/gnu-option",
    flags=re.I,
)
"""What follows a message about a mistake in the command, and is the same for all of them."""
_IR_DUMP = row_of(r"^// -----// IR Dump .*", "mlir/silent", flags=re.M | re.S)
_OP_ERROR = row_of(r"^'[\w.$-]+' op ", "circt/verify")
_BROKEN_STRUCTURE = pattern_of(
    (r"operand #\d+ does not dominate this use$", "mlir/dominance"),
    (r"empty block: expect at least a terminator$", "mlir/empty-block"),
    (r"block with no terminator, has ", "mlir/no-terminator"),
    (r"entry block of region may not have predecessors$", "mlir/entry-block"),
    (r"operation with block successors must terminate its parent block$", "mlir/successors"),
    within="^(?:{rows})",
)
"""What only the verifier says, of the structure of IR and not of an op."""


@dataclass(frozen=True)
class Classification:
    """The parts of an outcome that come from the output of one process.

    `message` is the source of `template`. `crash` is what distinguishes a crash; `pass_name` is the
    failing pass if the output names it. `passes` are those that were running when a run reached its
    limit, innermost first. `settled` is whether a pass was certainly running, `nameless` whether
    there are only follow-up errors or none, so that only the failing pass can identify the bug.
    `is_unplaced` is whether the program was asked for its stack, and no pass is on what there is of
    it: it was killed too early, or not all could be printed. `unconverted` is whether `op` is only
    left because of an op that it supplies, and `user` is that op if the output shows it.
    `exception` is what ended a program in Python. A crash is `lent` what an error before it says if
    another thread may have reported that.
    """

    kind: Kind
    template: str = ""
    op: str = ""
    message: str = ""
    crash: CrashStack = NO_CRASH
    pass_name: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    primary: Diagnostic | None = None
    exit_code: int | None = None
    settled: bool = True
    nameless: bool = False
    unconverted: bool = False
    user: str = ""
    passes: tuple[str, ...] = ()
    is_unplaced: bool = False
    exception: PythonException | None = None
    lent: bool = False

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames of a crash that identify the bug."""
        return self.crash.top


def classify(
    result: ProcessResult, resolver: Resolver = lambda module: None, *, lends: bool = True
) -> Classification:
    """Classify one compiler run. `resolver` gives the symbols of a library by its file name.

    Args:
        lends: whether an error may say why the program stops after it.
    """
    if result.end is not End.EXITED:
        kinds = {End.TIMEOUT: Kind.TIMEOUT, End.MEMORY: Kind.MEMORY, End.CANCELLED: Kind.CANCELLED}
        passes = passes_at_limit(result.stderr, resolver)
        return Classification(
            kinds[result.end],
            pass_name=passes[0] if passes else "",
            passes=passes,
            is_unplaced=not passes and (result.unanswered or is_cut(parse_stack(result.stderr))),
            diagnostics=parse_diagnostics(result.stderr),
        )
    code = signal_code(result.exit_code)
    if result.starved:
        return Classification(Kind.MEMORY, STARVED, message=STARVED, exit_code=code)
    if code == 0:
        diagnostics = parse_diagnostics(result.stderr)
        return Classification(Kind.SUCCESS, exit_code=0, diagnostics=diagnostics)
    return _failure(result.stderr, code, resolver, lends=lends)


def passes_at_limit(stderr: str, resolver: Resolver) -> tuple[str, ...]:
    """The passes that were running when the program was asked for its stack, innermost first.

    Those of LLVM's older pass manager are not on the stack under their own names, but LLVM says
    which one was running.
    """
    frames = place_frames(parse_stack(stderr), resolver)
    names = name_frames(frames, resolver)
    passes = passes_on_stack(names, places_of_passes(frames, names, resolver))
    running: list[str] = _LLVM_PASS.findall(stderr) if "Running pass '" in stderr else []
    found = tuple(dict.fromkeys([*running[-1:], *passes]))
    return found or python_stack(fatal_frames(stderr)).frames


def signal_code(code: int) -> int:
    """The exit code with signals as negative numbers, whoever reported them.

    A Python entry point such as IREE's exits with 256 - n for signal n, a shell with 128 + n.

    >>> signal_code(-11), signal_code(245), signal_code(139), signal_code(1)
    (-11, -11, -11, 1)
    """
    for offset in (256 - code, code - 128):
        if offset in FATAL_SIGNALS:
            return -offset
    return code


def _failure(stderr: str, code: int, resolver: Resolver, *, lends: bool) -> Classification:
    diagnostics = parse_diagnostics(stderr)
    words = abnormal_exit(stderr, code)
    if words is not None:
        own = words if lends else replace(words, on_purpose=False)
        return _crash(own, stderr, code, resolver, diagnostics)
    primary = primary_error(diagnostics)
    exception = uncaught_exception(stderr) if primary is None else None
    if exception is not None:
        return _exception(exception, diagnostics, code)
    if primary is None:
        complaint = _complaint(stderr)
        return Classification(
            Kind.OTHER_ERROR,
            complaint or f"{SILENT} (exit {code})",
            pass_name=named_pass(stderr),
            diagnostics=diagnostics,
            exit_code=code,
            nameless=not complaint,
        )
    kind = kind_of_message(primary.message)
    template = template_of(primary.message)
    follow_ups = any(is_follow_up(item) for item in diagnostics if item.severity == "error")
    unconverted = is_unconverted(primary.message, primary.operation)
    return Classification(
        kind,
        template,
        operation_of(primary),
        primary.message,
        pass_name=named_pass(stderr),
        diagnostics=diagnostics,
        primary=primary,
        exit_code=code,
        settled=follow_ups or is_linker_error(primary) or kind.traits.in_pass,
        nameless=is_follow_up(primary),
        unconverted=unconverted,
        user=user_of_unconverted(stderr, primary.operation) if unconverted else "",
    )


def _crash(
    words: AbnormalExit,
    stderr: str,
    code: int,
    resolver: Resolver,
    diagnostics: tuple[Diagnostic, ...],
) -> Classification:
    alone, words = words, with_reason(words, stderr, diagnostics)
    # The same cast or assertion text occurs in hundreds of places; the stack shows which one.
    stack_text = "" if words.kind.traits.costly else stderr[words.stack_at :]
    frames = place_frames(parse_stack(stack_text), resolver)
    names = name_frames(frames, resolver)
    # A sanitizer, which has a message, prints whole stacks, without the handler of a signal.
    sanitized = words.kind.traits.known_by_stack and bool(words.message)
    if words.kind.traits.known_by_stack:
        frames = at_its_function(frames, names, resolver, handled=not sanitized)
    stack = crash_stack(
        frames,
        names,
        says_why=bool(words.message),
        says_where=words.kind.traits.condition,
        handled=not sanitized,
    )
    if words.kind.traits.known_by_stack:
        least = shortest_recursion(words.template)
        if least and (recursion := recursion_on_stack(frames, names, least)):
            stack = CrashStack(recursion)
        if not frames and announces_stack(stderr):
            stack = LOST
        elif not frames and not words.message and (said := words_of_runtime(stderr)):
            words = replace(words, template=f"{words.template}: {said}")
    if words.kind.traits.known_by_stack and not stack.lost and not sanitized:
        stack = replace(stack, cut=not frames or is_cut(frames))
    if not stack.frames and words.kind.traits.aborts:
        stack = replace(stack, frames=python_stack(fatal_frames(stderr)).top)
    return Classification(
        words.kind,
        words.template,
        words.op or operation_before_crash(words, stderr, diagnostics, names),
        words.message,
        stack,
        named_pass(stderr) or ("" if stack.after_pass else pass_on_stack(names)),
        diagnostics,
        exit_code=code,
        lent=words.on_purpose and words != alone and any(map(starts_thread, names)),
    )


def _exception(
    exception: PythonException, diagnostics: tuple[Diagnostic, ...], code: int
) -> Classification:
    return Classification(
        kind_of_exception(exception),
        template_of_exception(exception),
        operation_of_exception(exception),
        exception.words,
        crash_of_exception(exception),
        diagnostics=diagnostics,
        exit_code=code,
        exception=exception,
    )


def kind_of_message(message: str) -> Kind:
    """The kind of failure of which an error with this message tells."""
    if re.search(r"\bfailed to legalize\b", message):
        return Kind.LEGALIZATION
    if re.search(r"\bbufferiz", message):
        return Kind.BUFFERIZATION
    if _OP_ERROR.match(message) or _BROKEN_STRUCTURE.match(message):
        return Kind.VERIFIER
    return Kind.OTHER_ERROR


def _complaint(stderr: str) -> str:
    """The template of a message that is no diagnostic: about flags, a status, or the last line."""
    if status := reported_status(stderr):
        return status.template
    if match := _USAGE.search(stderr):
        return template_of(match["message"].split("  Try: ")[0])
    return template_of(without_log_prefix(last_complaint(_IR_DUMP.sub("", stderr))))


def last_complaint(printed: str) -> str:
    """The last line that says something, or else the last one; '' if nothing is printed.

    >>> last_complaint("no such op\\nlinker command failed\\ntry opt --help\\n")
    'no such op'
    """
    lines = [line for line in printed.splitlines() if line.strip()]
    lines = [line for line in lines if not _POINTS_TO_HELP.match(line)] or lines
    lines = [line for line in lines if not says_nothing(line)] or lines
    return lines[-1] if lines else ""
