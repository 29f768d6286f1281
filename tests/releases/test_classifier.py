"""One failure on several real releases."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from reducer.cli.bisect import query_of
from reducer.cli.oracle_options import OracleOptions
from reducer.releases import ReleaseRunner, ReleaseVerdict
from reducer.releases.classifier import ReleaseClassifier
from reducer.storage.journal import Journal
from tests.support.corpus import Case


@pytest.mark.iree
def test_a_crash_below_a_nested_pipeline_is_the_same_crash(
    corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    """3.3.0 reaches the pass from another pass, later releases directly."""
    case = corpus("matmul-k0-sigfpe")
    words: Sequence[str] = ("iree-compile", *case.runs[0].flags)
    options = OracleOptions(source=Path("input.mlir"), words=tuple(words))
    query = query_of(options, case.input_text())
    journal = Journal.open(
        tmp_path / "journal", identity={}, resume=False, log=lambda message: None
    )
    try:
        runner = ReleaseRunner(query, journal, log=lambda message: None)
        classifier = ReleaseClassifier(runner, "3.3.0")
        results = [classifier.test(version) for version in ("3.8.0", "3.13.0")]
    finally:
        journal.close()
    assert [result.verdict for result in results] == [ReleaseVerdict.BAD] * 2
    assert {result.bucket for result in results} == {classifier.reference.signature.bucket}
