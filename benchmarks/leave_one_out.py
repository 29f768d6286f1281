"""Whether results are healthy where nobody asked: leave one place out of the audit.

    python -m benchmarks.leave_one_out --results build/bench --out build/left-out

The audit of a reduction asks other targets, levels and releases, and holds the result to what it
learns there. How good that is for places that it cannot ask shows when one is withheld. A place
that was no condition of a reduction did not shape its result, so only reductions with conditions
are repeated, once for each, without that place. Then the independent measure of `slippage` asks
the withheld place about the result.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click

from benchmarks.slippage import Profile, Subject, profile, subjects
from benchmarks.slippage_run import Runner, default_toolchains, installed
from reducer.cli import main as mlir_reducer
from reducer.driver.stages import opening
from reducer.identity.builds import configs_of
from tests.support.corpus import load_case

_PREFIX = {"target": "target", "level": "opt", "release": "release"}


@dataclass(frozen=True)
class Withheld:
    """A result, a place where its trigger compiles, and whether the result does without it."""

    name: str
    place: str
    repeated: bool
    healthy: bool


@click.command()
@click.option("--results", required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path))
@click.option("--wheels", help="Only these releases, comma-separated; all installed ones.")
@click.option("--cache", default="build/slippage.jsonl", type=click.Path(path_type=Path))
@click.option("--toolchains", default=default_toolchains, type=click.Path(path_type=Path))
def main(results: Path, out: Path, wheels: str | None, cache: Path, toolchains: Path) -> None:
    """Withhold each place in turn from the audit of each result, and print a table."""
    there = installed(toolchains)
    releases = [one for one in there if wheels is None or one in wheels.split(",")]
    runner = Runner(toolchains, cache)
    found = [
        one
        for subject in subjects(results)
        for one in _withheld(subject, results / subject.name, out, releases, runner)
    ]
    click.echo("| case | withheld | the trigger compiles there, the result |")
    click.echo("|---|---|---|")
    for one in found:
        if one.repeated or not one.healthy:
            told = "compiles" if one.healthy else "fails"
            click.echo(f"| {one.name} | {one.place} | {told} |")
    healthy, again = sum(one.healthy for one in found), sum(one.repeated for one in found)
    click.echo(
        f"\n{healthy} of {len(found)} withheld places ({healthy / max(1, len(found)):.1%}) compile "
        f"the result; {again} reductions were repeated for that."
    )


def _withheld(
    subject: Subject, folder: Path, out: Path, releases: list[str], runner: Runner
) -> Iterator[Withheld]:
    health = json.loads((folder / "report.json").read_text(encoding="utf-8")).get("health")
    if health is None:
        return
    conditions = {
        f"{_PREFIX[place['kind']]}:{place['name']}": place["name"]
        for place in health["places"]
        if place["required"]
    }
    whole = profile(subject, releases, runner)
    for compared in whole.elsewhere:
        if not compared.healthy:
            continue
        name = conditions.get(compared.place)
        if name is None:
            yield Withheld(subject.name, compared.place, False, not compared.slipped)
            continue
        again = _without(subject, name, folder, out / f"{subject.name}-without-{name}")
        judged = profile(again, releases, runner).only([compared.place])
        yield Withheld(subject.name, compared.place, True, _is_healthy(judged))


def _is_healthy(judged: Profile) -> bool:
    return not any(one.slipped for one in judged.elsewhere)


def _without(subject: Subject, name: str, folder: Path, place: Path) -> Subject:
    """The subject with the result of a reduction that could not ask the place of this name."""
    place.mkdir(parents=True, exist_ok=True)
    output = place / "reduced.mlir"
    if not (place / "report.json").is_file():
        shutil.copy(folder / "input.mlir", place / "input.mlir")
        case = load_case(subject.case)
        run = next(run for run in case.runs if run.wheel == subject.wheel)
        words = [
            "reduce", str(place / "input.mlir"), "-o", str(output), "--fresh", "--quiet",
            "--json", str(place / "report.json"), "--jobs", "1", "--no-report", "--no-pass-level",
            *case.words(run),
        ]  # fmt: skip
        started = "import sys; from benchmarks.leave_one_out import run_without; run_without()"
        subprocess.run([sys.executable, "-c", started, name, *words], check=False)
    text = output.read_text(encoding="utf-8")
    return replace(subject, name=place.name, result=text)


def run_without() -> None:
    """Run mlir-reducer with the arguments after the first, which names a place not to ask."""
    name, *words = sys.argv[1:]
    opening.configs_of = lambda oracle: [  # type: ignore[attr-defined]
        one for one in configs_of(oracle) if one.name != name
    ]
    mlir_reducer.main(args=words)


if __name__ == "__main__":
    sys.exit(main())
