"""The bugs of a triage as HTML: an overview, and a page about each reduction."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reducer.errors import OutputNotWritable, ReducerError
from reducer.report.page import (
    BucketRow,
    Findings,
    ReleaseRow,
    bucket_page,
    read_reduction,
    reduction_page,
)
from reducer.storage.written import Written
from reducer.triage import Bug
from reducer.triage.headlines import bug_headlines
from reducer.triage.reproducers import OUTPUT, buckets_folder


def write_bucket_pages(
    target: Path, bugs: Sequence[Bug], database: Path, unread: Mapping[str, str]
) -> None:
    """Write the overview to `target`, and its pages to a folder next to it.

    Raises:
        OutputNotWritable: a file cannot be written.
    """
    written = Written(database.parent)
    pages = target.with_name(f"{target.stem}.pages")
    rows = []
    texts = bug_headlines(bugs, _HEADLINE)
    for bug, text in zip(bugs, texts, strict=True):
        page = _page(bug, buckets_folder(database))
        if page is not None:
            try:
                pages.mkdir(exist_ok=True)
            except OSError as error:
                raise OutputNotWritable(f"cannot write to {pages}: {error.strerror}") from error
            written.write(pages / f"{bug.name}.html", page)
        link = "" if page is None else f"{pages.name}/{bug.name}.html"
        rows.append(_row(bug, text, link))
    written.write(target, bucket_page(rows, unread=unread))


def _page(bug: Bug, folder: Path) -> str | None:
    """The page about the reduction of the bug's reproducer, if its journal still exists."""
    one = bug.reproducer
    if one is None or not one.text:
        return None
    place = folder / one.bucket
    try:
        facts = read_reduction(place / OUTPUT)
    except ReducerError:
        return None
    rows = tuple(
        ReleaseRow(release.version, str(release.verdict), release.failure)
        for release in bug.extent.releases
    )
    findings = Findings(facts.findings.boundary, rows)
    return reduction_page(replace(facts, name=f"bucket {bug.name}", findings=findings))


_HEADLINE = 400  # characters of a failure in the overview


def _row(bug: Bug, text: str, page: str) -> BucketRow:
    one = bug.reproducer
    return BucketRow(
        bucket=bug.name,
        kind=bug.group.root.kind,
        signature=text,
        state=str(bug.state),
        since=bug.since,
        fixed_in=bug.fixed_in or "",
        targets=bug.extent.targets,
        note=bug.note,
        wheels=tuple(dict.fromkeys(name.split(" ")[0] for name in bug.configurations)),
        inputs=bug.paths,
        before=one.input_ops if one is not None and one.text else None,
        after=one.ops if one is not None and one.text else None,
        text=one.text if one is not None else "",
        page=page,
    )
