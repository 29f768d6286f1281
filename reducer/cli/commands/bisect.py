"""`mlir-reducer bisect`: find the release or build in which a failure began."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from oracles import Command, Kind, Oracle, PatternOracle
from oracles.base import capabilities_of
from oracles.compilers.command import INPUT, split_launcher
from oracles.metrics.oracle import MetricOracle
from reducer import api
from reducer.bisect import BisectResult, ReleaseResult, ReleaseRunner, ReleaseVerdict
from reducer.bisect.bisection import Bisection, read_line
from reducer.bisect.builds import Build
from reducer.bisect.query import PUBLISHED, BisectQuery, adaptations
from reducer.cli.display.console import print_status, show
from reducer.cli.display.layout import Part, Style, Table
from reducer.cli.display.record import write_json
from reducer.cli.display.shown_command import shell_line
from reducer.cli.options.values import package_source
from reducer.cli.request.oracle_options import OracleOptions
from reducer.cli.request.recorded import ResultRecord, with_command
from reducer.cli.request.references import default_reference
from reducer.cli.signals import stop_on_signals
from reducer.cli.workspace import workspace
from reducer.errors import ExitCode, UsageError
from reducer.escaping import one_line
from reducer.storage.result_folder import ResultFolder
from reducer.toolchain import (
    INDEX_ONLY,
    NEWEST,
    PackageSource,
    newest_release,
)
from reducer.units import cut_inside, duration, plural, size

_PER_QUESTION = ("words", "iree", "timeout", "memory_limit")  # all else is the question's


def bisect(asked: OracleOptions) -> int:
    """Find the release that introduced a failure, and the one that fixed it."""
    bisection = bisected(asked)
    if asked.json_target is not None:
        write_json(asked.json_target, bisection.to_json())
    if asked.json_target != "-":
        show(*as_parts(bisection.result, bisection.runner))
    return ExitCode.REDUCED if bisection.result.decided else ExitCode.UNAVAILABLE


def bisected(asked: OracleOptions) -> Bisection:
    """The releases that have a failure; the record of a result has them from now on, too."""
    bad, iree = asked.bad, asked.iree
    if bad is not None and iree is not None and bad != iree:
        raise UsageError("--bad and --iree both name the failing release; give only one of them")
    packages = package_source(asked.find_links, pre=asked.pre)
    line, builds = read_line(asked.compilers)
    input = ResultFolder.result_of(asked.source)
    oracle_options = replace(asked, source=input, iree=None)
    text = _input_text(oracle_options, builds)
    oracle_options = with_command(oracle_options, text)
    bad = bad or iree or oracle_options.iree or NEWEST
    oracle_options = replace(oracle_options, iree=None)
    if builds:
        _check_for_builds(oracle_options)
    else:
        oracle_options = with_reference(oracle_options, bad, packages)
        if oracle_options.metric is not None:
            oracle_options = _in_same_part(oracle_options, bad, text, packages)
    query = query_of(oracle_options, text, builds, line)
    stop = threading.Event()
    with workspace() as place, stop_on_signals(stop, leave=place.clean_up):
        bisection = api.bisect(
            query,
            input,
            bad=bad,
            good=asked.good,
            everything=asked.everything,
            packages=packages,
            log=print_status,
            stop=stop,
        )
    if not builds:  # what a label of a build stands for, nobody else knows
        bucket = bisection.result.signature.bucket
        ResultRecord.of(input).add(text, bucket, versions=bisection.versions)
    return bisection


def _check_for_builds(oracle_options: OracleOptions) -> None:
    if oracle_options.wrong_results and not oracle_options.references:
        raise UsageError("--wrong-results with --compiler needs a common --reference")


def _input_text(oracle_options: OracleOptions, builds: Sequence[Build]) -> str:
    """The input; bytecode is printed by the last build, which is likeliest to know its dialects."""
    if not builds:
        return oracle_options.read().text
    words = _with_build(oracle_options.words, builds[-1])
    return replace(oracle_options, words=words).read().text


def _with_build(words: Sequence[str], build: Build) -> tuple[str, ...]:
    """The command with a build in place of its program."""
    launcher, own = split_launcher(words) if words else ([], [])
    return (*launcher, str(build.program), *own[1:])


def query_of(
    oracle_options: OracleOptions,
    text: str,
    builds: Sequence[Build] = (),
    line: Sequence[str] = (PUBLISHED,),
) -> BisectQuery:
    """The query that the options define, for use with any release and these builds.

    Raises:
        UsageError: the options do not apply to other releases.
    """
    oracle_options = oracle_options.with_own_limit()
    return BisectQuery(
        text,
        tuple(
            INPUT if word == str(oracle_options.source) else word for word in oracle_options.words
        ),
        partial(_oracle, oracle_options, {build.label: build for build in builds}),
        identity=_identity(oracle_options),
        kinds=_kinds(oracle_options),
        timeout=oracle_options.timeout,
        builds={build.label: build for build in builds},
        line=tuple(line),
        needs_runtime=oracle_options.wrong_results,
    )


def with_reference(
    oracle_options: OracleOptions, bad: str, packages: PackageSource = INDEX_ONLY
) -> OracleOptions:
    """For wrong results, one reference for all releases: by default another backend of `bad`."""
    if not oracle_options.wrong_results or oracle_options.references or not oracle_options.words:
        return oracle_options
    version = newest_release(print_status, packages) if bad == NEWEST else bad
    backend = default_reference(Command.parse(oracle_options.words, source=oracle_options.source))
    return replace(oracle_options, references=(f"iree:{version}+{backend}",))


def _in_same_part(
    oracle_options: OracleOptions, bad: str, text: str, packages: PackageSource
) -> OracleOptions:
    """For a number: ask all releases for the pass or statistic, and the factor, of `bad`."""
    version = newest_release(print_status, packages) if bad == NEWEST else bad
    oracle, _ = replace(oracle_options, iree=version).oracle(text)
    metric = capabilities_of(oracle).numbers
    assert metric is not None
    spec, factor = metric.pinned()
    return replace(oracle_options, metric=spec, by=factor)


def _oracle(
    oracle_options: OracleOptions,
    builds: Mapping[str, Build],
    version: str,
    words: Sequence[str],
    text: str,
) -> Oracle:
    if build := builds.get(version):
        words, iree = _with_build(words, build), None
    else:
        iree = version
    oracle, _ = replace(oracle_options, iree=iree, words=tuple(words)).oracle(text)
    return oracle


def _identity(oracle_options: OracleOptions) -> str:
    """Everything that determines an outcome, beyond version, words and text."""
    return repr(sorted((oracle_options.showing() | dict.fromkeys(_PER_QUESTION)).items()))


def _kinds(oracle_options: OracleOptions) -> frozenset[Kind] | None:
    if oracle_options.test is not None:
        raise UsageError(
            "--test cannot be bisected: a script chooses its own compiler; give a "
            "command after -- instead, with --match if needed"
        )
    if oracle_options.wrong_results:
        return frozenset(kind for kind in Kind if kind.traits.wrong_results)
    if oracle_options.metric is not None:
        return MetricOracle.kinds
    if oracle_options.match is not None or oracle_options.exit_code is not None:
        return PatternOracle.kinds
    return None


_BAR = 24  # characters of the largest number
_WIDTH = 160  # maximum characters of a message
_STYLES = {ReleaseVerdict.GOOD: Style.GOOD, ReleaseVerdict.BAD: Style.BAD}


def as_parts(result: BisectResult, runner: ReleaseRunner) -> list[Part]:
    """One row for each release that was tested, the changes of the command, and the summary."""
    notes = [f"{note}: {where}" for note, where in adaptations(result.results)]
    spent = runner.cost
    cost = f"{plural(spent.calls, 'run')}, {duration(spent.cpu_seconds)} of compiler time"
    if runner.fetched:
        fetched = ", ".join(runner.fetched)
        cost += f"; installed {fetched} ({size(round(runner.megabytes * 1e6))})"
    if result.untested:
        cost += f"; {plural(len(result.untested), 'release')} not tested (--all tests every one)"
    return [
        f"failure: {one_line(result.signature.text)}",
        "",
        _table(result.results),
        *_legend(runner),
        *(["", *notes] if notes else []),
        "",
        *summary(result),
        cost,
    ]


def _table(answers: Sequence[ReleaseResult]) -> Table:
    most = max((dict(answer.numbers).get("value", 0.0) for answer in answers), default=0.0)
    rows = [
        (
            answer.version,
            str(answer.verdict),
            *([_bar(dict(answer.numbers).get("value", 0.0) / most)] if most else []),
            duration(answer.seconds) if answer.seconds else "",
            cut_inside(one_line(answer.message), _WIDTH),
        )
        for answer in answers
    ]
    styles = {
        (number, 1): _STYLES.get(answer.verdict, Style.WARNING)
        for number, answer in enumerate(answers)
    }
    return Table(rows, right=frozenset({3 if most else 2}), styles=styles)


def _bar(share: float) -> str:
    """A number as a bar, given its share of the largest."""
    return "█" * round(_BAR * share)


def _legend(runner: ReleaseRunner) -> list[str]:
    """Which compiler each label of a build stands for."""
    builds = runner.query.builds.values()
    lines = [
        f"{build.label}: {shell_line([str(build.program)])}"
        + (f" ({build.version})" if build.version not in ("", build.label) else "")
        for build in builds
    ]
    return ["", *lines] if lines else []


def summary(result: BisectResult) -> list[str]:
    """The releases between which the failure appeared and disappeared."""
    lines = [f"note: {note}" for note in result.notes]
    lines += [blame.how for blame in result.blames]
    if result.other_bad:
        lines.append(f"also bad: {', '.join(result.other_bad)}")
    return lines
