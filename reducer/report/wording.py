"""How a report describes a failure: expected behavior, log excerpt, stack, target, component."""

import re
import signal
from collections.abc import Iterable, Iterator, Sequence

from oracles.profiles import any_of, profile_of
from oracles.signature.abnormal import SIGNALS
from oracles.stacks.dispatching import distinctive
from oracles.stacks.frames import Resolver, is_frame, name_frames, parse_stack
from oracles.stacks.function_names import demangle
from reducer.ir.dialects import is_ordinary
from reducer.report.facts import Facts
from reducer.units import cut, plural

_OP = re.compile(r'(?:^|= |\s)"?([a-z_]\w*(?:\.[A-Za-z_][\w$]*)+)"?(?:[\s(]|$)(?! *=)')
_CONTAINER = re.compile(r"linalg\.generic|scf\.(?:for|forall|if|while|parallel)|affine\.(?:for|if)")
_MAX_TITLE_OPS = 2  # ops that a title names


def suspect_ops(facts: Facts) -> list[str]:
    """The op that the failure points to, or all ops if the program has only one or two.

    Ops that are there for those in their bodies do not count.
    """
    lines = facts.text.splitlines()
    if facts.failure_line is not None and 0 < facts.failure_line <= len(lines):
        found = _OP.search(lines[facts.failure_line - 1])
        if found and not is_ordinary(found[1]):
            return [found[1]]
    names = (match[1] for line in lines for match in _OP.finditer(line.partition(" loc(")[0]))
    each = list(dict.fromkeys(name for name in names if not is_ordinary(name)))
    named = facts.signature.op.partition(" ")[0]
    if named in each:
        return [named]
    each = [name for name in each if not _CONTAINER.fullmatch(name)] or each
    return each if len(each) <= _MAX_TITLE_OPS else []


def happened(facts: Facts, what: str) -> str:
    """A phrase for what the program under test does with `what`."""
    template = facts.signature.kind.traits.happened
    return template.format(signal=with_signal(facts), input=what)


def expected(facts: Facts) -> str:
    """A phrase for the expected behavior."""
    if facts.check.passes is not None:
        return "The same results as without these passes."
    return facts.signature.kind.traits.expected


def signal_name(code: int) -> str:
    """The name of a signal as in signatures, such as SIGSEGV for -11; its number if it has none."""
    return SIGNALS.get(-code, f"signal {-code}")


def exit_status(code: int) -> str:
    """An exit code, or the name of the signal that it stands for.

    That is the name in the signature as well, but for one signal that counts as another.
    """
    if code >= 0:
        return str(code)
    called = signal_name(code)
    if -code not in set(signal.Signals):
        return f"killed by {called}"
    name = signal.Signals(-code).name
    also = f"; {called} in the signature" if -code in SIGNALS and called != name else ""
    return f"killed by {name}{also}"


def with_signal(facts: Facts) -> str:
    """` with SIGSEGV`, if the program was killed by a signal."""
    if facts.exit_code is None or facts.exit_code >= 0:
        return ""
    return f" with {signal_name(facts.exit_code)}"


_A_PASS = re.compile(  # one letter is an option: `-p cse`, and one value is that of an option
    r"--?(?P<name>[a-z][\w-]+)(?:=[\w-]+=.*)?", re.S
)
_PIPELINE = re.compile(r"--?pass-pipeline=(?:[\w.-]+\()*(?P<name>[\w-]+)(?:\{[^{}]*\})?\)*")
_NO_PASSES = re.compile(
    r"--?(?:mlir-|debug|print-|dump|verify|no-|o$|allow-|split-input-file|emit-|show-|color|time)"
)


def sole_pass(words: Sequence[str]) -> str:
    """The pass that the command of an `…-opt` tool runs, if it is only one; else ''.

    >>> sole_pass(["mlir-opt", "--arith-int-narrowing", "--mlir-disable-threading", "x.mlir"])
    'arith-int-narrowing'
    >>> sole_pass(["mlir-opt", "--affine-loop-tile=tile-size=32 separate", "x.mlir"])
    'affine-loop-tile'
    >>> sole_pass(["mlir-opt", "--pass-pipeline=builtin.module(func.func(cse{a=b}))", "x.mlir"])
    'cse'
    >>> sole_pass(["mlir-opt", "--cse", "--canonicalize", "x.mlir"])
    ''
    """
    if not is_opt_tool(words[0]):
        return ""
    flags = [word for word in words[1:] if word.startswith("-") and not _NO_PASSES.match(word)]
    if len(flags) != 1:
        return ""
    found = _PIPELINE.fullmatch(flags[0]) or _A_PASS.fullmatch(flags[0])
    return found["name"] if found else ""


def is_opt_tool(program: str) -> bool:
    """Whether a program is the `…-opt` tool of a project, which prints what its passes make."""
    name = program.rpartition("/")[2]
    profile = profile_of(name)
    return profile.has(name) and not (profile.compiler and profile.compiler in name)


_LINES, _WIDTH = 24, 220
_CALLS = 8  # lines of a traceback
_TRACEBACK = "Traceback (most recent call last):"
_DUMP = re.compile(r"^// -----// IR Dump ")
_HEADING = re.compile(r"Stack dump\b|\d+\.\s+(?!Program arguments)|==\d+== +[A-Z](?!xit)")
_MANGLED = re.compile(r"\b_Z\w+")
_STACK = re.compile(
    rf"^(?:Stack dump(?: without symbol names)?\b|{any_of(lambda profile: profile.crash_banners)}"
    r"|PLEASE submit |\d+\.\s+|Program arguments:)"
)
_HEAD = re.compile(r"(?:^|\s)(?:error|warning|note|remark): |^LLVM ERROR")
_LONG_ATTRIBUTE = re.compile(f"(#{any_of(lambda profile: profile.long_attributes)})<.*")


def excerpt(stderr: str) -> str:
    """The first diagnostics with their source lines; '' if only a stack was printed."""
    lines = list(_without_gaps(_without_stacks(_last_calls(stderr.splitlines()))))
    shown = [_cut(line) for line in lines[:_LINES]]
    if len(lines) > _LINES:
        shown.append(f"… and {len(lines) - _LINES:,} more lines")
    return "\n".join(shown)


_ARGUMENTS = re.compile(r"(?:\d+\.\s+)?Program arguments:")


def complete_output(stderr: str) -> str:
    """Everything that was printed, if `excerpt` leaves out more than a stack; else ''.

    Without the command, which may name files of the user.
    """
    lines = [line for line in stderr.splitlines() if not _ARGUMENTS.match(line)]
    telling = [line for line in lines if line.strip() and not _of_stack(line)]
    return "" if "\n".join(telling) == excerpt(stderr) else "\n".join(lines)


def _last_calls(lines: Iterable[str]) -> Iterator[str]:
    """The lines with only the end of each traceback of Python, which leads to what is wrong."""
    calls: list[str] | None = None
    for line in lines:
        if calls is not None and line[:1].isspace():
            calls.append(line)
            continue
        if calls:
            yield from calls if len(calls) <= _CALLS else ["  …", *calls[-_CALLS:]]
        calls = [] if line == _TRACEBACK else None
        yield line
    yield from calls or ()


def _of_stack(line: str) -> bool:
    return _STACK.match(line) is not None or is_frame(line)


def _without_stacks(lines: Iterable[str]) -> Iterator[str]:
    """The lines without stacks and IR dumps."""
    dumping = False
    for line in lines:
        if _DUMP.match(line):
            dumping = True
        elif _HEAD.search(line):
            dumping = False
        if not dumping and not _of_stack(line):
            yield line


def _without_gaps(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line.strip())


def _cut(line: str) -> str:
    """A line, shortened. Follow-up errors print the target in hundreds of characters."""
    line = _LONG_ATTRIBUTE.sub(r"\1<…>", line)
    return cut(line, _WIDTH)


_SHOWN = 24  # frames; deeper ones are never informative


def folded_stack(stderr: str, resolver: Resolver) -> tuple[str, ...]:
    """The informative functions on the stack, innermost first; other frames are only counted.

    Args:
        resolver: returns the symbols of a library, given its file name.
    """
    frames = parse_stack(stderr)
    names = name_frames(frames, resolver)
    lines: list[str] = []
    hidden: list[bool] = []  # for each frame that is not shown, whether it has no name
    seen: set[str] = set()
    for number, name in enumerate(names):
        if not distinctive([name]) or name in seen:
            hidden.append(not name and not frames[number].is_system)
            continue
        if len(seen) == _SHOWN:
            hidden += [False] * (len(names) - number)
            break
        if hidden and lines:
            lines.append(_folded(hidden))
        hidden = []
        seen.add(name)
        lines.append(f"#{number:<2} {name}")
    if hidden and lines:
        lines.append(_folded(hidden))
    return tuple(lines)


def _folded(hidden: Sequence[bool]) -> str:
    """What stands for frames that are not shown; True for each that has no name."""
    unnamed, known = sum(hidden), len(hidden) - sum(hidden)
    told = [f"{plural(unnamed, 'unnamed frame')}"] if unnamed else []
    if known:
        told.append(f"{plural(known, 'frame')} of pass managers, threads, and the like")
    return f"    … {', '.join(told)}"


def backtrace(stderr: str) -> str:
    """The stack of a crash as the compiler printed it, with all frames; '' if there is none.

    Its functions have their C++ names. Without the command, which may name files of the user.
    """
    lines = [one for one in stderr.splitlines() if _HEADING.match(one) or is_frame(one)]
    text = _MANGLED.sub(lambda name: demangle(name[0]), "\n".join(lines))
    return text if len(lines) > 1 else ""


_TARGET = re.compile(
    rf"--?(?:{any_of(lambda profile: profile.target_flags)}|mtriple|mcpu|march)=(?P<value>.+)", re.S
)


def target_of(words: Sequence[str]) -> tuple[str, ...]:
    """The values of the flags that choose a target, in order.

    >>> target_of(["iree-compile", "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"])
    ('hip', 'gfx942')
    """
    found = (_TARGET.fullmatch(word) for word in words)
    return tuple(dict.fromkeys(match["value"] for match in found if match))


def components(program: str, failing_pass: str, op: str) -> tuple[str, ...]:
    """The affected components, as named in the bug form of the program's project."""
    return profile_of(program).bug_form.components(program, failing_pass, op)
