"""What is read in the words of tools: `texts/*.txt` has texts and what comes of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple
from pathlib import Path

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.abnormal import abnormal_exit
from oracles.signature.actions import Culprit, culprit_of
from oracles.signature.classify import classify, named_pass, pass_on_stack, pattern_on_stack
from oracles.signature.derive import Level, derive, exact_of
from oracles.signature.diagnostics import (
    operation_of,
    parse_diagnostics,
    primary_error,
    symbol_error,
)
from oracles.signature.reasons import last_dumped_op
from oracles.signature.templates import (
    failing_operation,
    fold_operation,
    printed_operation,
    quoted_operation,
    template_of,
)
from oracles.signature.unconverted_ops import is_unconverted, user_of_unconverted
from oracles.stacks.crash_stack import CrashStack, crash_stack, is_cut
from oracles.stacks.dispatching import distinctive, ends_stack, function_of, is_dispatching
from oracles.stacks.frames import name_frames, parse_stack
from oracles.stacks.function_names import demangle, short_name, template_arguments
from tests.support.texts import answered, paragraphs

FILES = sorted((Path(__file__).parent / "texts").glob("*.txt"))


@pytest.mark.parametrize("paragraph", [each for file in FILES for each in paragraphs(file)])
def test_what_comes_of_a_text(paragraph: str) -> None:
    assert answered(paragraph, QUESTIONS) == paragraph


class _Nobody:
    """A tool that knows the pass, if it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        return None

    def name_pass(self) -> ProcessResult:
        self.asked += 1
        return _ended("// -----// IR Dump After AskedPass Failed (asked) //----- //\n", 1)

    def culprit(self, crash: CrashStack) -> Culprit:
        self.asked += 1
        return Culprit("AskedPass")


def _ended(text: str, code: int) -> ProcessResult:
    return ProcessResult(End.EXITED, code, 0.0, 0.0, 0, "", text)


def _signature(text: str, code: str = "1", level: str = "normal") -> str:
    found = derive(classify(_ended(text, int(code))), Level(level), asked := _Nobody())
    return f"{found.text}{', after a further run' * asked.asked}"


def _told(text: str) -> str:
    """The signature of a program that was told to name its pass."""
    found = derive(classify(_ended(text, 1)), Level.NORMAL, _Nobody(), names_pass=True)
    return found.text


def _levels(text: str, code: str = "1") -> list[str]:
    return [f"{level}: {_signature(text, code, level)}" for level in Level]


def _exit(text: str, code: str = "1") -> str:
    found = classify(_ended(text, int(code)))
    line = f"{found.kind}: {found.template}{f' [{found.op}]' * bool(found.op)}"
    return line + f" in {' < '.join(found.frames)}" * bool(found.frames)


def _last_words(text: str, code: str = "1") -> str:
    found = abnormal_exit(text, int(code))
    return f"{found.kind}: {found.template}" if found else ""


def _crash(text: str, how: str = "") -> CrashStack:
    frames = parse_stack(text)
    names = name_frames(frames, lambda module: None)
    return crash_stack(frames, names, says_why=not how, handled=how != "not handled")


def _diagnostics(text: str) -> Iterable[str]:
    for one in parse_diagnostics(text):
        yield f"{one.file}:{one.line}:{one.column}: {one.severity}: {one.message}"
        yield from (f"called from {line}:{column}" for line, column in one.called_from)
        yield from (f"note: {note}" for note in one.notes)
        yield from (f"  {line}" for line in one.operation.splitlines())


def _of_error(text: str) -> str:
    error = primary_error(parse_diagnostics(text))
    return operation_of(error) if error else ""


def _unconverted(text: str) -> str:
    message, _, operation = text.partition("\n")
    return "left for another" if is_unconverted(message, operation.strip()) else "its own"


def _user(text: str) -> str:
    operation, _, dump = text.partition("\n")
    return user_of_unconverted(dump, operation)


def _role(line: str) -> str:
    function = function_of(line)
    roles = {"dispatches": is_dispatching(function), "ends the stack": ends_stack(function)}
    return f"{function}: {', '.join(role for role, is_it in roles.items() if is_it) or 'counts'}"


def _lines(answer: Callable[[str], str]) -> Callable[[str], list[str]]:
    """Once for each line; what is the same for several lines in a row is said once."""

    def answers(text: str) -> list[str]:
        return list(dict.fromkeys(map(answer, text.splitlines())))

    return answers


QUESTIONS: dict[str, Callable[..., str | Sequence[str]]] = {
    "template": _lines(template_of),
    "exact words": _lines(exact_of),
    "quoted op": _lines(quoted_operation),
    "printed op": _lines(printed_operation),
    "failing op": _lines(lambda line: failing_operation("", line)),
    "op in a message": _lines(lambda line: failing_operation(line, '"x.f"() ({')),
    "folded op": _lines(fold_operation),
    "last op": last_dumped_op,
    "exit": _exit,
    "last words": _last_words,
    "signature": _signature,
    "signature if told to name the pass": _told,
    "levels": _levels,
    "diagnostics": lambda text: list(_diagnostics(text)),
    "op of the error": _of_error,
    "symbol": _lines(lambda line: symbol_error(line) or "none"),
    "unconverted": _unconverted,
    "user": _user,
    "named pass": named_pass,
    "pass on the stack": lambda text: pass_on_stack(text.splitlines()),
    "pattern on the stack": lambda text: pattern_on_stack(text.splitlines()),
    "culprit": lambda text, after="": list(
        filter(None, astuple(culprit_of(text, after_pass=bool(after))))
    ),
    "crash": lambda text, how="": " < ".join(_crash(text, how).frames),
    "origin": lambda text, how="": _crash(text, how).origin,
    "cut": lambda text: "cut" if is_cut(parse_stack(text)) else "whole",
    "stack": lambda text: [f"{frame.module}: {frame.name}" for frame in parse_stack(text)],
    "functions": lambda text: " < ".join(distinctive(map(function_of, text.splitlines()))),
    "role": _lines(_role),
    "short name": _lines(short_name),
    "demangled": _lines(demangle),
    "template arguments": lambda text: template_arguments(text.rstrip("\n")),
}  # fmt: skip
