"""Which bug reports a triage has yet to write."""

import json
from pathlib import Path

from reducer.bundle import METADATA
from reducer.bundle.facts import Version
from reducer.cli.bucket_reports import lists_verdicts


def test_a_report_is_out_of_date_once_another_release_was_run(tmp_path: Path) -> None:
    """It would be filed without saying that the bug is fixed."""
    bad, fixed = Version("3.11.0", "bad", "a message"), Version("3.13.0", "good")

    def told(*versions: Version) -> None:
        rows = [{"version": one.version, "verdict": one.verdict} for one in versions]
        (tmp_path / METADATA).write_text(json.dumps({"versions": rows or None}))

    told()
    assert lists_verdicts(tmp_path, ())
    assert not lists_verdicts(tmp_path, (bad, fixed))
    told(bad, fixed)
    assert lists_verdicts(tmp_path, (bad, fixed))
    assert lists_verdicts(tmp_path, (fixed,)), "a run of fewer releases knows less"
    assert not lists_verdicts(tmp_path, (bad, Version("3.13.0", "bad")))
