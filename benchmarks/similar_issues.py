"""How often `report --similar` puts the right issue first, among issues that you exported.

    gh issue list -R llvm/llvm-project --label crash,mlir --state all --limit 1000 \
        --json number,title,body,url > issues.json
    python -m benchmarks.similar_issues issues.json

Each failure of corpus/opt and of the corpus whose issue is in the export, and whose compiler is
installed, is run once on the program of the issue. The rank of that issue is printed, and the share
of failures that have it first (precision at 1) and among the first five. The programs are the
experts', so an issue that gives the same program has all its ops: take the titles-only figures,
which ignore the texts, as the lower end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import click

from oracles import Oracle
from reducer.errors import ReducerError
from reducer.report import gather
from reducer.report.making import evidence_of
from reducer.report.similar import Evidence, Known, rank, read_known
from reducer.toolchain import find
from tests.support.corpus import Run, cases
from tests.support.opt_corpus import opt_cases

_SECONDS = 60.0


@dataclass(frozen=True)
class Failure:
    """A failure whose issue is known."""

    name: str
    issue: str
    text: str
    oracle: Oracle


def failures(issues: frozenset[str]) -> Iterator[Failure]:
    """The failures whose compilers are installed and whose issue is one of `issues`."""
    for case in opt_cases():
        if case.issue in issues and case.command is not None:
            yield Failure(case.name, case.issue, case.text, case.oracle())
    for one in cases():
        run = next((run for run in one.runs if run.expert and _is_usable(run)), None)
        if run is not None and one.issue in issues:
            oracle = run.oracle(run.limits(_SECONDS))
            yield Failure(one.name, one.issue, one.text("expert", run), oracle)


def _is_usable(run: Run) -> bool:
    """Whether the compiler is installed, and is what fails."""
    installed = run.package == "iree-base-compiler" and find(run.wheel) is not None
    return installed and run.is_plain and run.kind != "miscompile"


def rank_of(issue: str, evidence: Evidence, known: list[Known]) -> int:
    """The place of the right issue, from 1."""
    return [match.known.url for match in rank(evidence, known)].index(issue) + 1


@click.command()
@click.argument("issues", type=click.Path(exists=True, path_type=Path))
def main(issues: Path) -> None:
    """Print the rank of the right issue for each failure."""
    known = read_known(issues)
    titles = [replace(one, evidence=Evidence.of_issue(one.title, "")) for one in known]
    urls = frozenset(one.url for one in known)
    ranks: list[tuple[int, int]] = []
    for failure in failures(urls):
        try:
            evidence = evidence_of(gather(failure.text, failure.oracle))
        except ReducerError as error:
            print(f"{failure.name:<45} {error}", flush=True)
            continue
        found = rank_of(failure.issue, evidence, known), rank_of(failure.issue, evidence, titles)
        print(f"{failure.name:<45} {found[0]:>4} {found[1]:>4}", flush=True)
        ranks.append(found)
    for column, name in enumerate(("texts", "titles only")):
        first, five = (sum(pair[column] <= most for pair in ranks) for most in (1, 5))
        count = f"{len(ranks)} ({len(known)} known)"
        print(f"{name}: first {first}, among the first five {five} of {count}")


if __name__ == "__main__":
    main()
