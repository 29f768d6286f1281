"""Collects what a report says, with one or two runs of the compiler."""

import re
import threading
from collections.abc import Sequence
from pathlib import Path

from oracles import Command, CompilerOracle, Limits, Oracle, Outcome, PatternOracle, ScriptOracle
from oracles.compiler import DISCARD
from oracles.kind import Kind
from oracles.passes import pass_on_stack
from oracles.plugin import PluginOracle
from oracles.primary import primary_error
from oracles.stage import PIPELINE
from oracles.values import ValuesOracle
from reducer.bundle.carried import carried
from reducer.bundle.check import FILES, OURSELVES, REPRO, check_of
from reducer.bundle.compiler import Compiler
from reducer.bundle.excerpt import excerpt
from reducer.bundle.facts import Facts, History, PassFile
from reducer.bundle.hiding import hide_folders
from reducer.bundle.stack import folded_stack
from reducer.ir import GenericSyntaxError, Module, PlainText
from reducer.search.evaluator import Stopped
from reducer.session.comments import command_line, told
from reducer.session.errors import NotInteresting
from reducer.session.events import Size
from reducer.session.normalise import Normaliser

_SECONDS = 600.0  # a run may take, where the user set no limit
_COMMENT = re.compile(r"//(?! -----)[^\n]*\n?")


def gather(
    text: str,
    oracle: Oracle,
    *,
    source: str = "",
    opt: Path | None = None,
    history: History | None = None,
    pass_file: PassFile | None = None,
    cancel: threading.Event | None = None,
) -> Facts:
    """What is to say about the failure of `text` under `oracle`, and how to see it again.

    `source` names the input for people; `opt`, the compiler's `…-opt` tool, counts operations.
    Raises NotInteresting where nothing fails, and Stopped where `cancel` was set before that.
    """
    if isinstance(oracle, ValuesOracle):
        oracle = oracle.pinned(text)
    words, files = portable_words(oracle)
    limits = Limits(oracle.limits.seconds or _SECONDS, oracle.limits.memory)
    head, body, outcome = _run(text, oracle, limits, command_line(words), cancel)
    check = check_of(oracle, words, outcome, _output(head + body, oracle, outcome, limits))
    compiler = compiler_of(oracle)
    folders = _folders(compiler)
    stack = folded_stack(outcome.stderr, compiler.symbols) if compiler else ()
    return Facts(
        head=head,
        text=body,
        signature=outcome.signature,
        check=check,
        compiler=Compiler.ask(compiler.executable) if compiler else Compiler(words[0]),
        messages=tuple(hide_folders(line, folders) for line in told(outcome)),
        log=hide_folders(excerpt(outcome.stderr), folders),
        stack=stack,
        exit_code=outcome.exit_code,
        seconds=outcome.seconds,
        lines=Size.of(PlainText(body)).lines,
        ops=_ops(body, opt, limits),
        place=_place(outcome, head),
        source=source,
        pass_name=_pass_of(outcome, pass_file, stack),
        pass_file=pass_file,
        history=history or History(),
        files=files,
    )


def compiler_of(oracle: Oracle) -> CompilerOracle | None:
    """The compiler that is under test, whatever asks it."""
    if isinstance(oracle, CompilerOracle):
        return oracle
    return oracle.inner if isinstance(oracle, PatternOracle | ValuesOracle) else None


def program_of(oracle: Oracle) -> Path | None:
    """The program under test, whatever asks it."""
    if isinstance(oracle, PluginOracle):
        return oracle.executable
    compiler = compiler_of(oracle)
    return compiler.executable if compiler else None


def without_comments(text: str) -> str:
    """A program without whole lines of comments above and below it.

    A line that separates programs (`// -----`) is none.
    """
    lines = text.splitlines(keepends=True)
    while lines and (not lines[0].strip() or _COMMENT.fullmatch(lines[0])):
        lines.pop(0)
    while lines and (not lines[-1].strip() or _COMMENT.fullmatch(lines[-1])):
        lines.pop()
    return "".join(lines)


def portable_words(oracle: Oracle) -> tuple[tuple[str, ...], dict[str, Path]]:
    """The command on `repro.mlir`, with the files that it names as they lie in the report."""
    if isinstance(oracle, ScriptOracle):
        name = oracle.script.name
        return (f"./{FILES}/{name}", *oracle.display(REPRO)[1:]), {name: oracle.script}
    shown = oracle.display(REPRO)
    if oracle.command is None or shown[0] == OURSELVES:
        command, files = carried(Command(tuple(_with_release(shown, oracle))))
        return command.argv, files
    command, files = carried(oracle.command)
    return tuple(command.words(REPRO, DISCARD)), files


def _with_release(words: Sequence[str], oracle: Oracle) -> list[str]:
    """The words with the release that the compiler under test belongs to, if it is known."""
    program = program_of(oracle)
    release = Compiler.read(program, "").package if program else ""
    if not release or "--iree" in words:
        return list(words)
    at = words.index(REPRO) + 1
    return [*words[:at], "--iree", release, *words[at:]]


def _run(
    text: str, oracle: Oracle, limits: Limits, head: str, cancel: threading.Event | None
) -> tuple[str, str, Outcome]:
    """The comment above the program, the program, and its failure.

    Other comments go, and so does that one if it should change anything.
    """
    bare = without_comments(text)
    for above, body in dict.fromkeys([(head, bare), ("", bare), ("", text)]):
        outcome = oracle.confirm(above + body, REPRO, limits=limits, cancel=cancel)
        if outcome.kind is Kind.CANCELLED:
            raise Stopped("interrupted")
        if oracle.wants(outcome):
            return above, body, outcome
    raise NotInteresting("the command does not fail on this input, so there is nothing to report")


def _output(text: str, oracle: Oracle, outcome: Outcome, limits: Limits) -> str:
    """All that was printed. Who looks for a text ends the compiler when it is found."""
    if isinstance(oracle, PatternOracle):
        result = oracle.inner.execute(text, limits=limits)
        return f"{result.stderr}\n{result.stdout}"
    return outcome.stderr


def _folders(compiler: CompilerOracle | None) -> Sequence[Path]:
    if compiler is None:
        return ()
    folders = [compiler.executable.absolute().parent]
    return [*folders, *([compiler.command.directory] if compiler.command.directory else [])]


def _ops(text: str, opt: Path | None, limits: Limits) -> int:
    """Operations, or what looks like them where the program cannot be parsed."""
    generic = Normaliser(opt, limits).generic(text) if opt else None
    try:
        return Module.parse(generic).op_count if generic else PlainText(text).op_count
    except GenericSyntaxError:
        return PlainText(text).op_count


def _pass_of(outcome: Outcome, pass_file: PassFile | None, stack: Sequence[str]) -> str:
    if pass_file is not None and pass_file.name:
        return pass_file.name
    stage = outcome.signature.stage
    told = stage.removeprefix(PIPELINE).strip() if stage.startswith(PIPELINE) else ""
    return told or pass_on_stack(line.rpartition(" ")[2] for line in stack)


def _place(outcome: Outcome, head: str) -> int | None:
    """The line of the program, comments not counted, that the failure points to."""
    primary = primary_error(outcome.diagnostics)
    if primary is None or not primary.line or not primary.file.endswith(REPRO):
        return None
    return primary.line - head.count("\n")
