"""Make docs/results.md from docs/results.json, and that from the pinned reductions.

    python -m benchmarks.results                       the page, from the JSON beside it
    python -m benchmarks.results --pins build/pins     both, from what `benchmarks.pins` recorded

The expert of a case is the program that a person wrote for its bug. Programs are counted in generic
form, in ops.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.bucketing import score_at
from benchmarks.measure import sizes
from benchmarks.opt_corpus import ops_of
from oracles.signature.derive import Level
from tests.support.corpus import load_case
from tests.support.opt_corpus import opt_cases
from tests.support.recorded import recordings

DOCS = Path(__file__).parents[1] / "docs"
ABLATION = Path(__file__).with_name("ablation.jsonl")
_TITLES = {
    "corpus": (
        "The corpus",
        "Failures of IREE, and one of Triton. Programs that a person has written for a bug are\n"
        "reduced as they are, and models (those of more than 500 ops) as they were exported.",
    ),
    "planted": ("In a healthy module", "The same, planted in 50 healthy layers of about 17 ops."),
    "opt": (
        "Other tools",
        "Failures of `mlir-opt`, `heir-opt`, `iree-opt` and Triton from public issues\n"
        "(`corpus/opt/`), with about 40 healthy ops around them where the tool takes these.",
    ),
    "wrong": ("Wrong results", "Programs that compute something wrong, with `--wrong-results`."),
}
_HEAD = """\
# Results

Every result is verified, fails in the same way as its input, and is 1-minimal: nothing can be
removed from it alone. *Expert* is the size of the program that a person wrote for the bug, in ops
like all sizes here. *Pass* is the size of the program for the failing pass. All reductions ran with
one worker.

This page is made from [results.json](results.json) by `python -m benchmarks.results`, and that file
from the reductions of `python -m benchmarks.pins --record`.
"""

Rows = Sequence[Mapping[str, Any]]


@click.command()
@click.option("--pins", type=click.Path(path_type=Path, exists=True), help="Pinned reductions.")
def main(pins: Path | None) -> None:
    """Make the page, and before that its figures if there are pins."""
    if pins is not None:
        figures = {"levels": _levels(), "reductions": list(_reductions(pins))}
        lines = [f'  "{name}": [\n{_rows(rows)}\n  ]' for name, rows in figures.items()]
        file = DOCS / "results.json"
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    (DOCS / "results.md").write_text(page(), encoding="utf-8")


def page() -> str:
    """The page that the figures make."""
    figures = json.loads((DOCS / "results.json").read_text(encoding="utf-8"))
    parts = [_HEAD]
    for name, (title, text) in _TITLES.items():
        rows = [row for row in figures["reductions"] if row["set"] == name]
        if rows:
            parts += [f"## {title}\n", f"{text}\n", _table(rows, listed=name != "planted")]
    rewrites = json.loads((DOCS / "rewrites.json").read_text(encoding="utf-8"))["rewrites"]
    parts += [_REWRITES, _rewrite_table(rewrites), _LEVELS, _level_table(figures["levels"])]
    parts += [_RIVALS, _rival_table(_lines("rivals.jsonl"))]
    parts += [_NUMBERS, _numbers(_lines("metric_scan.jsonl"), _lines("metric_noise.jsonl"))]
    return "\n".join([*parts, _WORTH, _worth_table()])


def _rows(rows: Rows) -> str:
    return ",\n".join(f"    {json.dumps(row)}" for row in rows)


def _reductions(pins: Path) -> Iterator[dict[str, Any]]:
    for name in _TITLES:
        experts = _opt_experts() if name == "opt" else {}
        for folder in sorted(pins.glob(f"{name}/*/")):
            case, _, release = (
                folder.name.rpartition("-") if name != "opt" else (folder.name, "", "")
            )
            row = {"set": name, "case": case, "release": release}
            file = folder / "work" / "record.json"
            record = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
            if "output" not in record:
                yield {**row, "status": record.get("status", "budget")}
                continue
            of_pass = record.get("pass_level") or {}
            yield {
                **row,
                "status": record["status"],
                "verified": record["verified"],
                "one_minimal": record["one_minimal"],
                "kind": record["kind"],
                "input": record["input"]["ops"],
                "expert": experts[case]() if experts else _expert(case, release),
                "ops": record["output"]["ops"],
                "bytes": record["output"]["bytes"],
                "runs": record["oracle"]["calls"],
                "full_runs": record["oracle"]["full_run_equivalents"],
                "pass": (of_pass.get("output") or {}).get("ops"),
            }


def _expert(name: str, release: str) -> int | None:
    case = load_case(name)
    run = next(run for run in case.runs if run.wheel == release)
    found: int | None = sizes(case.expert(run), run.opt(), "").get("ops")
    return found


def _opt_experts() -> dict[str, Callable[[], int]]:
    return {case.name: lambda case=case: ops_of(case, case.text) for case in opt_cases()}  # type: ignore[misc]


def _levels() -> Rows:
    texts = recordings()
    scores = {level: score_at(level, texts) for level in Level}
    return [
        {
            "level": str(level),
            "texts": len(texts),
            "bugs": len({text.group for text in texts}),
            "precision": round(score.precision, 3),
            "recall": round(score.recall, 3),
        }
        for level, score in scores.items()
    ]


def _table(rows: Rows, *, listed: bool = True) -> str:
    """Each reduction if they are `listed`, and a sentence about all of them."""
    lines = [
        "| case | ops | expert | result | runs | pass |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    done = [row for row in rows if _is_done(row)]
    for row in done:
        name = " ".join(filter(None, (row["case"], row["release"])))
        cells = [name, f"{row['input']:,}", row["expert"], row["ops"]]
        cells += [row["runs"], row["pass"]]
        lines.append(f"| {' | '.join('' if cell is None else str(cell) for cell in cells)} |")
    known = [row for row in done if row["expert"] is not None]
    most = sum(row["ops"] <= row["expert"] for row in known)
    less = sum(row["ops"] < row["expert"] for row in known)
    lines = [
        *([*lines, ""] if listed else []),
        f"{most} of {len(known)} results are no larger than the expert's, {less} smaller.",
    ]
    if rest := [f"`{row['case']}`" for row in rows if not _is_done(row)]:
        lines.append(f"Not finished within four minutes on a busy machine: {', '.join(rest)}.")
    return "\n".join(lines) + "\n"


def _is_done(row: Mapping[str, Any]) -> bool:
    return bool(row["status"] == "reduced" and row["verified"] and row["one_minimal"])


_LEVELS = """\
## Signatures

How well [signatures](signatures.md#levels) tell recorded failures apart, over pairs of texts:
precision is the share of pairs in one bucket that are one bug, recall the share of pairs of one bug
that are in one bucket.
"""


_REWRITES = """\
## What is at fault

What `locate` blames, of public failures of which the fix or the discussion says what is at fault,
and of planted ones ([each](rewrites.json)): a pass, a rewrite, a fold, or what a number grows with.
"""


def _rewrite_table(rows: Rows) -> str:
    lines = []
    for title, group in (("Public", True), ("Planted", False)):
        some = [row for row in rows if bool(re.search(r"\d{4}", row["case"])) is group]
        right, shown = (sum(row[key] for row in some) for key in ("right", "sure"))
        false = sum(len(row["false"]) for row in some)
        told = f"{right} of {len(some)} are right, {shown} of these shown"
        lines.append(f"{title}: {told}; {false} claims that are shown are false.")
    return "\n".join(lines) + "\n"


_RIVALS = """\
## Beside other reducers

Programs of a fuzzer, one for each of twelve passes of LLVM 16's `mlir-opt` (`corpus/population`),
for each reducer with one worker, the same test and at most 30 CPU seconds: ops left, compiler runs,
CPU seconds (`benchmarks.rivals`). A *slip* fails otherwise than the input, read apart from all of
them.
"""


def _rival_table(rows: Rows) -> str:
    names = list(dict.fromkeys(row["reducer"] for row in rows))
    lines = [f"| failure | ops | {' | '.join(names)} |", f"|---|--:|{'---|' * len(names)}"]
    for failure in dict.fromkeys(row["failure"] for row in rows):
        own = {row["reducer"]: row for row in rows if row["failure"] == failure}
        cells = [failure, f"{next(iter(own.values()))['input']:,}"]
        cells += [_rival_cell(own[name]) if name in own else "" for name in names]
        lines.append(f"| {' | '.join(cells)} |")
    slips = Counter(row["reducer"] for row in rows if row["result"] == "slip")
    counts = ", ".join(f"{name} {slips[name]}" for name in names)
    return "\n".join([*lines, "", f"Slips: {counts}."]) + "\n"


def _rival_cell(row: Mapping[str, Any]) -> str:
    ended = "" if row["ended"] == "yes" else f", {row['ended']}"
    if row["result"] != "same":
        return f"{row['result']}{ended}"
    size = "unreadable" if row["ops"] is None else f"{row['ops']:,}"
    return f"{size}, {row['runs']}, {row['seconds']} s{ended}"


_NUMBERS = """\
## Numbers

What releases of IREE make worse; all is in `benchmarks/metric_scan.jsonl`, made by
`python -m benchmarks.metric_scan` and `benchmarks.metric_reduce`.
"""


def _numbers(rows: Rows, noise: Rows) -> str:
    """What was scanned, the reductions, and what noise does."""
    scan = next(row for row in rows if row["kind"] == "scan")
    jumps = Counter(row["metric"] for row in rows if row["kind"] == "jump")
    found = ", ".join(f"{number} of {metric}" for metric, number in sorted(jumps.items()))
    lines = [
        f"{scan['compiled']} programs, {len(scan['releases'])} releases, llvm-cpu and HIP: jumps "
        f"by a factor of 2 or more are {found or 'nowhere'}.",
        "",
        "| program | metric | worse than | ratio | reduced | ops | reduced | runs | `repro.sh` |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        if row["kind"] == "reduced":
            name = row["program"].removeprefix("test_")[:20]
            metric = ":".join(filter(None, (row["metric"].partition(":")[0], row["part"])))
            cells = [name, f"`{metric}`", f"`{row['reference']}`", f"{row['before']:.2f}",
                     f"{row['after']:.2f}", row["ops"], row["reduced"], row["runs"],
                     row["repro"]]  # fmt: skip
            lines.append(f"| {' | '.join(map(str, cells))} |")
    told = {kind: [row for row in noise if row["kind"] == kind] for kind in ("healthy", "slower")}
    counts = [sum(row[key] for row in side) for side in told.values() for key in ("worse", "of")]
    lines += [
        "",
        "On a busy machine, compile time is called worse in {} of {} comparisons of programs with\n"
        "themselves, and in {} of {} with programs that are 1.3 times as slow.".format(*counts),
    ]
    return "\n".join(lines) + "\n"


def _lines(name: str) -> Rows:
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _level_table(rows: Rows) -> str:
    lines = [f"{rows[0]['texts']} texts of {rows[0]['bugs']} bugs:", ""]
    lines += ["| level | precision | recall |", "|---|--:|--:|"]
    lines += [f"| {row['level']} | {row['precision']:.3f} | {row['recall']:.3f} |" for row in rows]
    return "\n".join(lines) + "\n"


_WORTH = """\
## What each part is worth

The worst that happens without it: patterns, by recorded outputs; all else, by the fastest pins in
which it acts, or by whether its edits were accepted in 2,057 recorded histories
(`benchmarks.ablation`, which says why the rest stays; by name in `benchmarks/ablation.jsonl`).
"""

_WORST = {
    "result": ("another bug", "too long"),
    "larger": ("larger",),
    "more runs": ("more runs",),
    "asks otherwise": ("diverges",),
    "only costs runs": ("fewer runs", "smaller"),
}
"""What a part that is missed changes, worst first, and how `benchmarks.ablation` calls it."""


def _worth_table() -> str:
    counts: dict[str, Counter[str]] = {}
    for line in ABLATION.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        counts.setdefault(row["what"], Counter())[_worth(row)] += 1
    titles = [*_WORST, "accepted", "nothing", "does not act"]
    lines = [f"| part | all | {' | '.join(titles)} |", f"|---|{'--:|' * (1 + len(titles))}"]
    for what, found in counts.items():
        cells = [found.total(), *(found[title] or "" for title in titles)]
        lines.append(f"| {what} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def _worth(row: Mapping[str, Any]) -> str:
    worst = (title for title, found in _WORST.items() if any(one in row for one in found))
    if row.get("changed"):
        return "result"
    if (found := next(worst, None)) is not None:
        return found
    if row.get("accepted"):
        return "accepted"
    return "nothing" if row.get("acts", row.get("matches")) else "does not act"


if __name__ == "__main__":
    main()
