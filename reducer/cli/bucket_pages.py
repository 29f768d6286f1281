"""The bugs of a triage as HTML: an overview, and a page about each reduction."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from reducer.errors import OutputNotWritable, ReducerError
from reducer.page import BucketRow, bucket_page, read_reduction, reduction_page
from reducer.session.printing import one_line
from reducer.storage.files import write_atomic
from reducer.triage import Bug
from reducer.triage.reproducers import OUTPUT, buckets_folder


def write_bucket_pages(target: Path, bugs: Sequence[Bug], database: Path) -> None:
    """Write the overview to `target`, and its pages to a folder next to it.

    Raises:
        OutputNotWritable: a file cannot be written.
    """
    pages = target.with_name(f"{target.stem}.pages")
    rows = []
    for bug in bugs:
        page = _page(bug, buckets_folder(database))
        if page is not None:
            try:
                pages.mkdir(exist_ok=True)
            except OSError as error:
                raise OutputNotWritable(f"cannot write to {pages}: {error.strerror}") from error
            write_atomic(pages / f"{bug.name}.html", page)
        rows.append(_row(bug, "" if page is None else f"{pages.name}/{bug.name}.html"))
    write_atomic(target, bucket_page(rows))


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
    return reduction_page(replace(facts, name=f"bucket {bug.name}"))


def _row(bug: Bug, page: str) -> BucketRow:
    one = bug.reproducer
    return BucketRow(
        bucket=bug.name,
        kind=bug.group.root.kind,
        signature=one_line(bug.headline),
        state=str(bug.state),
        wheels=tuple(dict.fromkeys(name.split(" ")[0] for name in bug.configurations)),
        inputs=bug.paths,
        before=one.input_ops if one is not None and one.text else None,
        after=one.ops if one is not None and one.text else None,
        text=one.text if one is not None else "",
        page=page,
    )
