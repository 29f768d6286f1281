"""Gather the facts for a report, with one or two runs of the compiler."""

import re
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

from oracles import CompilerOracle, Limits, Oracle, Outcome
from oracles.base import capabilities_of
from oracles.compilers.command import split_launcher
from oracles.evidence import ResultEvidence, RunCheck
from oracles.run.run_process import End
from oracles.signature.actions import Culprit
from oracles.signature.classify import pass_on_stack, pattern_on_stack
from oracles.signature.diagnostics import primary_error
from reducer.conversions import OptPrinter
from reducer.driver.comments import command_line, failure_lines
from reducer.driver.records.figures import LevelRecord, PassRecord, blames_of
from reducer.driver.records.record import ReductionRecord
from reducer.driver.settings import Size
from reducer.errors import NotInteresting
from reducer.escaping import shell_joined
from reducer.explain.growth import Growth, growth_in
from reducer.identity.sanity import refuse_undecided
from reducer.ir import GenericSyntaxError, Module, PlainText
from reducer.locate.blame import Blame, Certainty, pass_blame
from reducer.locate.blamed import BlamedRewrite
from reducer.report.anonymize import hide_folders
from reducer.report.facts import (
    FILES,
    STEM,
    CompilerInfo,
    Facts,
    Healthy,
    LevelFile,
    PassFile,
    ReproCheck,
    repro_check_of,
    repro_name,
)
from reducer.report.portable_command import (
    other_programs,
    own_words,
    portable_name,
    portable_words,
)
from reducer.report.wording import (
    backtrace,
    complete_output,
    excerpt,
    folded_stack,
    is_opt_tool,
    sole_pass,
)
from reducer.search.judge import Stopped
from reducer.storage.json_values import JsonValues

_STANDARD_OUTPUT = "-"
_SECONDS = 600.0  # time limit of a run, if the user set none
_LONGEST_TO_LOG = 1 << 16  # characters; a log of all actions is far longer
_COMMENT = re.compile(r"//(?! -----)[^\n]*\n?")
_NOTHING = JsonValues(None)


@dataclass(frozen=True)
class Located:
    """What was found out earlier about the place of a failure.

    Attributes:
        bucket: that of the failure; '' if it is surely the same.
        pass_name, rewrite: what is at fault, as far as known.
        blames: what is claimed of these, of the phase and of the dispatch.
        pass_file: the reproducer for the failing pass.
        level_files: programs in other dialects, or of other sizes, that fail as well.
    """

    bucket: str = ""
    pass_name: str = ""
    blames: tuple[Blame, ...] = ()
    rewrite: BlamedRewrite | None = None
    pass_file: PassFile | None = None
    level_files: tuple[LevelFile, ...] = ()

    @classmethod
    def read(
        cls, record: ReductionRecord, *folders: Path, locate: JsonValues = _NOTHING
    ) -> "Located":
        """What a record of a reduction says, and what `locate --json` does.

        Args:
            folders: where the files are that the record names.
        """
        level, result = record.pass_level, record.output_path
        rewrite = level and level.rewrite
        rewrite = rewrite or BlamedRewrite.from_json(locate.part("rewrite").plain())
        named = level.pass_name if level else locate.text("pass")
        own = level and not level.same_program and _text_of(level, folders)
        return cls(
            record.failure.bucket if record.failure else "",
            named or (rewrite.pass_name if rewrite else ""),
            blames_of(locate, level),
            rewrite,
            pass_file_of(level, own, result.name if result else "") if level and own else None,
            tuple(level_file_of(one, folders) for one in record.levels or ()),
        )


def gather(
    text: str,
    oracle: Oracle,
    *,
    source: str = "",
    opt: Path | None = None,
    located: Located = Located(),
    ahead: Outcome | None = None,
    cancel: threading.Event | None = None,
) -> Facts:
    """Gather the facts about the failure of `text` under `oracle`, and how to reproduce it.

    Args:
        source: the name of the input, for display.
        opt: the compiler's `…-opt` tool, used to count ops.
        located: what is known of the place of the failure.
        ahead: the outcome of what `as_reported` gives, if that was confirmed before.
        cancel: set it to end the run.

    Raises:
        NotInteresting: the program does not fail.
        CannotJudge: nothing can tell whether its results are right.
        Stopped: `cancel` was set.
    """
    if (results := capabilities_of(oracle).results) is not None:
        results = results.pinned(text)
        oracle = cast(Oracle, results)  # it is one that can do more
    words, files = portable_words(oracle)
    shown = results.evidence(text, FILES, partial(_carried, files=files)) if results else None
    run, passes = (shown.run, shown.passes) if shown else (None, None)
    if passes:
        words, files = own_words(oracle)
    limits = limits_of(oracle)
    head, body, outcome = _run(text, oracle, limits, _comments(words, run), ahead, cancel)
    output = _output(head + body, oracle, outcome, limits)
    launcher, own = map(tuple, split_launcher(words))
    check = ReproCheck(own, run=run) if run else repro_check_of(oracle, own, outcome, output)
    compiler = capabilities_of(oracle).compiler
    folders = _folders(compiler)
    stack = folded_stack(outcome.stderr, compiler.symbols) if compiler else ()
    culprit = _culprit(head + body, outcome, compiler, stack, cancel)
    if located.bucket not in ("", outcome.signature.bucket):
        located = Located()
    named = located.pass_name or outcome.signature.named_pass or culprit.pass_name
    wrong, blames = "" if named else _wrong_pass(oracle, shown), located.blames
    metric = capabilities_of(oracle).numbers
    if (named or wrong) and all(one.kind != "pass" for one in blames):
        sure = Certainty.SHOWN if wrong or metric else Certainty.LAST_SEEN
        blames = (*blames, pass_blame(named or wrong, sure))
    growth = growth_in(body, opt, metric) if metric else None
    return Facts(
        head=head,
        text=body,
        signature=outcome.signature,
        check=replace(check, launcher=launcher, passes=passes, file=repro_name(oracle)),
        compiler=_compiler_info(compiler, outcome, own[0]),
        messages=tuple(hide_folders(line, folders) for line in _told(oracle, outcome, growth)),
        remarks=outcome.remarks,
        log=hide_folders(excerpt(outcome.stderr), folders),
        output=hide_folders(complete_output(outcome.stderr), folders),
        stack=stack,
        backtrace=hide_folders(backtrace(outcome.stderr), folders),
        exit_code=outcome.exit_code,
        seconds=outcome.seconds,
        lines=Size.of(PlainText(body)).lines,
        ops=_ops(body, opt, limits),
        growth=growth,
        failure_line=place_in(outcome, head + body, head),
        source=source,
        pass_name=named or wrong,
        pattern=culprit.pattern,
        pattern_op=culprit.op,
        blames=blames,
        rewrite=located.rewrite,
        pass_file=located.pass_file,
        level_files=located.level_files,
        files=files,
        programs=other_programs(oracle),
        runtime=shown.runner if shown else None,
    )


def as_reported(oracle: Oracle, text: str) -> tuple[str, str]:
    """The program that `gather` runs first, and the name of its file.

    Not for wrong results, whose commands depend on what is run.
    """
    words, _ = portable_words(oracle)
    return _comments(words, None) + without_comments(text), repro_name(oracle)


def _compiler_info(compiler: CompilerOracle | None, outcome: Outcome, own: str) -> CompilerInfo:
    if compiler is None:
        return CompilerInfo(own)
    words = compiler.command.argv
    return CompilerInfo.probe(program_that_stopped(outcome.stderr, compiler.executable, words))


def limits_of(oracle: Oracle) -> Limits:
    """The limits of a run for a report, with a time limit if the user set none."""
    return Limits(oracle.limits.seconds or _SECONDS, oracle.limits.memory)


def healthy_output(release: str, oracle: Oracle, facts: Facts) -> Healthy | None:
    """What a release that does not fail prints for the program, if it is a tool that prints IR.

    Args:
        oracle: runs the command with that release.
    """
    compiler = capabilities_of(oracle).compiler
    if compiler is None or not is_opt_tool(compiler.executable.name) or facts.check.run:
        return None
    limits = limits_of(oracle)
    printer = CompilerOracle(compiler.command, compiler.executable, output=_STANDARD_OUTPUT)
    result = printer.execute(facts.text, limits=limits)
    printed = result.end is End.EXITED and result.exit_code == 0 and result.stdout.strip()
    return Healthy(release, result.stdout) if printed else None


def _culprit(
    text: str,
    outcome: Outcome,
    compiler: CompilerOracle | None,
    stack: Sequence[str],
    cancel: threading.Event | None,
) -> Culprit:
    """Which pattern crashed on which op, if the program is small and the compiler can tell.

    A run that logs its actions takes twenty times as long as one that does not, so a stack that
    names the pass has to do.
    """
    names = [line.rpartition(" ")[2] for line in stack]
    if name := pass_on_stack(names):
        return Culprit(name, pattern_on_stack(names))
    if compiler is None or len(text) > _LONGEST_TO_LOG:
        return Culprit()
    return compiler.culprit(text, outcome, cancel)


def _carried(path: Path, files: dict[str, Path]) -> str:
    """The name of a file in the folder of the report's files, to which it is added."""
    name = portable_name(path, files)
    files[name] = path
    return name


def _wrong_pass(oracle: Oracle, shown: ResultEvidence | None) -> str:
    """The pass under test that changes what a program means, if that can be told."""
    if shown is None:
        return ""
    only = sole_pass(oracle.command.argv) if oracle.command else ""
    return only or shown.wrong_pass(limits_of(oracle), _SECONDS)


def _comments(words: Sequence[str], run: RunCheck | None) -> str:
    return command_line(words) + (command_line(run.words) if run else "")


def without_comments(text: str) -> str:
    """A program without comment lines and blank lines at the start and end.

    Separators of programs (`// -----`) do not count as comments.
    """
    lines = text.splitlines(keepends=True)
    while lines and (not lines[0].strip() or _COMMENT.fullmatch(lines[0])):
        lines.pop(0)
    while lines and (not lines[-1].strip() or _COMMENT.fullmatch(lines[-1])):
        lines.pop()
    return "".join(lines)


def _run(
    text: str,
    oracle: Oracle,
    limits: Limits,
    head: str,
    ahead: Outcome | None,
    cancel: threading.Event | None,
) -> tuple[str, str, Outcome]:
    """Run the program; return the comment above it, the program, and its failure.

    Other comments are removed. The comment is dropped too if it changes the outcome, and the
    original text is used if nothing else fails.
    """
    bare, name = without_comments(text), repro_name(oracle)
    for above, body in dict.fromkeys([(head, bare), ("", bare), ("", text)]):
        outcome = ahead or oracle.confirm(above + body, name, limits=limits, cancel=cancel)
        ahead = None  # it is that of the first form
        if outcome.cancelled:
            raise Stopped("interrupted")
        if oracle.wants(outcome):
            return above, body, outcome
    refuse_undecided(outcome)
    raise NotInteresting("the command does not fail on the input, so there is nothing to report")


def _output(text: str, oracle: Oracle, outcome: Outcome, limits: Limits) -> str:
    """The complete output. A pattern oracle stops at the first match, so it is run again."""
    if (pattern := capabilities_of(oracle).output) is not None:
        result = pattern.inner.execute(text, limits=limits)
        return f"{result.stderr}\n{result.stdout}"
    return outcome.stderr


def _folders(compiler: CompilerOracle | None) -> Sequence[Path]:
    if compiler is None:
        return ()
    folders = [compiler.executable.absolute().parent]
    return [*folders, *([compiler.command.directory] if compiler.command.directory else [])]


def _told(oracle: Oracle, outcome: Outcome, growth: Growth | None) -> Iterator[str]:
    """The failure; of a number, also what it is compared with, and how both grow with a size."""
    if (metric := capabilities_of(oracle).numbers) is None:
        yield from failure_lines(outcome, oracle.limits.seconds)
        return
    yield from outcome.remarks
    if beside := metric.reference_display(repro_name(oracle)):
        yield f"{metric.reference.name}: {shell_joined(beside)}"
    if growth:
        yield growth.text


def _ops(text: str, opt: Path | None, limits: Limits) -> int:
    """The number of ops; estimated if the program cannot be parsed."""
    generic = OptPrinter(opt, limits).generic(text) if opt else None
    try:
        return Module.parse(generic).op_count if generic else PlainText(text).op_count
    except GenericSyntaxError:
        return PlainText(text).op_count


def place_in(outcome: Outcome, program: str, head: str) -> int | None:
    """The line of the program, without the comment above it, that the failure points to.

    A tool that was not given the name of a file says `<stdin>` or any other name. Then it must have
    printed the line.
    """
    primary = primary_error(outcome.diagnostics)
    lines = program.splitlines()
    if primary is None or not 0 < primary.line <= len(lines):
        return None
    if Path(primary.file).name.partition(".")[0] != STEM:
        where, shown = f"{primary.file}:{primary.line}:", lines[primary.line - 1]
        printed = zip(outcome.stderr.splitlines(), outcome.stderr.splitlines()[1:], strict=False)
        if not any(one.startswith(where) and two == shown for one, two in printed):
            return None
    return primary.line - head.count("\n")


def _text_of(level: LevelRecord | PassRecord, folders: Sequence[Path]) -> str:
    """The text of the file in one of these folders; '' if it is in none.

    Only its name counts, since the folder of a result may have been moved.
    """
    for folder in folders:
        with suppress(OSError):
            path = folder / level.output_path.name
            return path.read_text(encoding="utf-8", errors="surrogateescape")
    return ""


def level_file_of(level: LevelRecord, folders: Sequence[Path]) -> LevelFile:
    """A program at another level as a part of the report, unless it is the input itself."""
    text = _text_of(level, folders) if level.verified else ""
    text = text.replace(level.output_path.name, f"repro.{level.level}.mlir")
    return LevelFile(level.level, level.made, text, level.output.lines, level.output.ops)


def pass_file_of(level: PassRecord, text: str, name: str) -> PassFile:
    """The second reproducer for a report; `name` is the first one's name in its comments."""
    size = level.output
    file = PassFile(level.pass_name, level.pipeline, level.level, text, size.lines, size.ops)
    return file.beside(name)


_ARGUMENTS = re.compile(r"^\d+\.\s+Program arguments: (\S+)", re.M)


def program_that_stopped(stderr: str, executable: Path, words: Iterable[str]) -> Path:
    """The program that a stack dump of LLVM names; `executable`, which ran it, if it names none.

    In `mlir-opt … | mlir-translate … | llc …`, it is not the shell that stops, and the version of
    the shell does not help anybody. It is asked for its version, so it must be in the words of the
    command: a compiler may print anything that is in its input.
    """
    named = _ARGUMENTS.search(stderr)
    if named is None or Path(named[1]).name == executable.name:
        return executable
    as_word = re.compile(rf"(?<![\w./-]){re.escape(named[1])}(?![\w./-])")
    found = shutil.which(named[1]) if any(map(as_word.search, words)) else None
    return Path(found) if found else executable
