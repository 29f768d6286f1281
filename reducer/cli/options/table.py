# ruff: noqa: RUF009 - a row is a field
"""The table of all options, in the order of help: what each is called, sets, takes, and is for.

A row is a field of `Options`, the typed setting that the work reads. `row` gives it the option of
the command line: help, values and completion, the commands that have it, whether a configuration
file may set it, and what it cannot be combined with.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from reducer.arguments import COUNT, RUNS, SECONDS, cores
from reducer.cli.options.values import Jobs, OutputFile, SignatureType, Words, complete_versions
from reducer.errors import UsageError
from reducer.search.sequential import MAX_RUNS

_ONE_PROGRAM = "reduce check locate explain bisect report"
_NUMBERS = "reduce check locate bisect triage"
_PACKAGES = "bisect toolchain-install toolchain-list"
_PATH = click.Path(path_type=Path)
_OUTPUT = OutputFile(path_type=Path)
_TEXT = OutputFile(allow_dash=True)
_ROW = "reducer.cli.options.row"
_TRIES = 5
"""Runs of an input that passes, if its failure may be intermittent."""


class NumberOption(click.Option):
    """An option whose value may be omitted. The next word is its value only if it is a number."""

    def __init__(self, *args: Any, omitted: int | str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.omitted = omitted


@dataclass(frozen=True)
class Row:
    """What an option is besides the setting.

    Attributes:
        names: as they are typed.
        group: the heading in help.
        on: the commands that have it, each with what stands for `{}` in its help.
        attributes: what click is told.
        key: whether a configuration file may set it.
        brief: its place in `-h`; 0 if it is not there.
        needs: without these, it means nothing.
        excludes: with one of these, it is a mistake; a default of either is dropped.
        yields: if one of these is typed, a default is dropped.
    """

    names: tuple[str, ...]
    group: str
    on: Mapping[str, str]
    help: str | None
    attributes: Mapping[str, Any]
    key: bool
    brief: int
    needs: tuple[str, ...]
    excludes: tuple[str, ...]
    yields: tuple[str, ...]

    @property
    def shows(self) -> bool:
        """Whether it says what to run, or which failure to look for."""
        return {"reduce", "check", "locate", "bisect"} <= self.on.keys() and self.group != "Output"

    @property
    def name(self) -> str:
        """The long name without dashes, by which the configuration and other rows know it."""
        return max(self.names, key=len).partition("/")[0].lstrip("-")

    def option(self, setting: str, command: str) -> Callable[[Any], Any]:
        """Adds the option to the function of a command."""
        attributes = dict(self.attributes)
        kind = NumberOption if "omitted" in attributes else click.Option
        if isinstance(attributes.get("type"), Words):
            attributes["callback"] = _joined
        text = self.help and self.help.replace("{}", self.on[command])
        attributes |= {"help": text, "hidden": text is None}
        return click.option(*self.names, setting, cls=kind, **attributes)


def _joined(_: object, __: object, given: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Words that were given together or one by one, each once."""
    return tuple(dict.fromkeys(word for words in given for word in words))


def row(
    names: str,
    group: str,
    on: str = "",
    default: Any = None,
    *,
    key: bool = False,
    brief: int = 0,
    needs: str = "",
    excludes: str = "",
    yields: str = "",
    complete: Callable[..., Any] | None = None,
    **attributes: Any,
) -> Callable[..., Any]:
    """Takes a help, and gives the setting with its option; see `Row`.

    Without a help, the option is for the environment only. What the help says in place of `{}` may
    follow it, for each group of commands.

    Args:
        names: how it is typed, and what its value is called.
        on: the commands, if the help is the same for all.
        default: False for a flag, True for one that can be switched off, () for what can be
            repeated.
        complete: what the Tab key offers.
    """
    spelled = tuple(word for word in names.split() if word.startswith("-"))
    metavar = names.split()[-1] if len(spelled) < len(names.split()) else None
    if default is False:
        attributes["is_flag"] = True
    elif default == ():
        attributes["multiple"] = True
    elif default is not None:
        attributes["default"] = default
    attributes |= {"metavar": metavar} | ({"shell_complete": complete} if complete else {})
    others = (tuple(some.split()) for some in (needs, excludes, yields))
    setting = {"default_factory": default} if callable(default) else {"default": default}

    def add(help: str | None, texts: Mapping[str, str] = MappingProxyType({on: ""})) -> Any:
        commands = {name: text for names, text in texts.items() for name in names.split()}
        made = Row(spelled, group, commands, help, attributes, key, brief, *others)
        return field(**setting, metadata={_ROW: made})

    return add


@dataclass(frozen=True)
class Options:
    """What a command is asked for: its arguments, and the settings of its options."""

    source: Path = Path()
    words: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    from_file: bool = False
    """Whether command and program were found in a file, not typed."""
    log: Path | None = None
    folders: tuple[Path, ...] = ()

    flags_file: Path | None = row("--flags-file FILE", "Input", "triage", type=_PATH, brief=7)(
        "A file with one set of flags per line, optionally for some inputs (docs/triage.md)."
    )
    db: Path | None = row("--db FILE", "Input", type=_PATH, brief=23)(
        "The triage database. [default: {}]",
        {
            "triage": ".mlir-reducer/triage.sqlite in the first DIR",
            "buckets": ".mlir-reducer/triage.sqlite in this folder, a folder around it, or the "
            "only one right below",
        },
    )
    journal: Path | None = row("--journal FILE", "Input", "page", type=_PATH)(
        "The journal of the reduction. [default: journal in the folder of RESULT]"
    )
    yes: bool = row("-y --yes", "Input", "reduce check", default=False)(
        "Run a command that was found in INPUT without asking."
    )

    opt: str | None = row("--opt", "Compiler", _ONE_PROGRAM)(None)
    iree: str | None = row(
        "--iree VERSION",
        "Compiler",
        _ONE_PROGRAM,
        complete=complete_versions,
        key=True,
        brief=6,
        yields="bisect bad compiler",
    )("Use this version of the IREE compiler (such as 3.13.0, or newest), installed on first use.")
    versions: str | None = row(
        "--iree VERSION[,…]", "Compiler", complete=complete_versions, key=True, brief=6
    )(
        "{}",
        {
            "triage": "Compile with each of these releases (such as 3.12.0,3.13.0), installed on "
            "first use.",
            "worker": "Versions to offer, installed if missing. [default: all installed versions]",
        },
    )
    bad: str | None = row("--bad VERSION", "Compiler", "bisect", brief=2)(
        "A release that fails. [default: newest]"
    )
    good: str | None = row("--good VERSION", "Compiler", "bisect", brief=3)(
        "A release believed to be good; only releases between it and the bad one are tested."
    )
    everything: bool = row("--all", "Compiler", "bisect", default=False)(
        "Test every release instead of bisecting."
    )
    compilers: tuple[str, ...] = row(
        "--compiler [LABEL=]PATH", "Compiler", "bisect", default=(), brief=4
    )(
        "Bisect these compilers instead, in the given order, oldest first: programs that you have "
        "built, versions such as 3.12.0, or `releases` for all published ones. Repeat it for each."
    )
    pre: bool = row("--pre", "Compiler", default=False)(
        "{}",
        {
            "bisect": "Include release candidates and nightly packages.",
            "toolchain-install": "Let newest be a release candidate or nightly package.",
            "toolchain-list": "With --available, include release candidates and nightly packages.",
        },
    )
    find_links: tuple[str, ...] = row(
        "--find-links URL_OR_PATH", "Compiler", _PACKAGES, default=()
    )(
        "Also look for packages here, as pip does: a page with links to wheels, or a folder. "
        "docs/bisect.md has the page of nightly packages. Can be repeated."
    )
    runtime: bool = row("--runtime", "Compiler", "toolchain-install", default=False)(
        "Also install the runtime, which --wrong-results needs."
    )
    available: bool = row("--available", "Compiler", "toolchain-list", default=False)(
        "List the versions that can be installed instead."
    )
    tool: str | None = row("--tool NAME", "Compiler", "toolchain-path")(
        "Which tool. [default: iree-compile]"
    )
    programs: tuple[str, ...] = row("--allow PROGRAM", "Compiler", "mcp", default=())(
        "Let agents run PROGRAM, too, outside the sandbox. Repeatable."
    )

    match: str | None = row("--match REGEX", "Failure to look for", _ONE_PROGRAM, brief=8)(
        "Preserve output that matches REGEX, instead of the failure."
    )
    ir_after: str | None = row(
        "--ir-after PASS", "Failure to look for", _ONE_PROGRAM, needs="match"
    )("Apply --match only to the IR after this pass, such as canonicalize.")
    signature: str = row(
        "--signature strict|normal|loose|exit=N",
        "Failure to look for",
        _ONE_PROGRAM,
        default="normal",
        type=SignatureType(),
        show_default=True,
        key=True,
        excludes="test wrong-results",
        yields="match",
    )(
        "How closely failures must match (docs/signatures.md). exit=N: preserve exit code N (-11 "
        "or 139: a segmentation fault), instead of the failure."
    )
    flaky: int | None = row(
        "--flaky [N]", "Failure to look for", "reduce", type=RUNS, omitted=MAX_RUNS, key=True
    )(
        "Reduce an intermittent failure: run each candidate as often as a verdict needs, at most "
        f"N times. [default: {MAX_RUNS}]"
    )
    tries: int | None = row(
        "--flaky [N]", "Failure to look for", "triage", type=RUNS, omitted=_TRIES, key=True
    )(
        "Expect intermittent failures: an input passes if N runs of it do, and failures that do "
        "not occur in every run are reduced as with `reduce --flaky`. "
        f"[default: {_TRIES}]"
    )
    test: str | None = row(
        "--test SCRIPT|NAME",
        "Failure to look for",
        _ONE_PROGRAM,
        brief=9,
        excludes="match wrong-results",
    )(
        "Let a script decide instead of a command: $1 is the file; exit 0 means interesting, 101 "
        "means it fails differently. Or a Python class by its NAME[:ARGUMENT] "
        "(docs/custom-oracle.md)."
    )
    bisect: str | None = row(
        "--bisect [=FILE]", "Failure to look for", "check", omitted="", brief=5
    )(
        "Exit as `git bisect run` expects: 0 if the build is good, 1 if it has the failure, 125 "
        "to skip it (docs/bisect.md). The failure is that of the reduction that made INPUT, or "
        "the one in FILE, as written by --json for a bad build."
    )

    wrong_results: bool = row(
        "--wrong-results", "Wrong results", _ONE_PROGRAM, default=False, brief=10, excludes="match"
    )(
        "Preserve a miscompile: the program that COMMAND compiles, or what an …-opt tool's passes "
        "make of INPUT, computes results that differ from those of a reference."
    )
    references: tuple[str, ...] = row(
        "--reference REF", "Wrong results", _ONE_PROGRAM, default=(), needs="wrong-results"
    )(
        "Where the expected results come from: evaluator, vmvx, llvm-cpu, mlir-runner, "
        "iree:VERSION[+BACKEND], flags:'--a --b' (added to COMMAND, or replacing flags of the "
        "same name), or python:FILE.py:FUNCTION[@PYTHON] (for INPUT only). Can be repeated; all "
        "must agree. [default: the evaluator and a compiler that agrees with it]"
    )
    tolerance: str | None = row(
        "--tolerance REL", "Wrong results", _ONE_PROGRAM, needs="wrong-results"
    )(
        "Accepted relative difference, such as 0.01. [default: by type] Also, after a comma, "
        "signed-zeros or any-zeros: whether 0 instead of -0 is wrong, if the evaluator and "
        "another reference agree. [default: for passes of an …-opt tool]"
    )
    inputs: tuple[str, ...] = row(
        "--input SPEC", "Wrong results", _ONE_PROGRAM, default=(), needs="wrong-results"
    )(
        "Use this input for the first argument it fits, if no second command is given: 2x3xf32, "
        "2x3xf32=1,2,3,4,5,6, 7, 2x3xf32=@FILE (raw bytes), @FILE.npy, or +FILE.npy (the next "
        "array of the file). [default: chosen by type]"
    )

    metric: str | None = row(
        "--metric NAME", "Numbers", _NUMBERS, excludes="match signature test wrong-results"
    )(
        "Preserve a number that is worse than that of a reference (docs/metrics.md): ir-size, "
        "rewrites, dispatches, statistics, binary-size, asm:REGEX, which are exact; peak-memory, "
        "compile-time, pass-time, run-time; or script, the last number that COMMAND prints."
    )
    worse_than: str | None = row("--worse-than REF", "Numbers", _NUMBERS, needs="metric")(
        "The reference of --metric: another release (iree:3.12.0), other flags (flags:'--a --b', "
        "as for --reference), or a number."
    )
    by: float | None = row(
        "--by FACTOR",
        "Numbers",
        _NUMBERS,
        type=click.FloatRange(min=1.0, min_open=True),
        needs="metric",
    )(
        "How many times as much is worse. [default: for INPUT, 1.1, or 1.2 if runs differ; for "
        "what is made of it, four fifths of what INPUT shows]"
    )

    elsewhere: bool = row(
        "--elsewhere/--no-elsewhere", "The same bug elsewhere", "reduce", default=True, key=True
    )(
        "Ask the other targets and optimization levels of the compiler, and all installed "
        "releases, whether the result compiles there. If it does not where the input does, it is "
        "another bug, and the reduction goes back. [default: on]"
    )
    profile_with: tuple[str, ...] = row(
        "--profile-with VERSION",
        "The same bug elsewhere",
        "reduce",
        default=(),
        complete=complete_versions,
        key=True,
        yields="test match wrong-results",
    )(
        "Install this release of IREE and ask it as well where else the program compiles. Can be "
        "repeated."
    )

    timeout: float | None = row("--timeout SECONDS", "Limits", type=SECONDS, key=True, brief=17)(
        "Time limit for one run. [default: {}]",
        {
            "reduce": "an hour for INPUT, then a multiple of the best result's time",
            "check locate": "none",
            "explain": "10 minutes for INPUT, then a multiple of its time",
            "bisect": "an hour for the bad release, then a multiple of its time",
            "report": "10 minutes",
        },
    )
    patience: float = row(
        "--timeout SECONDS",
        "Limits",
        "triage",
        default=600.0,
        type=SECONDS,
        show_default=True,
        key=True,
        brief=17,
    )("Treat a compiler that runs longer as hanging, which is a failure.")
    memory_limit: int | None = row(
        "--memory-limit MB", "Limits", f"{_ONE_PROGRAM} triage", type=COUNT, key=True
    )("Memory limit for one run, whatever -j is. [default: half of the machine's]")
    max_calls: int | None = row("--max-calls N", "Limits", type=COUNT, key=True)(
        "{}",
        {
            "reduce": "Stop after N runs of the command and keep the best result so far, which the "
            "last of them verify. Speculative runs of -j do not count.",
            "triage": "Stop the reduction of a bucket after N runs and keep the best result so "
            "far.",
        },
    )
    max_seconds: float | None = row(
        "--max-seconds SECONDS", "Limits", "reduce", type=SECONDS, key=True, brief=18
    )("Stop after this many seconds and keep the best result so far.")
    parts: int = row(
        "--parts N",
        "Limits",
        "explain",
        default=150,
        type=click.IntRange(min=0),
        show_default=True,
        key=True,
    )("Change at most N parts, those nearest to the failing op first; 0 for all.")

    jobs: int | str = row(
        "-j --jobs N", "Parallel runs", default=cores, type=Jobs(remote=False), key=True, brief=19
    )(
        "Run N compilers in parallel; {}. [default: one per core]",
        {
            "explain worker": "results do not depend on it",
            "report": "the report does not depend on it",
        },
    )
    workers: int | str = row(
        "-j --jobs N|tcp://HOST:PORT",
        "Parallel runs",
        default=cores,
        type=Jobs(remote=True),
        key=True,
        brief=19,
    )(
        "Run N compilers in parallel, or as many as the workers of a Dask cluster take; {}. "
        "[default: one per core]",
        {
            "reduce": "the result does not depend on it",
            "triage": "the buckets do not depend on it",
        },
    )

    fresh: bool = row("--fresh", "Continue or start over", "reduce", default=False, brief=21)(
        "Reuse no verdicts of earlier runs."
    )

    output: Path | None = row("-o --output FILE", "Result", type=_OUTPUT, brief=1)(
        "{}",
        {
            "reduce": "Where to write the result. Everything else goes into one folder next to it, "
            "named like the result without .mlir. [default: NAME.reduced.mlir next to the input]",
            "locate": "With --wrong-results: write the wrong dispatch to FILE, as a program of its "
            "own, and what it reads to FILE.inputs, a flag file for the runtime.",
            "page": "Where to write the page. [default: page.html in the folder of RESULT]",
        },
    )
    folder: Path | None = row("-o --output FOLDER", "Result", "report", type=_PATH, brief=1)(
        "Where to write the report. [default: report and report.zip in the folder of a result; "
        "for any other program, NAME.report and NAME.report.zip next to it]"
    )
    outputs: tuple[Path, ...] = row(
        "-o --output FILE", "Result", "triage buckets-list", default=(), type=_OUTPUT, brief=1
    )(
        "Also write what is known to FILE.html, an overview with a page per reduction in a folder "
        "next to it, or to FILE.xml, JUnit XML for CI. Can be repeated."
    )
    keep: tuple[str, ...] = row(
        "--keep WORD[,WORD]",
        "Result",
        "reduce",
        default=(),
        type=Words("sizes", "types", "flags", "level", "generic"),
        key=True,
        brief=11,
    )(
        "What must not change: sizes and element types of the input, in a second result beside "
        "the smallest one; flags of the command; the level of the dialects, instead of any that "
        "gives a smaller program; generic form in print. [sizes, types, flags, level, generic]"
    )
    reduce: bool = row("--reduce/--no-reduce", "Result", "triage", default=True)(
        "Reduce one input of each bucket, or only sort failures into buckets. [default: yes]"
    )
    pass_level: bool = row(
        "--pass-level/--no-pass-level", "Result", "reduce", default=True, key=True
    )(
        "Also reduce the IR just before the failing pass, into before-pass.mlir in the folder of "
        "the result. [default: yes]"
    )
    report: bool = row("--report/--no-report", "Result", default=True, key=True)(
        "{} [default: yes]",
        {
            "reduce": "Also write a bug report: report and report.zip in the folder of the result.",
            "triage": "Also write a bug report for each reproducer, for `buckets export`.",
        },
    )
    add: tuple[str, ...] = row(
        "--add WORD[,WORD]",
        "Result",
        "report",
        default=(),
        type=Words("explain", "versions", "pass-level"),
        brief=12,
    )(
        "Add what the failure needs, as `explain` does; the verdicts of other releases, as "
        "`bisect` does, which may install some; the reduced IR before the failing pass, as "
        "`reduce` does. [explain, versions, pass-level]"
    )
    anonymize: str | None = row("--anonymize [=NAMES]", "Result", "report", omitted="", brief=13)(
        "Replace all names from INPUT but these, separated by commas. Nothing is written unless "
        "it still fails the same way."
    )
    similar: Path | None = row(
        "--similar FILE_OR_FOLDER", "Result", "report", type=_PATH, brief=14
    )(
        "List what resembles the failure among known ones: issues exported by `gh issue list "
        "--json number,title,body,url`, Markdown files, reports, triage databases."
    )

    states: tuple[str, ...] = row(
        "--state",
        "Output",
        "buckets-list",
        default=(),
        type=click.Choice(("new", "known", "fixed", "reopened")),
    )("Show only bugs in this state; can be repeated.")
    rejected: bool = row("--rejected", "Output", "explain", default=False, brief=15)(
        "Run nothing: show what refused how many candidates of the reduction to INPUT."
    )
    json_target: str | None = row("--json FILE", "Output", type=_TEXT, brief=24)(
        "{} as JSON; - for stdout.",
        {
            f"{_ONE_PROGRAM} triage buckets-list buckets-show": "Also write the answer",
            "report": "With --similar: write the ranking",
        },
    )
    summary_target: str | None = row(
        "--summary FILE", "Output", "triage buckets-list", type=_TEXT, brief=22
    )("Write new, known, and gone bugs as Markdown, for the page of a CI job; - for stdout.")
    fail_on_new: bool = row("--fail-on-new", "Output", "triage", default=False, brief=20)(
        "Exit with 1 if any bug is new or reopened."
    )
    quiet: bool = row("-q --quiet", "Output", "reduce triage", default=False, key=True)(
        "Print nothing but errors."
    )
    verbose: bool = row("-v --verbose", "Output", "reduce", default=False, key=True)(
        "Print each candidate, the condition that refuses it, and all figures at the end."
    )

    @property
    def exit_code(self) -> int | None:
        """The exit code to preserve instead of a failure."""
        given = self.signature.removeprefix("exit=")
        return None if given == self.signature else int(given)

    def given(self, name: str) -> bool:
        """Whether an option has another value than if it is not given."""
        settings = (setting for setting, each in ROWS.items() if each.name == name)
        return any(getattr(self, setting) not in (DEFAULTS[setting], ()) for setting in settings)

    def check(self) -> None:
        """Raise UsageError for options that mean nothing together, or without another."""
        for each in ROWS.values():
            if not self.given(each.name):
                continue
            if others := [name for name in each.excludes if self.given(name)]:
                raise UsageError(f"--{each.name} cannot be combined with --{others[0]}")
            if missing := [name for name in each.needs if not self.given(name)]:
                raise UsageError(f"--{each.name} needs --{missing[0]}")
        if self.match is not None and self.exit_code is None and self.given("signature"):
            raise UsageError("--signature can be combined with --match only as exit=N")
        if self.ir_after is not None and self.exit_code is not None:
            raise UsageError("--ir-after cannot be combined with exit=N")

    def showing(self) -> dict[str, Any]:
        """What says what to run and which failure to look for."""
        return {name: getattr(self, name) for name in _SHOWING}


ROWS: dict[str, Row] = {
    setting.name: setting.metadata[_ROW] for setting in fields(Options) if setting.metadata
}
"""The rows by the names of their settings."""

_ORDER = {setting: number for number, setting in enumerate(ROWS)}
DEFAULTS: dict[str, Any] = {setting.name: setting.default for setting in fields(Options)}
KEYS = frozenset(each.name for each in ROWS.values() if each.key)
"""The options that a configuration file may set."""

_SHOWING = (
    *("words", "run", "from_file"),
    *(setting for setting, each in ROWS.items() if each.shows),
)


def takes(command: str) -> Callable[[Any], Any]:
    """Gives a command the options of the table that belong to it, in its order."""

    def add(function: Any) -> Any:
        for setting, each in reversed(ROWS.items()):
            if command in each.on:
                function = each.option(setting, command)(function)
        return function

    return add


def grouped(options: Iterable[click.Option]) -> dict[str, list[click.Option]]:
    """The options under their headings, in the order of the table."""
    groups: dict[str, list[click.Option]] = {}
    for option in sorted(options, key=lambda option: _ORDER.get(option.name or "", len(_ORDER))):
        group = ROWS[option.name].group if option.name in ROWS else "General"
        groups.setdefault(group, []).append(option)
    return groups


def name_of(option: click.Option) -> str:
    """The long name of an option without its dashes: `memory-limit`."""
    return max(option.opts, key=len).lstrip("-")
