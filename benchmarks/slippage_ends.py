"""How a compiler run ended, and whether two runs ended alike: a judge of its own.

Nothing here is shared with the product, so that an error in the product's classification cannot
hide itself. The classification is simple on purpose: the kind of end, the first error without
numbers, types and SSA names, and for a crash the two topmost frames that have names.
"""

import re
import signal
from dataclasses import dataclass
from enum import StrEnum


class Answer(StrEnum):
    """What a place says about a program, given how the trigger fails at home."""

    COMPILES = "compiles"
    ALIKE = "fails alike"
    OTHERWISE = "fails otherwise"
    CANNOT_TELL = "cannot tell"

    @property
    def fails(self) -> bool:
        return self in (Answer.ALIKE, Answer.OTHERWISE)


@dataclass(frozen=True)
class End:
    """The end of one run. `cpu_seconds` are the user and system time of the compiler."""

    kind: str
    """compiled, match, error, crash, timeout, memory; or unparsed, flag (neither says anything)."""
    detail: str = ""
    """The first error as printed, or the name of the signal."""
    frames: tuple[str, ...] = ()
    cpu_seconds: float = 0.0


@dataclass(frozen=True)
class Failure:
    """What besides an error or a crash is the failure that is looked for."""

    timeout: float | None = None
    """CPU seconds."""
    memory: int | None = None
    """MiB."""
    match: str | None = None


def read_end(status: int, stderr: str, failure: Failure, cpu_seconds: float = 0.0) -> End:
    """The end of a run that reached its end: `status` is the exit code, or minus the signal."""
    if failure.match is not None and re.search(failure.match, stderr):
        return End("match", failure.match, cpu_seconds=cpu_seconds)
    if status == 0:
        return End("compiled", cpu_seconds=cpu_seconds)
    if bad := _BAD_FLAG.search(stderr):
        return End("flag", bad[0].strip(), cpu_seconds=cpu_seconds)
    error = first_error(stderr)
    if status < 0:
        name = signal.Signals(-status).name
        detail = f"{name}: {error}" if error.startswith("LLVM ERROR") else name
        return End("crash", detail, named_frames(stderr)[:2], cpu_seconds)
    return End("error", error, cpu_seconds=cpu_seconds)


def judge(end: End, home: End, failure: Failure) -> Answer:
    """Compare an end with that of the trigger at home."""
    if end.kind == "compiled":
        return Answer.COMPILES
    if end.kind in ("unparsed", "flag") or (
        end.kind in ("timeout", "memory") and getattr(failure, end.kind) is None
    ):
        return Answer.CANNOT_TELL
    return Answer.ALIKE if alike(end, home) else Answer.OTHERWISE


def alike(end: End, home: End) -> bool:
    """Whether both have the same kind and text; frames count where both have names."""
    if end.kind != home.kind or skeleton(end.detail) != skeleton(home.detail):
        return False
    return not (end.frames and home.frames) or end.frames == home.frames


_BAD_FLAG = re.compile(
    r"^\S*: (?:Unknown command line argument|for the --?\S+ option: ).*"
    r"|does not refer to a registered pass.*",
    re.M,
)
_ERROR = re.compile(r"^(?:(?:[^\n]*?:)? ?error: |(?=LLVM ERROR: ))(?P<text>[^\n]*)", re.M)


def first_error(stderr: str) -> str:
    """The text of the first error, without its location; empty if there is none.

    >>> first_error("in.mlir:1:2: warning: w\\nin.mlir:3:9: error: failed to bufferize op\\n")
    'failed to bufferize op'
    """
    match = _ERROR.search(stderr)
    return match["text"].strip() if match else ""


_BRACKETS = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_OPERATION = re.compile(r":? (?:%\S+ = )?\"[\w.]+\"\(.*")
_TYPE = re.compile(
    r"\b(?:[su]?i\d+|t?f\d+(?:E\w+)?|bf16|index|complex|vector|tensor|memref)(?![.\w])"
)
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|-?\d+(?:\.\d+)?")


def skeleton(error: str) -> str:
    """An error text without the operation, types, numbers, SSA names and symbols in it.

    >>> skeleton("'rocdl.readlane' op operand #0 must be a type, but got 'f8E4M3FNUZ'")
    "'rocdl.readlane' op operand #N must be a type, but got 'T'"
    >>> skeleton("failed to legalize operation 'torch.x': %0 = \\"torch.x\\"() : () -> !torch.int")
    "failed to legalize operation 'torch.x'"
    """
    text = _OPERATION.sub("", error)
    while (shorter := _BRACKETS.sub("", text)) != text:
        text = shorter
    text = re.split(r"[<({\[]", text)[0]  # cut off in the middle by the end of the line
    text = re.sub(r"([%@])[\w.$#:]+", r"\1", text)
    text = _TYPE.sub("T", text)
    return " ".join(_NUMBER.sub("N", text).split())


_FRAME = re.compile(r"^ *#\d+ 0x[0-9a-f]+ (?P<name>[^\s(/][^\n]*)", re.M)
_HANDLERS = re.compile(
    r"^llvm::(?:sys::(?:PrintStackTrace|RunSignalHandlers)|report_fatal_error)|SignalHandler"
    r"|^(?:__restore_rt|backtrace|gsignal|raise|abort|pthread_kill)"
)
_NO_NAME = re.compile(r"const|&+|\S+:\d+:\d+")


def named_frames(stderr: str) -> tuple[str, ...]:
    """The functions of a stack, innermost first, without arguments and the handler of the signal.

    >>> named_frames(" #0 0x01 SignalHandler() S.cpp:0:0\\n #4 0x02 mlir::A::f(int) A.cpp:0:0\\n")
    ('mlir::A::f',)
    """
    found = (_function(match["name"]) for match in _FRAME.finditer(stderr))
    return tuple(name for name in found if name and not _HANDLERS.search(name))


def _function(frame: str) -> str:
    """The name in a demangled frame, which may start with a type and end with a file."""
    text = frame.replace("(anonymous namespace)", "{anonymous}")
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)", "", text)) != text:
        text = shorter
    words = [word for word in text.split() if not _NO_NAME.fullmatch(word)]
    return words[-1] if words else ""
