"""Whether results of reductions are still healthy where the trigger was: a measure of slippage.

    python -m benchmarks.slippage --results build/bench
    python -m benchmarks.slippage --results build/bench --only-place 'target:vmvx'
    python -m benchmarks.slippage --results build/bench --inputs --longest 120

A reduction slips if it ends at another bug that has the same message. To see that from outside, the
trigger and the result are compiled elsewhere: for other targets, at other optimization levels, and
by every other installed release, with the case's own flags otherwise. A place where the trigger
compiles and the result fails is a *slip*. A place where the trigger fails as at home and the result
compiles is *narrowed*: the result still shows the bug at home, but on fewer places. A place that
cannot parse one of the two, or does not know a flag, says nothing.

The trigger of a model is what a person found in it, which need not be what fails in it for another
target or release. `--inputs` compares with the models themselves.

Neither the product's flags nor its classification are used, so that this is an independent
measure. Results are those of `benchmarks.reduce_corpus`. All runs are cached by content. Figures
are comparable for the same releases only: `--wheels` names them.
"""

import fnmatch
import json
import lzma
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from packaging.version import Version

from benchmarks.slippage_ends import Answer, End, Failure, judge
from benchmarks.slippage_places import Place, places_of
from benchmarks.slippage_run import LONGEST, Runner, default_toolchains, installed

CORPUS = Path(__file__).parents[1] / "corpus"


@dataclass(frozen=True)
class Subject:
    """A trigger and the result of reducing it, or something that contains it."""

    name: str
    case: str
    wheel: str
    kind: str
    program: str
    flags: tuple[str, ...]
    failure: Failure
    trigger: str
    result: str
    dropped: tuple[str, ...]
    """Flags of the case that the result's own command has no longer."""


@dataclass(frozen=True)
class Compared:
    """What one place says about the trigger and about the result."""

    place: str
    trigger: Answer
    result: Answer
    trigger_detail: str = ""
    result_detail: str = ""

    @property
    def tells(self) -> bool:
        return Answer.CANNOT_TELL not in (self.trigger, self.result)

    @property
    def healthy(self) -> bool:
        """Whether the result could slip here."""
        return self.tells and self.trigger is Answer.COMPILES

    @property
    def slipped(self) -> bool:
        return self.healthy and self.result.fails

    @property
    def alike(self) -> bool:
        """Whether the result could be narrower here."""
        return self.tells and self.trigger is Answer.ALIKE

    @property
    def narrowed(self) -> bool:
        return self.alike and self.result is Answer.COMPILES


@dataclass(frozen=True)
class Profile:
    """A subject at home and elsewhere. `cpu_seconds` are those of all its runs, cached or not."""

    subject: Subject
    home: Compared
    elsewhere: tuple[Compared, ...]
    cpu_seconds: float

    def only(self, patterns: Sequence[str]) -> "Profile":
        """The same with only some of the places."""
        kept = tuple(
            one
            for one in self.elsewhere
            if not patterns or any(fnmatch.fnmatch(one.place, pattern) for pattern in patterns)
        )
        return Profile(self.subject, self.home, kept, self.cpu_seconds)


@click.command()
@click.option("--results", required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--case", "cases", multiple=True, help="Only this case; may be repeated.")
@click.option("--inputs", is_flag=True, help="Compare with the whole inputs, of models only.")
@click.option("--longest", default=LONGEST, show_default=True, help="CPU seconds of one run.")
@click.option("--wheels", help="Only these releases, comma-separated; all installed ones.")
@click.option("--only-place", multiple=True, help="Count only places like target:vmvx, release:*.")
@click.option(
    "--cache",
    default="build/slippage.jsonl",
    show_default=True,
    type=click.Path(path_type=Path),
    help="File of the runs so far.",
)
@click.option(
    "--toolchains",
    default=default_toolchains,
    type=click.Path(path_type=Path),
    help="Folder of installed compilers.",
)
@click.option("--json", "as_json", type=click.Path(path_type=Path), help="Write figures here, too.")
def main(
    results: Path,
    cases: tuple[str, ...],
    inputs: bool,
    longest: float,
    wheels: str | None,
    only_place: tuple[str, ...],
    cache: Path,
    toolchains: Path,
    as_json: Path | None,
) -> None:
    """Compare each result with its trigger at every place, and print a table."""
    there = installed(toolchains)
    releases = [one for one in there if wheels is None or one in wheels.split(",")]
    runner = Runner(toolchains, cache, longest)
    profiles = []
    for subject in subjects(results, cases, inputs=inputs):
        if subject.wheel not in there:
            click.echo(f"{subject.name}: {subject.wheel} is not installed", err=True)
            continue
        whole = profile(subject, releases, runner)
        profiles.append(whole.only(only_place))
        click.echo(f"{subject.name}: {whole.cpu_seconds:.1f} CPU s", err=True)
    click.echo(table(profiles))
    click.echo(f"Releases: {' '.join(releases)}.")
    click.echo(f"{runner.runs} new runs, {runner.spent:.0f} CPU seconds.", err=True)
    if as_json:
        found = {"releases": releases, **figures(profiles)}
        as_json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def subjects(
    results: Path, cases: Sequence[str] = (), *, inputs: bool = False
) -> Iterator[Subject]:
    """The finished reductions in a folder of `benchmarks.reduce_corpus`, by name.

    Args:
        inputs: only those of models, with the models themselves for triggers.
    """
    for path in sorted(results.glob("*/row.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        if cases and row["case"] not in cases:
            continue
        if inputs and not _packed(row["case"]).is_file():
            continue
        found = _subject(path.parent, row, inputs)
        if isinstance(found, str):
            click.echo(f"{path.parent.name}: {found}", err=True)
        else:
            yield found


def _subject(folder: Path, row: dict[str, Any], whole: bool) -> Subject | str:
    """The reduction in a folder; why it cannot be compared, otherwise."""
    place = CORPUS / row["case"]
    manifest = tomllib.loads((place / "case.toml").read_text(encoding="utf-8"))
    run = next((one for one in manifest["runs"] if one["wheel"] == row["wheel"]), None)
    if run is None or "package" in run:
        return "not a release of IREE"
    trigger = _input(row["case"]) if whole else _trigger(place, run)
    if row["status"] != "reduced" or not (folder / "reduced.mlir").is_file():
        return "not reduced"
    flags = tuple(run["flags"])
    return Subject(
        name=folder.name,
        case=row["case"],
        wheel=row["wheel"],
        kind=run["kind"],
        program=run.get("program", "iree-compile"),
        flags=flags,
        failure=Failure(run.get("timeout"), run.get("memory"), run.get("match")),
        trigger=trigger,
        result=(folder / "reduced.mlir").read_text(encoding="utf-8"),
        dropped=_dropped(folder / "report.json", flags),
    )


def _trigger(place: Path, run: dict[str, Any]) -> str:
    """The expert's input for a run, or the original one."""
    if "expert" in run:
        return Path(place / run["expert"]).read_text(encoding="utf-8")
    return _input(place.name)


def _packed(case: str) -> Path:
    return CORPUS / case / "input.mlir.xz"


def _input(case: str) -> str:
    with lzma.open(_packed(case), "rt", encoding="utf-8") as file:
        return str(file.read())


def _dropped(report: Path, flags: Sequence[str]) -> tuple[str, ...]:
    command = json.loads(report.read_text(encoding="utf-8")).get("command", [])
    return tuple(flag for flag in flags if flag not in command)


def profile(subject: Subject, releases: Sequence[str], runner: Runner) -> Profile:
    """Compile both texts at every place."""
    home, *others = places_of(subject.program, subject.wheel, subject.flags, releases)
    failure = subject.failure
    reference = runner.end(subject.trigger, home, failure)
    seconds = 0.0

    def compared(place: Place) -> Compared:
        nonlocal seconds
        trigger = runner.end(subject.trigger, place, failure)
        seconds += trigger.cpu_seconds
        answer = judge(trigger, reference, failure)
        if answer is Answer.CANNOT_TELL:
            return Compared(place.name, answer, answer, _told(trigger), "not run")
        result = runner.end(subject.result, place, failure)
        seconds += result.cpu_seconds
        return Compared(
            place.name, answer, judge(result, reference, failure), _told(trigger), _told(result)
        )

    at_home, *elsewhere = [compared(place) for place in (home, *others)]
    return Profile(subject, at_home, tuple(elsewhere), seconds)


def _told(end: End) -> str:
    return " ".join([f"{end.kind}:", end.detail[:200], *end.frames]).strip(": ")


def table(profiles: Sequence[Profile]) -> str:
    """The profiles as a Markdown table, with the places and totals below."""
    lines = [
        "| case | kind | result at home | places that tell | trigger compiles | slips "
        "| trigger fails alike | narrowed |",
        "|---|---|---|--:|--:|---|--:|---|",
    ]
    lines += [_row(one) for one in profiles]
    lines += ["", "| place | trigger compiles | slips | trigger fails alike | narrowed |"]
    lines += ["|---|--:|--:|--:|--:|"]
    lines += [_place_row(place, profiles) for place in _places(profiles)]
    return "\n".join([*lines, "", *_summary(profiles)])


def _row(one: Profile) -> str:
    at_home = str(one.home.result)
    if one.subject.dropped:
        at_home += f" (its own command is without {' '.join(one.subject.dropped)})"
    cells = [
        one.subject.name,
        one.subject.kind,
        at_home,
        f"{sum(each.tells for each in one.elsewhere)} of {len(one.elsewhere)}",
        str(sum(each.healthy for each in one.elsewhere)),
        ", ".join(each.place for each in one.elsewhere if each.slipped) or "-",
        str(sum(each.alike for each in one.elsewhere)),
        ", ".join(each.place for each in one.elsewhere if each.narrowed) or "-",
    ]
    return "| " + " | ".join(cells) + " |"


def _places(profiles: Sequence[Profile]) -> list[str]:
    """Targets and levels in order of their names, then releases in order of their age."""
    names = {each.place for one in profiles for each in one.elsewhere}
    releases = [name for name in names if name.startswith("release:")]
    return [
        *sorted(names - {*releases}),
        *sorted(releases, key=lambda name: Version(name.partition(":")[2])),
    ]


def _place_row(place: str, profiles: Sequence[Profile]) -> str:
    here = [each for one in profiles for each in one.elsewhere if each.place == place]
    counts = [
        sum(each.healthy for each in here),
        sum(each.slipped for each in here),
        sum(each.alike for each in here),
        sum(each.narrowed for each in here),
    ]
    return f"| {place} | " + " | ".join(map(str, counts)) + " |"


def _summary(profiles: Sequence[Profile]) -> Iterator[str]:
    total = totals(profiles)
    yield (
        f"{total['slipped']} of {total['exposed']} results that have a place where the trigger "
        f"compiles slip at one or more ({_rate(total['slipped'], total['exposed'])}): "
        f"{total['slips']} of {total['healthy_places']} such places "
        f"({_rate(total['slips'], total['healthy_places'])}). "
        f"{total['narrowed']} of {total['shared']} results are narrowed, at "
        f"{total['narrowed_places']} of {total['alike_places']} places where the trigger fails "
        f"alike ({_rate(total['narrowed_places'], total['alike_places'])}). "
        f"All runs together: {total['cpu_seconds']:.0f} CPU seconds."
    )


def totals(profiles: Sequence[Profile]) -> dict[str, float]:
    """The counts over all profiles: results (`slipped` of `exposed`) and places."""
    every = [each for one in profiles for each in one.elsewhere]
    return {
        "results": len(profiles),
        "exposed": sum(any(each.healthy for each in one.elsewhere) for one in profiles),
        "slipped": sum(any(each.slipped for each in one.elsewhere) for one in profiles),
        "shared": sum(any(each.alike for each in one.elsewhere) for one in profiles),
        "narrowed": sum(any(each.narrowed for each in one.elsewhere) for one in profiles),
        "telling_places": sum(each.tells for each in every),
        "healthy_places": sum(each.healthy for each in every),
        "slips": sum(each.slipped for each in every),
        "alike_places": sum(each.alike for each in every),
        "narrowed_places": sum(each.narrowed for each in every),
        "cpu_seconds": round(sum(one.cpu_seconds for one in profiles), 1),
    }


def _rate(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def figures(profiles: Sequence[Profile]) -> dict[str, Any]:
    """Everything as JSON."""
    return {"totals": totals(profiles), "results": [_figures(one) for one in profiles]}


def _figures(one: Profile) -> dict[str, Any]:
    subject = one.subject
    return {
        "name": subject.name,
        "case": subject.case,
        "wheel": subject.wheel,
        "kind": subject.kind,
        "flags": subject.flags,
        "dropped_flags": subject.dropped,
        "slips": [each.place for each in one.elsewhere if each.slipped],
        "narrowed": [each.place for each in one.elsewhere if each.narrowed],
        "cpu_seconds": round(one.cpu_seconds, 2),
        "places": {
            each.place: {
                "trigger": each.trigger,
                "result": each.result,
                "trigger_end": each.trigger_detail,
                "result_end": each.result_detail,
            }
            for each in (one.home, *one.elsewhere)
        },
    }


if __name__ == "__main__":
    sys.exit(main())
